// Minima beyond the start's own valley.
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/measurements.hpp"
#include "xpcs/fit/problem.hpp"
#include "xpcs/fit/search_coordinates.hpp"
#include "xpcs/fit/search_team.hpp"

namespace lockstep::xpcs {
namespace {

using test::Alone;

/// A flow that is seen along and across alone: phi0 and -phi0 have the same matrices.
struct TwoMinima {
    TwoMinima() {
        Measurement like;
        like.q = 0.0054;
        like.gap = 2e6;
        like.dt = 0.1;
        like.frames = 48;
        like.phi = {0, 90};
        Truth truth{Motion::laminar_flow,
                    ShearTerm::homodyne,
                    {12000, -0.8, 600, 2e-3, -0.25, 5e-5, 6},
                    {{0.3, 1}, {0.3, 1}}};
        Alone alone;
        data = simulate(like, truth, {}, alone.threads);
        options.motion = Motion::laminar_flow;
        options.start = {1e4, -0.5, 500, 1e-3, 0, 0, 3};
        options.search.kind = SearchKind::multi_start;
        options.search.multi_start.starts = 60;
    }
    Measurement data;
    FitOptions options;
};

TEST(Search, ManyStartsTellThatTheDataDoNotChooseAmongMinima) {
    const TwoMinima of;
    Alone alone(2);

    const auto found = fit(of.data, of.options, alone.team);

    ASSERT_TRUE(found.search.is_degenerate());
    ASSERT_EQ(found.search.minima.size(), 2U);
    const auto& first = found.search.minima[0];
    const auto& second = found.search.minima[1];
    EXPECT_NEAR(first.chi_squared / second.chi_squared, 1, 1e-6);
    EXPECT_NEAR(first.physical[6], -second.physical[6], 0.01);
    EXPECT_NEAR(std::abs(first.physical[6]), 6, 0.5);
    EXPECT_GE(first.starts, 1);
    EXPECT_LE(first.starts + second.starts, found.search.starts);
    EXPECT_NEAR(found.chi_squared / first.chi_squared, 1, 1e-9);
}

TEST(Search, ManyStartsFindOneMinimumWhereThereIsOne) {
    const auto data = test::peer_measurement("st_7k");
    FitOptions options;
    Alone alone;
    const auto local = fit(data, options, alone.team);
    options.search.kind = SearchKind::multi_start;
    const auto found = fit(data, options, alone.team);
    EXPECT_FALSE(found.search.is_degenerate());
    EXPECT_EQ(found.search.starts, 6);  // the caller's, and half of ten
    EXPECT_NEAR(found.chi_squared / local.chi_squared, 1, 1e-9);
    EXPECT_NEAR(found.search.start_chi_squared / local.chi_squared, 1, 1e-9);
}

/// Where a local fit from the start ends above the minimum.
FitOptions lost_start() {
    FitOptions options;
    options.motion = Motion::laminar_flow;
    options.sigma = 0.01;
    options.start = {1e4, -0.5, 500, 0.4, 0, 0, 0};
    return options;
}

TEST(Search, EvolutionAndManyStartsFindWhatALocalFitMisses) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = lost_start();
    Alone alone(2);
    auto known = options;
    known.start = {1e4, -0.5, 500, 1e-3, 0, 0, 0};
    const auto best = fit(data, known, alone.team);
    const auto local = fit(data, options, alone.team);
    ASSERT_GT(local.chi_squared, 2 * best.chi_squared);
    for (const auto kind : {SearchKind::cma_es, SearchKind::multi_start}) {
        options.search.kind = kind;
        options.search.multi_start.starts = 60;
        options.search.cma_es.max_evaluations = 25000;
        const auto found = fit(data, options, alone.team);
        EXPECT_NEAR(found.chi_squared / best.chi_squared, 1, 1e-9) << to_string(kind);
        EXPECT_NEAR(found.search.start_chi_squared / local.chi_squared, 1, 1e-6);
        EXPECT_GT(found.search.evaluations, 50);
    }
}

// In linear coordinates nearly all runs end in a broad valley far above, and the search goes on
// until it has no evaluations left (bench/micro/xpcs_search).
TEST(Search, EvolutionEndsOfItselfAtTheMinimumOfAFlow) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = lost_start();
    options.search.kind = SearchKind::cma_es;
    Alone alone(2);
    auto known = options;
    known.search.kind = SearchKind::local;
    known.start = {1e4, -0.5, 500, 1e-3, 0, 0, 0};
    const auto best = fit(data, known, alone.team);
    for (const std::uint64_t seed : {0U, 1U}) {
        options.search.cma_es.seed = seed;
        const auto found = fit(data, options, alone.team);
        EXPECT_NEAR(found.chi_squared / best.chi_squared, 1, 1e-9) << seed;
        EXPECT_LT(found.search.evaluations, 40'000) << seed;
    }
}

TEST(Search, CoordinatesAreThoseOfTheParameters) {
    FitOptions options;
    options.motion = Motion::laminar_flow;
    options.held = {"beta"};
    const FitProblem problem(test::peer_measurement("lam_24k"), options);
    const SearchCoordinates coordinates(problem.box);
    const std::vector<double> x{1e4, -0.8, -600, 8e-4, 5e-5, -5};
    const auto there = coordinates.of(x);
    const auto back = coordinates.parameters(there);
    for (std::size_t p = 0; p < x.size(); ++p) {
        EXPECT_NEAR(back[p] / x[p], 1, 1e-12) << problem.box.names[p];
    }
    EXPECT_EQ(there[1], x[1]) << "exponents and angles as they are";
    for (std::size_t p = 0; p < x.size(); ++p) {
        const auto& box = coordinates.box();
        EXPECT_NEAR(coordinates.parameters(box.lower)[p] / problem.box.lower[p], 1, 1e-12);
        EXPECT_NEAR(coordinates.parameters(box.upper)[p] / problem.box.upper[p], 1, 1e-12);
    }
}

TEST(Search, IsSkippedWhereTheLocalFitIsGoodEnough) {
    const auto data = test::peer_measurement("st_7k");
    FitOptions options;
    options.search.kind = SearchKind::cma_es;
    options.search.good_enough = 5;
    Alone alone;
    const auto skipped = fit(data, options, alone.team);
    EXPECT_TRUE(skipped.search.is_skipped);
    EXPECT_EQ(skipped.search.evaluations, 0);
    options.search.good_enough = 0.5;
    EXPECT_FALSE(fit(data, options, alone.team).search.is_skipped);
}

TEST(Search, IsTheResultWhereNoFitIsToFollow) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = lost_start();
    options.search.kind = SearchKind::cma_es;
    options.search.cma_es.max_evaluations = 4000;
    options.search.is_refined = false;
    Alone alone(2);
    const auto rough = fit(data, options, alone.team);
    options.search.is_refined = true;
    const auto refined = fit(data, options, alone.team);
    EXPECT_TRUE(rough.search.is_result);
    EXPECT_FALSE(refined.search.is_result);
    EXPECT_FALSE(nlsq::converged(rough.minimum.stop));
    EXPECT_FALSE(rough.sequential.is_used) << "it did not fail";
    EXPECT_GT(rough.chi_squared, refined.chi_squared);
    EXPECT_LE(rough.chi_squared, rough.search.start_chi_squared * (1 + 1e-12));
    EXPECT_EQ(rough.search.evaluations, refined.search.evaluations);
    EXPECT_FALSE(rough.covariance.matrix.empty()) << "errors are those of the place";
}

