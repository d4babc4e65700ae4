#include "formats/records/units.hpp"

#include <algorithm>
#include <array>

#include "formats/records/about.hpp"

namespace lockstep::formats::records {

namespace {

// Orders of magnitude beyond anything on Earth, and far from where solvers begin to lose digits or
// take a number for infinite (1e20).
constexpr std::array<NameEnd, 14> ends = {{{"cost", 1e12, ""},
                                           {"penalty", 1e12, ""},
                                           {"per_mwh", 1e12, "$/MWh"},
                                           {"mw_per_m3s", 1e6, "MW/(m³/s)"},
                                           {"_mw", 1e10, "MW"},
                                           {"_m3s", 1e10, "m³/s"},
                                           {"_hm3", 1e10, "hm³"},
                                           {"_km2", 1e10, "km²"},
                                           {"_mm", 1e6, "mm"},
                                           {"_m", 1e6, "m"},
                                           {"hours", 1e6, "h"},
                                           {"seconds", 1e10, "s"},
                                           {"percent", 1e6, "%"},
                                           {"factor", 1e10, dimensionless}}};

const NameEnd* end_of(std::string_view name) {
    const auto* const found = std::find_if(
        ends.begin(), ends.end(), [&](const NameEnd& e) { return name.ends_with(e.end); });
    return found == ends.end() ? nullptr : found;
}

}  // namespace

std::span<const NameEnd> name_ends() {
    return ends;
}

Range with_unit(Range range, std::string_view name) {
    if (range.is_computed) {
        return range;
    }
    const NameEnd* end = end_of(name);
    const double largest = end == nullptr ? largest_of_others : end->largest;
    range.largest_magnitude = std::min(range.largest_magnitude, largest);
    return range;
}

std::string_view unit_by_name(std::string_view name) {
    const NameEnd* end = end_of(name);
    return end == nullptr ? std::string_view() : end->unit;
}

}  // namespace lockstep::formats::records
