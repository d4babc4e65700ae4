#include "formats/cobre/resolve/hydro/hydro_bounds.hpp"

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/bounds.hpp"
#include "formats/cobre/resolve/hydro/hydro_checks.hpp"
#include "formats/cobre/resolve/penalties.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* bounds_file = "constraints/hydro_bounds.parquet";
constexpr const char* costs_file = "constraints/penalty_overrides_hydro.parquet";

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
    refuse_in_block_row(resolver, bounds_file, cell, "filling_min_rate_m3s", row.filling_min_rate);
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

/// Reports costs of a row for one block that no block has an own row of the LP for.
void check_block_costs(const raw::HydroStageCosts& row,
                       const OverrideCell& cell,
                       const Resolver& resolver) {
    const auto refuse = [&](const char* column, const std::optional<double>& value) {
        refuse_in_block_row(resolver, costs_file, cell, column, value);
    };
    refuse("storage_violation_below_cost", row.storage_below);
    refuse("filling_target_violation_cost", row.filling_target);
    refuse("water_withdrawal_violation_cost", row.withdrawal);
    refuse("water_withdrawal_violation_pos_cost", row.withdrawal_pos);
    refuse("water_withdrawal_violation_neg_cost", row.withdrawal_neg);
    refuse("inflow_nonnegativity_cost", row.inflow_nonnegativity);
    if (resolver.calendar.stages[at(cell.stage)].periods() == 1) {
        refuse("evaporation_violation_cost", row.evaporation);
        refuse("evaporation_violation_pos_cost", row.evaporation_pos);
        refuse("evaporation_violation_neg_cost", row.evaporation_neg);
    }
}

// Rows for whole stages come first, so that those for blocks start from them.
void apply_costs(const raw::HydroStageCosts& row,
                 const OverrideCell& cell,
                 const Resolver& resolver,
                 sddp::Hydro& hydro) {
    if (!cell.is_block_row) {
        apply(hydro.costs[at(cell.stage)], row);
        return;
    }
    check_block_costs(row, cell, resolver);
    hydro.block_costs.resize(hydro.costs.size());
    auto& blocks = hydro.block_costs[at(cell.stage)];
    blocks.resize(at(resolver.block_count(cell.stage)), hydro.costs[at(cell.stage)]);
    apply(blocks[at(cell.first_block)], row);
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

std::vector<sddp::ByStage> declared_filling_rates(const raw::Case& raw, const Resolver& resolver) {
    std::vector<sddp::ByStage> rates;
    for (const raw::Hydro& hydro : raw.hydros) {
        rates.push_back(resolver.by_stage(hydro.filling ? hydro.filling->filling_min_rate_m3s : 0));
    }
    return rates;
}

std::vector<sddp::ByStage> apply_plant_bounds(const raw::Case& raw,
                                              const Resolver& resolver,
                                              sddp::System& system) {
    std::vector<char> has_minimum(system.hydros.size());
    std::vector<sddp::ByStage> filling_rates = declared_filling_rates(raw, resolver);
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
            apply(filling_rates[i], cell, row.filling_min_rate);
        });
    warn_of_minima(has_minimum, raw, resolver);
    for_each_override(resolver,
                      costs_file,
                      resolver.hydros,
                      raw.hydro_costs,
                      [&](const raw::HydroStageCosts& row, const OverrideCell& cell) {
                          apply_costs(row, cell, resolver, system.hydros[at(cell.entity)]);
                      });
    return filling_rates;
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
        const int group = hydro < 0 ? 0 : group_index(system.hydros[at(hydro)], row.group_id);
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
        sddp::Hydro& hydro = system.hydros[at(cell.entity)];
        sddp::UnitGroup& group = hydro.groups[at(group_index(hydro, row.group_id))];
        apply(group.min_turbined_m3s, cell, row.min_turbined);
        apply(group.max_turbined_m3s, cell, row.max_turbined);
        apply(group.min_generation_mw, cell, row.min_generation);
        apply(group.max_generation_mw, cell, row.max_generation);
    }
}

}  // namespace

std::vector<sddp::ByStage> apply_hydro_bounds(const raw::Case& raw,
                                              const Resolver& resolver,
                                              sddp::System& system) {
    std::vector<sddp::ByStage> filling_rates = apply_plant_bounds(raw, resolver, system);
    apply_group_bounds(raw, resolver, system);
    return filling_rates;
}

}  // namespace lockstep::formats::cobre
