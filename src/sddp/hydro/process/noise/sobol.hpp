#pragma once

#include <cstddef>
#include <cstdint>

#include "sddp/hydro/process/noise/cobre_random.hpp"

namespace lockstep::sddp {

/// Most coordinates that the table of direction numbers has.
inline constexpr std::size_t sobol_dimensions = 1000;

/// Coordinate (times 2^32) of the Sobol point that the binary digits of `index` choose.
///
/// The first 2^k indices give the first 2^k points of the sequence in either order; `gray_code`
/// turns the position in the usual order into such an index.
/// @par Source  [JoeKuo2008], set new-joe-kuo-6.21201
std::uint32_t sobol_bits(std::size_t dimension, std::uint32_t index);

/// @par Source  [AntonovSaleev1979]
constexpr std::uint32_t gray_code(std::uint32_t position) {
    return position ^ position >> 1;
}

/// x ↦ a·x + b modulo 2^32 with an odd a: shuffles the points of one coordinate.
struct SobolScramble {
    std::uint32_t factor;
    std::uint32_t shift;

    /// Takes two numbers from the stream.
    explicit SobolScramble(cobre::Generator& stream);
    /// In (0, 1).
    [[nodiscard]] double operator()(std::uint32_t bits) const;
};

}  // namespace lockstep::sddp
