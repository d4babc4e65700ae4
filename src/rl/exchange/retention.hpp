#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lockstep/rl/learn/schedule.hpp"

namespace lockstep::rl {

/// How much of a value is left after updates: the product of 1 - alpha over visits, as a power of
/// two in steps of 1/256. Coarse, but the same everywhere, and found without looking at the
/// updates.
class Retention {
public:
    /// What less than 2^-64 is left of counts as nothing.
    static constexpr std::int64_t nothing = 64 * 256;

    explicit Retention(const StepSize& rule);

    /// -256 log2 of what is left after visits `before` + 1 to `before` + `visits`, at least 0.
    /// Where the first visit ever takes the target whole, it is left out: see is_whole().
    [[nodiscard]] std::int64_t loss(std::uint32_t before, std::uint32_t visits) const noexcept {
        const std::uint64_t after = std::uint64_t{before} + visits;
        return sum(after > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(after)) -
               sum(before);
    }
    /// Whether nothing is left of what was before the first of these visits.
    [[nodiscard]] bool is_whole(std::uint32_t before) const noexcept {
        return always_whole_ || (before == 0 && first_whole_);
    }

    /// 2^(-loss/256)
    [[nodiscard]] double left(std::int64_t loss) const noexcept;

private:
    static constexpr unsigned bits = 9;

    [[nodiscard]] std::int64_t sum(std::uint32_t visits) const noexcept;

    bool first_whole_ = false;
    bool always_whole_ = false;
    std::vector<std::int64_t> sums_;  // at m · 2^e, m of `bits` bits
    std::array<double, 256> roots_{};
};

}  // namespace lockstep::rl
