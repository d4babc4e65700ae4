#pragma once

#include <optional>
#include <vector>

#include "sddp/passes/engine.hpp"

namespace lockstep::sddp {

/// Evaluates the first stage at the initial state over all its openings, split over the ranks.
///
/// A unit is one opening; it starts from the basis that it ended with in the iteration before, to
/// which only cuts were added since.
class LowerBound {
public:
    explicit LowerBound(const Engine& engine);

    /// Equation (3): the risk measure of the first stage over its openings, [$], into `bound`.
    /// Collective.
    std::optional<Failure> evaluate(Engine& engine, int iteration, double& bound);

    /// The next iteration starts from the bases that this one found.
    void commit() noexcept { starts_.swap(found_); }
    /// Bases of all openings, equal on every rank.
    [[nodiscard]] std::vector<StoredBasis>& starts() noexcept { return starts_; }

private:
    std::vector<StoredBasis> starts_;
    std::vector<StoredBasis> found_;
    std::vector<double> value_;
};

/// Of studies that begin with each of the stages, at the initial state [$]. The stages go in a
/// circle.
std::vector<double> bounds_by_season(Engine& engine);

}  // namespace lockstep::sddp
