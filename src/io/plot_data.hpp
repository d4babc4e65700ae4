#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lockstep/io/json.hpp"
#include "lockstep/io/page.hpp"

namespace lockstep::io {

/// What the page's script draws from. Numbers have the digits that a screen can show;
/// an x that counts up by ones is written as its first value; what cannot be drawn is null.
Json plot_data(const Plot& plot);
Json plot_data(const Bars& bars);

/// {"names": […], "plots": […]}: the second and later plots leave out members that equal the
/// first's.
Json choice_data(const std::vector<std::pair<std::string, Plot>>& plots);

/// JSON that may stand inside a script element: no "<" in it.
std::string embedded(std::string_view json);

}  // namespace lockstep::io
