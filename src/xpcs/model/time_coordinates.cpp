#include "xpcs/model/time_coordinates.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

namespace lockstep::xpcs {
namespace {

using Three = PowerLawValues::Three;

// Where in the time axis values are taken, as parts of its length.
constexpr double first_part = 1.0 / 16;
constexpr double last_part = 1;

Three three_of(std::span<const double> parameters, int law) {
    return {parameters[at(3 * law)], parameters[at(3 * law + 1)], parameters[at(3 * law + 2)]};
}

void put(std::span<double> parameters, int law, const Three& three) {
    std::copy(three.begin(), three.end(), parameters.begin() + 3 * law);
}

/// det of rows (a_k, a_k l_k, 1) with a_k = e^(power l_k), equation (23), and its derivative by the
/// power.
struct Determinant {
    double value = 0;
    double slope = 0;
};

Determinant determinant(const Three& l, double power) {
    Determinant sum;
    const auto add = [&](double sign, double low, double high) {
        const double product = sign * math::exp(power * (low + high)) * (high - low);
        sum.value += product;
        sum.slope += product * (low + high);
    };
    add(1, l[0], l[1]);
    add(-1, l[0], l[2]);
    add(1, l[1], l[2]);
    return sum;
}

}  // namespace

PowerLawValues::PowerLawValues(double first, double last)
    : log_times_{math::log(first), (math::log(first) + math::log(last)) / 2, math::log(last)} {}

Three PowerLawValues::values_of(const Three& law) const {
    Three values;
    for (std::size_t k = 0; k < 3; ++k) {
        values[k] = law[0] * math::exp(law[1] * log_times_[k]) + law[2];
    }
    return values;
}

bool PowerLawValues::law_of(const Three& values, Three& law) const {
    const double ratio = (values[2] - values[1]) / (values[1] - values[0]);
    if (!(ratio > 0) || !std::isfinite(ratio) || ratio == 1) {
        return false;
    }
    law[1] = math::log(ratio) / (log_times_[1] - log_times_[0]);
    const double first = math::exp(law[1] * log_times_[0]);
    law[0] = (values[1] - values[0]) / (math::exp(law[1] * log_times_[1]) - first);
    law[2] = values[0] - law[0] * first;
    return std::isfinite(law[0]) && std::isfinite(law[2]);
}

std::array<Three, 3> PowerLawValues::jacobian(const Three& law) const {
    std::array<Three, 3> rows;
    for (std::size_t k = 0; k < 3; ++k) {
        const double curve = math::exp(law[1] * log_times_[k]);
        rows[k] = {curve, law[0] * curve * log_times_[k], 1};
    }
    return rows;
}

PowerLawValues::Volume PowerLawValues::volume_at(const Three& law) const {
    const auto [value, slope] = determinant(log_times_, law[1]);
    return {-math::log(std::abs(law[0] * value)), {-1 / law[0], -slope / value, 0}};
}

Three PowerLawValues::gradient_by_values(const Three& law, const Three& gradient) const {
    const auto rows = jacobian(law);
    Eigen::Matrix3d matrix;
    for (int k = 0; k < 3; ++k) {
        for (int p = 0; p < 3; ++p) {
            matrix(k, p) = rows[at(k)][at(p)];
        }
    }
    const Eigen::Vector3d by_law(gradient[0], gradient[1], gradient[2]);
    const Eigen::Vector3d by_values = matrix.transpose().partialPivLu().solve(by_law);
    return {by_values[0], by_values[1], by_values[2]};
}

TimeCoordinates::TimeCoordinates(Motion motion,
                                 double dt,
                                 const FrameTimes& frames,
                                 const FreeParameters& parameters)
    : dimension_(static_cast<int>(parameters_of(motion).size())),
      law_(first_part * dt * (frames.first + frames.count - 1),
           last_part * dt * (frames.first + frames.count - 1)) {
    for (int law = 0; law < dimension_ / 3; ++law) {
        if (parameters.is_free(3 * law) && parameters.is_free(3 * law + 1) &&
            parameters.is_free(3 * law + 2)) {
            laws_.push_back(law);
        }
    }
}

void TimeCoordinates::to_values(std::span<const double> physical, std::span<double> values) const {
    std::ranges::copy(physical, values.begin());
    for (const int law : laws_) {
        put(values, law, law_.values_of(three_of(physical, law)));
    }
}

bool TimeCoordinates::to_physical(std::span<const double> values,
                                  std::span<double> physical) const {
    std::ranges::copy(values, physical.begin());
    for (const int law : laws_) {
        Three three;
        if (!law_.law_of(three_of(values, law), three)) {
            return false;
        }
        put(physical, law, three);
    }
    return true;
}

double TimeCoordinates::log_volume(std::span<const double> physical) const {
    double sum = 0;
    for (const int law : laws_) {
        sum += law_.volume_at(three_of(physical, law)).log;
    }
    return sum;
}

double TimeCoordinates::transform_gradient(std::span<const double> physical,
                                           std::span<double> gradient) const {
    double sum = 0;
    for (const int law : laws_) {
        const auto volume = law_.volume_at(three_of(physical, law));
        Three three = three_of(gradient, law);
        for (std::size_t k = 0; k < 3; ++k) {
            three[k] += volume.gradient[k];
        }
        put(gradient, law, law_.gradient_by_values(three_of(physical, law), three));
        sum += volume.log;
    }
    return sum;
}

std::vector<double> TimeCoordinates::transform_covariance(
    std::span<const double> physical, std::span<const double> covariance) const {
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Identity(dimension_, dimension_);
    for (const int law : laws_) {
        const auto rows = law_.jacobian(three_of(physical, law));
        for (int k = 0; k < 3; ++k) {
            for (int p = 0; p < 3; ++p) {
                jacobian(3 * law + k, 3 * law + p) = rows[at(k)][at(p)];
            }
        }
    }
    const Eigen::Map<const Eigen::MatrixXd> old(covariance.data(), dimension_, dimension_);
    const Eigen::MatrixXd transformed = jacobian * old * jacobian.transpose();
    return {transformed.data(), transformed.data() + transformed.size()};
}

}  // namespace lockstep::xpcs
