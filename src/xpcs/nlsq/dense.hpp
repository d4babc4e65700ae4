#pragma once

// What the sources of this folder need of Eigen, which no public header shows.
#include <span>

#include <Eigen/Core>

namespace lockstep::xpcs::nlsq {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

inline std::span<const double> span_of(const Vector& v) {
    return {v.data(), static_cast<std::size_t>(v.size())};
}

inline Eigen::Map<const Vector> vector_of(std::span<const double> v) {
    return {v.data(), static_cast<Index>(v.size())};
}

}  // namespace lockstep::xpcs::nlsq
