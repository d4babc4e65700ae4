#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "formats/cobre/bounds.hpp"
#include "formats/cobre/penalties.hpp"
#include "formats/cobre/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr const char* hydros_file = "system/hydros.json";
constexpr const char* bounds_file = "constraints/hydro_bounds.parquet";

Origin origin_of(const raw::Hydro& hydro) {
    return line_of(hydros_file, hydro.line, "hydro", hydro.id);
}

/// Sums of decimals may differ in the last digits.
bool exceeds(double sum, double limit) {
    return sum > limit + 1e-9 * std::max(1.0, std::abs(limit));
}

void check_groups(const raw::Hydro& hydro, const Resolver& resolver) {
    const Origin origin = origin_of(hydro);
    const auto sum = [&](double raw::TurbineLimits::*limit) {
        double total = 0;
        for (const raw::UnitGroup& group : hydro.unit_groups) {
            total += group.*limit;
        }
        return total;
    };
    const auto check = [&](const char* name, double raw::TurbineLimits::*limit, bool is_maximum) {
        const double groups = sum(limit);
        const double plant = hydro.generation.*limit;
        if (is_maximum ? exceeds(groups, plant) : exceeds(plant, groups)) {
            resolver.error(
                ProblemKind::business_rule_violation,
                origin,
                fmt::format("{} of the unit groups sums to {}: must not be {} the plant's {}",
                            name,
                            groups,
                            is_maximum ? "above" : "below",
                            plant));
        }
    };
    check("max_turbined_m3s", &raw::TurbineLimits::max_turbined_m3s, true);
    check("max_generation_mw", &raw::TurbineLimits::max_generation_mw, true);
    check("min_turbined_m3s", &raw::TurbineLimits::min_turbined_m3s, false);
    check("min_generation_mw", &raw::TurbineLimits::min_generation_mw, false);
}

void check_limits(const raw::TurbineLimits& limits,
                  const Origin& origin,
                  const Resolver& resolver) {
    check_order(resolver,
                origin,
                "min_turbined_m3s > max_turbined_m3s",
                limits.min_turbined_m3s,
                limits.max_turbined_m3s);
    check_order(resolver,
                origin,
                "min_generation_mw > max_generation_mw",
                limits.min_generation_mw,
                limits.max_generation_mw);
}

void check_reference_volumes(const raw::Hydro& hydro, const Resolver& resolver) {
    if (!hydro.evaporation || !hydro.evaporation->reference_volumes_hm3) {
        return;
    }
    for (const double volume : *hydro.evaporation->reference_volumes_hm3) {
        if (volume < hydro.reservoir.min_storage_hm3 || volume > hydro.reservoir.max_storage_hm3) {
            resolver.error(
                ProblemKind::invalid_value,
                origin_of(hydro),
                fmt::format("reference volume {} of evaporation is outside the storage limits "
                            "[{}, {}]",
                            volume,
                            hydro.reservoir.min_storage_hm3,
                            hydro.reservoir.max_storage_hm3));
        }
    }
}

void check_declared(const raw::Hydro& hydro, const Resolver& resolver) {
    const Origin origin = origin_of(hydro);
    check_order(resolver,
                origin,
                "min_storage_hm3 > max_storage_hm3",
                hydro.reservoir.min_storage_hm3,
                hydro.reservoir.max_storage_hm3);
    check_order(resolver,
                origin,
                "min_outflow_m3s > max_outflow_m3s",
                hydro.outflow.min_outflow_m3s,
                hydro.outflow.max_outflow_m3s.value_or(unbounded));
    check_limits(hydro.generation, origin, resolver);
    for (const raw::UnitGroup& group : hydro.unit_groups) {
        check_limits(group,
                     {line_of(hydros_file, group.line, "hydro", hydro.id).file,
                      fmt::format("hydro {}, unit group {}", hydro.id, group.id)},
                     resolver);
    }
    if (hydro.unit_groups.empty()) {
        resolver.error(ProblemKind::invalid_value, origin, "unit_groups must not be empty");
    } else {
        check_groups(hydro, resolver);
    }
    check_reference_volumes(hydro, resolver);
}

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
        out.bus = resolver.find(resolver.buses, group.bus_id, origin);
        out.min_turbined_m3s = resolver.by_block(group.min_turbined_m3s);
        out.max_turbined_m3s = resolver.by_block(group.max_turbined_m3s);
        out.min_generation_mw = resolver.by_block(group.min_generation_mw);
        out.max_generation_mw = resolver.by_block(group.max_generation_mw);
    }
    return groups;
}

