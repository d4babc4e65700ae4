#include "formats/cobre/resolve/hydro/hydro_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/bounds.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr const char* hydros_file = "system/hydros.json";

Origin origin_of(const raw::Hydro& hydro) {
    return line_of(hydros_file, hydro.line, "hydro", hydro.id);
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

}  // namespace

bool exceeds(double sum, double limit) {
    return sum > limit + 1e-9 * std::max(1.0, std::abs(limit));
}

void check_declared_hydro(const raw::Hydro& hydro, const Resolver& resolver) {
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

void check_cascade(const std::vector<sddp::Hydro>& hydros, const Resolver& resolver) {
    std::vector<int> walk(hydros.size(), -1);  // in which walk a plant was first met
    for (int start = 0; start < static_cast<int>(hydros.size()); ++start) {
        int plant = start;
        while (plant >= 0 && walk[at(plant)] < 0) {
            walk[at(plant)] = start;
            plant = hydros[at(plant)].downstream;
        }
        if (plant < 0 || walk[at(plant)] != start) {
            continue;
        }
        std::string ids = std::to_string(hydros[at(plant)].id);
        for (int next = hydros[at(plant)].downstream;; next = hydros[at(next)].downstream) {
            ids += fmt::format(" -> {}", hydros[at(next)].id);
            if (next == plant) {
                break;
            }
        }
        resolver.error(ProblemKind::cycle_detected,
                       {hydros_file, ""},
                       fmt::format("downstream_id forms a cycle: {}", ids));
    }
}

void check_resolved_hydro(const raw::Hydro& raw,
                          const sddp::Hydro& hydro,
                          const Resolver& resolver) {
    const Origin origin{"constraints/hydro_bounds.parquet", fmt::format("hydro {}", hydro.id)};
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

}  // namespace lockstep::formats::cobre
