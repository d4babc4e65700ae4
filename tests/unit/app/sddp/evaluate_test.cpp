#include "lockstep/app/sddp/evaluate.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/sddp/run.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "support/places.hpp"
#include "unit/app/temporary_folder.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

fs::path case_of(const std::string& name) {
    return test::source_dir() / "cases/sddp" / name;
}

/// A policy that Cobre made of a case with one reservoir and two stages. After the first one every
/// cut is 2,555,073 - 13,886.11 v (tests/data/sddp/cobre-policies/README.md).
PolicyPlace d02() {
    return {test::source_dir() / "tests/data/sddp/cobre-policies/d02-single-hydro",
            case_of("d02-single-hydro"),
            {}};
}

constexpr double intercept = 2'555'073;
constexpr double slope = 13'886.111111111108;

std::string refusal(const PolicyReader& policy, const PolicyState& state) {
    try {
        static_cast<void>(policy.at(state));
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(EvaluateTest, TellsTheCostToGoAndWhatWaterIsWorth) {
    const PolicyReader policy(d02());

    const auto value = policy.at({0, {}, "storage(0)=50"});

    EXPECT_EQ(value.stage_id, 0);
    EXPECT_NEAR(value.cost_to_go, intercept - 50 * slope, 1e-6);
    ASSERT_EQ(value.water.size(), 1U);
    EXPECT_EQ(value.water[0].storage_hm3, 50);
    EXPECT_NEAR(value.water[0].low, slope, 1e-6);
    EXPECT_NEAR(value.water[0].high, slope, 1e-6);
    EXPECT_EQ(value.binding.size(), 3U);
    EXPECT_EQ(value.binding[1].iteration, 2);
    ASSERT_EQ(value.state.size(), 1U);
    EXPECT_NEAR(value.state[0].slope, -slope, 1e-6);
}

// 1 MW/(m3/s) makes 277.8 MWh of a hm3.
TEST(EvaluateTest, KnowsTheEnergyOfWater) {
    const auto value = PolicyReader(d02()).at({});

    ASSERT_GT(value.water[0].energy_per_hm3, 0);
    EXPECT_NEAR(value.water[0].low / value.water[0].energy_per_hm3, 49.99, 0.02);
}

TEST(EvaluateTest, TakesStatesByNameByIdInPercentAndFromAFile) {
    const PolicyReader policy(d02());
    const auto name = policy.at({}).water[0].name;
    const auto at = [&](const std::string& text) {
        return policy.at({0, {}, text}).water[0].storage_hm3;
    };
    TemporaryFolder folder;
    io::write_file(folder / "state.json", "{\"" + name + "\": 30, \"storage(0)\": \"25%\"}");

    EXPECT_EQ(at("0=12"), 12);
    EXPECT_EQ(at(name + "=13.5"), 13.5);
    EXPECT_EQ(at(" storage( " + name + " ) = 14 "), 14);
    const auto all = at("0=100%");
    EXPECT_GT(all, 0);
    EXPECT_EQ(at("0=50%"), all / 2);
    EXPECT_EQ(at((folder / "state.json").string()), all / 4);
    EXPECT_EQ(at("0=1,0=2"), 2);
}

// A cut goes on falling; the cost does not.
TEST(EvaluateTest, LetsNoFutureCostLessThanNothing) {
    const auto value = PolicyReader(d02()).at({0, {}, "0=1000"});

    EXPECT_EQ(value.cost_to_go, 0);
    EXPECT_TRUE(value.binding.empty());
    EXPECT_EQ(value.water[0].low, 0);
    EXPECT_EQ(value.state[0].slope, 0);
}

TEST(EvaluateTest, RefusesStatesThatAreNone) {
    const PolicyReader policy(d02());

    EXPECT_THAT(refusal(policy, {0, {}, "9=1"}), HasSubstr("'9' is no state variable; there are"));
    EXPECT_THAT(refusal(policy, {0, {}, "inflow_lag(0,1)=1"}), HasSubstr("is no state variable"));
    EXPECT_THAT(refusal(policy, {0, {}, "0=much"}), HasSubstr("0: 'much' is not a number"));
    EXPECT_THAT(refusal(policy, {0, {}, "0=nan"}), HasSubstr("is not a finite number"));
    EXPECT_THAT(refusal(policy, {0, {}, "0=1,2"}), HasSubstr("'2' is not name=value"));
    EXPECT_THAT(refusal(policy, {7, {}, ""}),
                HasSubstr("the case has no stage 7; its stages are 0 to 1"));
    EXPECT_THAT(refusal(policy, {1, {}, ""}), HasSubstr("the last one: nothing comes after it"));
    EXPECT_THROW(static_cast<void>(policy.at({0, {}, "nowhere.json"})), IoError);
}

TEST(EvaluateTest, FindsTheCaseOfAnOutput) {
    TemporaryFolder folder;
    CaseRequest request;
    request.run.input = case_of("1dtoy");
    request.run.output = folder / "out";
    request.run.threads = 1;
    request.run.settings = {
        {"training.stopping_rules", R"([{"type": "iteration_limit", "limit": 3}])"},
        {"simulation.enabled", "false"}};
    Observer silent;
    run_case(request, *comm::make_local(), silent);

    const auto from_output = PolicyReader({folder / "out", {}, {}}).at({});
    const auto from_policy = PolicyReader({folder / "out/policy", {}, {}}).at({});

    EXPECT_GT(from_output.cost_to_go, 0);
    EXPECT_EQ(from_policy.cost_to_go, from_output.cost_to_go);
    EXPECT_THROW(PolicyReader({folder / "nothing", {}, {}}), IoError);
    EXPECT_THROW(PolicyReader({d02().policy, {}, {}}), InputError);  // of which case?
}

TEST(EvaluateTest, FollowsTheNodesOfAGraph) {
    const PolicyReader policy({test::source_dir() / "tests/data/sddp/cobre-policies/node-tree",
                               case_of("node-tree"),
                               {}});

    EXPECT_EQ(policy.at({{}, 2, ""}).stage_id, 1);
    EXPECT_NE(policy.at({{}, 2, "0=0"}).cost_to_go, policy.at({{}, 1, "0=0"}).cost_to_go);
    EXPECT_THAT(refusal(policy, {1, {}, ""}), HasSubstr("give a node, not a stage"));
    EXPECT_THAT(refusal(policy, {{}, 99, ""}), HasSubstr("the policy graph has no node 99"));
}

TEST(CostGridTest, IsTheCostToGoAtEachPoint) {
    const PolicyReader policy(d02());

    const auto grid = policy.grid({}, {"0"}, 5);

    ASSERT_EQ(grid.axes.size(), 1U);
    ASSERT_EQ(grid.cost.size(), 5U);
    for (std::size_t k = 0; k < 5; ++k) {
        const auto cut = intercept - slope * grid.axes[0].storage_hm3[k];
        EXPECT_NEAR(grid.cost[k], std::max(cut, 0.0), 1e-6);
        EXPECT_NEAR(grid.water_value[0][k], cut > 0 ? slope : 0, 1e-6);
    }
    const auto csv = to_csv(to_table(grid));
    EXPECT_THAT(csv, testing::StartsWith("storage_0_hm3,cost_to_go,water_value_0_per_hm3\n0,"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);
    EXPECT_THAT(to_svg(grid), HasSubstr("<svg"));
    EXPECT_THAT(to_page(grid).html(), HasSubstr("Water value of"));
}

TEST(CostGridTest, RunsAlongTwoReservoirs) {
    const PolicyReader policy(
        {test::source_dir() / "tests/data/sddp/cobre-policies/travel-time-arc",
         case_of("travel-time-arc"),
         {}});

    const auto grid = policy.grid({}, {"0", "1"}, 3);
    const auto table = to_table(grid);

    EXPECT_EQ(table.rows(), 9U);
    EXPECT_EQ(table.columns.size(), 5U);
    const auto& second = std::get<std::vector<double>>(table.columns[1].values);
    EXPECT_EQ(second[0], second[3]);
    EXPECT_LT(second[0], second[1]);
    EXPECT_THAT(to_page(grid).html(), HasSubstr("water value of"));
    EXPECT_THROW(static_cast<void>(policy.grid({}, {"7"}, 3)), InputError);
}

TEST(CutMatrixTest, HasARowACutAndAColumnAState) {
    const auto cuts = PolicyReader(d02()).cuts();

    std::vector<std::string> names;
    for (const auto& column : cuts.columns) {
        names.push_back(column.name);
    }
    EXPECT_THAT(names,
                testing::ElementsAre("stage_id",
                                     "node_id",
                                     "cut",
                                     "iteration",
                                     "trajectory",
                                     "active",
                                     "intercept",
                                     "storage_0"));
    EXPECT_EQ(cuts.rows(), 3U);
    EXPECT_THAT(to_csv(cuts), HasSubstr("\n0,0,1,2,0,1,2555073,-13886.11111111110"));
}

}  // namespace
}  // namespace lockstep::app
