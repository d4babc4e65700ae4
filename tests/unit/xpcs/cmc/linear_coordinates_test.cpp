#include "lockstep/xpcs/cmc/linear_coordinates.hpp"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"

#include "support/xpcs/chains.hpp"

namespace lockstep::xpcs::cmc {
namespace {

using testing::ElementsAre;

// Normal of mean (5, 7) and covariance [[4, 6], [6, 25]], whose factor is [[2, 0], [3, 4]].
double normal(std::span<const double> x, std::span<double> gradient) {
    const double a = (x[0] - 5) / 2;
    const double b = (x[1] - 7 - 3 * a) / 4;
    gradient[1] = -b / 4;
    gradient[0] = -a / 2 + b * 3 / 8;
    return -0.5 * (a * a + b * b);
}

const LinearCoordinates coordinates({5, 7}, std::vector<double>{4, 6, 6, 25});

TEST(LinearCoordinatesTest, ThereAndBackByHand) {
    std::vector<double> x(2);
    std::vector<double> z(2);
    coordinates.to_x(std::vector<double>{1, -1}, x);
    EXPECT_THAT(x, ElementsAre(7, 6));
    coordinates.to_z(x, z);
    EXPECT_THAT(z, ElementsAre(1, -1));
}

TEST(LinearCoordinatesTest, ANormalDensityIsWhiteInItsOwnCoordinates) {
    test::FunctionDensity density(2, normal);
    WhitenedDensity white(density, coordinates);
    std::vector<double> gradient(2);
    EXPECT_EQ(white.evaluate(std::vector<double>{0.5, -1}, gradient), -0.625);
    EXPECT_THAT(gradient, ElementsAre(-0.5, 1));
    EXPECT_EQ(white.evaluate(std::vector<double>{0.5, -1}), -0.625);
}

TEST(LinearCoordinatesTest, SamplingInThemIsSamplingTheDensity) {
    const auto make = [] {
        struct Owner final : LogDensity {
            test::FunctionDensity<decltype(&normal)> inner{2, normal};
            WhitenedDensity white{inner, coordinates};
            int dimension() const override { return 2; }
            double evaluate(std::span<const double> z, std::span<double> gradient) override {
                return white.evaluate(z, gradient);
            }
            double evaluate(std::span<const double> z) override { return white.evaluate(z); }
        };
        return std::make_unique<Owner>();
    };
    NutsOptions options;
    options.metric = MetricKind::diagonal;
    auto chains = test::four_chains(make, options);
    for (ChainDraws& chain : chains) {
        chain = in_x(std::move(chain), coordinates);
    }
    const auto values = coordinate_of(chains, 1);
    const Summary found = summarise({values.data(), 4, 1000});
    EXPECT_NEAR(found.mean, 7, 4 * found.mcse_mean);
    EXPECT_NEAR(found.sd, 5, 4 * found.mcse_sd);
}

TEST(LinearCoordinatesTest, SizesMustAgree) {
    EXPECT_THROW(LinearCoordinates({1}, std::vector<double>{1, 0, 0, 1}), InputError);
    test::FunctionDensity density(1, [](std::span<const double>, std::span<double>) { return 0.; });
    EXPECT_THROW(WhitenedDensity(density, coordinates), InputError);
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
