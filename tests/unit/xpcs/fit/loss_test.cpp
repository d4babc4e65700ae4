// Fits of a loss that grows less than its square.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/random.hpp"
#include "lockstep/xpcs/errors.hpp"
#include "lockstep/xpcs/fit.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/any_team.hpp"
#include "support/xpcs/derivative_error.hpp"
#include "support/xpcs/formula.hpp"
#include "support/xpcs/measurements.hpp"
#include "xpcs/fit/problem.hpp"
#include "xpcs/model/loss_objective.hpp"

namespace lockstep::xpcs {
namespace {

using test::Alone;
using Kind = nlsq::Loss::Kind;

constexpr auto robust = {Kind::soft_l1, Kind::huber, Kind::cauchy, Kind::arctan};

FitOptions options_of(Motion motion) {
    FitOptions options;
    options.motion = motion;
    options.sigma = 0.004;
    options.start = {1e4, -0.5, 500};
    if (motion == Motion::laminar_flow) {
        options.start.insert(options.start.end(), {1e-3, 0, 0, 0});
    }
    return options;
}

/// Some pairs are far off, all to one side.
Measurement with_outliers(Measurement data, double share) {
    const runtime::Random random(5, "test.outliers");
    for (std::size_t k = 0; k < data.c2.size(); ++k) {
        if (random.uniform01(k, 0, 0) < share) {
            data.c2[k] += 0.05 + 0.4 * random.uniform01(k, 0, 1);
        }
    }
    return data;
}

/// The residuals of a sample at rest over σ, written anew: contrasts, offsets, D0, alpha, D_offset.
test::FormulaResiduals formula_of(const Measurement& data, double sigma) {
    const int values = 2 * data.angles() + 3;
    return {static_cast<int>(data.c2.size()),
            values,
            [&data, sigma](std::span<const test::Dual> x, std::span<test::Dual> residuals) {
                const auto angles = at(data.angles());
                const auto& d0 = x[2 * angles];
                const auto& alpha = x[2 * angles + 1];
                const auto& offset = x[2 * angles + 2];
                std::vector<test::Dual> sums{test::Dual(0)};
                const auto rate = [&](int k) {
                    return d0 * exp(alpha * std::log(data.time(k))) + offset;
                };
                for (int k = 1; k < data.frames; ++k) {
                    sums.push_back(sums.back() + 0.5 * (rate(k - 1) + rate(k)));
                }
                std::size_t next = 0;
                for (std::size_t angle = 0; angle < angles; ++angle) {
                    for (int i = 0; i < data.frames; ++i) {
                        for (int j = i + 1; j < data.frames; ++j, ++next) {
                            const auto between = sums[at(j)] - sums[at(i)];
                            const auto x2 =
                                exp(-data.q * data.q * data.dt * sqrt(between * between + 1e-12));
                            residuals[next] =
                                (x[angles + angle] + x[angle] * x2 - data.c2[next]) / sigma;
                        }
                    }
                }
            }};
}

TEST(RobustFit, DerivativesAreThoseOfTheCost) {
    Alone alone;
    for (const auto motion : {Motion::diffusion, Motion::laminar_flow}) {
        const auto data = with_outliers(
            test::peer_measurement(motion == Motion::diffusion ? "st_7k" : "lam_24k"), 0.02);
        for (const auto kind : robust) {
            auto options = options_of(motion);
            options.loss = {kind, 1.5};
            options.held = {"alpha"};
            const FitProblem problem(data, options);
            Summation summation = problem.summation();
            summation.set_loss(kind, problem.loss_scales());
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
                x.back() = -4;  // an angle at which every derivative has a size
                x[x.size() - 2] = 1e-5;
            }
            EXPECT_LT(test::derivative_error(objective, x), 1e-6) << static_cast<int>(kind);
        }
    }
}

TEST(RobustFit, IsThatOfResidualsHeldWhole) {
    const auto data = with_outliers(test::peer_measurement("st_7k"), 0.02);
    Alone alone;
    for (const auto kind : robust) {
        auto options = options_of(Motion::diffusion);
        options.loss = {kind, 2};
        const auto found = fit(data, options, alone.team);
        ASSERT_TRUE(nlsq::converged(found.minimum.stop)) << nlsq::text(found.minimum.stop);

        auto residuals = formula_of(data, options.sigma);
        const auto expected = nlsq::minimise(residuals, found.values, {}, {}, options.loss);

        EXPECT_NEAR(found.minimised / (2 * expected.cost), 1, 1e-9);
        for (std::size_t k = 0; k < found.values.size(); ++k) {
            const double error = std::sqrt(found.covariance.matrix[k * (found.values.size() + 1)]);
            EXPECT_NEAR(found.values[k], expected.x[k], 1e-3 * error) << found.names[k];
        }
    }
}

TEST(RobustFit, FindsTheTruthAmongOutliersWhereSquaresDoNot) {
    Alone alone;
    Measurement like = test::peer_measurement("st_7k");
    Truth truth{Motion::diffusion, ShearTerm::homodyne, {8000, -0.6, 400}, {}};
    truth.scales.assign(like.phi.size(), {0.3, 1});
    const auto data = with_outliers(simulate(like, truth, {}, alone.threads), 0.03);
    auto options = options_of(Motion::diffusion);
    const auto furthest = [&](Kind kind) {
        options.loss = {kind, 1};
        const auto found = fit(data, options, alone.team);
        double most = 0;
        for (std::size_t k = 0; k < found.values.size(); ++k) {
            const double expected = k < 3 ? 0.3 : k < 6 ? 1 : truth.physical[k - 6];
            const double error =
                std::sqrt(found.determinacy.inverse[k * (found.values.size() + 1)]);
            most = std::max(most, std::abs(found.values[k] - expected) / error);
        }
        return most;
    };
    EXPECT_GT(furthest(Kind::linear), 10);
    EXPECT_LT(furthest(Kind::cauchy), 4);
    EXPECT_LT(furthest(Kind::arctan), 4);
    // It bounds what an outlier pulls with, and so is off by a share of the outliers.
    EXPECT_LT(furthest(Kind::soft_l1), 8);
}

TEST(RobustFit, ErrorsAreThoseOfManyRepetitions) {
    Alone alone;
    Measurement like = test::peer_measurement("st_7k");
    like.frames = 20;
    Truth truth{Motion::diffusion, ShearTerm::homodyne, {8000, -0.6, 400}, {}};
    truth.scales.assign(like.phi.size(), {0.3, 1});
    auto options = options_of(Motion::diffusion);
    options.held = {"D_offset"};
    options.start = {8000, -0.6, 400};
    options.loss = {Kind::cauchy, 1};
    double squares = 0;
    constexpr int repetitions = 200;
    for (int k = 0; k < repetitions; ++k) {
        SimulatedNoise noise;
        noise.seed = static_cast<std::uint64_t>(k);
        const auto data = with_outliers(simulate(like, truth, noise, alone.threads), 0.02);
        const auto found = fit(data, options, alone.team);
        const std::size_t last = found.values.size() - 1;
        const double error = std::sqrt(found.covariance.matrix.back());
        squares += std::pow((found.values[last] - truth.physical[1]) / error, 2);
    }
    EXPECT_NEAR(squares / repetitions, 1, 0.3);  // three of its deviations
}

TEST(RobustFit, ErrorBarsLeaveOutliersOut) {
    Alone alone;
    Measurement like = test::peer_measurement("st_7k");
    Truth truth{Motion::diffusion, ShearTerm::homodyne, {8000, -0.6, 400}, {}};
    truth.scales.assign(like.phi.size(), {0.3, 1});
    const auto clean = simulate(like, truth, {}, alone.threads);
    auto options = options_of(Motion::diffusion);
    options.held = {"D_offset"};
    options.start = {8000, -0.6, 400};
    const auto alpha_error = [&](const Measurement& data, ErrorMethod method) {
        ErrorOptions how;
        how.method = method;
        how.pixels = 512;
        const auto found = fit(data, options, alone.team);
        return errors_of(data, options, found, how, alone.team).errors().back();
    };
    for (const auto method : {ErrorMethod::classical, ErrorMethod::speckle}) {
        options.loss = {};
        const double squares = alpha_error(clean, method);
        options.loss = {Kind::cauchy, 1};
        const double loss = alpha_error(with_outliers(clean, 0.02), method);
        EXPECT_GT(loss / squares, 1) << to_string(method);
        EXPECT_LT(loss / squares, 1.6) << to_string(method);
    }
}

TEST(RobustFit, OfAWideScaleIsLeastSquares) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = options_of(Motion::laminar_flow);
    Alone alone;
    const auto squares = fit(data, options, alone.team);
    options.loss = {Kind::soft_l1, 1e6};
    const auto wide = fit(data, options, alone.team);
    EXPECT_NEAR(wide.minimised / squares.minimised, 1, 1e-9);
    for (std::size_t k = 0; k < squares.values.size(); ++k) {
        const double error = std::sqrt(squares.covariance.matrix[k * (squares.values.size() + 1)]);
        EXPECT_NEAR(wide.values[k], squares.values[k], 1e-4 * error) << squares.names[k];
        EXPECT_NEAR(
            std::sqrt(wide.covariance.matrix[k * (squares.values.size() + 1)]) / error, 1, 1e-5);
    }
}

