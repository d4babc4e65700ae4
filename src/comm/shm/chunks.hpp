#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace lockstep::comm {

/// What a rank contributes to a collective, and how it goes through the staging buffer.
struct ShmPart {
    std::size_t bytes = 0;
    std::byte* target = nullptr;  ///< where it goes on this rank; null: nowhere
    std::size_t share = 0;        ///< bytes of it in each chunk, save the last ones
    std::size_t offset = 0;       ///< of its share in the buffer

    [[nodiscard]] std::size_t begin_of(std::size_t chunk) const noexcept {
        return std::min(chunk * share, bytes);
    }
    [[nodiscard]] std::size_t bytes_of(std::size_t chunk) const noexcept {
        return std::min(share, bytes - begin_of(chunk));
    }
};

/// Fixes shares and offsets so that parts of any size go through a buffer of `buffer` bytes, at
/// least 128 a rank: in as many chunks as it takes, each with the same fraction of every part, so
/// that all ranks copy at the same time.
/// @returns number of chunks, 1 at least
std::size_t divide_into_chunks(std::span<ShmPart> parts, std::size_t buffer);

}  // namespace lockstep::comm
