#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::rl {

/// Appends numbers that are mostly alike in size: exponential Golomb codes of the order that takes
/// fewest bits, which comes first, in a byte. A number below 2^order takes order + 1 bits, and each
/// doubling two more.
/// @param numbers  below 2^48
/// @par Source  [Teuhola1978]
void put_numbers(std::span<const std::uint64_t> numbers, std::vector<std::byte>& bytes);
/// @param bytes  begins with them; is moved behind them
/// @throws InputError  cut off, or larger than a number can be
void take_numbers(std::span<const std::byte>& bytes, std::span<std::uint64_t> numbers);

}  // namespace lockstep::rl
