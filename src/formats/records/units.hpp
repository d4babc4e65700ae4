#pragma once

#include <string_view>

#include "formats/records/range.hpp"

namespace lockstep::formats::records {

/// A range with what the unit of a quantity allows, which the end of its name tells: "_mw", "_m3s",
/// "_hm3", "cost" … (docs/formats.md has the table). Where the range says more, that holds too.
Range with_unit(Range range, std::string_view name);

/// Largest magnitude of an amount of money [$].
inline constexpr double largest_money = 1e20;

}  // namespace lockstep::formats::records
