#include "lockstep/xpcs/nlsq/cma_es.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "support/xpcs/nist.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

using Cost = std::function<double(std::span<const double>)>;

EvaluateMany many(std::size_t p, Cost cost) {
    return [p, cost = std::move(cost)](std::span<const double> points, std::span<double> costs) {
        for (std::size_t i = 0; i < costs.size(); ++i) {
            costs[i] = cost(points.subspan(i * p, p));
        }
    };
}

Box cube(std::size_t p, double lower, double upper) {
    return {{}, std::vector(p, lower), std::vector(p, upper)};
}

double rosenbrock(std::span<const double> x) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        sum += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
    }
    return sum;
}

// 10^p minima in the cube; the lowest, 0, at 0.3.
double rastrigin(std::span<const double> x) {
    double sum = 0;
    for (const double value : x) {
        const double d = value - 0.3;
        sum += d * d + 10 * (1 - std::cos(2 * std::numbers::pi * d));
    }
    return sum;
}

TEST(CmaEsTest, FollowsACurvedValley) {
    const Search search = cma_es(std::vector(6, -1.0),
                                 cube(6, -3, 3),
                                 many(6, rosenbrock),
                                 {.restarts = Restarts::none, .seed = 1});
    EXPECT_LT(search.cost, 1e-8);
    EXPECT_EQ(search.runs.size(), 1U);
    EXPECT_EQ(search.cost, rosenbrock(search.x));
    // The usual effort for it: less than 10⁴ evaluations [Hansen2016].
    EXPECT_LT(search.evaluations, 10000);
}

TEST(CmaEsTest, LearnsAxesThatDifferByAMillion) {
    const auto ellipsoid = [](std::span<const double> x) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double mixed = x[i] + x[(i + 1) % x.size()] / 2 - 0.2;
            sum += std::pow(10, 6.0 * static_cast<double>(i) / static_cast<double>(x.size() - 1)) *
                   mixed * mixed;
        }
        return sum;
    };
    const Search search = cma_es(
        std::vector(8, 0.9), cube(8, -1, 1), many(8, ellipsoid), {.restarts = Restarts::none});
    EXPECT_LT(search.cost, 1e-8);
    EXPECT_LT(search.evaluations, 15000);
}

TEST(CmaEsTest, RestartsFindTheLowestOfManyMinima) {
    for (const Restarts restarts : {Restarts::ipop, Restarts::bipop}) {
        const Search search = cma_es(std::vector(4, 4.0),
                                     cube(4, -5, 5),
                                     many(4, rastrigin),
                                     {.restarts = restarts, .agreeing_runs = 0, .seed = 3});
        EXPECT_LT(search.cost, 1e-7);
        EXPECT_GT(search.runs.size(), 1U);
    }
}

TEST(CmaEsTest, EndsOnceRunsAgree) {
    const auto bowl = [](std::span<const double> x) { return 1 + x[0] * x[0] + x[1] * x[1]; };
    const Search search = cma_es(std::vector(2, 0.5), cube(2, -1, 1), many(2, bowl));
    EXPECT_EQ(search.runs.size(), 3U);
    EXPECT_EQ(search.runs[1].population, 12);  // twice 4 + 3 ln 2
}

TEST(CmaEsTest, FindsAMinimumOnABound) {
    const auto slope = [](std::span<const double> x) { return 10 + x[0] - 2 * x[1] + x[2] * x[2]; };
    const Search search = cma_es(std::vector(3, 0.5), cube(3, 0, 1), many(3, slope));
    EXPECT_NEAR(search.x[0], 0, 1e-7);
    EXPECT_NEAR(search.x[1], 1, 1e-7);
    EXPECT_GE(search.x[0], 0);
    EXPECT_LE(search.x[1], 1);
}

// Only the order of costs matters, so a rising function of them changes nothing but the tolerances.
TEST(CmaEsTest, SeesTheOrderOfCostsAlone) {
    CmaOptions options{.restarts = Restarts::none, .max_evaluations = 500, .cost_tolerance = 0};
    const auto cubed = [](std::span<const double> x) { return std::pow(rosenbrock(x), 3) * 1e12; };
    const Search one = cma_es(std::vector(3, -1.0), cube(3, -2, 2), many(3, rosenbrock), options);
    const Search other = cma_es(std::vector(3, -1.0), cube(3, -2, 2), many(3, cubed), options);
    EXPECT_EQ(one.x, other.x);
}

