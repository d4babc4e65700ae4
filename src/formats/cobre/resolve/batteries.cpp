#include <fmt/format.h>

#include "formats/cobre/resolve/bounds.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/service.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "system/batteries.json";

void check(const raw::Battery& battery, const Resolver& resolver) {
    const Origin origin = line_of(file, battery.line, "battery", battery.id);
    const auto& energy = battery.energy;
    check_lifecycle(battery, origin, resolver);
    const bool in_order =
        check_order(resolver, origin, "min_mwh > max_mwh", energy.min_mwh, energy.max_mwh);
    if (in_order && (energy.initial_mwh < energy.min_mwh || energy.initial_mwh > energy.max_mwh)) {
        resolver.error(ProblemKind::invalid_value,
                       origin,
                       fmt::format("initial_mwh {} is outside the limits [{}, {}]",
                                   energy.initial_mwh,
                                   energy.min_mwh,
                                   energy.max_mwh));
    }
}

}  // namespace

void resolve_batteries(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    for (const raw::Battery& battery : raw.batteries) {
        check(battery, resolver);
        sddp::Battery& out = system.batteries.emplace_back();
        out.id = battery.id;
        out.name = battery.name;
        out.bus = resolver.buses.find(battery.bus_id);
        out.charge_efficiency = battery.charge.efficiency;
        out.discharge_efficiency = battery.discharge.efficiency;
        out.max_charge_mw = resolver.by_block(battery.charge.max_mw);
        out.max_discharge_mw = resolver.by_block(battery.discharge.max_mw);
        switch_off(out.max_charge_mw, battery, resolver);
        switch_off(out.max_discharge_mw, battery, resolver);
        out.min_energy_mwh = battery.energy.min_mwh;
        out.max_energy_mwh = battery.energy.max_mwh;
        out.initial_energy_mwh = battery.energy.initial_mwh;
    }
}

}  // namespace lockstep::formats::cobre
