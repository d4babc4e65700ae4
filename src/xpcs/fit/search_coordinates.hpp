#pragma once

#include <span>
#include <vector>

#include "lockstep/xpcs/fit.hpp"

namespace lockstep::xpcs {

/// Coordinates in which a search by evolution sees the free parameters. Rates may lie anywhere
/// between bounds that differ by orders of magnitude, and their minima are as narrow as the rates
/// are small: in the logarithm, or the area sine of what may be negative, both are even.
class SearchCoordinates {
public:
    /// @param box  of the free parameters, by name
    explicit SearchCoordinates(const nlsq::Box& box);

    [[nodiscard]] const nlsq::Box& box() const noexcept { return box_; }
    /// Of a point of the parameters.
    [[nodiscard]] std::vector<double> of(std::span<const double> x) const;
    /// Parameters [n, p] for points [n, p], within their bounds.
    [[nodiscard]] std::vector<double> parameters(std::span<const double> points) const;

private:
    nlsq::Box of_parameters_;
    std::vector<double> scales_;  // [p]: x = scale sinh u; 0: x = exp u; infinity: x = u
    nlsq::Box box_;
};

}  // namespace lockstep::xpcs
