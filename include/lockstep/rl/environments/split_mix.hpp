#pragma once

#include <cstdint>

namespace lockstep::rl {

/// The i-th number of SplitMix64 from this seed, without those before it.
/// @par Source  [Steele2014]
constexpr std::uint64_t split_mix(std::uint64_t seed, std::uint64_t i) noexcept {
    std::uint64_t bits = seed + (i + 1) * 0x9E3779B97F4A7C15U;
    bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
    return bits ^ bits >> 31U;
}

}  // namespace lockstep::rl
