// homodyne's objective for small data, against what homodyne itself ends at.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/xpcs/errors.hpp"
#include "lockstep/xpcs/fit.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/any_team.hpp"
#include "support/xpcs/derivative_error.hpp"
#include "support/xpcs/measurements.hpp"
#include "xpcs/fit/problem.hpp"
#include "xpcs/model/loss_objective.hpp"

namespace lockstep::xpcs {
namespace {

using test::Alone;
using test::member;
using test::number;
using test::numbers;

constexpr double homodyne_sigma = 0.01;

/// soft_l1 of residuals in the unit of c2, as homodyne has it.
FitOptions grid_options(Motion motion) {
    FitOptions options;
    options.motion = motion;
    options.objective = FitObjective::compat_grid;
    options.sigma = homodyne_sigma;
    options.loss = {nlsq::Loss::Kind::soft_l1, 1 / homodyne_sigma};
    options.start = {1e4, -0.5, 500};
    if (motion == Motion::laminar_flow) {
        options.start.insert(options.start.end(), {1e-3, 0, 0, 0});
    }
    return options;
}

/// [angles]: c2 of the first frame and the one that the measurement lacks.
std::vector<double> first_neighbours(const std::string& cache) {
    const io::NpzFile file(test::source_dir() / "tests/data/xpcs" / cache);
    const auto c2 = test::npz_numbers(file, "c2_exp");
    const std::size_t frames = test::npz_numbers(file, "t1").size();
    std::vector<double> values;
    for (std::size_t first = 0; first < c2.size(); first += frames * frames) {
        values.push_back(c2[first + 1]);
    }
    return values;
}

double error_of(const FitResult& fit, std::size_t k) {
    return std::sqrt(fit.covariance.matrix[k * (fit.values.size() + 1)]);
}

struct GridPath {
    const char* name;
    const char* cache;
    Motion motion;
    double elements;
};

class CompatGrid : public testing::TestWithParam<GridPath> {};

TEST_P(CompatGrid, EndsWhereHomodyneDoes) {
    const auto golden = test::xpcs_json("golden.json");
    const io::Json& of = member(golden, {GetParam().name, "grid_path_individual"});
    const auto data = test::cached_measurement(GetParam().cache, 0.1);
    auto options = grid_options(GetParam().motion);
    options.first_neighbours = first_neighbours(GetParam().cache);
    Alone alone;
    const auto found = fit(data, options, alone.team);
    ASSERT_TRUE(nlsq::converged(found.minimum.stop)) << nlsq::text(found.minimum.stop);
    EXPECT_EQ(static_cast<double>(found.pairs), GetParam().elements);

    constexpr double unit = homodyne_sigma * homodyne_sigma;
    const double cost = number(member(of, {"soft_l1_twice_cost"}));
    EXPECT_NEAR(unit * found.minimised / cost, 1, 1e-9);
    EXPECT_LE(unit * found.minimised, cost * (1 + 1e-9));
    EXPECT_NEAR(unit * found.chi_squared / number(member(of, {"ssr"})), 1, 1e-9);
    EXPECT_NEAR(found.model_squares / number(member(of, {"sum_model_squared"})), 1, 1e-9);
    const auto minimiser = numbers(member(of, {"minimiser"}));
    const auto theirs = numbers(member(of, {"homodyne_params"}));
    const auto errors = numbers(member(of, {"homodyne_uncertainty"}));
    ASSERT_EQ(found.values.size(), minimiser.size());
    for (std::size_t k = 0; k < minimiser.size(); ++k) {
        EXPECT_NEAR(found.values[k], minimiser[k], 1e-4 * errors[k]) << found.names[k];
        EXPECT_NEAR(found.values[k], theirs[k], 0.02 * errors[k]) << found.names[k];
        EXPECT_NEAR(error_of(found, k) / errors[k], 1, 2e-3) << found.names[k];
    }
}

INSTANTIATE_TEST_SUITE_P(
    Golden,
    CompatGrid,
    testing::Values(GridPath{"lam6", "lam6_cache.npz", Motion::laminar_flow, 6 * 63 * 63},
                    GridPath{"st3", "st3_cache.npz", Motion::diffusion, 3 * 47 * 47}),
    [](const auto& which) { return which.param.name; });

/// Runs of the released program with each of two sets of versions.
TEST(CompatGridPeers, ChiSquaredIsThatOfTheReleasedProgram) {
    const auto peers = test::xpcs_json("golden-peers.json");
    const auto data = test::peer_measurement("st_7k");
    auto options = grid_options(Motion::diffusion);
    const io::NpzFile file(test::source_dir() / "tests/data/xpcs/peers.npz");
    options.first_neighbours = test::npz_numbers(file, "st_7k_first_neighbours");
    Alone alone;
    const auto found = fit(data, options, alone.team);
    for (const char* versions : {"lock", "newest"}) {
        const io::Json& run = member(peers, {"homodyne_runs", "runs", versions, "st_7k"});
        EXPECT_NEAR(found.model_squares / number(member(run, {"reported_chi2"})), 1, 1e-8);
        const auto theirs = numbers(member(run, {"parameters"}));
        const auto errors = numbers(member(run, {"uncertainties"}));
        for (std::size_t k = 0; k < theirs.size(); ++k) {
            EXPECT_NEAR(found.values[k], theirs[k], 0.01 * errors[k]) << found.names[k];
            EXPECT_NEAR(error_of(found, k) / errors[k], 1, 2e-3) << found.names[k];
        }
        // Their own point costs no less.
        auto there = options;
        there.trust_region.max_evaluations = 1;
        there.start = {theirs.end() - 3, theirs.end()};
        EXPECT_LE(found.minimised, fit(data, there, alone.team).minimised * (1 + 1e-12));
    }
}

TEST(CompatGridPeers, ErrorsAreSmallerByTheRootOfTwo) {
    const auto data = test::peer_measurement("lam_24k");
    Alone alone;
    auto options = grid_options(Motion::laminar_flow);
    const auto grid = fit(data, options, alone.team);
    options.objective = FitObjective::pairs;
    options.loss = {};
    const auto once = fit(data, options, alone.team);
    for (std::size_t k = 0; k < once.values.size(); ++k) {
        // The diagonal adds to pairs of neighbours, which tell contrasts.
        EXPECT_NEAR(error_of(once, k) / error_of(grid, k), std::sqrt(2), 0.1) << once.names[k];
    }
    EXPECT_NEAR(grid.chi_squared / once.chi_squared, 2, 0.05);
}

TEST(CompatGridPeers, DerivativesAreThoseOfTheCost) {
    Alone alone;
    for (const auto motion : {Motion::diffusion, Motion::laminar_flow}) {
        auto data = test::peer_measurement(motion == Motion::diffusion ? "st_7k" : "lam_24k");
        data.frames = 4;  // so that the diagonal counts for much
        data.c2 = std::vector<double>(data.c2.begin(), data.c2.begin() + 6 * data.angles());
        data.diagonal.resize(4 * data.phi.size());
        data.dt = 0.5;
        auto options = grid_options(motion);
        options.loss.scale = 2;
        const FitProblem problem(data, options);
        Summation summation = problem.summation();
        summation.set_loss(options.loss.kind, problem.loss_scales());
        LossObjective objective(summation,
                                &alone.team,
                                problem.parameters,
                                problem.held,
                                problem.scaling,
                                problem.weights);
        std::vector<double> x(at(problem.scaling.coefficients()), 0.3);
        for (std::size_t k = x.size() / 2; k < x.size(); ++k) {
            x[k] = 1.01;
        }
        x.insert(x.end(), problem.start.begin(), problem.start.end());
        if (motion == Motion::laminar_flow) {
            x.back() = -4;
            x[x.size() - 2] = 1e-5;
        }
        EXPECT_LT(test::derivative_error(objective, x), 1e-6);
    }
}

TEST(CompatGridPeers, MaskedPairsAndTheDiagonalNextToThemDoNotCount) {
    auto data = test::peer_measurement("st_7k");
    Alone alone;
    auto options = grid_options(Motion::diffusion);
    const auto whole = fit(data, options, alone.team);
    data.c2[data.row(1, 10)] = std::nan("");  // the pair (10, 11)
    EXPECT_EQ(fit(data, options, alone.team).pairs, whole.pairs - 4);
}

TEST(CompatGridPeers, IsTheSameForAnyNumberOfThreadsAndRanks) {
    const auto data = test::peer_measurement("lam_24k");
    const auto options = grid_options(Motion::laminar_flow);
    test::expect_same_for_any_team(
        [&](runtime::Team& team) { return digest_of(fit(data, options, team)); });
}

TEST(CompatGridPeers, HasClassicalErrorsAlone) {
    const auto data = test::peer_measurement("st_7k");
    Alone alone;
    const auto options = grid_options(Motion::diffusion);
    const auto found = fit(data, options, alone.team);
    EXPECT_THROW(errors_of(data, options, found, {ErrorMethod::speckle}, alone.team), InputError);
    EXPECT_THROW(errors_of(data, options, found, {ErrorMethod::blocks}, alone.team), InputError);
    EXPECT_EQ(errors_of(data, options, found, {ErrorMethod::classical}, alone.team).errors().size(),
              found.values.size());
}

}  // namespace
}  // namespace lockstep::xpcs
