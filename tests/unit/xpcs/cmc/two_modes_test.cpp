#include "xpcs/cmc/two_modes.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/math.hpp"
#include "lockstep/runtime/random.hpp"

namespace lockstep::xpcs::cmc {
namespace {

class TwoModesTest : public testing::Test {
protected:
    /// Draws by a function of a normal and a uniform number.
    [[nodiscard]] bool of(const std::function<double(double normal, double uniform)>& draw) const {
        std::vector<double> draws;
        for (int k = 0; k < 6000; ++k) {
            const auto item = static_cast<std::uint64_t>(k);
            double normal = 0;
            normals_.fill_normal(item, 0, {&normal, 1});
            draws.push_back(draw(normal, uniforms_.uniform01(item, 0, 0)));
        }
        return has_two_modes(draws);
    }
    /// A share of the draws lies so many standard deviations off.
    [[nodiscard]] bool of_mixture(double share, double separation, double unit = 1) const {
        return of([=](double normal, double uniform) {
            return unit * (normal + (uniform < share ? separation : 0));
        });
    }

private:
    runtime::Random normals_{11, "normal"};
    runtime::Random uniforms_{11, "uniform"};
};

TEST_F(TwoModesTest, SeparateOnesAreSeenInAnyUnit) {
    EXPECT_TRUE(of_mixture(0.5, 5));
    EXPECT_TRUE(of_mixture(0.3, 5));
    EXPECT_TRUE(of_mixture(0.7, 8));
    EXPECT_TRUE(of_mixture(0.3, 5, 1e-9));
    EXPECT_TRUE(of_mixture(0.3, 5, 1e9));
}

TEST_F(TwoModesTest, OneModeIsOne) {
    EXPECT_FALSE(of_mixture(0, 0));
    EXPECT_FALSE(of_mixture(0.5, 1.5));
    EXPECT_FALSE(of_mixture(0.05, 6));  // a few outliers
    EXPECT_FALSE(of([](double, double uniform) { return uniform; }));
    EXPECT_FALSE(of([](double, double uniform) { return -math::log(uniform); }));
    EXPECT_FALSE(of([](double normal, double) { return math::exp(0.7 * normal); }));
    EXPECT_FALSE(of([](double normal, double uniform) {  // Student-t of three or so
        return normal / std::sqrt(uniform);
    }));
}

TEST_F(TwoModesTest, ConstantDrawsHaveNone) {
    EXPECT_FALSE(has_two_modes(std::vector<double>(100, 3.0)));
    EXPECT_FALSE(has_two_modes({}));
}

}  // namespace
}  // namespace lockstep::xpcs::cmc
