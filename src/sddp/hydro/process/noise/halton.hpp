#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sddp/hydro/process/noise/cobre_random.hpp"

namespace lockstep::sddp {

/// The first prime numbers: bases of the coordinates of a Halton sequence.
std::vector<std::uint32_t> first_primes(std::size_t count);

/// One coordinate of a Halton sequence whose digits are permuted at random, each position on its
/// own.
///
/// Points count from 1: the plain sequence starts with 0 in every coordinate. All positions up to
/// the longest index are permuted, leading zeros too, and a point lies in the middle of its cell;
/// so no two points meet and none lies on the border. The first `base` points fall into `base`
/// different strata.
class HaltonCoordinate {
public:
    /// Draws the permutations for points 1 … `points` from the stream, lowest digit first. Reuses
    /// its memory from one call to the next.
    void draw(cobre::Generator& stream, std::uint32_t base, std::uint32_t points);
    /// In (0, 1), for 1 <= index <= points.
    [[nodiscard]] double operator()(std::uint32_t index) const;

private:
    std::uint32_t base_ = 2;
    std::size_t digits_ = 0;
    std::vector<std::uint32_t> permutations_;  ///< [digits × base], lowest digit first
};

}  // namespace lockstep::sddp
