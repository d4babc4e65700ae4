#include "lockstep/app/compare.hpp"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "sample_output.hpp"
#include "temporary_folder.hpp"

namespace lockstep::app {
namespace {

class CompareTest : public testing::Test {
protected:
    CompareTest() { left.write(folder / "left"); }

    Comparison compared(Depth depth = Depth::digests) {
        right.write(folder / "right");
        return compare(folder / "left", folder / "right", depth);
    }

    TemporaryFolder folder;
    SampleOutput left;
    SampleOutput right;
};

TEST_F(CompareTest, CallsEqualBitsTheSameWhateverTheCircumstances) {
    right.threads = 4;
    right.training.seconds = 99;
    for (auto& report : right.training.iterations) {
        report.forward.wall_seconds = 3;
        report.forward.solves += 5;
    }

    for (const auto depth : {Depth::digests, Depth::files}) {
        const auto comparison = compared(depth);
        EXPECT_TRUE(comparison.is_same);
        EXPECT_TRUE(comparison.differences.empty());
        EXPECT_EQ(comparison.sentence, "The results are the same bits.");
    }
}

TEST_F(CompareTest, FindsTheFirstIterationWithAnotherBound) {
    right.training.iterations[1].lower_bound = std::nextafter(2e7, 3e7);
    right.training.digest = {1, 3};

    const auto comparison = compared();

    EXPECT_FALSE(comparison.is_same);
    ASSERT_EQ(comparison.differences.size(), 1U);
    const auto& difference = comparison.differences[0];
    EXPECT_EQ(difference.part, "bounds");
    EXPECT_EQ(difference.where, "iteration 2");
    EXPECT_EQ(difference.quantity, "lower_bound");
    EXPECT_EQ(difference.left, "20000000");
    EXPECT_GT(difference.absolute, 0);
    EXPECT_NEAR(difference.relative, 1.9e-16, 0.1e-16);
    EXPECT_EQ(comparison.sentence,
              "The results differ, first in the bounds at iteration 2: lower_bound.");
}

TEST_F(CompareTest, NamesTheSlopeOfACut) {
    auto& slopes = right.training.policy.stages[1].slopes;
    auto rows = slopes.rows();
    rows[5] += 1;
    slopes = sddp::CutSlopes({2, 0, 0});
    for (std::size_t first = 0; first < rows.size(); first += 2) {
        slopes.add(std::span(rows).subspan(first, 2));
    }
    right.training.digest = {1, 3};

    const auto comparison = compared();

    ASSERT_EQ(comparison.differences.size(), 1U);
    EXPECT_EQ(comparison.differences[0].part, "cuts");
    EXPECT_EQ(comparison.differences[0].where, "stage 1, cut 2");
    EXPECT_EQ(comparison.differences[0].quantity, "slope of the storage of M. MORAES (hydro 7)");
    EXPECT_EQ(comparison.differences[0].left, "-202");
    EXPECT_EQ(comparison.differences[0].right, "-201");
}

TEST_F(CompareTest, NamesTheScenarioAndTheColumnOfASimulation) {
    right.scenarios[2].stages[1].hydro.turbined_m3s[1] = 25;
    right.simulation.digest = {3, 5};

    const auto comparison = compared();

    ASSERT_EQ(comparison.differences.size(), 1U);
    EXPECT_EQ(comparison.differences[0].part, "simulation");
    EXPECT_EQ(comparison.differences[0].where, "scenario 2, stage 1, block 0, hydro 7");
    EXPECT_EQ(comparison.differences[0].quantity, "hydros.turbined_m3s");
    EXPECT_EQ(comparison.differences[0].left, "24");
    EXPECT_EQ(comparison.differences[0].right, "25");
}

TEST_F(CompareTest, LooksIntoFilesOnlyWhenAskedIfDigestsAreEqual) {
    right.scenarios[0].stages[0].thermal_mw[0] = 11;

    EXPECT_TRUE(compared(Depth::digests).is_same);
    EXPECT_FALSE(compared(Depth::files).is_same);
}

TEST_F(CompareTest, SaysWhenOneSideHasNoSimulation) {
    right.write_training(folder / "right");

    const auto comparison = compare(folder / "left", folder / "right");

    EXPECT_FALSE(comparison.is_same);
    EXPECT_EQ(comparison.sentence, "The results differ: the digests of simulation are not equal.");
    EXPECT_EQ(comparison.digests.back().right, "none");
}

TEST_F(CompareTest, CountsIterationsThatOneSideLacks) {
    right.training.iterations.pop_back();
    right.training.digest = {1, 3};

    const auto comparison = compared();

    ASSERT_FALSE(comparison.differences.empty());
    EXPECT_EQ(comparison.differences[0].where, "iteration 2");
    EXPECT_EQ(comparison.differences[0].left, "2 rows");
    EXPECT_EQ(comparison.differences[0].right, "1 rows");
    EXPECT_TRUE(std::isnan(comparison.differences[0].absolute));
}

TEST_F(CompareTest, RefusesADirectoryWithoutResults) {
    EXPECT_THROW(compare(folder / "left", folder / "nowhere"), IoError);
    std::filesystem::create_directories(folder / "empty");
    EXPECT_THROW(compare(folder / "empty", folder / "left"), IoError);
}

// A link to itself stands for a folder that may not be read: any user meets it.
TEST_F(CompareTest, TakesNoFolderThatCannotBeReadForAMissingOne) {
    std::filesystem::create_symlink("loop", folder / "loop");
    try {
        static_cast<void>(compare(folder / "left", folder / "loop"));
        FAIL() << "compared what cannot be read";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("Too many levels of symbolic links"));
    }

    right.write(folder / "right");
    for (const auto* side : {"left", "right"}) {
        std::filesystem::remove_all(folder / side / "policy");
        std::filesystem::create_symlink("policy", folder / side / "policy");
    }
    EXPECT_THROW(static_cast<void>(compare(folder / "left", folder / "right", Depth::files)),
                 IoError);
}

TEST_F(CompareTest, RefusesADamagedFile) {
    right.training.digest = {1, 3};
    right.write(folder / "right");
    std::ofstream(folder / "right" / "policy/cuts/001.bin") << "CBVF";

    EXPECT_THROW(compare(folder / "left", folder / "right"), InputError);
}

}  // namespace
}  // namespace lockstep::app
