#include "lockstep/sddp/system.hpp"

#include <algorithm>

namespace lockstep::sddp {

namespace {

template <typename Holds>
const Delivery* find(const std::vector<Delivery>& deliveries, Holds holds) {
    const auto found = std::find_if(deliveries.begin(), deliveries.end(), holds);
    return found == deliveries.end() ? nullptr : &*found;
}

}  // namespace

const Delivery* Thermal::delivered_in(int stage) const noexcept {
    return find(deliveries, [stage](const Delivery& d) { return d.stage == stage; });
}

const Delivery* Thermal::decided_in(int stage) const noexcept {
    return find(deliveries, [stage](const Delivery& d) { return d.decided_in == stage; });
}

int System::transit_count() const noexcept {
    int count = 0;
    for (const auto& hydro : hydros) {
        count += hydro.transit_stages();
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
