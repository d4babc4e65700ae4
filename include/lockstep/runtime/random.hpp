#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::runtime {

/// Random numbers as a function of what is drawn: (seed, purpose) picks the stream, (item, step,
/// dimension) the number.
///
/// There is no state: any thread may draw any number at any time and gets the same bits.
/// Philox4x32-10; its key is the fingerprint of seed and purpose, its counter holds item, step and
/// half the dimension.
/// @par Source  [Salmon2011]
class Random {
public:
    /// @param purpose  what the numbers are for, for example "sddp.forward"; other purposes are
    /// independent
    Random(std::uint64_t seed, std::string_view purpose);

    /// Uniform in (0, 1), never 0 or 1: an odd multiple of 2^-53.
    [[nodiscard]] double uniform01(std::uint64_t item,
                                   std::uint32_t step,
                                   std::uint32_t dimension) const;
    /// Standard normal: the normal quantile of uniform01.
    [[nodiscard]] double normal(std::uint64_t item,
                                std::uint32_t step,
                                std::uint32_t dimension) const;

    /// The numbers of dimensions 0, 1, … into `values`: the same as one by one, in half the time.
    void fill_uniform01(std::uint64_t item, std::uint32_t step, std::span<double> values) const;
    void fill_normal(std::uint64_t item, std::uint32_t step, std::span<double> values) const;

private:
    // The numbers of dimensions 2 pair and 2 pair + 1.
    [[nodiscard]] std::array<double, 2> pair_of(std::uint64_t item,
                                                std::uint32_t step,
                                                std::uint32_t pair) const;
    std::uint64_t key_;
};

}  // namespace lockstep::runtime
