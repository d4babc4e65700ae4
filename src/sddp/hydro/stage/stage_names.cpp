#include <algorithm>
#include <string_view>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/stage/stage_problem.hpp"

namespace lockstep::sddp {

namespace {

using Kind = Tag::Kind;

std::string_view kind_word(Kind kind) {
    switch (kind) {
        case Kind::storage:
            return "storage";
        case Kind::future_cost:
            return "future_cost";
        case Kind::turbined:
            return "turbined";
        case Kind::generation:
            return "generation";
        case Kind::spillage:
            return "spillage";
        case Kind::diversion:
            return "diversion";
        case Kind::thermal:
            return "thermal";
        case Kind::direct:
            return "direct";
        case Kind::reverse:
            return "reverse";
        case Kind::deficit:
            return "deficit";
        case Kind::excess:
            return "excess";
        case Kind::curtailed:
            return "curtailed";
        case Kind::outflow_below:
            return "outflow_below";
        case Kind::outflow_above:
            return "outflow_above";
        case Kind::turbined_below:
            return "turbined_below";
        case Kind::generation_below:
            return "generation_below";
        case Kind::evaporation:
            return "evaporation";
        case Kind::evaporation_above:
            return "evaporation_above";
        case Kind::evaporation_below:
            return "evaporation_below";
        case Kind::withdrawal_above:
            return "withdrawal_above";
        case Kind::withdrawal_below:
            return "withdrawal_below";
        case Kind::inflow_slack:
            return "inflow_slack";
        case Kind::generic_above:
            return "generic_above";
        case Kind::generic_below:
            return "generic_below";
        case Kind::water_balance:
            return "water_balance";
        case Kind::load_balance:
            return "load_balance";
        case Kind::production_plane:
            return "production_plane";
        case Kind::outflow_limits:
            return "outflow_limits";
        case Kind::min_turbined:
            return "min_turbined";
        case Kind::min_generation:
            return "min_generation";
        case Kind::evaporation_line:
            return "evaporation_line";
        case Kind::generic:
            return "generic";
        case Kind::contract:
            return "contract";
        case Kind::pumping:
            return "pumping";
        case Kind::storage_below:
            return "storage_below";
        case Kind::storage_target:
            return "storage_target";
        case Kind::commitment:
            return "commitment";
        case Kind::pending:
            return "pending_commitment";
        case Kind::delivery:
            return "delivery";
        case Kind::transit:
            return "transit";
        case Kind::transit_balance:
            return "transit_balance";
        case Kind::charge:
            return "charge";
        case Kind::discharge:
            return "discharge";
        case Kind::energy:
            return "energy";
        case Kind::energy_balance:
            return "energy_balance";
    }
    return "unknown";
}

std::string_view entity_name(const System& system, const StageProblem& stage, const Tag& tag) {
    const auto e = static_cast<std::size_t>(tag.entity);
    switch (tag.kind) {
        case Kind::future_cost:
            return {};
        case Kind::thermal:
        case Kind::commitment:
        case Kind::pending:
        case Kind::delivery:
            return system.thermals[e].name;
        case Kind::direct:
        case Kind::reverse:
            return system.lines[e].name;
        case Kind::deficit:
        case Kind::excess:
        case Kind::load_balance:
            return system.buses[e].name;
        case Kind::curtailed:
            return system.sources[e].name;
        case Kind::contract:
            return system.contracts[e].name;
        case Kind::pumping:
            return system.pumping_stations[e].name;
        case Kind::charge:
        case Kind::discharge:
        case Kind::energy:
        case Kind::energy_balance:
            return system.batteries[e].name;
        case Kind::generic:
        case Kind::generic_above:
        case Kind::generic_below:
            return system.constraints[e].name;
        case Kind::turbined:
        case Kind::generation:
        case Kind::turbined_below:
        case Kind::generation_below:
        case Kind::production_plane:
        case Kind::min_turbined:
        case Kind::min_generation:
            return system.hydros[at(stage.map.cells[e].hydro)].name;
        default:
            return system.hydros[e].name;
    }
}

}  // namespace

std::string kind_name(Tag::Kind kind) {
    std::string name(kind_word(kind));
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

std::string name_of(const Problem& problem, const StageProblem& stage, const Tag& tag) {
    std::string name(kind_word(tag.kind));
    if (const auto entity = entity_name(problem.system, stage, tag); !entity.empty()) {
        name.append(" ").append(entity);
    }
    if (tag.block >= 0 && stage.blocks > 1) {
        name.append(" block ").append(std::to_string(tag.block));
    }
    return name;
}

}  // namespace lockstep::sddp
