#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep::rl {

/// Where an environment gets its random numbers from: the engine's streams (StepDraws) or a
/// generator of NumPy's (NumpyRandom).
template <typename D>
concept Draws = requires(D& draws, std::uint32_t count) {
    /// In [0, 1), a multiple of 2^-53.
    { draws.uniform() } -> std::same_as<double>;
    /// In [0, count), count >= 1.
    { draws.below(count) } -> std::same_as<std::uint32_t>;
    /// All bits random.
    { draws.bits() } -> std::same_as<std::uint64_t>;
    /// As uniform(), of a number that nobody looks at.
    draws.skip();
};

/// The upper half of the product: in [0, count), as even as 2^64 values can be spread.
constexpr std::uint64_t scaled(std::uint64_t bits, std::uint64_t count) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{bits} * count >> 64U);
}

/// The upper 53 bits as a number in [0, 1).
constexpr double unit_interval(std::uint64_t bits) noexcept {
    return static_cast<double>(bits >> 11U) * 0x1p-53;
}

/// Philox4x32 with ten rounds, in line: the hot loops draw a block a step.
/// @par Source  [Salmon2011]
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) noexcept {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t even = std::uint64_t{0xD2511F53U} * counter[0];
        const std::uint64_t odd = std::uint64_t{0xCD9E8D57U} * counter[2];
        counter = {static_cast<std::uint32_t>(odd >> 32U) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(odd),
                   static_cast<std::uint32_t>(even >> 32U) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(even)};
        key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
    }
    return counter;
}

/// What a block holds, all bits random.
using DrawBlock = std::array<std::uint64_t, 2>;

/// The random numbers of one step of one environment, in the order in which they are asked for.
///
/// Two come from a block, which is computed when one of them is looked at.
class StepDraws {
public:
    constexpr StepDraws(std::uint64_t key, std::uint32_t item, std::uint64_t step) noexcept
        : key_(key), step_(step), item_(item) {}
    /// @param first  the first block, computed before (Streams::fill)
    constexpr StepDraws(std::uint64_t key,
                        std::uint32_t item,
                        std::uint64_t step,
                        const DrawBlock& first) noexcept
        : key_(key), step_(step), item_(item), filled_(1), block_(first) {}

    constexpr std::uint64_t bits() noexcept {
        if (drawn_ / 2 + 1 != filled_) {
            fill(drawn_ / 2);
        }
        return block_[drawn_++ % 2];
    }
    constexpr double uniform() noexcept { return unit_interval(bits()); }
    constexpr std::uint32_t below(std::uint32_t count) noexcept {
        return static_cast<std::uint32_t>(scaled(bits(), count));
    }
    constexpr void skip() noexcept { ++drawn_; }

private:
    constexpr void fill(std::uint32_t block) noexcept {
        const auto words =
            philox({block,
                    static_cast<std::uint32_t>(step_),
                    static_cast<std::uint32_t>(step_ >> 32U),
                    item_},
                   {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32U)});
        block_ = {std::uint64_t{words[1]} << 32U | words[0],
                  std::uint64_t{words[3]} << 32U | words[2]};
        filled_ = block + 1;
    }

    std::uint64_t key_;
    std::uint64_t step_;
    std::uint32_t item_;
    std::uint32_t drawn_ = 0;
    std::uint32_t filled_ = 0;  // number of the block in block_, plus 1
    DrawBlock block_{};
};

/// Random numbers as a function of what is drawn: (seed, purpose) picks the stream, (item, step)
/// the numbers. There is no state: any thread may ask at any time and gets the same bits.
class Streams {
public:
    /// @param purpose  what the numbers are for, for example "rl.environment"; other purposes are
    /// independent
    Streams(std::uint64_t seed, std::string_view purpose);

    /// @param item  number of the environment
    /// @param step  steps and resets of this environment so far
    [[nodiscard]] constexpr StepDraws at(std::uint32_t item, std::uint64_t step) const noexcept {
        return {key_, item, step};
    }
    [[nodiscard]] constexpr StepDraws at(std::uint32_t item,
                                         std::uint64_t step,
                                         const DrawBlock& first) const noexcept {
        return {key_, item, step, first};
    }

    /// The first blocks of steps `step`, `step` + 1 ... of an environment: four are computed at a
    /// time, for a third of what one by one costs.
    void fill(std::uint32_t item, std::uint64_t step, std::span<DrawBlock> blocks) const noexcept;
    /// The first blocks of step `step` of environments `item`, `item` + 1 ...
    void fill_items(std::uint32_t item,
                    std::uint64_t step,
                    std::span<DrawBlock> blocks) const noexcept;

private:
    std::uint64_t key_ = 0;
};

}  // namespace lockstep::rl
