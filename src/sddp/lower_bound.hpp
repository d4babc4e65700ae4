#pragma once

#include <optional>
#include <vector>

#include "sddp/engine.hpp"

namespace lockstep::sddp {

/// Evaluates the first stage at the initial state over all its openings.
///
/// A unit is one opening; it starts from the basis that it ended with in the iteration before, to
/// which only cuts were added since.
class LowerBound {
public:
    explicit LowerBound(const Engine& engine);

    /// The risk measure of the first stage over its openings, [$], into `bound`. Every rank solves
    /// all openings: there are few, and the answer needs no message. Collective.
    std::optional<Failure> evaluate(Engine& engine, int iteration, double& bound);

private:
    std::vector<StoredBasis> bases_;
    std::vector<double> value_;
};

}  // namespace lockstep::sddp
