#include "rl/exchange/delta.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/varint.hpp"

#include "rl/exchange/numbers.hpp"

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

constexpr std::size_t most_a_byte = 8;  // numbers, each at least a bit
constexpr int scaled_bits = 20;
constexpr int most_exponent = 900;  // where steps are far from what doubles cannot hold

double largest(std::span<const double> values) noexcept {
    double most = 0;
    for (const double value : values) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

// A sign in the lowest bit keeps numbers near 0 small.
std::uint64_t with_sign(std::int64_t number) noexcept {
    return number < 0 ? 2 * static_cast<std::uint64_t>(-number) - 1
                      : 2 * static_cast<std::uint64_t>(number);
}

std::int64_t signed_of(std::uint64_t coded) noexcept {
    const auto half = static_cast<std::int64_t>(coded / 2);
    return coded % 2 == 0 ? half : -half - 1;
}

void append_scaled(std::span<const double> values, std::vector<std::byte>& bytes) {
    int exponent = 0;
    std::frexp(largest(values), &exponent);
    exponent = std::max(exponent, -most_exponent);
    put_varint(with_sign(exponent), bytes);
    std::vector<std::uint64_t> multiples;
    multiples.reserve(values.size());
    for (const double value : values) {
        multiples.push_back(with_sign(std::llround(std::ldexp(value, scaled_bits - exponent))));
    }
    put_numbers(multiples, bytes);
}

void take_scaled(std::span<const std::byte>& bytes, std::span<double> values) {
    const std::int64_t exponent = signed_of(take_varint(bytes));
    if (exponent < -most_exponent || exponent > most_exponent) {
        throw InputError("values of a table are damaged: their scale");
    }
    std::vector<std::uint64_t> multiples(values.size());
    take_numbers(bytes, multiples);
    const double step = std::ldexp(1.0, static_cast<int>(exponent) - scaled_bits);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(signed_of(multiples[i])) * step;
    }
}

}  // namespace

Width width_of(Precision precision) noexcept {
    return precision == Precision::f32 ? Width::f32 : Width::f64;
}

Width narrowest(std::span<const double> values) noexcept {
    constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
    const bool fits =
        std::ranges::all_of(values, [](double value) { return value >= -most && value <= most; });
    return fits ? Width::f32 : Width::f64;
}

Width scaled_if_moderate(std::span<const double> values) noexcept {
    const bool fits =
        std::ranges::all_of(values, [](double value) { return std::abs(value) <= 0x1p800; });
    return fits ? Width::scaled : Width::f64;
}

void put_values(std::span<const double> values, Width width, std::vector<std::byte>& bytes) {
    if (width == Width::scaled) {
        append_scaled(values, bytes);
    } else if (width == Width::f32) {
        append<float>(values, bytes);
    } else {
        append<double>(values, bytes);
    }
}

void take_values(std::span<const std::byte>& bytes, Width width, std::span<double> values) {
    if (width == Width::scaled) {
        take_scaled(bytes, values);
    } else if (width == Width::f32) {
        take<float>(bytes, values);
    } else if (width == Width::f64) {
        take<double>(bytes, values);
    } else {
        throw InputError("values of a table are of no known width");
    }
}

void put_cells(std::span<const std::uint32_t> cells, std::vector<std::byte>& bytes) {
    std::vector<std::uint64_t> gaps;
    gaps.reserve(cells.size());
    std::uint64_t next = 0;
    for (const std::uint32_t cell : cells) {
        gaps.push_back(cell - next);
        next = std::uint64_t{cell} + 1;
    }
    put_numbers(gaps, bytes);
}

void take_cells(std::span<const std::byte>& bytes,
                std::uint64_t count,
                std::span<std::uint32_t> cells) {
    std::vector<std::uint64_t> gaps(cells.size());
    take_numbers(bytes, gaps);
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (gaps[i] >= count - next) {
            throw InputError("changes of a worker are damaged: a cell that does not exist");
        }
        cells[i] = static_cast<std::uint32_t>(next + gaps[i]);
        next = std::uint64_t{cells[i]} + 1;
    }
}

void put_counts(std::span<const std::uint32_t> counts, std::vector<std::byte>& bytes) {
    put_numbers(std::vector<std::uint64_t>(counts.begin(), counts.end()), bytes);
}

void take_counts(std::span<const std::byte>& bytes, std::span<std::uint32_t> counts) {
    std::vector<std::uint64_t> numbers(counts.size());
    take_numbers(bytes, numbers);
    std::ranges::transform(numbers, counts.begin(), [](std::uint64_t number) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
    });
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
    put_cells(delta.cells, bytes);
    put_values(delta.changes, width, bytes);
    put_counts(delta.visits, bytes);
    return bytes;
}

Width width_of(std::span<const std::byte> bytes) {
    return ByteReader(bytes).read<Width>();
}

Delta decode(std::span<const std::byte> bytes, std::size_t cells) {
    const auto width = width_of(bytes);
    bytes = bytes.subspan(1);
    const std::uint64_t count = take_varint(bytes);
    if (count > cells || count > most_a_byte * bytes.size()) {
        throw InputError("changes of a worker are damaged: their head");
    }
    Delta delta;
    delta.cells.resize(count);
    delta.changes.resize(count);
    delta.visits.resize(count);
    take_cells(bytes, cells, delta.cells);
    take_values(bytes, width, delta.changes);
    take_counts(bytes, delta.visits);
    return delta;
}

}  // namespace lockstep::rl