TEST(RobustFit, FindsTheTruthInEveryScaling) {
    Alone alone;
    Measurement like = test::peer_measurement("lam_24k");
    Truth truth{
        Motion::laminar_flow, ShearTerm::homodyne, {12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5}, {}};
    truth.scales.assign(like.phi.size(), {0.3, 1});
    const auto data = with_outliers(simulate(like, truth, {}, alone.threads), 0.01);
    for (const auto mode :
         {ScaleMode::individual, ScaleMode::averaged, ScaleMode::constant, ScaleMode::fourier}) {
        auto options = options_of(Motion::laminar_flow);
        options.scale.mode = mode;
        options.scale.given = truth.scales;
        options.loss = {Kind::cauchy, 1};
        const auto found = fit(data, options, alone.team);
        ASSERT_TRUE(nlsq::converged(found.minimum.stop)) << nlsq::text(found.minimum.stop);
        const std::size_t linear = found.values.size() - 7;
        for (std::size_t p = 0; p < 7; ++p) {
            const std::size_t k = linear + p;
            const double error = std::sqrt(found.covariance.matrix[k * (found.values.size() + 1)]);
            EXPECT_NEAR(found.values[k], truth.physical[p], 4 * error)
                << found.names[k] << " of scaling " << static_cast<int>(mode);
        }
    }
}

TEST(RobustFit, IsTheSameForAnyNumberOfThreadsAndRanks) {
    const auto data = with_outliers(test::peer_measurement("lam_24k"), 0.01);
    auto options = options_of(Motion::laminar_flow);
    options.loss = {Kind::cauchy, 2};
    test::expect_same_for_any_team(
        [&](runtime::Team& team) { return digest_of(fit(data, options, team)); });
}

TEST(RobustFit, RefusesAScaleThatIsNone) {
    auto options = options_of(Motion::diffusion);
    options.loss = {Kind::huber, 0};
    Alone alone;
    EXPECT_THROW(fit(test::peer_measurement("st_7k"), options, alone.team), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs
