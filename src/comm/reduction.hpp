#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

/// "sum", "min", "max" or "bit_or".
inline const char* name_of(ReduceOp op) {
    constexpr const char* names[] = {"sum", "min", "max", "bit_or"};
    return names[static_cast<int>(op)];
}

/// Kind of number, as CallStamp::detail tells it: 'f' floating, 'i' signed, 'u' unsigned.
template <Reducible T>
constexpr char type_letter = std::floating_point<T>    ? 'f'
                             : std::signed_integral<T> ? 'i'
                                                       : 'u';

template <Reducible T>
std::uint64_t reduction_detail(ReduceOp op) {
    return static_cast<std::uint64_t>(op) << 8 | static_cast<unsigned char>(type_letter<T>);
}

/// "sum of f": what reduction_detail said.
inline std::string reduction_name(std::uint64_t detail) {
    const auto op = static_cast<ReduceOp>(detail >> 8 & 3);
    return fmt::format("{} of {}", name_of(op), static_cast<char>(detail & 0xff));
}

/// Integers wrap.
template <Reducible T>
T add(T a, T b) {
    if constexpr (std::integral<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    } else {
        return a + b;
    }
}

/// a < b with -0 below +0; no NaN.
template <Reducible T>
bool is_below(T a, T b) {
    if constexpr (std::floating_point<T>) {
        if (a == b) {
            return std::signbit(a) && !std::signbit(b);
        }
    }
    return a < b;
}

/// `sum` holds the contributions of the ranks before.
template <ReduceOp op, Reducible T>
T combine(T sum, T value) {
    if constexpr (op == ReduceOp::sum) {
        return add(sum, value);
    }
    if constexpr (std::unsigned_integral<T> && op == ReduceOp::bit_or) {
        return sum | value;
    }
    if constexpr (std::floating_point<T>) {
        if (std::isnan(sum) || std::isnan(value)) {
            return std::numeric_limits<T>::quiet_NaN();
        }
    }
    const bool is_value = op == ReduceOp::min ? is_below(value, sum) : is_below(sum, value);
    return is_value ? value : sum;
}

/// Combines the ranks' parts, which lie one after the other, in their order; NaNs become the
/// canonical one where that is promised.
template <ReduceOp op, Reducible T>
void fold_by(std::span<const T> parts, std::span<T> result) {
    const std::size_t length = result.size();
    if (parts.size() == length) {
        for (std::size_t i = 0; i < length; ++i) {
            result[i] = op == ReduceOp::sum ? parts[i] : combine<op>(parts[i], parts[i]);
        }
    }
    std::span<const T> before = parts.first(length);
    for (std::size_t begin = length; begin < parts.size(); begin += length) {
        const auto part = parts.subspan(begin, length);
        for (std::size_t i = 0; i < length; ++i) {
            result[i] = combine<op>(before[i], part[i]);
        }
        before = result;
    }
}

/// As fold_by. @param op  bit_or for unsigned integers only
template <Reducible T>
void fold(ReduceOp op, std::span<const T> parts, std::span<T> result) {
    switch (op) {
        case ReduceOp::sum:
            return fold_by<ReduceOp::sum>(parts, result);
        case ReduceOp::min:
            return fold_by<ReduceOp::min>(parts, result);
        case ReduceOp::max:
            return fold_by<ReduceOp::max>(parts, result);
        case ReduceOp::bit_or:
            return fold_by<ReduceOp::bit_or>(parts, result);
    }
}

}  // namespace lockstep::comm
