#include "lockstep/formats/cobre/policy_files.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "unit/formats/results_fixture.hpp"

namespace lockstep::formats::cobre {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

PolicyInfo info() {
    PolicyInfo out;
    out.created_at = "2026-01-31T12:00:00Z";
    out.completed_iterations = 2;
    out.forward_passes = 4;
    out.lower_bound = 0.1 + 0.2;
    out.upper_bound = 500;
    out.lower_bound_history = {0.1, 0.1 + 0.2};
    out.tree_seed = -7;
    out.input_digest = {0x0123456789abcdef, 0xfedcba9876543210};
    return out;
}

std::string message(const std::function<void()>& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no InputError";
}

/// Message of reading, for a changed problem, a policy that was written for problem().
std::string mismatch(const std::function<void(sddp::Problem&)>& change) {
    const test::Folder folder;
    sddp::Problem problem = test::problem();
    write_policy(folder.path(), problem, test::policy(2), info());
    change(problem);
    return message([&] { read_policy(folder.path(), problem); });
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
    std::vector<std::uint64_t> out;
    for (const double value : values) {
        out.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return out;
}

TEST(PolicyFilesTest, GivesBackTheSameBits) {
    const test::Folder folder;
    const sddp::Problem problem = test::problem();
    sddp::Policy written = test::policy(5);
    auto& slopes = written.stages[0].slopes;
    slopes.truncate(4);
    slopes.add(std::vector<double>{1, -0.0, std::numeric_limits<double>::denorm_min(), 0, 2, 3});

    write_policy(folder.path() / "policy", problem, written, info());
    const sddp::Policy read = read_policy(folder.path() / "policy", problem);

    ASSERT_EQ(read.stages.size(), 2);
    EXPECT_EQ(read.stages[0].slopes.states(), (sddp::StateLayout{2, 2, 2}));
    EXPECT_EQ(bits(read.stages[0].intercept), bits(written.stages[0].intercept));
    EXPECT_EQ(bits(read.stages[0].slopes.rows()), bits(slopes.rows()));
    EXPECT_EQ(read.stages[0].iteration, written.stages[0].iteration);
    EXPECT_EQ(read.stages[0].trajectory, written.stages[0].trajectory);
    EXPECT_EQ(read.stages[0].active, written.stages[0].active);
    EXPECT_EQ(read.stages[1].size(), 0);
}

TEST(PolicyFilesTest, GivesBackWhatItSaysOfItself) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(2), info());

    const PolicyInfo read = read_policy_info(folder.path());

    EXPECT_EQ(read.created_at, info().created_at);
    EXPECT_EQ(read.completed_iterations, 2);
    EXPECT_EQ(read.forward_passes, 4);
    EXPECT_EQ(read.lower_bound, info().lower_bound);
    EXPECT_EQ(read.upper_bound, 500);
    EXPECT_EQ(read.lower_bound_history, info().lower_bound_history);
    EXPECT_EQ(read.tree_seed, -7);
    EXPECT_EQ(read.input_digest, info().input_digest);
}

TEST(PolicyFilesTest, KeepsAStageWithoutCuts) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(0), info());

    EXPECT_EQ(read_policy(folder.path(), test::problem()).stages[0].size(), 0);
}

TEST(PolicyFilesTest, KeepsCutsInAReadableTable) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(2), info());

    const io::Table table = io::read_parquet(folder.path() / "cuts/000.parquet");

    std::vector<std::string> columns;
    for (const io::Column& column : table.columns) {
        columns.push_back(column.name + " " + std::string(io::type_name(column)));
    }
    EXPECT_THAT(columns,
                ElementsAre("piece_id INT64",
                            "stage_id INT32",
                            "iteration INT32",
                            "trajectory INT32",
                            "intercept DOUBLE",
                            "active BOOLEAN",
                            "coefficients LIST<DOUBLE>"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "cuts/001.parquet"));
}

TEST(PolicyFilesTest, NamesTheDifferenceOfStages) {
    EXPECT_THAT(mismatch([](sddp::Problem& p) { p.calendar.stages.pop_back(); }),
                HasSubstr("the policy has 2 stages, the case has 1"));
    EXPECT_THAT(
        mismatch([](sddp::Problem& p) { p.calendar.stages[1].end = test::date(2026, 3, 8); }),
        HasSubstr("stage 1 of the policy is 11 (2026-02-01 to 2026-03-01), of the case 11 "
                  "(2026-02-01 to 2026-03-08)"));
}

TEST(PolicyFilesTest, NamesTheDifferenceOfStateVariables) {
    EXPECT_THAT(
        mismatch([](sddp::Problem& p) { std::swap(p.system.hydros[0], p.system.hydros[1]); }),
        HasSubstr("state variable 0 of the policy is storage of hydro 5, of the case storage "
                  "of hydro 3"));
    EXPECT_THAT(mismatch([](sddp::Problem& p) { p.process.inflow.lags = 1; }),
                HasSubstr("the policy has 6 state variables, the case has 4"));
    EXPECT_THAT(mismatch([](sddp::Problem& p) { p.system.hydros.pop_back(); }),
                HasSubstr("state variable 1 of the policy is storage of hydro 3, of the case "
                          "inflow_lag of hydro 5 (lag 1)"));
}

