#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "formats/cobre/resolve/hydro/hydro_bounds.hpp"
#include "formats/cobre/resolve/hydro/hydro_checks.hpp"
#include "formats/cobre/resolve/hydro/phases.hpp"
#include "formats/cobre/resolve/hydro/travel.hpp"
#include "formats/cobre/resolve/penalties.hpp"
#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr const char* hydros_file = "system/hydros.json";

std::vector<sddp::UnitGroup> make_groups(const raw::Hydro& hydro, const Resolver& resolver) {
    std::vector<sddp::UnitGroup> groups;
    for (const raw::UnitGroup& group : hydro.unit_groups) {
        const Origin origin = line_of(hydros_file, group.line, "hydro", hydro.id);
        if (std::any_of(
                groups.begin(), groups.end(), [&](const auto& g) { return g.id == group.id; })) {
            resolver.error(ProblemKind::duplicate_id,
                           origin,
                           fmt::format("unit group id {} is used twice", group.id));
        }
        sddp::UnitGroup& out = groups.emplace_back();
        out.id = group.id;
        out.name = group.name;
        out.bus = resolver.buses.find(group.bus_id);
        out.min_turbined_m3s = resolver.by_block(group.min_turbined_m3s);
        out.declared_max_turbined_m3s = group.max_turbined_m3s;
        out.max_turbined_m3s = resolver.by_block(group.max_turbined_m3s);
        out.min_generation_mw = resolver.by_block(group.min_generation_mw);
        out.max_generation_mw = resolver.by_block(group.max_generation_mw);
    }
    std::ranges::sort(groups, {}, &sddp::UnitGroup::id);
    return groups;
}

sddp::Hydro make_hydro(const raw::Hydro& hydro,
                       const raw::Penalties& penalties,
                       const Resolver& resolver) {
    sddp::Hydro out;
    out.id = hydro.id;
    out.name = hydro.name;
    out.downstream = hydro.downstream_id ? resolver.hydros.find(*hydro.downstream_id) : -1;
    out.diversion_target =
        hydro.diversion ? resolver.hydros.find(hydro.diversion->downstream_id) : -1;
    out.entity_min_storage_hm3 = hydro.reservoir.min_storage_hm3;
    out.entity_max_storage_hm3 = hydro.reservoir.max_storage_hm3;
    out.min_storage_hm3 = resolver.by_stage(hydro.reservoir.min_storage_hm3);
    out.max_storage_hm3 = resolver.by_stage(hydro.reservoir.max_storage_hm3);
    out.max_turbined_m3s = resolver.by_block(hydro.generation.max_turbined_m3s);
    out.max_generation_mw = resolver.by_block(hydro.generation.max_generation_mw);
    out.min_outflow_m3s = resolver.by_block(hydro.outflow.min_outflow_m3s);
    out.max_outflow_m3s = resolver.by_block(hydro.outflow.max_outflow_m3s.value_or(unbounded));
    out.min_spillage_m3s = resolver.by_block(0);
    out.max_spillage_m3s = resolver.by_block(unbounded);
    out.min_diversion_m3s = resolver.by_block(0);
    out.max_diversion_m3s = resolver.by_block(hydro.diversion ? hydro.diversion->max_flow_m3s : 0);
    out.withdrawal_m3s = resolver.by_stage(0);
    out.productivity = resolver.by_stage(0);
    out.equivalent_productivity = resolver.by_stage(0);
    out.planes.resize(resolver.calendar.stages.size());
    out.evaporation.resize(resolver.calendar.stages.size());
    sddp::HydroCosts costs = global_costs(penalties);
    apply(costs, hydro.penalties.value_or(raw::EntityHydroCosts{}));
    out.costs.assign(resolver.calendar.stages.size(), costs);
    out.groups = make_groups(hydro, resolver);
    return out;
}

/// Values by hydro from the initial conditions.
class InitialStorage {
public:
    InitialStorage(const raw::Case& raw, const Resolver& resolver) : resolver_(resolver) {
        for (const auto* list :
             {&raw.initial_conditions.storage, &raw.initial_conditions.filling_storage}) {
            for (const raw::Storage& entry : *list) {
                add(entry);
            }
        }
    }

    void set(sddp::Hydro& hydro) const {
        const auto found = values_.find(hydro.id);
        const double given = found == values_.end() ? 0 : found->second;
        hydro.initial_storage_hm3 = given;
        if (is_outside(hydro, given)) {
            return;
        }
        if (hydro.min_storage_hm3.empty() || hydro.min_storage_hm3[0] > hydro.max_storage_hm3[0]) {
            return;
        }
        hydro.initial_storage_hm3 =
            std::clamp(given, hydro.min_storage_hm3[0], hydro.max_storage_hm3[0]);
        if (hydro.initial_storage_hm3 != given) {
            resolver_.error(
                ProblemKind::model_quality,
                {file, fmt::format("hydro {}", hydro.id)},
                fmt::format("initial storage {} is outside the limits [{}, {}] of the first "
                            "stage: {} is used",
                            given,
                            hydro.min_storage_hm3[0],
                            hydro.max_storage_hm3[0],
                            hydro.initial_storage_hm3));
        }
    }

private:
    /// Outside what the reservoir can hold, beyond rounding: no operation starts there.
    [[nodiscard]] bool is_outside(const sddp::Hydro& hydro, double given) const {
        const bool may_be_below = !hydro.phases.empty() || !hydro.storage_target_hm3.empty();
        const double low = may_be_below ? 0 : hydro.entity_min_storage_hm3;
        const double high = hydro.entity_max_storage_hm3;
        const double rounding = 1e-6 * std::max(1.0, std::abs(high));
        if (low > high || (low - rounding <= given && given <= high + rounding)) {
            return false;
        }
        resolver_.error(
            ProblemKind::invalid_value,
            {file, fmt::format("hydro {}", hydro.id)},
            fmt::format("initial storage {} hm³ is outside the reservoir's [{}, {}]: correct "
                        "value_hm3 (an initial storage that is not given is 0), or "
                        "min_storage_hm3 and max_storage_hm3 in system/hydros.json",
                        given,
                        low,
                        high));
        return true;
    }

    void add(const raw::Storage& entry) {
        const Origin origin = line_of(file, entry.line, "hydro", entry.hydro_id);
        resolver_.find(resolver_.hydros, entry.hydro_id, origin);
        if (!values_.emplace(entry.hydro_id, entry.value_hm3).second) {
            resolver_.error(ProblemKind::duplicate_id, origin, "initial storage is given twice");
        }
    }

    static constexpr const char* file = "initial_conditions.json";
    const Resolver& resolver_;
    std::unordered_map<int, double> values_;
};

}  // namespace

void resolve_hydros(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    for (const raw::Hydro& hydro : raw.hydros) {
        check_declared_hydro(hydro, resolver);
        system.hydros.push_back(make_hydro(hydro, raw.penalties, resolver));
    }
    check_cascade(system.hydros, resolver);
    const auto filling_rates = apply_hydro_bounds(raw, resolver, system);
    for (std::size_t i = 0; i < system.hydros.size(); ++i) {
        check_resolved_hydro(raw.hydros[i], system.hydros[i], resolver);
    }
    apply_phases(raw, filling_rates, resolver, system);
    resolve_travel(raw, resolver, system);
    const InitialStorage initial(raw, resolver);
    for (sddp::Hydro& hydro : system.hydros) {
        initial.set(hydro);
    }
}

}  // namespace lockstep::formats::cobre
