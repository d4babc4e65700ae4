#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/bounds.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/service.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "system/batteries.json";
constexpr const char* bounds_file = "constraints/battery_bounds.parquet";

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

void apply_bounds(const raw::BatteryBounds& row,
                  const OverrideCell& cell,
                  const Resolver& resolver,
                  sddp::Battery& battery) {
    refuse_in_block_row(resolver, bounds_file, cell, "min_energy_mwh", row.min_energy_mwh);
    refuse_in_block_row(resolver, bounds_file, cell, "max_energy_mwh", row.max_energy_mwh);
    apply(battery.max_charge_mw, cell, row.max_charge_mw);
    apply(battery.max_discharge_mw, cell, row.max_discharge_mw);
    apply(battery.min_energy_mwh, cell, row.min_energy_mwh);
    apply(battery.max_energy_mwh, cell, row.max_energy_mwh);
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
        out.min_energy_mwh = resolver.by_stage(battery.energy.min_mwh);
        out.max_energy_mwh = resolver.by_stage(battery.energy.max_mwh);
        out.initial_energy_mwh = battery.energy.initial_mwh;
    }
    for_each_override(resolver,
                      bounds_file,
                      resolver.batteries,
                      raw.battery_bounds,
                      [&](const raw::BatteryBounds& row, const OverrideCell& cell) {
                          apply_bounds(row, cell, resolver, system.batteries[at(cell.entity)]);
                      });
    for (std::size_t i = 0; i < system.batteries.size(); ++i) {
        sddp::Battery& battery = system.batteries[i];
        switch_off(battery.max_charge_mw, raw.batteries[i], resolver);
        switch_off(battery.max_discharge_mw, raw.batteries[i], resolver);
        if (raw.batteries[i].energy.min_mwh <= raw.batteries[i].energy.max_mwh) {
            check_order(resolver,
                        ProblemKind::business_rule_violation,
                        {bounds_file, fmt::format("battery {}", battery.id)},
                        "min_energy_mwh > max_energy_mwh",
                        battery.min_energy_mwh,
                        battery.max_energy_mwh);
        }
    }
}

}  // namespace lockstep::formats::cobre
