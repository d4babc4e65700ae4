#include "sddp/hydro/stage/evaporation.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"
#include "lockstep/lp/model.hpp"

#include "sddp/hydro/stage/river.hpp"

namespace lockstep::sddp {

namespace {

bool looks_at(const System& system, int stage, const ConstraintTerm& term, int hydro) {
    switch (term.quantity) {
        case Quantity::hydro_evaporation:
        case Quantity::hydro_spillage:
        case Quantity::hydro_outflow:
            return term.entity == hydro;
        case Quantity::hydro_inflow:
            return downstream_of(system, stage, hydro) == term.entity;
        default:
            return false;
    }
}

bool spills_freely(const Hydro& plant, int stage, int blocks) {
    for (const auto& plane : plant.planes[at(stage)]) {
        if (plane.spilled != 0) {
            return false;
        }
    }
    for (int k = 0; k < blocks; ++k) {
        if (plant.max_spillage_m3s(stage, k) < lp::infinity) {
            return false;
        }
    }
    return true;
}

bool has_max_outflow(const Hydro& plant, int stage, int blocks) {
    for (int k = 0; k < blocks; ++k) {
        if (plant.max_outflow_m3s(stage, k) < lp::infinity) {
            return true;
        }
    }
    return false;
}

// The dearest block of a stage.
double dearest(const Hydro& plant, int stage, int blocks, double HydroCosts::*cost) {
    double most = 0;
    for (int k = 0; k < blocks; ++k) {
        most = std::max(most, plant.costs_in(stage, k).*cost);
    }
    return most;
}

// Cost of spilling one more m³/s for an hour all the way down the river, infinite if that is not
// always possible.
double cost_to_drain(const Problem& problem, int stage, int hydro) {
    const auto blocks = static_cast<int>(problem.calendar.stages[at(stage)].blocks.size());
    double cost = 0;
    for (int h = hydro; h >= 0; h = downstream_of(problem.system, stage, h)) {
        const auto& plant = problem.system.hydros[at(h)];
        if (!plant.arrival_shares.empty() || !spills_freely(plant, stage, blocks) ||
            mentions_water_of(problem.system, stage, h)) {
            return lp::infinity;
        }
        cost += dearest(plant, stage, blocks, &HydroCosts::spillage);
        if (has_max_outflow(plant, stage, blocks)) {
            cost += dearest(plant, stage, blocks, &HydroCosts::outflow_above);
        }
    }
    return cost;
}

bool stays_within_limit(const Problem& problem, int stage, int hydro) {
    const auto& plant = problem.system.hydros[at(hydro)];
    const auto& line = *plant.evaporation[at(stage)];
    if (stage > 0 && !plant.is_built(stage - 1)) {
        return false;  // from a storage that no limit of that stage holds for
    }
    auto least = plant.min_storage_hm3[at(stage)];
    auto most = plant.max_storage_hm3[at(stage)];
    if (stage == 0) {
        least = std::min(least, plant.initial_storage_hm3);
        most = std::max(most, plant.initial_storage_hm3);
    } else {
        least = std::min(least, plant.min_storage_hm3[at(stage - 1)]);
        most = std::max(most, plant.max_storage_hm3[at(stage - 1)]);
    }
    const auto flow = [&](double storage) { return std::abs(line.k0 + line.kv * storage); };
    return std::max(flow(least), flow(most)) < line.limit_m3s;
}

}  // namespace

bool has_inflow_slack(const Problem& problem) {
    return problem.process.non_negativity == NonNegativity::penalty ||
           problem.process.non_negativity == NonNegativity::truncation_with_penalty;
}

bool mentions_water_of(const System& system, int stage, int hydro) {
    for (const auto& constraint : system.constraints) {
        for (const auto& row : constraint.rows) {
            if (row.stage == stage &&
                std::any_of(row.terms.begin(), row.terms.end(), [&](const auto& term) {
                    return looks_at(system, stage, term, hydro);
                })) {
                return true;
            }
        }
    }
    return false;
}

bool evaporation_needs_no_row(const Problem& problem, int stage, int hydro) {
    const auto& costs = problem.system.hydros[at(hydro)].costs[at(stage)];
    // Made-up water comes at a rate of the stage, which no single block can have more of.
    return problem.calendar.stages[at(stage)].periods() == 1 && has_inflow_slack(problem) &&
           costs.inflow_slack <= costs.evaporation_below &&
           cost_to_drain(problem, stage, hydro) <= costs.evaporation_above &&
           stays_within_limit(problem, stage, hydro);
}

}  // namespace lockstep::sddp