TEST(CmaEsTest, ThreadsChangeNoBit) {
    const auto run = [](int threads) {
        runtime::ThreadTeam team(threads);
        const auto parallel = [&](std::span<const double> points, std::span<double> costs) {
            team.parallel_for(std::ssize(costs), [&](std::ptrdiff_t i, int /*thread*/) {
                costs[at(i)] = rastrigin(points.subspan(at(i) * 3, 3));
            });
        };
        return cma_es(
            std::vector(3, 2.0), cube(3, -5, 5), parallel, {.max_evaluations = 3000, .seed = 9});
    };
    const Search one = run(1);
    const Search three = run(3);
    EXPECT_EQ(one.x, three.x);
    EXPECT_EQ(one.evaluations, three.evaluations);
    EXPECT_NE(one.x,
              cma_es(std::vector(3, 2.0),
                     cube(3, -5, 5),
                     many(3, rastrigin),
                     {.max_evaluations = 3000, .seed = 10})
                  .x);
}

TEST(CmaEsTest, PointsWithoutACostAreWorst) {
    const auto holed = [](std::span<const double> x) {
        return x[0] < 0.2   ? std::nan("")
               : x[1] > 0.9 ? std::numeric_limits<double>::infinity()
                            : rosenbrock(x);
    };
    const Search search =
        cma_es(std::vector{0.5, 0.5}, cube(2, -1, 2), many(2, holed), {.restarts = Restarts::none});
    EXPECT_NEAR(search.x[1], 0.9, 1e-6);
    const auto nowhere = [](std::span<const double> /*x*/) { return std::nan(""); };
    EXPECT_THROW(
        cma_es(std::vector{0.5, 0.5}, cube(2, -1, 2), many(2, nowhere), {.max_evaluations = 100}),
        ModelError);
}

TEST(CmaEsTest, KeepsToTheLimitAndTheCallersWord) {
    CmaOptions options{.max_evaluations = 777};
    std::int64_t calls = 0;
    const Search limited = cma_es(std::vector(3, 1.0),
                                  cube(3, -5, 5),
                                  many(3,
                                       [&](std::span<const double> x) {
                                           ++calls;
                                           return rastrigin(x);
                                       }),
                                  options);
    EXPECT_LE(limited.evaluations, 777);
    EXPECT_EQ(limited.evaluations, calls);
    double best = std::numeric_limits<double>::infinity();
    options.on_generation = [&](const Generation& generation) {
        EXPECT_LE(generation.best, best);
        best = generation.best;
        return generation.number < 4;
    };
    const Search stopped = cma_es(std::vector(3, 1.0), cube(3, -5, 5), many(3, rastrigin), options);
    ASSERT_EQ(stopped.runs.size(), 1U);
    EXPECT_EQ(stopped.runs[0].stop, SearchStop::caller);
    EXPECT_EQ(stopped.cost, best);
}

TEST(CmaEsTest, RefusesOptionsOutOfRange) {
    const EvaluateMany cost = many(2, rosenbrock);
    const auto refused = [&](const CmaOptions& options) {
        EXPECT_THROW(cma_es(std::vector{0.0, 0.0}, cube(2, -1, 1), cost, options), InputError);
    };
    refused({.population = 3});
    refused({.step = 0});
    refused({.max_restarts = -1});
    refused({.max_evaluations = 0});
    EXPECT_THROW(cma_es(std::vector{0.0, 2.0}, cube(2, -1, 1), cost), InputError);
    EXPECT_THROW(cma_es(std::vector{0.0, 0.0}, {}, cost), InputError);
}

// From the middle of wide bounds, where no local fit from the first start is needed.
TEST(CmaEsTest, WithALocalFitItReachesNistsMinimum) {
    const test::NistSet set = test::nist_set("MGH09");
    const auto residuals = test::nist_residuals(set);
    test::GramObjective objective(*residuals);
    const Box box = cube(4, -10, 10);
    const SearchedFit found = search_and_fit(std::vector(4, 5.0),
                                             box,
                                             evaluate_in_turn(objective),
                                             fit_in_turn(objective, box, {}),
                                             {.max_evaluations = 20000});
    EXPECT_GE(test::agreeing_digits(found.fit.x, set.certified), 5);
    EXPECT_LE(found.fit.cost, found.search.cost);
}

}  // namespace
}  // namespace lockstep::xpcs::nlsq
