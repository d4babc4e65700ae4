#pragma once

#include <cstddef>

namespace lockstep::cli {

/// Keeps blocks of memory of 1 KiB to 1 MiB that the calling thread gave back, for its next request
/// of that size.
///
/// The C library's own cache ends at 1 KiB; larger blocks it splits, joins and returns to the
/// system, where Clp makes some hundred work arrays for every LP it loads and drops them with it.
/// What is handed out holds whatever was in it before, as from malloc.
///
/// Sizes are rounded up to a quarter of a power of two. A thread keeps at most `most_kept` bytes;
/// they go when it ends.
namespace block_cache {

inline constexpr std::size_t most_kept = std::size_t{8} << 20;

/// @return a block of at least `bytes`, or nullptr where there is no memory
void* take(std::size_t bytes) noexcept;

/// Gives back what take() of any thread returned; nullptr is nothing.
void give(void* block) noexcept;

/// Of the calling thread.
[[nodiscard]] std::size_t kept_bytes() noexcept;

}  // namespace block_cache

}  // namespace lockstep::cli
