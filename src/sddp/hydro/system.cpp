#include "lockstep/sddp/system.hpp"

#include <algorithm>

namespace lockstep::sddp {

const Delivery* Thermal::delivered_in(int stage) const noexcept {
    const auto found = std::ranges::find(deliveries, stage, &Delivery::stage);
    return found == deliveries.end() ? nullptr : &*found;
}

std::span<const Delivery> Thermal::decided_in(int stage) const noexcept {
    const auto range = std::ranges::equal_range(deliveries, stage, {}, &Delivery::decided_in);
    return {range.begin(), range.end()};
}

int System::transit_count() const noexcept {
    int count = 0;
    for (const auto& hydro : hydros) {
        count += hydro.transit_periods();
    }
    return count;
}

int System::commitment_count() const noexcept {
    int count = 0;
    for (const auto& thermal : thermals) {
        count += thermal.commitments;
    }
    return count;
}

}  // namespace lockstep::sddp