sddp::Hydro make_hydro(const raw::Hydro& hydro,
                       const raw::Penalties& penalties,
                       const Resolver& resolver) {
    const Origin origin = origin_of(hydro);
    sddp::Hydro out;
    out.id = hydro.id;
    out.name = hydro.name;
    out.downstream =
        hydro.downstream_id ? resolver.find(resolver.hydros, *hydro.downstream_id, origin) : -1;
    out.diversion_target =
        hydro.diversion ? resolver.find(resolver.hydros, hydro.diversion->downstream_id, origin)
                        : -1;
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

/// Reports every cycle of the cascade once, as the list of its ids.
void check_cascade(const std::vector<sddp::Hydro>& hydros, const Resolver& resolver) {
    std::vector<int> walk(hydros.size(), -1);  // in which walk a plant was first met
    for (int start = 0; start < static_cast<int>(hydros.size()); ++start) {
        int at = start;
        while (at >= 0 && walk[static_cast<std::size_t>(at)] < 0) {
            walk[static_cast<std::size_t>(at)] = start;
            at = hydros[static_cast<std::size_t>(at)].downstream;
        }
        if (at < 0 || walk[static_cast<std::size_t>(at)] != start) {
            continue;
        }
        std::string ids = std::to_string(hydros[static_cast<std::size_t>(at)].id);
        for (int next = hydros[static_cast<std::size_t>(at)].downstream;;
             next = hydros[static_cast<std::size_t>(next)].downstream) {
            ids += fmt::format(" -> {}", hydros[static_cast<std::size_t>(next)].id);
            if (next == at) {
                break;
            }
        }
        resolver.error(ProblemKind::cycle_detected,
                       {hydros_file, ""},
                       fmt::format("downstream_id forms a cycle: {}", ids));
    }
}

/// Rows may lower but not raise what a plant's machines can do.
void check_not_raised(const Resolver& resolver,
                      const OverrideCell& cell,
                      const char* column,
                      const std::optional<double>& value,
                      double declared) {
    if (value && exceeds(*value, declared)) {
        resolver.error(ProblemKind::business_rule_violation,
                       row_of(bounds_file, cell.row),
                       fmt::format("{} {} is above the declared {}", column, *value, declared));
    }
}

void apply_bounds(const raw::HydroBounds& row,
                  const OverrideCell& cell,
                  const raw::Hydro& declared,
                  const Resolver& resolver,
                  sddp::Hydro& hydro) {
    check_not_raised(
        resolver, cell, "max_turbined_m3s", row.max_turbined, declared.generation.max_turbined_m3s);
    check_not_raised(resolver,
                     cell,
                     "max_generation_mw",
                     row.max_generation,
                     declared.generation.max_generation_mw);
    refuse_in_block_row(resolver, bounds_file, cell, "min_storage_hm3", row.min_storage);
    refuse_in_block_row(resolver, bounds_file, cell, "max_storage_hm3", row.max_storage);
    refuse_in_block_row(resolver, bounds_file, cell, "water_withdrawal_m3s", row.withdrawal);
    apply(hydro.min_storage_hm3, cell, row.min_storage);
    apply(hydro.max_storage_hm3, cell, row.max_storage);
    apply(hydro.max_turbined_m3s, cell, row.max_turbined);
    apply(hydro.max_generation_mw, cell, row.max_generation);
    apply(hydro.min_outflow_m3s, cell, row.min_outflow);
    apply(hydro.max_outflow_m3s, cell, row.max_outflow);
    apply(hydro.min_spillage_m3s, cell, row.min_spillage);
    apply(hydro.max_spillage_m3s, cell, row.max_spillage);
    apply(hydro.min_diversion_m3s, cell, row.min_diversion);
    apply(hydro.max_diversion_m3s, cell, row.max_diversion);
    apply(hydro.withdrawal_m3s, cell, row.withdrawal);
}

/// The format takes minima from unit groups only; a plant's row above them has no effect there
/// either.
void warn_of_minima(const std::vector<char>& has_minimum,
                    const raw::Case& raw,
                    const Resolver& resolver) {
    for (std::size_t i = 0; i < has_minimum.size(); ++i) {
        if (has_minimum[i] != 0) {
            resolver.error(
                ProblemKind::unused_entity,
                {bounds_file, fmt::format("hydro {}", raw.hydros[i].id)},
                "min_turbined_m3s and min_generation_mw of a plant have no effect: give them "
                "for its unit groups in constraints/hydro_unit_group_bounds.parquet");
        }
    }
}

void apply_all_bounds(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    std::vector<char> has_minimum(system.hydros.size());
    for_each_override(
        resolver,
        bounds_file,
        resolver.hydros,
        raw.hydro_bounds,
        [&](const raw::HydroBounds& row, const OverrideCell& cell) {
            const auto i = static_cast<std::size_t>(cell.entity);
            const raw::Hydro& declared = raw.hydros[i];
            has_minimum[i] |= static_cast<char>(
                row.min_turbined.value_or(0) > declared.generation.min_turbined_m3s ||
                row.min_generation.value_or(0) > declared.generation.min_generation_mw);
            apply_bounds(row, cell, declared, resolver, system.hydros[i]);
        });
    warn_of_minima(has_minimum, raw, resolver);
    for_each_override(resolver,
                      "constraints/penalty_overrides_hydro.parquet",
                      resolver.hydros,
                      raw.hydro_costs,
                      [&](const raw::HydroStageCosts& row, const OverrideCell& cell) {
                          sddp::Hydro& hydro = system.hydros[static_cast<std::size_t>(cell.entity)];
                          apply(hydro.costs[static_cast<std::size_t>(cell.stage)], row);
                      });
}

int group_index(const sddp::Hydro& hydro, int id) {
    for (std::size_t i = 0; i < hydro.groups.size(); ++i) {
        if (hydro.groups[i].id == id) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

void apply_group_bounds(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    constexpr const char* file = "constraints/hydro_unit_group_bounds.parquet";
    if (!raw.unit_group_bounds) {
        return;
    }
    OverrideCells cells(resolver, file, resolver.hydros);
    for (std::size_t i = 0; i < raw.unit_group_bounds->size(); ++i) {
        const raw::UnitGroupBounds& row = (*raw.unit_group_bounds)[i];
        const int hydro = resolver.hydros.find(row.entity_id);
        const int group =
            hydro < 0 ? 0
                      : group_index(system.hydros[static_cast<std::size_t>(hydro)], row.group_id);
        if (group < 0) {
            resolver.error(
                ProblemKind::invalid_reference,
                row_of(file, i),
                fmt::format(
                    "unit group {} of hydro {} does not exist", row.group_id, row.entity_id));
        } else {
            cells.add(i, row, group);
        }
    }
    for (const OverrideCell& cell : cells.take()) {
        const raw::UnitGroupBounds& row = (*raw.unit_group_bounds)[cell.row];
        sddp::Hydro& hydro = system.hydros[static_cast<std::size_t>(cell.entity)];
        sddp::UnitGroup& group =
            hydro.groups[static_cast<std::size_t>(group_index(hydro, row.group_id))];
        apply(group.min_turbined_m3s, cell, row.min_turbined);
        apply(group.max_turbined_m3s, cell, row.max_turbined);
        apply(group.min_generation_mw, cell, row.min_generation);
        apply(group.max_generation_mw, cell, row.max_generation);
    }
}

/// Limits that the LP keeps hard must be in order; those with a slack are only questionable.
void check_resolved(const raw::Hydro& raw, const sddp::Hydro& hydro, const Resolver& resolver) {
    const Origin origin{bounds_file, fmt::format("hydro {}", hydro.id)};
    if (raw.reservoir.min_storage_hm3 <= raw.reservoir.max_storage_hm3) {
        check_order(resolver,
                    ProblemKind::invalid_value,
                    origin,
                    "min_storage_hm3 > max_storage_hm3",
                    hydro.min_storage_hm3,
                    hydro.max_storage_hm3);
    }
    check_order(resolver,
                ProblemKind::invalid_value,
                origin,
                "min_spillage_m3s > max_spillage_m3s",
                hydro.min_spillage_m3s,
                hydro.max_spillage_m3s);
    check_order(resolver,
                ProblemKind::invalid_value,
                origin,
                "min_diversion_m3s > max_diversion_m3s",
                hydro.min_diversion_m3s,
                hydro.max_diversion_m3s);
    if (raw.outflow.min_outflow_m3s <= raw.outflow.max_outflow_m3s.value_or(unbounded)) {
        check_order(resolver,
                    ProblemKind::model_quality,
                    origin,
                    "min_outflow_m3s > max_outflow_m3s",
                    hydro.min_outflow_m3s,
                    hydro.max_outflow_m3s);
    }
    if (hydro.diversion_target < 0) {
        check_order(resolver,
                    ProblemKind::business_rule_violation,
                    origin,
                    "max_diversion_m3s of a plant without diversion",
                    hydro.max_diversion_m3s,
                    resolver.by_block(0));
    }
}

/// Values by hydro from the initial conditions.
class InitialStorage {
public:
    InitialStorage(const raw::Case& raw, const Resolver& resolver) : resolver_(resolver) {
        for (const raw::Storage& entry : raw.initial_conditions.storage) {
            add(entry);
        }
    }

    void set(sddp::Hydro& hydro) const {
        const auto found = values_.find(hydro.id);
        const double given = found == values_.end() ? 0 : found->second;
        hydro.initial_storage_hm3 = given;
        if (hydro.min_storage_hm3.empty() || hydro.min_storage_hm3[0] > hydro.max_storage_hm3[0]) {
            return;
        }
        hydro.initial_storage_hm3 =
            std::clamp(given, hydro.min_storage_hm3[0], hydro.max_storage_hm3[0]);
        if (hydro.initial_storage_hm3 != given) {
            resolver_.error(
                ProblemKind::model_quality,
                {file_, fmt::format("hydro {}", hydro.id)},
                fmt::format("initial storage {} is outside the limits [{}, {}] of the first "
                            "stage: {} is used",
                            given,
                            hydro.min_storage_hm3[0],
                            hydro.max_storage_hm3[0],
                            hydro.initial_storage_hm3));
        }
    }

private:
    void add(const raw::Storage& entry) {
        const Origin origin = line_of(file_, entry.line, "hydro", entry.hydro_id);
        resolver_.find(resolver_.hydros, entry.hydro_id, origin);
        if (!values_.emplace(entry.hydro_id, entry.value_hm3).second) {
            resolver_.error(ProblemKind::duplicate_id, origin, "initial storage is given twice");
        }
    }

    static constexpr const char* file_ = "initial_conditions.json";
    const Resolver& resolver_;
    std::unordered_map<int, double> values_;
};

}  // namespace

void resolve_hydros(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    for (const raw::Hydro& hydro : raw.hydros) {
        check_declared(hydro, resolver);
        system.hydros.push_back(make_hydro(hydro, raw.penalties, resolver));
    }
    check_cascade(system.hydros, resolver);
    apply_all_bounds(raw, resolver, system);
    apply_group_bounds(raw, resolver, system);
    const InitialStorage initial(raw, resolver);
    for (std::size_t i = 0; i < system.hydros.size(); ++i) {
        check_resolved(raw.hydros[i], system.hydros[i], resolver);
        initial.set(system.hydros[i]);
    }
}

}  // namespace lockstep::formats::cobre