// The minimum does not depend on what steps are alike, SciPy's x_scale; the way there does.
TEST(Search, StepSizesChangeTheWayAndNotTheMinimum) {
    const auto data = test::peer_measurement("lam_24k");
    FitOptions options;
    options.motion = Motion::laminar_flow;
    options.start = {1e4, -0.5, 500, 1e-3, 0, 0, 0};
    Alone alone;
    for (const auto loss : {nlsq::Loss::Kind::linear, nlsq::Loss::Kind::cauchy}) {
        options.loss.kind = loss;
        options.step_sizes.clear();
        const auto usual = fit(data, options, alone.team);
        options.held = {"alpha"};
        options.step_sizes = {1e4, 1, 1e3, 1e-3, 1, 1e-3, 10};
        EXPECT_TRUE(nlsq::converged(fit(data, options, alone.team).minimum.stop)) << "of the free";
        options.held.clear();
        const auto sized = fit(data, options, alone.team);
        EXPECT_TRUE(nlsq::converged(sized.minimum.stop)) << nlsq::text(sized.minimum.stop);
        EXPECT_NEAR(sized.minimised / usual.minimised, 1, 1e-9);
        EXPECT_NE(digest_of(sized), digest_of(usual));
    }
    options.step_sizes = {1, 1};
    EXPECT_THROW(fit(data, options, alone.team), InputError);
}

