// What homodyne does where scales can take up what the flow should explain.
#include "lockstep/xpcs/anti_degeneracy.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::DoubleNear;
using testing::ElementsAre;
using Use = SequentialOptions::Use;

FitOptions flow_options() {
    FitOptions options;
    options.motion = Motion::laminar_flow;
    options.sigma = 0.004;
    options.start = {1e4, -0.5, 500, 1e-3, 0, 0, 0};
    return options;
}

FitOptions rest_options() {
    FitOptions options;
    options.sigma = 0.004;
    options.start = {1e4, -0.5, 500};
    return options;
}

// Values of homodyne's own tests.
TEST(ShearWeights, AreLeastAcrossTheFlow) {
    const std::vector<double> phi{-90, 0, 90};
    EXPECT_THAT(shear_weights(phi, 0, {true, 0.2, 1, false}),
                ElementsAre(DoubleNear(0.2, 1e-8), DoubleNear(1, 1e-12), DoubleNear(0.2, 1e-8)));
}

TEST(ShearWeights, HaveAMeanOfOneAndAreSymmetric) {
    const std::vector<double> phi{-60, -30, 0, 30, 60};
    const auto weights = shear_weights(phi, 0, {true, 0.3, 2, true});
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0) / 5, 1, 1e-10);
    EXPECT_NEAR(weights[0], weights[4], 1e-10);
    EXPECT_NEAR(weights[1], weights[3], 1e-10);
    EXPECT_GT(weights[2], weights[1]);
}

TEST(ShearWeights, AreThoseOfThePhi0ThatTheFitEndsAt) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = flow_options();
    options.shear_weighting = {true, 0.3, 1, true};
    Alone alone;
    const auto found = fit(data, options, alone.team);
    const auto weights = shear_weights(data.phi, found.physical[6], options.shear_weighting);
    for (std::size_t angle = 0; angle < weights.size(); ++angle) {
        EXPECT_NEAR(found.sigma[angle], 0.004 / std::sqrt(weights[angle]), 1e-5);
    }
    options.shear_weighting = {};
    const auto plain = fit(data, options, alone.team);
    EXPECT_NE(found.physical[0], plain.physical[0]);
    EXPECT_NEAR(found.physical[0], plain.physical[0], 0.1 * plain.physical[0]);
}

// Values of homodyne's own tests.
TEST(CombineAngles, GivesHomodynesMeans) {
    std::vector<AngleEstimate> angles{{{0.50, 1.0}, {1, 1}, 200}, {{0.60, 1.2}, {1, 1}, 100}};
    EXPECT_THAT(combine_angles(angles, AngleWeighting::uniform).values,
                ElementsAre(DoubleNear(0.55, 1e-12), DoubleNear(1.1, 1e-12)));
    EXPECT_THAT(combine_angles(angles, AngleWeighting::points).values,
                ElementsAre(DoubleNear(0.53333, 1e-5), DoubleNear(1.06667, 1e-5)));
}

TEST(CombineAngles, ByVariancesIsTheMostPreciseMeanInAnyUnit) {
    std::vector<AngleEstimate> angles{{{1, 1000}, {1, 4e6}, 1}, {{4, 4000}, {0.5, 1e6}, 1}};
    const auto combined = combine_angles(angles, AngleWeighting::inverse_variance);
    EXPECT_NEAR(combined.values[0], (1 + 2 * 4) / 3.0, 1e-12);
    EXPECT_NEAR(combined.variances[0], 1 / 3.0, 1e-12);
    EXPECT_NEAR(combined.values[1], (1000 + 4 * 4000) / 5.0, 1e-9);
    EXPECT_NEAR(combined.variances[1], 1 / (1 / 4e6 + 1 / 1e6), 1e-6);
}

TEST(Sequential, AnglesAloneAgreeWithAllTogether) {
    const auto data = test::peer_measurement("st_7k");
    auto options = rest_options();
    Alone alone;
    const auto together = fit(data, options, alone.team);
    EXPECT_TRUE(together.sequential.angles.empty());
    options.sequential.use = Use::always;
    const auto combined = fit(data, options, alone.team);
    ASSERT_TRUE(combined.sequential.is_used);
    EXPECT_EQ(combined.sequential.used, 3);
    EXPECT_GT(combined.chi_squared, together.chi_squared);
    EXPECT_LT(combined.chi_squared, together.chi_squared + 30);
    const auto errors = errors_of(data, options, combined, {}, alone.team).errors();
    for (std::size_t k = 6; k < 9; ++k) {
        const double error = std::sqrt(together.covariance.matrix[k * 10]);
        EXPECT_NEAR(combined.values[k], together.values[k], 2 * error) << combined.names[k];
        EXPECT_NEAR(errors[k] / error, 1, 0.3);
    }
    EXPECT_TRUE(std::isnan(errors[0]));
    EXPECT_THAT(combined.covariance.remark, testing::HasSubstr("one by one"));
}

