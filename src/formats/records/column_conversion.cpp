#include "formats/records/column_conversion.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace lockstep::formats::records {

namespace {

template <typename T>
constexpr bool is_number =
    std::is_arithmetic_v<T> && !std::is_same_v<T, std::uint8_t>;  // which are booleans

/// Reals that are integers beyond this may stand for several of them.
constexpr std::int64_t exact_integers = std::int64_t{1} << 53;
constexpr auto largest_exact = static_cast<double>(exact_integers);

template <typename To, typename From>
bool fits(From value) {
    if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
        return true;
    } else if constexpr (std::is_floating_point_v<From>) {
        return value == std::floor(value) && std::abs(value) <= largest_exact &&
               std::in_range<To>(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<To>) {
        return std::in_range<std::int64_t>(value) &&
               static_cast<std::int64_t>(value) <= exact_integers &&
               static_cast<std::int64_t>(value) >= -exact_integers;
    } else {
        return std::in_range<To>(value);
    }
}

template <typename To, typename From>
std::optional<Misfit> convert(const io::Column& column,
                              const std::vector<From>& from,
                              std::vector<To>& to) {
    to.assign(from.size(), To{});
    for (std::size_t row = 0; row < from.size(); ++row) {
        if (!column.is_present(row)) {
            continue;
        }
        if (!fits<To>(from[row])) {
            return Misfit{row, fmt::format("{}", from[row])};
        }
        to[row] = static_cast<To>(from[row]);
    }
    return std::nullopt;
}

}  // namespace

bool is_numeric(const io::Column& column) {
    return std::visit([]<typename T>(const std::vector<T>&) { return is_number<T>; },
                      column.values);
}

std::optional<Misfit> convert_numbers(const io::Column& from, io::Column& to) {
    return std::visit(
        [&]<typename From, typename To>(const std::vector<From>& values,
                                        std::vector<To>& converted) -> std::optional<Misfit> {
            if constexpr (is_number<From> && is_number<To>) {
                return convert(from, values, converted);
            } else {
                return std::nullopt;
            }
        },
        from.values,
        to.values);
}

}  // namespace lockstep::formats::records
