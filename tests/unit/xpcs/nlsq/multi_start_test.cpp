#include "lockstep/xpcs/nlsq/multi_start.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/xpcs/formula.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

using X = std::span<const test::Dual>;
using R = std::span<test::Dual>;

// Minima near x = 1 (lower, by `tilt`) and x = -1, for each of two parameters.
test::FormulaResiduals wells(double tilt) {
    return {4, 2, [tilt](X x, R r) {
                for (std::size_t i = 0; i < 2; ++i) {
                    r[2 * i] = x[i] * x[i] - 1;
                    r[2 * i + 1] = tilt * (x[i] - 1) + 0.01;
                }
            }};
}

const Box box{{"a", "b"}, {-2, -2}, {2, 2}};

MultiStart search(double tilt, const MultiStartOptions& options) {
    auto residuals = wells(tilt);
    test::GramObjective objective(residuals);
    return multi_start(std::vector{-1.5, -1.5},
                       box,
                       evaluate_in_turn(objective),
                       fit_in_turn(objective, box, {}),
                       options);
}

TEST(MultiStartTest, FindsTheLowestOfManyMinima) {
    MultiStartOptions options;
    options.starts = 20;
    const MultiStart result = search(0.1, options);
    const Fit& best = result.fits[static_cast<std::size_t>(result.best)];
    EXPECT_NEAR(best.x[0], 1, 0.01);
    EXPECT_NEAR(best.x[1], 1, 0.01);
    EXPECT_EQ(result.fits.size(), 11U);
    EXPECT_EQ(result.starts.size(), 22U);
    EXPECT_EQ(result.starts[0], -1.5);
    EXPECT_EQ(result.basins.size(), 1U);
    EXPECT_EQ(result.basins[0].best, result.best);
    EXPECT_GT(result.basins[0].members.size(), 1U);
}

TEST(MultiStartTest, SaysThatMinimaOfEqualCostLieApart) {
    MultiStartOptions options;
    options.starts = 40;
    options.kept = 1;
    EXPECT_EQ(search(0, options).basins.size(), 4U);
}

TEST(MultiStartTest, KeepsTheDrawnStartsOfLeastCost) {
    MultiStartOptions options;
    options.starts = 10;
    options.kept = 0;
    options.kept_at_least = 2;
    std::vector<double> all;
    auto residuals = wells(0.1);
    test::GramObjective objective(residuals);
    const EvaluateMany plain = evaluate_in_turn(objective);
    std::vector<double> seen;
    const MultiStart result = multi_start(
        std::vector{0.0, 0.0},
        box,
        [&](std::span<const double> points, std::span<double> costs) {
            plain(points, costs);
            seen.assign(costs.begin(), costs.end());
        },
        fit_in_turn(objective, box, {}),
        options);
    ASSERT_EQ(result.fits.size(), 3U);
    std::vector<double> costs(2);
    plain(std::span(result.starts).subspan(2), costs);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(costs[0], seen[0]);
    EXPECT_EQ(costs[1], seen[1]);
}

TEST(MultiStartTest, RefusesWhatItCannotSearch) {
    auto residuals = wells(0.1);
    test::GramObjective objective(residuals);
    const auto message = [&](const std::vector<double>& start, const Box& in) {
        try {
            multi_start(start, in, evaluate_in_turn(objective), fit_in_turn(objective, in, {}));
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message({0, 0}, {{"a", "b"}, {-2, -2}, {2, std::numeric_limits<double>::infinity()}}),
              "b: a search needs bounds on both sides; found [-2, inf]");
    EXPECT_EQ(message({0, 3}, box), "b: the start 3 lies above the upper bound 2");
}

TEST(MultiStartTest, SaysThatNoStartHasACost) {
    test::FormulaResiduals residuals(1, 1, [](X x, R r) { r[0] = sqrt(x[0] - 5); });
    test::GramObjective objective(residuals);
    const Box small{{}, {0}, {1}};
    EXPECT_THROW(multi_start(std::vector{0.5},
                             small,
                             evaluate_in_turn(objective),
                             fit_in_turn(objective, small, {})),
                 ModelError);
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