TEST(Sequential, ComesWhereAllTogetherDoNotConverge) {
    const auto data = test::peer_measurement("st_7k");
    auto options = rest_options();
    Alone alone;
    int used = 0;
    for (const int most : {2, 1000}) {
        options.trust_region.max_evaluations = most;
        options.sequential.use = Use::never;
        const auto together = fit(data, options, alone.team);
        options.sequential.use = Use::on_failure;
        const auto found = fit(data, options, alone.team);
        const bool is_converged = nlsq::converged(together.minimum.stop);
        EXPECT_EQ(found.sequential.angles.empty(), is_converged);
        if (found.sequential.is_used) {
            ++used;
            EXPECT_EQ(found.sequential.used, 3);
        } else {
            EXPECT_EQ(found.values, together.values);
        }
    }
    EXPECT_EQ(used, 1);
}

TEST(Sequential, AnglesThatDoNotDetermineTheFlowAreNotUsed) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = flow_options();
    options.sequential.use = Use::always;
    options.sequential.least_success = 1;
    Alone alone;
    const auto found = fit(data, options, alone.team);
    EXPECT_FALSE(found.sequential.is_used);
    EXPECT_EQ(found.sequential.angles.size(), 6U);
    EXPECT_TRUE(nlsq::converged(found.minimum.stop));
}

/// λ (CV_c² + CV_o²) χ² about the means of the fit without, written anew.
double penalty_of(const std::vector<Scale>& scales, const FitResult& without, double weight) {
    const auto part = [&](double Scale::*member) {
        double mean = 0;
        double usual = 0;
        double square = 0;
        const auto n = static_cast<double>(scales.size());
        for (std::size_t a = 0; a < scales.size(); ++a) {
            mean += scales[a].*member / n;
            usual += without.scales[a].*member / n;
            square += scales[a].*member * (scales[a].*member) / n;
        }
        return (square - mean * mean) / (usual * usual);
    };
    return weight * without.chi_squared * (part(&Scale::contrast) + part(&Scale::offset));
}

TEST(Regularisation, IsTheMinimumOfSquaresAndPenalty) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = flow_options();
    Alone alone;
    const auto without = fit(data, options, alone.team);
    options.regularisation.weight = 10;
    const auto found = fit(data, options, alone.team);
    EXPECT_NEAR(found.penalty, penalty_of(found.scales, without, 10), 1e-6 * found.penalty);
    EXPECT_GT(found.chi_squared, without.chi_squared);
    EXPECT_LT(penalty_of(found.scales, without, 1), penalty_of(without.scales, without, 1));
    EXPECT_LT(found.chi_squared + found.penalty,
              without.chi_squared + penalty_of(without.scales, without, 10));
    // No scales near it, with the best parameters for them, are better.
    auto other = flow_options();
    other.start = found.physical;
    other.scale.mode = ScaleMode::constant;
    for (std::size_t angle = 0; angle < found.scales.size(); ++angle) {
        for (const double sign : {-1, 1}) {
            other.scale.given = found.scales;
            other.scale.given[angle].contrast += sign * 1e-4;
            other.scale.given[angle].offset -= sign * 1e-4;
            const auto near = fit(data, other, alone.team);
            EXPECT_GT(near.chi_squared + penalty_of(other.scale.given, without, 10),
                      found.chi_squared + found.penalty);
        }
    }
}

TEST(Regularisation, OfVariancesIsStronger) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = flow_options();
    Alone alone;
    const auto spread = [&](double weight) {
        options.regularisation = {weight, false};
        const auto found = fit(data, options, alone.team);
        double least = 1;
        double most = 0;
        for (const Scale& scale : found.scales) {
            least = std::min(least, scale.contrast);
            most = std::max(most, scale.contrast);
        }
        return most - least;
    };
    const double free = spread(0);
    EXPECT_LT(spread(1), free);
    EXPECT_LT(spread(1000), 0.05 * free);  // as averaged scaling
}

TEST(Regularisation, DerivativesAreThoseOfTheCost) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = flow_options();
    options.loss = {nlsq::Loss::Kind::cauchy, 2};
    options.regularisation.weight = 10;
    FitProblem problem(data, options);
    problem.regularise(std::vector<Scale>(6, {0.3, 1}), 1e4);
    Summation summation = problem.summation();
    summation.set_loss(options.loss.kind, problem.loss_scales());
    Alone alone;
    LossObjective objective(
        summation, &alone.team, problem.parameters, problem.held, problem.scaling, problem.weights);
    std::vector<double> x{0.3, 0.28, 0.33, 0.3, 0.35, 0.25, 1, 1.01, 0.99, 1, 1, 1.02};
    x.insert(x.end(), {11000, -0.7, 500, 9e-4, -0.2, 1e-5, -4});
    EXPECT_LT(test::derivative_error(objective, x), 1e-6);
}

TEST(AntiDegeneracy, IsTheSameForAnyNumberOfThreadsAndRanks) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = flow_options();
    options.regularisation.weight = 10;
    options.shear_weighting.is_on = true;
    test::expect_same_for_any_team(
        [&](runtime::Team& team) { return digest_of(fit(data, options, team)); });
}

}  // namespace
}  // namespace lockstep::xpcs
