#pragma once

#include <string>
#include <vector>

#include "lockstep/io/json.hpp"
#include "lockstep/io/page.hpp"

namespace lockstep::io {

/// What the page's script draws from. Numbers have the digits that a screen can show;
/// an x that counts up by ones is written as its first value; what cannot be drawn is null.
Json plot_data(const Plot& plot);
Json plot_data(const Bars& bars);

/// {"look": …, "items": [{"title", "values"}, null, …]}: what the first plot has but for title and
/// numbers, then the numbers of each, bands (low, high) before lines, packed unless the axis is
/// logarithmic. A plot that looks otherwise has a "look" of its own; nullptr: there is none.
Json choice_data(const std::vector<const Plot*>& plots);

/// JSON that may stand inside a script element: no "<" in it.
std::string embedded(std::string_view json);

}  // namespace lockstep::io
