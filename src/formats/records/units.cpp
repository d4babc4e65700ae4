#include "formats/records/units.hpp"

#include <algorithm>
#include <array>

namespace lockstep::formats::records {

namespace {

struct Unit {
    std::string_view end;  ///< of a name
    double largest;
};

// Orders of magnitude beyond anything on Earth, and far from where solvers begin to lose digits or
// take a number for infinite (1e20). The longer end comes first.
constexpr std::array<Unit, 14> units = {{{"cost", 1e12},
                                         {"penalty", 1e12},
                                         {"per_mwh", 1e12},
                                         {"mw_per_m3s", 1e6},
                                         {"_mw", 1e10},
                                         {"_m3s", 1e10},
                                         {"_hm3", 1e10},
                                         {"_km2", 1e10},
                                         {"_mm", 1e6},
                                         {"_m", 1e6},
                                         {"hours", 1e6},
                                         {"seconds", 1e10},
                                         {"percent", 1e6},
                                         {"factor", 1e10}}};
constexpr double largest_of_others = 1e12;

}  // namespace

Range with_unit(Range range, std::string_view name) {
    const auto* const unit = std::find_if(
        units.begin(), units.end(), [&](const Unit& u) { return name.ends_with(u.end); });
    const double largest = unit == units.end() ? largest_of_others : unit->largest;
    range.largest_magnitude = std::min(range.largest_magnitude, largest);
    return range;
}

}  // namespace lockstep::formats::records
