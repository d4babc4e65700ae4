#include "rl/exchange/delta.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/varint.hpp"

namespace lockstep::rl {
namespace {

template <typename Value>
void append(std::span<const double> values, std::vector<std::byte>& bytes) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + values.size() * sizeof(Value));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<Value>(values[i]);
        std::memcpy(bytes.data() + begin + i * sizeof(Value), &value, sizeof(Value));
    }
}

template <typename Value>
void take(std::span<const std::byte>& bytes, std::span<double> values) {
    ByteReader reader(bytes);
    for (double& value : values) {
        value = static_cast<double>(reader.read<Value>());
    }
    bytes = reader.rest();
}

}  // namespace

Width narrowest(std::span<const double> values) noexcept {
    constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
    const bool fits =
        std::ranges::all_of(values, [](double value) { return value >= -most && value <= most; });
    return fits ? Width::f32 : Width::f64;
}

void put_values(std::span<const double> values, Width width, std::vector<std::byte>& bytes) {
    if (width == Width::f32) {
        append<float>(values, bytes);
    } else {
        append<double>(values, bytes);
    }
}

void take_values(std::span<const std::byte>& bytes, Width width, std::span<double> values) {
    if (width == Width::f32) {
        take<float>(bytes, values);
    } else {
        take<double>(bytes, values);
    }
}

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
    put_values(delta.changes, width, bytes);
    for (const std::uint32_t visited : delta.visits) {
        put_varint(visited, bytes);
    }
    return bytes;
}

Width width_of(std::span<const std::byte> bytes) {
    return ByteReader(bytes).read<Width>();
}

Delta decode(std::span<const std::byte> bytes, std::size_t cells) {
    const auto width = width_of(bytes);
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
    take_values(bytes, width, delta.changes);
    for (std::uint32_t& visited : delta.visits) {
        visited = static_cast<std::uint32_t>(take_varint(bytes));
    }
    return delta;
}

}  // namespace lockstep::rl
