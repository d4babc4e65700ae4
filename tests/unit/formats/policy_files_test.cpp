#include "lockstep/formats/cobre/policy_files.hpp"

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/results.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "formats/cobre/policy/pool_file.hpp"
#include "formats/cobre/policy/states_file.hpp"
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

TEST(PolicyFilesTest, TellsTheCutsOfAFileAsATable) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(2), info());

    const io::Table table = read_cut_table(folder.path() / "cuts/000.bin");

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
    EXPECT_EQ(table.rows(), 2);
    EXPECT_EQ(read_cut_table(folder.path() / "cuts/001.bin").rows(), 0);
}

TEST(PolicyFilesTest, KeepsCutsThatAreSwitchedOff) {
    const test::Folder folder;
    sddp::Policy policy = test::policy(3);
    policy.stages[0].active = {1, 0, 1};
    write_policy(folder.path(), test::problem(), policy, info());

    EXPECT_EQ(read_policy(folder.path(), test::problem()).stages[0].active,
              policy.stages[0].active);
}

TEST(PolicyFilesTest, KeepsOfWhichOutcomeACutIs) {
    const test::Folder folder;
    const sddp::Problem problem = test::problem();
    sddp::Policy written = test::policy(3);
    written.stages[0].outcome = {-1, 0, 2};

    write_policy(folder.path(), problem, written, info());

    EXPECT_EQ(read_policy(folder.path(), problem).stages[0].outcome, written.stages[0].outcome);
    EXPECT_THAT(io::read_file(folder.path() / "manifest.bin"), HasSubstr("0.18.0+multi_cut"));
}

TEST(PolicyFilesTest, KeepsCutsAfterTheLastStageOfACircle) {
    const test::Folder folder;
    sddp::Problem problem = test::problem();
    problem.graph.back_to = 0;
    sddp::Policy written = test::policy(3);
    written.stages[1] = written.stages[0];

    write_policy(folder.path(), problem, written, info());

    EXPECT_EQ(read_policy(folder.path(), problem).stages[1].intercept, written.stages[0].intercept);
}

TEST(PolicyFilesTest, NamesTheDifferenceOfStages) {
    EXPECT_THAT(mismatch([](sddp::Problem& p) { p.calendar.stages.pop_back(); }),
                HasSubstr("the policy has 2 stages, the case has 1"));
    EXPECT_THAT(mismatch([](sddp::Problem& p) { p.calendar.stages[1].id = 12; }),
                HasSubstr("node 1 of the policy is 1 at stage 11, of the case 1 at stage 12"));
    EXPECT_THAT(
        mismatch([](sddp::Problem& p) { p.calendar.stages[1].end = test::date(2026, 3, 8); }),
        HasSubstr("stage 11 of the policy ends on 2026-03-01, of the case on 2026-03-08"));
}

TEST(PolicyFilesTest, NamesTheDifferenceOfStateVariables) {
    EXPECT_THAT(mismatch([](sddp::Problem& p) { p.system.hydros[0].id = 4; }),
                HasSubstr("storage of hydro 4 is a state of the case that the policy does not "
                          "price"));
    EXPECT_THAT(mismatch([](sddp::Problem& p) { p.process.inflow.lags = 1; }),
                HasSubstr("the policy prices inflow_lag of hydro 3 (lag 2), which is no state of "
                          "the case"));
    EXPECT_THAT(mismatch([](sddp::Problem& p) { p.system.hydros.pop_back(); }),
                HasSubstr("the policy prices storage of hydro 3, which is no state of the case"));
    EXPECT_THAT(
        mismatch([](sddp::Problem& p) { p.calendar.stages[0].start = test::date(2026, 1, 8); }),
        HasSubstr("inflow_lag of hydro 5 (lag 1) is of 2026-01-01 in the policy, of 2026-01-08 "
                  "in the case"));
    const auto recalls = [](sddp::Problem& p) { p.process.inflow.stages[0].recall.resize(1); };
    EXPECT_THAT(mismatch(recalls), HasSubstr("is a state of the case that the policy does not"));
    EXPECT_THAT(mismatch([](sddp::Problem& p) {
                    p.system.batteries.emplace_back();
                    p.system.batteries.back().id = 8;
                }),
                HasSubstr("energy of battery 8 is a state of the case"));
}

