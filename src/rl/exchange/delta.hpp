#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/rl/learn/table.hpp"

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
enum class Width : std::uint8_t {
    scaled = 0,  ///< whole multiples of 2^-20 of a power of two that is above all of them: 21 bits
                 ///< and a sign, fewer where they are small
    f32 = 4,
    f64 = 8
};

/// Which changes of such a table have all their bits.
Width width_of(Precision precision) noexcept;

/// f32, unless a value is too large for it.
Width narrowest(std::span<const double> values) noexcept;
/// scaled, unless a value is so large that f64 is safer.
Width scaled_if_moderate(std::span<const double> values) noexcept;

/// Values as they travel, one after the other.
void put_values(std::span<const double> values, Width width, std::vector<std::byte>& bytes);
/// @param bytes  begins with them; is moved behind them
/// @throws InputError  cut off
void take_values(std::span<const std::byte>& bytes, Width width, std::span<double> values);

/// What is between cells that ascend.
void put_cells(std::span<const std::uint32_t> cells, std::vector<std::byte>& bytes);
/// @throws InputError  cut off, or a cell of `count` and more
void take_cells(std::span<const std::byte>& bytes,
                std::uint64_t count,
                std::span<std::uint32_t> cells);
/// Any numbers, small ones in few bits.
void put_counts(std::span<const std::uint32_t> counts, std::vector<std::byte>& bytes);
/// @throws InputError  cut off
void take_counts(std::span<const std::byte>& bytes, std::span<std::uint32_t> counts);

/// Cells as distances, changes and visits, with as few bits as they need.
std::vector<std::byte> encode(const Delta& delta, Width width);
/// Of changes as encode() packs them.
Width width_of(std::span<const std::byte> bytes);
/// @throws InputError  the bytes are damaged: cut off, or a cell that does not exist
Delta decode(std::span<const std::byte> bytes, std::size_t cells);

/// Planes, states and actions of a table.
struct TableShape {
    int planes = 1;
    int states = 0;
    int actions = 0;
    [[nodiscard]] std::size_t cells() const noexcept;
    [[nodiscard]] std::int32_t state_of(std::uint32_t cell) const noexcept {
        return static_cast<std::int32_t>(cell / static_cast<std::uint32_t>(actions) %
                                         static_cast<std::uint32_t>(states));
    }
};

/// Calls visit(cell) for all cells of states whose bit is set, ascending.
template <typename Visit>
void for_each_touched_cell(std::span<const std::uint64_t> touched,
                           const TableShape& shape,
                           Visit&& visit) {
    const auto actions = static_cast<std::uint32_t>(shape.actions);
    const std::uint32_t plane = static_cast<std::uint32_t>(shape.states) * actions;
    for (std::uint32_t p = 0; p < static_cast<std::uint32_t>(shape.planes); ++p) {
        for (std::size_t word = 0; word < touched.size(); ++word) {
            for (std::uint64_t set = touched[word]; set != 0; set &= set - 1) {
                const auto s = static_cast<std::uint32_t>(word * 64) +
                               static_cast<std::uint32_t>(std::countr_zero(set));
                const std::uint32_t first = p * plane + s * actions;
                for (std::uint32_t cell = first; cell < first + actions; ++cell) {
                    visit(cell);
                }
            }
        }
    }
}

}  // namespace lockstep::rl
