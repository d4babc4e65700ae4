#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/base/bytes.hpp"

#include "rl/exchange/delta.hpp"

namespace lockstep::rl {

/// Error feedback: of the changes of a worker the large ones travel, the others are kept and added
/// to the next ones, as is what rounding to 4 bytes took.
/// @par Source  [Mitra2024]
class Feedback {
public:
    /// @param ratio  a change travels if it is at least this share of the root mean square of all
    /// @param keeps  false: what does not travel is lost
    Feedback(double ratio, bool keeps) : ratio_(ratio), keeps_(keeps) {}

    /// Takes a round's changes, returns those that travel, rounded to 4 bytes.
    Delta select(const Delta& changed);
    /// All that waits.
    [[nodiscard]] const Delta& waiting() const noexcept { return waiting_; }

    void save(ByteWriter& bytes) const;
    /// @throws InputError  damaged
    void load(ByteReader& bytes, std::size_t cells);

private:
    double ratio_;
    bool keeps_;
    Delta waiting_;
};

}  // namespace lockstep::rl