// Places do not matter: a slope is of what its file says.
TEST(PolicyFilesTest, FindsStateVariablesByWhatTheyAre) {
    const test::Folder folder;
    sddp::Problem problem = test::problem();
    const sddp::Policy written = test::policy(2);
    write_policy(folder.path(), problem, written, info());
    std::swap(problem.system.hydros[0], problem.system.hydros[1]);

    const auto read = read_policy(folder.path(), problem);

    const auto before = written.stages[0].slopes.row(1);
    const auto after = read.stages[0].slopes.row(1);
    EXPECT_EQ(after[0], before[1]);
    EXPECT_EQ(after[1], before[0]);
    EXPECT_EQ(after[4], before[5]);
}

TEST(PolicyFilesTest, RefusesWhatIsNoPolicyFile) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(1), info());
    const auto path = folder.path() / "manifest.bin";
    for (const std::string text : {"", "{}", "a text that is longer than an identifier"}) {
        io::write_file(path, text);
        EXPECT_THAT(message([&] { read_policy_info(folder.path()); }),
                    HasSubstr("manifest.bin: no policy file: the identifier \"CBVF\" is missing"));
    }
}

TEST(PolicyFilesTest, RefusesFilesThatAreCutShort) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(2), info());
    for (const auto* name : {"manifest.bin", "cuts/000.bin", "cuts/001.bin"}) {
        const std::string whole = io::read_file(folder.path() / name);
        for (const std::size_t length : {whole.size() / 2, std::size_t{9}}) {
            io::write_file(folder.path() / name, whole.substr(0, length));
            EXPECT_THAT(message([&] { read_policy(folder.path(), test::problem()); }),
                        HasSubstr(fmt::format("{}: the file is damaged or cut short", name)));
        }
        io::write_file(folder.path() / name, whole);
    }
}

// A file of any bytes ends in an error or in a policy, never in a crash.
TEST(PolicyFilesTest, AnyByteMayBeAnother) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(2), info());
    int refused = 0;
    for (const auto* name : {"manifest.bin", "cuts/000.bin", "cuts/001.bin"}) {
        const std::string whole = io::read_file(folder.path() / name);
        for (std::size_t place = 0; place < whole.size(); place += 5) {
            for (const char value : {'\0', '\x7f', '\xff'}) {
                std::string bytes = whole;
                bytes[place] = value;
                std::ofstream(folder.path() / name, std::ios::binary) << bytes;
                try {
                    read_policy(folder.path(), test::problem());
                } catch (const Error&) {
                    ++refused;
                }
            }
        }
        io::write_file(folder.path() / name, whole);
    }
    EXPECT_GT(refused, 100);
}

TEST(PolicyFilesTest, RefusesCutsOfAnotherPolicy) {
    const test::Folder folder;
    const test::Folder other;
    write_policy(folder.path(), test::problem(), test::policy(2), info());
    write_policy(other.path(), test::problem(), test::policy(3), info());
    std::filesystem::copy_file(other.path() / "cuts/000.bin",
                               folder.path() / "cuts/000.bin",
                               std::filesystem::copy_options::overwrite_existing);

    EXPECT_THAT(message([&] { read_policy(folder.path(), test::problem()); }),
                HasSubstr("3 cuts, the policy was written with 2"));
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

TEST(PolicyFilesTest, KeepsBoundsBeside) {
    const test::Folder folder;
    sddp::Policy policy = test::policy(2);
    policy.bounding = test::policy(2).stages;
    policy.bounding[0].intercept = {-1, -2};
    write_policy(folder.path(), test::problem(), policy, info());

    const auto read = read_policy(folder.path(), test::problem());

    ASSERT_FALSE(read.bounding.empty());
    EXPECT_EQ(read.bounding[0].intercept, policy.bounding[0].intercept);
    EXPECT_EQ(read.stages[0].intercept, policy.stages[0].intercept);
}

TEST(PolicyFilesTest, KeepsVisitedStates) {
    const test::Folder folder;
    sddp::Policy policy = test::policy(2);
    policy.visited.resize(2);
    auto& visited = policy.visited.front();
    visited.states = sddp::CutSlopes({2, 2, 2});
    visited.states.reserve(2);
    visited.states.add(std::vector<double>{10, 20, 1, 2, 3, 4});
    visited.states.add(std::vector<double>{11, 21, 1, 2, 3, 4});
    visited.iteration = {1, 2};
    visited.trajectory = {0, 0};
    write_policy(folder.path(), test::problem(), policy, info());

    const auto read = out::read_states(folder.path() / "states/000.bin");

    EXPECT_EQ(read.node_id, 0);
    ASSERT_EQ(read.slots.size(), 6);
    EXPECT_EQ(to_string(read.slots[5]), "inflow_lag of hydro 3 (lag 2)");
    EXPECT_THAT(read.states,
                ElementsAre(ElementsAre(10, 20, 1, 2, 3, 4), ElementsAre(11, 21, 1, 2, 3, 4)));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "states/001.bin"));
    write_policy(folder.path(), test::problem(), test::policy(2), info());
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "states/000.bin"));
}

