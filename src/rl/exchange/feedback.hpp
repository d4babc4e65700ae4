#pragma once

#include "rl/exchange/delta.hpp"

namespace lockstep::rl {

/// Error feedback: of the changes of a worker the large ones travel; the others are kept, as is
/// what rounding to 4 bytes took, and the worker plays on from the table with them in it
/// (Replica::add): equation (32) of docs/rl-theory.md.
/// @par Source  [Mitra2024]
class Feedback {
public:
    /// @param ratio  a change travels if it is at least this share of the root mean square of what
    /// a round adds
    /// @param keeps  false: what does not travel is lost
    Feedback(double ratio, bool keeps) : ratio_(ratio), keeps_(keeps) {}

    struct Parts {
        Delta travelling;  ///< rounded to 4 bytes
        Delta waiting;
    };
    /// @param all  changes from the table, with those that have waited
    /// @param waiting  those, from the round before
    [[nodiscard]] Parts split(const Delta& all, const Delta& waiting) const;

private:
    double ratio_;
    bool keeps_;
};

}  // namespace lockstep::rl
