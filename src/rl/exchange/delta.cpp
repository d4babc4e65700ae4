#include "rl/exchange/delta.hpp"

#include <bit>
#include <cstring>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/varint.hpp"

namespace lockstep::rl {
namespace {

template <typename Value>
void append_values(const std::vector<double>& changes, std::vector<std::byte>& bytes) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + changes.size() * sizeof(Value));
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto value = static_cast<Value>(changes[i]);
        std::memcpy(bytes.data() + begin + i * sizeof(Value), &value, sizeof(Value));
    }
}

template <typename Value>
void take_values(std::span<const std::byte>& bytes, std::vector<double>& changes) {
    ByteReader reader(bytes);
    for (double& change : changes) {
        change = static_cast<double>(reader.read<Value>());
    }
    bytes = reader.rest();
}

// Rows of a state in all planes.
template <typename Visit>
void for_each_cell(std::size_t s, const TableShape& shape, Visit&& visit) {
    const auto row = static_cast<std::size_t>(shape.actions);
    const std::size_t plane = static_cast<std::size_t>(shape.states) * row;
    for (std::size_t p = 0; p < static_cast<std::size_t>(shape.planes); ++p) {
        for (std::size_t a = 0; a < row; ++a) {
            visit(p * plane + s * row + a);
        }
    }
}

template <typename Visit>
void for_each_touched(const Cells& replica, const TableShape& shape, Visit&& visit) {
    const std::size_t words = (at(shape.states) + 63) / 64;
    for (std::size_t word = 0; word < words; ++word) {
        for (std::uint64_t set = replica.touched[word]; set != 0; set &= set - 1) {
            visit(word * 64 + static_cast<std::size_t>(std::countr_zero(set)));
        }
    }
}

}  // namespace

std::size_t TableShape::cells() const noexcept {
    return at(planes) * at(states) * at(actions);
}

void Delta::clear() noexcept {
    cells.clear();
    changes.clear();
    visits.clear();
}

void Delta::add(std::uint32_t cell, double change, std::uint32_t visited) {
    cells.push_back(cell);
    changes.push_back(change);
    visits.push_back(visited);
}

std::vector<std::byte> encode(const Delta& delta, Width width) {
    std::vector<std::byte> bytes;
    bytes.reserve(delta.size() * (static_cast<std::size_t>(width) + 3) + 16);
    bytes.push_back(static_cast<std::byte>(width));
    put_varint(delta.size(), bytes);
    std::uint32_t next = 0;
    for (const std::uint32_t cell : delta.cells) {
        put_varint(cell - next, bytes);
        next = cell + 1;
    }
    if (width == Width::f32) {
        append_values<float>(delta.changes, bytes);
    } else {
        append_values<double>(delta.changes, bytes);
    }
    for (const std::uint32_t visited : delta.visits) {
        put_varint(visited, bytes);
    }
    return bytes;
}

Delta decode(std::span<const std::byte> bytes, std::size_t cells) {
    const auto width = ByteReader(bytes).read<Width>();
    bytes = bytes.subspan(1);
    const std::uint64_t count = take_varint(bytes);
    if ((width != Width::f32 && width != Width::f64) || count > cells || count > bytes.size()) {
        throw InputError("changes of a worker are damaged: their head");
    }
    Delta delta;
    delta.cells.resize(count);
    delta.changes.resize(count);
    delta.visits.resize(count);
    std::uint64_t next = 0;
    for (std::uint32_t& cell : delta.cells) {
        const std::uint64_t step = take_varint(bytes);
        if (step >= cells - next) {
            throw InputError("changes of a worker are damaged: a cell that does not exist");
        }
        cell = static_cast<std::uint32_t>(next + step);
        next = std::uint64_t{cell} + 1;
    }
    if (width == Width::f32) {
        take_values<float>(bytes, delta.changes);
    } else {
        take_values<double>(bytes, delta.changes);
    }
    for (std::uint32_t& visited : delta.visits) {
        visited = static_cast<std::uint32_t>(take_varint(bytes));
    }
    return delta;
}

void take_delta(const Cells& replica, const Cells& original, const TableShape& shape, Delta& delta) {
    delta.clear();
    const auto undo = [&](std::size_t cell) {
        replica.values[cell] = original.values[cell];
        replica.visits[cell] = original.visits[cell];
    };
    // Planes one after the other: cells ascend.
    const auto row = at(shape.actions);
    for (int p = 0; p < shape.planes; ++p) {
        for_each_touched(replica, shape, [&](std::size_t s) {
            const std::size_t first = (at(p) * at(shape.states) + s) * row;
            for (std::size_t cell = first; cell < first + row; ++cell) {
                const bool is_changed = replica.values[cell] != original.values[cell] ||
                                        replica.visits[cell] != original.visits[cell];
                if (is_changed) {
                    delta.add(static_cast<std::uint32_t>(cell),
                              replica.values[cell] - original.values[cell],
                              replica.visits[cell] - original.visits[cell]);
                }
            }
        });
    }
    for_each_touched(replica, shape, [&](std::size_t s) { for_each_cell(s, shape, undo); });
    std::memset(replica.touched, 0, (at(shape.states) + 63) / 64 * sizeof(std::uint64_t));
}

}  // namespace lockstep::rl