// Cobre refuses a folder that holds anything else.
TEST(PolicyFilesTest, HasNoFilesThatCobreDoesNotKnow) {
    const test::Folder folder;
    sddp::Policy policy = test::policy(2);
    policy.starts.assign(test::problem().calendar.stages.size(), {std::byte{1}});
    policy.bounding = policy.stages;
    write_policy(folder.path(), test::problem(), policy, info());

    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
        names.push_back(std::filesystem::relative(entry.path(), folder.path()).string());
    }
    EXPECT_THAT(names,
                testing::UnorderedElementsAre(
                    "manifest.bin", "cuts", "cuts/000.bin", "cuts/001.bin", "basis"));
}

// Cuts may leave storages or lags out; the file then does not tell of them.
TEST(PolicyFilesTest, LeavesOutWhatCutsLeaveOut) {
    const test::Folder folder;
    sddp::Problem problem = test::problem();
    problem.calendar.stages[1].storage_in_cuts = false;
    sddp::Policy written = test::policy(0);
    auto& cuts = written.stages[0];
    cuts.slopes.reserve(1);
    cuts.slopes.add(std::vector<double>{0, 0, 3, 4, 5, 6});
    cuts.intercept = {1};
    cuts.iteration = {1};
    cuts.trajectory = {0};
    cuts.active = {1};
    write_policy(folder.path(), problem, written, info());

    EXPECT_EQ(out::read_pool(folder.path() / "cuts/000.bin").slots.size(), 4);
    EXPECT_EQ(out::read_pool(folder.path() / "cuts/000.bin").dimension, 6);
    EXPECT_THAT(read_policy(folder.path(), problem).stages[0].slopes.row(0),
                ElementsAre(0, 0, 3, 4, 5, 6));
    EXPECT_THAT(message([&] { read_policy(folder.path(), test::problem()); }),
                HasSubstr("storage of hydro 5 is a state of the case that the policy does not"));
}

/// What reading says after a change of the cuts of the first stage.
std::string refusal(const std::function<void(out::Pool&)>& change) {
    const test::Folder folder;
    write_policy(folder.path(), test::problem(), test::policy(3), info());
    const auto path = folder.path() / "cuts/000.bin";
    auto pool = out::read_pool(path);
    change(pool);
    out::write_pool(path, pool);
    return message([&] { read_policy(folder.path(), test::problem()); });
}

TEST(PolicyFilesTest, CutsOfAnotherStageAreRefused) {
    EXPECT_THAT(refusal([](out::Pool& pool) { pool.stage_id = 11; }),
                AllOf(HasSubstr("cuts/000.bin"),
                      HasSubstr("the cuts are of node 0, stage 11, must be of 0, 10")));
    EXPECT_THAT(refusal([](out::Pool& pool) { pool.node_id = 1; }),
                HasSubstr("the cuts are of node 1, stage 10, must be of 0, 10"));
}

TEST(PolicyFilesTest, NumbersThatNoCutCanHaveAreRefused) {
    const auto intercept = [](double value) {
        return [value](out::Pool& pool) { pool.cuts.intercept[1] = value; };
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(refusal(intercept(nan)),
                HasSubstr("cuts/000.bin: cut 1: the intercept is nan, must be in [-1e+20, "
                          "1e+20]"));
    EXPECT_THAT(refusal(intercept(HUGE_VAL)), HasSubstr("is inf, must be in"));
    EXPECT_THAT(refusal(intercept(-1e300)), HasSubstr("is -1e+300, must be in"));
    EXPECT_THAT(refusal([](out::Pool& pool) {
                    pool.cuts.slopes.truncate(2);
                    pool.cuts.slopes.add(std::vector<double>{0, 0, 0, 0, 0, 1e300});
                }),
                HasSubstr("cut 2: a coefficient is 1e+300, must be in"));
    EXPECT_THAT(refusal([](out::Pool& pool) { pool.cuts.trajectory[1] = -1; }),
                HasSubstr("the pass of a cut is 4294967295, must be in [0, 2147483647]"));
}

TEST(PolicyFilesTest, AStateVariableThatIsThereTwiceIsRefused) {
    EXPECT_THAT(refusal([](out::Pool& pool) { pool.slots[1] = pool.slots[0]; }),
                HasSubstr("storage of hydro 5 is there twice"));
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