TEST(Search, IsTheSameForAnyNumberOfThreadsAndRanks) {
    TwoMinima of;
    for (const auto kind : {SearchKind::multi_start, SearchKind::cma_es}) {
        of.options.search.kind = kind;
        of.options.search.cma_es.max_evaluations = 400;
        for (const auto loss : {nlsq::Loss::Kind::linear, nlsq::Loss::Kind::cauchy}) {
            of.options.loss.kind = loss;
            Alone alone;
            const auto expected = fit(of.data, of.options, alone.team);
            Alone several(3);
            EXPECT_EQ(digest_of(fit(of.data, of.options, several.team)), digest_of(expected));
            std::vector<Digest> digests(2);
            comm::run_in_process(2, [&](comm::Communicator& ranks) {
                runtime::ThreadTeam threads(2);
                runtime::Team team{ranks, threads};
                const auto found = fit(of.data, of.options, team);
                digests[at(ranks.rank())] = digest_of(found);
                EXPECT_EQ(found.search.minima.size(), expected.search.minima.size());
            });
            EXPECT_THAT(digests, testing::Each(digest_of(expected)));
        }
    }
}

TEST(Search, PointsOneByOneHaveTheBitsOfPointsInTasks) {
    const TwoMinima of;
    const FitProblem problem(of.data, of.options);
    Alone alone(2);
    LocalFit together(problem, &alone.team);
    const auto goes_on = [] { return true; };
    SearchTeam tasks(problem, together, alone.team, goes_on);
    SearchTeam one_by_one(problem, together, alone.team, goes_on, 0);
    std::vector<double> points;
    for (int k = 0; k < 5; ++k) {
        auto start = of.options.start;
        start[0] *= 1 + 0.1 * k;
        points.insert(points.end(), start.begin(), start.end());
    }
    std::vector<double> costs(5);
    std::vector<double> expected(5);
    tasks.evaluate(points, costs);
    one_by_one.evaluate(points, expected);
    EXPECT_EQ(costs, expected);
    const auto fits = tasks.fit(points);
    const auto other = one_by_one.fit(points);
    for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(fits[k].x, other[k].x);
        EXPECT_EQ(fits[k].cost, other[k].cost);
        EXPECT_EQ(fits[k].bounds, other[k].bounds);
    }
}

/// Stops at once.
class Impatient : public FitObserver {
public:
    bool stop_requested() override { return true; }
};

TEST(Search, EndsWithWhatThereIsWhenAskedTo) {
    TwoMinima of;
    of.options.search.kind = SearchKind::cma_es;
    Alone alone;
    Impatient observer;
    const auto found = fit(of.data, of.options, alone.team, &observer);
    EXPECT_EQ(found.minimum.stop, nlsq::Stop::caller);
    EXPECT_LT(found.search.evaluations, 100);
}

}  // namespace
}  // namespace lockstep::xpcs
