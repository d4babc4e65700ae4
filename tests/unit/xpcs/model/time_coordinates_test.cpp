#include "xpcs/model/time_coordinates.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

using Numbers = std::vector<double>;

const Numbers at_rest{8000, -0.6, 400};
const Numbers flowing{12000, -0.8, 600, 8e-4, -0.25, 5e-5, -5};

TimeCoordinates coordinates_of(const Numbers& physical) {
    const auto motion = physical.size() == 3 ? Motion::diffusion : Motion::laminar_flow;
    return {motion, 0.1, {1, 63}, FreeParameters(motion, {})};
}

Numbers values_of(const TimeCoordinates& coordinates, const Numbers& physical) {
    Numbers values(physical.size());
    coordinates.to_values(physical, values);
    return values;
}

/// ∂values/∂physical by central differences, row by row.
Numbers jacobian(const TimeCoordinates& coordinates, const Numbers& physical) {
    const std::size_t n = physical.size();
    Numbers rows(n * n);
    for (std::size_t p = 0; p < n; ++p) {
        const double step = 1e-5 * std::abs(physical[p]);
        Numbers low = physical;
        Numbers high = physical;
        low[p] -= step;
        high[p] += step;
        const Numbers below = values_of(coordinates, low);
        const Numbers above = values_of(coordinates, high);
        for (std::size_t k = 0; k < n; ++k) {
            rows[k * n + p] = (above[k] - below[k]) / (high[p] - low[p]);
        }
    }
    return rows;
}

double determinant(Numbers rows) {
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(rows.size())));
    double product = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t row = k; row < n; ++row) {
            pivot = std::abs(rows[row * n + k]) > std::abs(rows[pivot * n + k]) ? row : pivot;
        }
        product *= pivot == k ? 1 : -1;
        for (std::size_t column = 0; column < n; ++column) {
            std::swap(rows[k * n + column], rows[pivot * n + column]);
        }
        product *= rows[k * n + k];
        for (std::size_t row = k + 1; row < n; ++row) {
            const double factor = rows[row * n + k] / rows[k * n + k];
            for (std::size_t column = k; column < n; ++column) {
                rows[row * n + column] -= factor * rows[k * n + column];
            }
        }
    }
    return product;
}

TEST(TimeCoordinates, AreTheRatesAtThreeTimes) {
    const auto values = values_of(coordinates_of(flowing), flowing);
    // The last frame is 6.3 s after the first of the measurement; the times are in geometric
    // progression from a sixteenth of that.
    const double last = 6.3;
    for (int k = 0; k < 3; ++k) {
        const double t = last / 16 * std::pow(4.0, k);
        EXPECT_NEAR(values[at(k)] / (12000 * std::pow(t, -0.8) + 600), 1, 1e-12);
        EXPECT_NEAR(values[at(3 + k)] / (8e-4 * std::pow(t, -0.25) + 5e-5), 1, 1e-12);
    }
    EXPECT_EQ(values[6], -5);
}

TEST(TimeCoordinates, ComeBack) {
    for (const Numbers& physical :
         {at_rest, flowing, Numbers{300, 1.4, -50}, Numbers{5e4, -1.9, -2000}}) {
        const auto coordinates = coordinates_of(physical);
        Numbers back(physical.size());
        ASSERT_TRUE(coordinates.to_physical(values_of(coordinates, physical), back));
        for (std::size_t p = 0; p < physical.size(); ++p) {
            EXPECT_NEAR(back[p] / physical[p], 1, 1e-9) << p;
        }
    }
}

TEST(TimeCoordinates, ValuesOfNoPowerLawAreTold) {
    const auto coordinates = coordinates_of(at_rest);
    Numbers physical(3);
    // Up and down again; equal steps, which only a logarithm has.
    EXPECT_FALSE(coordinates.to_physical(Numbers{1, 2, 1}, physical));
    EXPECT_FALSE(coordinates.to_physical(Numbers{1, 2, 3}, physical));
    EXPECT_FALSE(coordinates.to_physical(Numbers{1, 1, 2}, physical));
}

TEST(TimeCoordinates, TheVolumeIsThatOfFiniteDifferences) {
    for (const Numbers& physical : {at_rest, flowing, Numbers{300, 1.4, -50}}) {
        const auto coordinates = coordinates_of(physical);
        EXPECT_NEAR(coordinates.log_volume(physical),
                    -std::log(std::abs(determinant(jacobian(coordinates, physical)))),
                    1e-7);
    }
}

TEST(TimeCoordinates, TheGradientIsThatOfFiniteDifferences) {
    const auto coordinates = coordinates_of(flowing);
    // f = Σ ln|p| + volume, as a function of the values.
    const auto f = [&](const Numbers& values) {
        Numbers physical(values.size());
        EXPECT_TRUE(coordinates.to_physical(values, physical));
        double sum = coordinates.log_volume(physical);
        for (const double p : physical) {
            sum += std::log(std::abs(p));
        }
        return sum;
    };
    Numbers gradient;
    for (const double p : flowing) {
        gradient.push_back(1 / p);
    }
    EXPECT_EQ(coordinates.transform_gradient(flowing, gradient), coordinates.log_volume(flowing));
    const Numbers values = values_of(coordinates, flowing);
    for (std::size_t k = 0; k < values.size(); ++k) {
        const double step = 1e-6 * std::abs(values[k]);
        Numbers low = values;
        Numbers high = values;
        low[k] -= step;
        high[k] += step;
        const double slope = (f(high) - f(low)) / (2 * step);
        EXPECT_NEAR(gradient[k] / slope, 1, 1e-5) << k;
    }
}

TEST(TimeCoordinates, CovariancesGoByTheJacobian) {
    const auto coordinates = coordinates_of(at_rest);
    const Numbers deviations{100, 0.01, 20};
    Numbers covariance(9, 0.0);
    for (std::size_t p = 0; p < 3; ++p) {
        covariance[p * 3 + p] = deviations[p] * deviations[p];
    }
    const auto rows = jacobian(coordinates, at_rest);
    const auto found = coordinates.transform_covariance(at_rest, covariance);
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t l = 0; l < 3; ++l) {
            double expected = 0;
            for (std::size_t p = 0; p < 3; ++p) {
                expected += rows[k * 3 + p] * covariance[p * 3 + p] * rows[l * 3 + p];
            }
            EXPECT_NEAR(found[k * 3 + l] / expected, 1, 1e-7) << k << l;
        }
    }
}

}  // namespace
}  // namespace lockstep::xpcs
