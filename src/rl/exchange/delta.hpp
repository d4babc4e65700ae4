#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/learn/cells.hpp"

namespace lockstep::rl {

/// What a worker changed in a round: cells ascending, numbered [planes, states, actions].
struct Delta {
    std::vector<std::uint32_t> cells;
    std::vector<double> changes;
    std::vector<std::uint32_t> visits;  ///< of the round

    [[nodiscard]] std::size_t size() const noexcept { return cells.size(); }
    void clear() noexcept;
    void add(std::uint32_t cell, double change, std::uint32_t visited);
};

/// Width of a change on its way.
enum class Width : std::uint8_t { f32 = 4, f64 = 8 };

/// Cells as distances, one or two bytes each, then changes, then visits.
std::vector<std::byte> encode(const Delta& delta, Width width);
/// @throws InputError  the bytes are damaged: cut off, or a cell that does not exist
Delta decode(std::span<const std::byte> bytes, std::size_t cells);

/// Cells of the touched states whose visits differ between a replica and what it was copied from.
/// The replica becomes a copy again, its touched bits are cleared.
/// @param shape  planes, states, actions of both
struct TableShape {
    int planes = 1;
    int states = 0;
    int actions = 0;
    [[nodiscard]] std::size_t cells() const noexcept;
};
void take_delta(const Cells& replica, const Cells& original, const TableShape& shape, Delta& delta);

}  // namespace lockstep::rl
