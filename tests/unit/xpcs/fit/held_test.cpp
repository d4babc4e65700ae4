// Parameters that are held take no part in a fit, its errors and its posterior.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/errors.hpp"
#include "lockstep/xpcs/sample.hpp"

#include "support/xpcs/alone.hpp"
#include "support/xpcs/measurements.hpp"

namespace lockstep::xpcs {
namespace {

using test::Alone;
using testing::HasSubstr;
using testing::ThrowsMessage;

FitOptions flow_options() {
    FitOptions options;
    options.motion = Motion::laminar_flow;
    options.sigma = 0.01;
    options.start = {1e4, -0.5, 500, 1e-3, 0, 0, 0};
    return options;
}

/// Variance of value k given that of value `held`, from the covariance of both.
double conditional_variance(const FitResult& fit, std::size_t k, std::size_t held) {
    const std::size_t size = fit.values.size();
    const auto at_place = [&](std::size_t row, std::size_t column) {
        return fit.covariance.matrix[row * size + column];
    };
    return at_place(k, k) - at_place(k, held) * at_place(held, k) / at_place(held, held);
}

TEST(HeldParameters, AtTheMinimumLeaveTheOthersThereWithTheErrorsOfTheRest) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = flow_options();
    Alone alone;
    const auto whole = fit(data, options, alone.team);
    options.start = whole.physical;
    options.start[0] *= 1.1;
    options.held = {"gamma_dot_t_offset"};

    const auto held = fit(data, options, alone.team);

    EXPECT_EQ(held.physical[5], whole.physical[5]);
    EXPECT_EQ(held.values.size(), whole.values.size() - 1);
    EXPECT_THAT(held.names, testing::Not(testing::Contains("gamma_dot_t_offset")));
    EXPECT_THAT(held.fitted, testing::ElementsAre(0, 1, 2, 3, 4, 6));
    EXPECT_NEAR(held.chi_squared / whole.chi_squared, 1, 1e-10);
    EXPECT_EQ(held.minimum.x.size(), 6U);
    const std::size_t place = 17;  // of what is held among all values
    ASSERT_EQ(whole.names[place], "gamma_dot_t_offset");
    for (std::size_t k = 0; k < held.values.size(); ++k) {
        const std::size_t of_whole = k < place ? k : k + 1;
        const double variance = conditional_variance(whole, of_whole, place);
        EXPECT_NEAR(held.values[k], whole.values[of_whole], 1e-4 * std::sqrt(variance));
        // One degree of freedom fewer is used.
        EXPECT_NEAR(held.covariance.matrix[k * held.values.size() + k] / variance, 1, 2e-4)
            << held.names[k];
    }
}

TEST(HeldParameters, ElsewhereCostWhatTheyAreOffBy) {
    const auto data = test::peer_measurement("lam_24k");
    auto options = flow_options();
    Alone alone;
    const auto whole = fit(data, options, alone.team);
    options.held = {"beta", "phi0"};

    const auto held = fit(data, options, alone.team);

    EXPECT_EQ(held.physical[4], 0);
    EXPECT_EQ(held.physical[6], 0);
    EXPECT_GT(held.chi_squared, 1.2 * whole.chi_squared);
    EXPECT_TRUE(nlsq::converged(held.minimum.stop));
}

TEST(HeldParameters, HaveNoPartInAnyErrorBars) {
    const auto data = test::peer_measurement("st_7k");
    FitOptions options;
    options.start = {1e4, -0.5, 400};
    options.held = {"D_offset"};
    Alone alone;
    const auto held = fit(data, options, alone.team);
    for (const auto method : {ErrorMethod::classical, ErrorMethod::blocks, ErrorMethod::speckle}) {
        ErrorOptions how;
        how.method = method;
        how.pixels = 64;
        const auto errors = errors_of(data, options, held, how, alone.team).errors();
        ASSERT_EQ(errors.size(), held.values.size()) << to_string(method);
        EXPECT_THAT(errors, testing::Each(testing::Gt(0))) << to_string(method);
    }
}

TEST(HeldParameters, AreHeldInThePosteriorToo) {
    const auto data = test::peer_measurement("st_7k");
    FitOptions options;
    options.sigma = 0.004;
    options.start = {1e4, -0.5, 400};
    options.held = {"D_offset"};
    Alone alone;
    const auto found = fit(data, options, alone.team);
    SampleOptions sampling;
    sampling.draws = 1000;
    const auto box = options.box();
    for (std::size_t p = 0; p < box.lower.size(); ++p) {
        sampling.posterior.physical.push_back(
            {Prior::Kind::uniform, 0, 1, box.lower[p], box.upper[p]});
    }
    std::vector<cmc::Summary> by_weights;
    for (const auto method : {SampleMethod::importance, SampleMethod::chains}) {
        sampling.method = method;
        const auto drawn = sample(data, options, found, sampling, alone.team);
        ASSERT_THAT(drawn.names, testing::Not(testing::Contains("D_offset")));
        ASSERT_EQ(drawn.names.front(), "D0");
        for (int k = 0; k < 2; ++k) {
            const auto summary = drawn.summary(k);
            const auto place = at(6 + k);  // after three contrasts and three offsets
            const double error =
                std::sqrt(found.determinacy.inverse[place * (found.values.size() + 1)]);
            EXPECT_NEAR(summary.mean, found.values[place], 0.15 * error) << drawn.names[at(k)];
            EXPECT_NEAR(summary.sd / error, 1, 0.1) << drawn.names[at(k)];
            if (method == SampleMethod::importance) {
                EXPECT_LT(drawn.importance.k, 0.5);
                by_weights.push_back(summary);
            } else {
                const auto& other = by_weights[at(k)];
                EXPECT_NEAR(
                    summary.mean, other.mean, 4 * std::hypot(summary.mcse_mean, other.mcse_mean));
            }
        }
    }
}

TEST(HeldParameters, ThatAreNoneAreRefusedByName) {
    const auto data = test::peer_measurement("st_7k");
    FitOptions options;
    Alone alone;
    const auto fit_with = [&](std::vector<std::string> held) {
        options.held = std::move(held);
        fit(data, options, alone.team);
    };
    EXPECT_THAT([&] { fit_with({"phi0"}); },
                ThrowsMessage<InputError>(HasSubstr("\"phi0\" cannot be held")));
    EXPECT_THAT(
        [&] {
            fit_with({"D0", "alpha", "D_offset"});
        },
        ThrowsMessage<InputError>(HasSubstr("nothing is left")));
}

}  // namespace
}  // namespace lockstep::xpcs
