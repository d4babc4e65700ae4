#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::xpcs {

/// Values of which there are too many to be sorted in memory: they are gone through again and
/// again, and counted by their leading bits.
///
/// @tparam ForEach  (visit): calls visit(value, times) for each value, NaN for one that is not
/// there; the same values at each call
template <typename ForEach>
class OrderStatistics {
public:
    explicit OrderStatistics(ForEach for_each) : for_each_(std::move(for_each)) {
        for_each_(
            [&](double value, std::int64_t times) { count_ += std::isnan(value) ? 0 : times; });
    }

    [[nodiscard]] std::int64_t count() const noexcept { return count_; }

    /// The value at place `rank` of the sorted ones; in [0, count()).
    [[nodiscard]] double at(std::int64_t rank) const {
        std::uint64_t leading = 0;
        for (int shift = 64 - digit_bits; shift >= 0; shift -= digit_bits) {
            const auto counts = counts_of(leading, shift);
            std::uint64_t digit = 0;
            while (rank >= counts[digit]) {
                rank -= counts[digit++];
            }
            leading = leading << digit_bits | digit;
        }
        return value_of(leading);
    }

    /// As cmc::quantile_of_sorted of all of them; there is one at least.
    [[nodiscard]] double quantile(double probability) const {
        const double place = probability * static_cast<double>(count_ - 1);
        const auto below = static_cast<std::int64_t>(place);
        const double value = at(below);
        return below + 1 < count_
                   ? value + (place - static_cast<double>(below)) * (at(below + 1) - value)
                   : value;
    }

private:
    static constexpr int digit_bits = 16;

    /// Of values whose bits above the digit at `shift` are `leading`, by that digit.
    [[nodiscard]] std::vector<std::int64_t> counts_of(std::uint64_t leading, int shift) const {
        std::vector<std::int64_t> counts(std::size_t{1} << digit_bits);
        for_each_([&](double value, std::int64_t times) {
            const std::uint64_t key = key_of(value) >> shift;
            if (!std::isnan(value) && key >> digit_bits == leading) {
                counts[key & (counts.size() - 1)] += times;
            }
        });
        return counts;
    }

    // Keys of numbers are in the order of the numbers.
    static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    static std::uint64_t key_of(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        return (bits & sign) != 0 ? ~bits : bits | sign;
    }
    static double value_of(std::uint64_t key) {
        return std::bit_cast<double>((key & sign) != 0 ? key & ~sign : ~key);
    }

    ForEach for_each_;
    std::int64_t count_ = 0;
};

}  // namespace lockstep::xpcs
