#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/xpcs/cmc/nuts.hpp"

namespace lockstep::xpcs::cmc {

/// Covariance or variances of positions, one after the other, by the updates of Welford.
class MetricEstimate {
public:
    MetricEstimate(MetricKind kind, int dimension);

    void add(std::span<const double> x);
    /// Shrunk towards `prior` [n] or [n][n] as if it were five draws; nothing is forgotten.
    /// Fewer than two positions give `prior`.
    [[nodiscard]] std::vector<double> shrunk_towards(std::span<const double> prior) const;
    /// The same towards its own diagonal, times 0.001 once there are ten positions a coordinate:
    /// then correlations can be trusted. `other` where a variance is 0.
    [[nodiscard]] std::vector<double> shrunk_in_its_units(std::span<const double> other) const;
    void clear();

    void save(ByteWriter& writer) const;
    void restore(ByteReader& reader);

private:
    [[nodiscard]] std::size_t diagonal(std::size_t i) const;

    MetricKind kind_;
    double count_ = 0;
    std::vector<double> mean_;
    std::vector<double> squares_;  // [n], or [n][n] with its lower triangle in use
    std::vector<double> before_;
};

}  // namespace lockstep::xpcs::cmc
