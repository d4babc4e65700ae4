#pragma once

#include <span>
#include <string_view>

#include "formats/records/range.hpp"

namespace lockstep::formats::records {

/// What the end of a quantity's name tells of it.
struct NameEnd {
    std::string_view end;
    double largest;         ///< magnitude that such a number can have
    std::string_view unit;  ///< empty: the name does not tell
};

/// The longer of two ends that fit comes first.
std::span<const NameEnd> name_ends();

/// Largest magnitude of a number whose name tells nothing.
inline constexpr double largest_of_others = 1e12;

/// A range with what the end of a name allows, but for computed numbers. Where the range says more,
/// that holds too.
Range with_unit(Range range, std::string_view name);

/// "MW" of "max_mw"; empty where the name does not tell.
std::string_view unit_by_name(std::string_view name);

/// Largest magnitude of an amount of money [$].
inline constexpr double largest_money = 1e20;

}  // namespace lockstep::formats::records
