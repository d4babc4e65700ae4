#include "lp/optimality.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/lp/model.hpp"

namespace lockstep::lp::detail {
namespace {

/// minimise 2x + 3y, x + y >= 4, x + 3y >= 6, x, y >= 0: optimal at (3, 1) with duals 3/2 and 1/2.
class OptimalityCheckTest : public ::testing::Test {
protected:
    [[nodiscard]] bool holds(const Slack& slack = {1e-9, 1e-9}) {
        return check_.holds({cost_,
                             column_lower_,
                             column_upper_,
                             row_lower_,
                             row_upper_,
                             start_.data(),
                             length_.data(),
                             row_.data(),
                             value_.data(),
                             primal_,
                             activity_,
                             dual_,
                             reduced_cost_},
                            slack);
    }

    std::vector<double> cost_{2.0, 3.0};
    std::vector<double> column_lower_{0.0, 0.0};
    std::vector<double> column_upper_{infinity, infinity};
    std::vector<double> row_lower_{4.0, 6.0};
    std::vector<double> row_upper_{infinity, infinity};
    std::vector<int> start_{0, 2};
    std::vector<int> length_{2, 2};
    std::vector<int> row_{0, 1, 0, 1};
    std::vector<double> value_{1.0, 1.0, 1.0, 3.0};
    std::vector<double> primal_{3.0, 1.0};
    std::vector<double> activity_{4.0, 6.0};
    std::vector<double> dual_{1.5, 0.5};
    std::vector<double> reduced_cost_{0.0, 0.0};
    OptimalityCheck check_;
};

TEST_F(OptimalityCheckTest, AcceptsTheOptimum) {
    EXPECT_TRUE(holds());
    EXPECT_TRUE(holds());  // scratch of the first call does no harm
}

TEST_F(OptimalityCheckTest, RefusesAViolatedRow) {
    primal_ = {3.0, 1.0 - 1e-6};
    EXPECT_FALSE(holds());
    EXPECT_TRUE(holds({1e-5, 1e-9}));
}

TEST_F(OptimalityCheckTest, RefusesAViolatedColumnBound) {
    column_upper_[0] = 2.5;
    EXPECT_FALSE(holds());
}

TEST_F(OptimalityCheckTest, RefusesADualWithoutABindingRow) {
    primal_ = {4.0, 1.0};
    EXPECT_FALSE(holds());
}

TEST_F(OptimalityCheckTest, RefusesADualOfTheWrongSign) {
    cost_ = {1.0, 3.0};  // duals 0 and 1 would be right
    dual_ = {1.5, -0.5};
    EXPECT_FALSE(holds());
}

TEST_F(OptimalityCheckTest, RefusesAReducedCostOfTheWrongSign) {
    cost_[0] = 2.0 - 1e-6;
    EXPECT_FALSE(holds());
    EXPECT_TRUE(holds({1e-9, 1e-5}));
}

TEST_F(OptimalityCheckTest, AcceptsAReducedCostAtTheUpperBound) {
    column_upper_[0] = 3.0;
    cost_[0] = 1.0;
    reduced_cost_[0] = -1.0;
    EXPECT_TRUE(holds());
}

TEST_F(OptimalityCheckTest, RefusesAReducedCostThatIsNotTheDuals) {
    reduced_cost_[1] = 1e-6;
    EXPECT_FALSE(holds());
}

TEST_F(OptimalityCheckTest, RefusesAnActivityThatIsNotThePoints) {
    activity_[1] = 6.0 + 1e-6;
    EXPECT_FALSE(holds());
}

TEST_F(OptimalityCheckTest, RefusesNumbersThatAreNone) {
    primal_[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(holds());

    primal_[0] = 3.0;
    dual_[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(holds());
}

TEST_F(OptimalityCheckTest, ForgivesRoundingOfLargeTerms) {
    value_ = {1e9, 1.0, 1.0, 3.0};
    row_lower_ = {3e9 + 1.0, 6.0};
    cost_ = {1.5e9 + 0.5, 3.0};
    primal_ = {3.0 + 1e-15, 1.0};
    activity_ = {3e9 + 1.0, 6.0};
    EXPECT_FALSE(holds());  // the dual row is active only up to 1e-6
    EXPECT_TRUE(holds({1e-9, 1e-9, 1e-11}));
}

// A price of a bound 1e6 away is within its tolerance and off by a ten-thousandth of the optimum.
TEST_F(OptimalityCheckTest, RefusesSmallPricesThatAddUp) {
    row_upper_ = {infinity, infinity};
    cost_ = {2.0, 3.0, 1e-9};
    column_lower_ = {0.0, 0.0, 0.0};
    column_upper_ = {infinity, infinity, 1e6};
    start_ = {0, 2, 4};
    length_ = {2, 2, 0};
    primal_ = {3.0, 1.0, 1e6};
    reduced_cost_ = {0.0, 0.0, 1e-9};
    EXPECT_FALSE(holds({1e-9, 2e-9, 0.0, 1e-7}));
    EXPECT_TRUE(holds({1e-9, 2e-9, 0.0, 1e-3}));
    primal_ = {3.0, 1.0, 0.0};
    EXPECT_TRUE(holds({1e-9, 2e-9, 0.0, 1e-7}));
}

}  // namespace
}  // namespace lockstep::lp::detail
