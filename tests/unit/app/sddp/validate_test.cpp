#include "lockstep/app/sddp/validate.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/places.hpp"

namespace lockstep::app {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

std::filesystem::path toy() {
    return test::source_dir() / "cases/sddp/1dtoy";
}

TEST(ValidateTest, CountsWhatAGoodCaseHolds) {
    const auto validation = validate_case(toy(), {});

    EXPECT_FALSE(validation.problems.has_errors());
    EXPECT_THAT(validation.counts, Contains(Pair("stages", 4)));
    EXPECT_THAT(validation.counts, Contains(Pair("openings", 40)));
    EXPECT_THAT(validation.counts, Contains(Pair("thermals", 2)));
    EXPECT_EQ(validation.input_digest.size(), 32U);
}

TEST(ValidateTest, TellsTheMistakesOfSettings) {
    const auto validation =
        validate_case(toy(), {{"training.tree_seed", "soon"}, {"training.seeds", "1"}});

    EXPECT_EQ(validation.problems.error_count(), 2U);
    EXPECT_TRUE(validation.counts.empty());
}

// What training would refuse before its first solve.
TEST(ValidateTest, RefusesOptionsThatDoNotFitTheCase) {
    const auto brazil = test::source_dir() / "cases/sddp/pmo-small";
    const formats::Setting within{"upper_bound_evaluation", R"({"enabled": true})"};
    const formats::Setting truncated{"modeling.inflow_non_negativity.method", "truncation"};
    ASSERT_FALSE(validate_case(brazil, {truncated}).problems.has_errors());
    for (const char* slopes : {"secant", "tangent"}) {
        const auto validation = validate_case(
            brazil, {within, truncated, {"modeling.inflow_non_negativity.bound_slopes", slopes}});
        ASSERT_EQ(validation.problems.error_count(), 1U) << slopes;
        EXPECT_THAT(validation.problems.all().back().message, HasSubstr("may not be truncated"));
        EXPECT_TRUE(validation.counts.empty());
    }
    EXPECT_FALSE(validate_case(toy(), {within}).problems.has_errors());
}

TEST(ValidateTest, RefusesADirectoryThatIsNotThere) {
    EXPECT_THROW(validate_case(toy() / "nowhere", {}), IoError);
}

}  // namespace
}  // namespace lockstep::app
