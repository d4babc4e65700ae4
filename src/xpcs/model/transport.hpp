#pragma once

#include <array>
#include <span>

#include "lockstep/base/aligned.hpp"
#include "lockstep/xpcs/model/physics.hpp"

namespace lockstep::xpcs {

/// A coefficient rate t^power + offset over the times of the frames, with a floor (equation (3) of
/// docs/xpcs/theory.md), and its running integrals, equation (4). Derivatives are 0 where it lies
/// on its floor.
class Coefficient {
public:
    explicit Coefficient(const FrameTimes& frames, double dt);

    /// Parameters: rate, power, offset.
    void set(double rate, double power, double offset);

    /// [count], padded by 0 to whole lanes
    [[nodiscard]] std::span<const double> integral() const noexcept { return integral_; }
    /// Its derivative by parameter k.
    [[nodiscard]] std::span<const double> derivative(int k) const noexcept {
        return derivatives_[static_cast<std::size_t>(k)];
    }
    [[nodiscard]] std::span<const double> value() const noexcept { return value_; }

private:
    int frames_ = 0;
    AlignedVector<double> log_time_;
    AlignedVector<double> value_;
    AlignedVector<double> integral_;
    std::array<AlignedVector<double>, 3> derivatives_;  // first of the values, then of the integral
};

}  // namespace lockstep::xpcs