TEST(PolicyFilesTest, RefusesAnotherFormat) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(1), info());
    const auto path = folder.path() / "manifest.json";
    std::string text = io::read_file(path);
    text.replace(text.find("\"format_version\": 2"), 19, "\"format_version\": 9");
    io::write_file(path, text);

    EXPECT_THAT(message([&] { read_policy(folder.path(), test::problem()); }),
                HasSubstr("\"format_version\" is 9, this program reads 2"));
    io::write_file(path, "{\"format\": \"cobre\", \"format_version\": 2}");
    EXPECT_THAT(message([&] { read_policy_info(folder.path()); }),
                HasSubstr("\"format\" is \"cobre\", must be \"lockstep-sddp-policy\""));
    io::write_file(path, "{}");
    EXPECT_THAT(message([&] { read_policy_info(folder.path()); }),
                HasSubstr("\"format\" is missing"));
}

TEST(PolicyFilesTest, RefusesCutsThatTheManifestDoesNotPromise) {
    const test::Folder folder;
    const test::Folder other;
    write_policy(folder.path(), test::problem(), test::policy(2), info());
    write_policy(other.path(), test::problem(), test::policy(3), info());
    std::filesystem::copy_file(other.path() / "cuts/000.parquet",
                               folder.path() / "cuts/000.parquet",
                               std::filesystem::copy_options::overwrite_existing);

    EXPECT_THAT(message([&] { read_policy(folder.path(), test::problem()); }),
                HasSubstr("3 cuts, the manifest says 2"));
}

TEST(PolicyFilesTest, KeepsWhereASimulationStarts) {
    const test::Folder folder;
    sddp::Policy policy = test::policy(2);
    policy.starts.assign(test::problem().calendar.stages.size(), {std::byte{0}, std::byte{255}});
    write_policy(folder.path(), test::problem(), policy, info());
    EXPECT_EQ(read_policy(folder.path(), test::problem()).starts, policy.starts);

    write_policy(folder.path(), test::problem(), test::policy(2), info());
    EXPECT_TRUE(read_policy(folder.path(), test::problem()).starts.empty());
}

/// What reading says after a change of the cuts' columns.
std::string refusal(const std::function<void(io::Column&)>& change, std::string_view column) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(3), info());
    const auto path = folder.path() / "cuts/000.parquet";
    io::Table table = io::read_parquet(path);
    for (io::Column& c : table.columns) {
        if (c.name == column) {
            change(c);
        }
    }
    io::write_parquet(path, table);
    return message([&] { read_policy(folder.path(), test::problem()); });
}

template <typename T>
std::function<void(io::Column&)> put(T value) {
    return [value](io::Column& column) { std::get<std::vector<T>>(column.values)[1] = value; };
}

TEST(PolicyFilesTest, CutsOfAnotherStageAreRefused) {
    EXPECT_THAT(refusal(put<std::int32_t>(11), "stage_id"),
                AllOf(HasSubstr("cuts/000.parquet: row 2, column \"stage_id\""),
                      HasSubstr("the cut is of stage 11, must be of 10")));
    EXPECT_THAT(refusal([](io::Column& c) { c.name = "other"; }, "stage_id"),
                HasSubstr("column \"stage_id\": is missing"));
}

TEST(PolicyFilesTest, NumbersThatNoCutCanHaveAreRefused) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(refusal(put(nan), "intercept"),
                AllOf(HasSubstr("cuts/000.parquet: row 2, column \"intercept\""),
                      HasSubstr("nan is out of range: must be in [-1e+20, 1e+20]")));
    EXPECT_THAT(refusal(put(HUGE_VAL), "intercept"), HasSubstr("inf is out of range"));
    EXPECT_THAT(refusal(put(-1e300), "intercept"), HasSubstr("-1e+300 is out of range"));
    EXPECT_THAT(refusal(put(std::vector<double>{0, 0, 0, 0, 0, 1e300}), "coefficients"),
                HasSubstr("row 2, column \"coefficients\": 1e+300 is out of range"));
    EXPECT_THAT(refusal(put<std::int32_t>(-1), "trajectory"),
                HasSubstr("-1 is out of range: must be >= 0"));
    EXPECT_THAT(refusal(
                    [](io::Column& c) {
                        c.nullable = true;
                        c.present = {1, 0, 1};
                    },
                    "intercept"),
                HasSubstr("row 2, column \"intercept\": null where a value is required"));
}

TEST(PolicyFilesTest, NumbersOfOtherTypesAreReadWhereTheyFit) {
    const auto as_int64 = [](io::Column& column) {
        const auto values = std::get<std::vector<std::int32_t>>(column.values);
        column.values = std::vector<std::int64_t>(values.begin(), values.end());
    };
    EXPECT_EQ(refusal(as_int64, "iteration"), "no InputError");
    EXPECT_THAT(refusal(
                    [](io::Column& column) {
                        column.values = std::vector<std::int64_t>{1, std::int64_t{1} << 40, 1};
                    },
                    "iteration"),
                HasSubstr("row 2, column \"iteration\": 1099511627776 is not allowed"));
}

TEST(PolicyFilesTest, SaysThatThereIsNoPolicy) {
    const test::Folder folder;

    EXPECT_THROW(read_policy(folder.path(), test::problem()), IoError);
}

TEST(PolicyFilesTest, AnInterruptedWriteLeavesNoReadablePolicy) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(2), info());
    sddp::Policy broken = test::policy(2);
    broken.stages[0].slopes.truncate(1);

    EXPECT_THROW(write_policy(folder.path(), test::problem(), broken, info()), AssertionError);

    EXPECT_THROW(read_policy(folder.path(), test::problem()), IoError);
}

}  // namespace
}  // namespace lockstep::formats::cobre
