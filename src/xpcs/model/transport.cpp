#include "xpcs/model/transport.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"

#include "xpcs/model/lanes.hpp"

namespace lockstep::xpcs {
namespace {

constexpr double floor_of_coefficients = 1e-10;

/// At t = 0 a power law has no value: half a step is the earliest time that counts.
double earliest(int count, double dt) {
    return count > 1 ? std::max(dt / 2, 1e-8) : 1e-8;
}

std::size_t padded(int count) {
    return at((count + lanes::width - 1) / lanes::width * lanes::width);
}

/// Turns values into their running integral.
void integrate(std::span<double> values, int count) {
    double before = values[0];
    values[0] = 0;
    for (int k = 1; k < count; ++k) {
        const double value = values[at(k)];
        values[at(k)] = values[at(k - 1)] + (before + value) / 2;
        before = value;
    }
}

}  // namespace

Coefficient::Coefficient(const FrameTimes& frames, double dt)
    : log_time_(padded(frames.count), 0.0),
      value_(log_time_.size(), 0.0),
      integral_(log_time_.size(), 0.0),
      derivatives_{value_, value_, value_} {
    const double least = earliest(frames.count, dt);
    for (int k = 0; k < frames.count; ++k) {
        log_time_[at(k)] = math::log(std::max((frames.first + k) * dt, least));
    }
    frames_ = frames.count;
}

void Coefficient::set(double rate, double power, double offset) {
    using namespace lanes;
    for (std::size_t k = 0; k < value_.size(); k += width) {
        const Four log_time = load(&log_time_[k]);
        const Four curve = exp(all(power) * log_time);
        const Four value = all(rate) * curve + all(offset);
        const FourBits above = value > all(floor_of_coefficients);
        store(&value_[k], above ? value : all(floor_of_coefficients));
        store(&derivatives_[0][k], keep(above, curve));
        store(&derivatives_[1][k], keep(above, all(rate) * curve * log_time));
        store(&derivatives_[2][k], keep(above, all(1)));
    }
    std::ranges::copy(value_, integral_.begin());
    integrate(integral_, frames_);
    for (auto& derivative : derivatives_) {
        integrate(derivative, frames_);
    }
}

}  // namespace lockstep::xpcs
