#include <algorithm>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/stage/evaporation.hpp"
#include "sddp/hydro/stage/river.hpp"
#include "sddp/hydro/stage/stage_builder.hpp"

namespace lockstep::sddp {

namespace {

using Kind = Tag::Kind;

}  // namespace

Slot StageBuilder::add_column(Tag tag, double cost, double lower, double upper) {
    if (lower == upper) {
        out_.constant_cost += cost * lower;
        return {-1, lower};
    }
    cost_.push_back(cost);
    lower_.push_back(lower);
    upper_.push_back(upper);
    out_.column_tags.push_back(tag);
    return {lp_.add_column(cost, lower, upper), 0};
}

// Equation (1): x' and θ, which no decision but the cuts bounds from below.
void StageBuilder::add_storages() {
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        const auto& hydro = system_.hydros[at(h)];
        const bool is_built = hydro.is_built(t_);
        const auto least = is_built ? hydro.min_storage_hm3[at(t_)] : 0;
        const auto most = is_built ? hydro.max_storage_hm3[at(t_)] : lp::infinity;
        out_.map.storage.push_back(add_column({Kind::storage, h}, 0, least, most));
        for (int p = 0; p + 1 < out_.periods; ++p) {
            out_.map.between.push_back(add_column({Kind::storage, h, p}, 0, least, most));
        }
    }
    out_.theta = add_column({Kind::future_cost, 0}, out_.discount, 0, lp::infinity).column;
}

// What would arrive after the study is lost, unless a boundary prices it.
bool StageBuilder::is_lost(int later) const {
    return first_period_ + out_.periods + later > period_count_ && problem_.boundary.size() == 0;
}

void StageBuilder::add_transits() {
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        for (int later = 1; later <= system_.hydros[at(h)].transit_periods(); ++later) {
            out_.map.transit.push_back(
                add_column({Kind::transit, h}, 0, 0, is_lost(later) ? 0 : lp::infinity));
        }
    }
}

double StageBuilder::group_maximum(const UnitGroup& group, int block, double productivity) const {
    const auto flow = group.max_turbined_m3s(t_, block);
    return productivity > 0 ? std::min(flow, group.max_generation_mw(t_, block) / productivity)
                            : flow;
}

void StageBuilder::add_cells() {
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        out_.map.first_cell.push_back(static_cast<int>(out_.map.cells.size()));
        std::vector<int> buses;
        for (const auto& group : system_.hydros[at(h)].groups) {
            if (std::find(buses.begin(), buses.end(), group.bus) == buses.end()) {
                buses.push_back(group.bus);
            }
        }
        for (const int bus : buses) {
            std::vector<const UnitGroup*> groups;
            for (const auto& group : system_.hydros[at(h)].groups) {
                if (group.bus == bus) {
                    groups.push_back(&group);
                }
            }
            add_cell(h, groups);
        }
    }
    out_.map.first_cell.push_back(static_cast<int>(out_.map.cells.size()));
}

void StageBuilder::add_cell(int hydro, const std::vector<const UnitGroup*>& groups) {
    const auto& plant = system_.hydros[at(hydro)];
    const bool planes = !plant.planes[at(t_)].empty() && plant.phase(t_) == HydroPhase::operating;
    const auto productivity = planes ? 0.0 : plant.productivity[at(t_)];
    const auto c = static_cast<int>(out_.map.cells.size());
    out_.map.cells.push_back({hydro, groups.front()->bus, planes, productivity});
    for (int k = 0; k < out_.blocks; ++k) {
        const auto& costs = plant.costs_in(t_, k);
        const auto hours = stage_.blocks[at(k)].hours;
        double flow = 0;
        double power = 0;
        double min_flow = 0;
        double min_power = 0;
        for (const auto* group : groups) {
            flow += group_maximum(*group, k, productivity);
            power += group->max_generation_mw(t_, k);
            min_flow += group->min_turbined_m3s(t_, k);
            min_power += group->min_generation_mw(t_, k);
        }
        flow = std::min(flow, plant.max_turbined_m3s(t_, k));
        if (productivity > 0) {
            flow = std::min(flow, plant.max_generation_mw(t_, k) / productivity);
        }
        power = std::min(power, plant.max_generation_mw(t_, k));
        out_.map.turbined.push_back(
            add_column({Kind::turbined, c, k}, costs.turbined * hours, 0, flow));
        out_.map.generation.push_back(planes ? add_column({Kind::generation, c, k}, 0, 0, power)
                                             : Slot{});
        out_.map.turbined_below.push_back(add_column({Kind::turbined_below, c, k},
                                                     costs.turbined_below * hours,
                                                     0,
                                                     min_flow > 0 ? lp::infinity : 0));
        out_.map.generation_below.push_back(add_column({Kind::generation_below, c, k},
                                                       costs.generation_below * hours,
                                                       0,
                                                       min_power > 0 ? lp::infinity : 0));
    }
}

bool StageBuilder::has_outflow_limits(int hydro, int block) const {
    const auto& plant = system_.hydros[at(hydro)];
    return plant.min_outflow_m3s(t_, block) > 0 || plant.max_outflow_m3s(t_, block) < lp::infinity;
}

// Water spilled in one block is as good as in another unless something looks at a single block:
// then one column, the same flow in all blocks, does for all.
bool StageBuilder::spills_alike_in_blocks(int hydro) const {
    const auto& plant = system_.hydros[at(hydro)];
    if (out_.periods > 1 || !plant.planes[at(t_)].empty() ||
        mentions_water_of(system_, t_, hydro)) {
        return false;
    }
    for (int k = 0; k < out_.blocks; ++k) {
        if (plant.costs_in(t_, k).spillage != plant.costs_in(t_, 0).spillage ||
            has_outflow_limits(hydro, k) || plant.min_spillage_m3s(t_, k) > 0 ||
            plant.max_spillage_m3s(t_, k) < lp::infinity) {
            return false;
        }
    }
    return true;
}

void StageBuilder::add_releases(int hydro) {
    const auto& plant = system_.hydros[at(hydro)];
    if (spills_alike_in_blocks(hydro)) {
        const auto slot = add_column({Kind::spillage, hydro, -1},
                                     plant.costs_in(t_, 0).spillage * out_.hours,
                                     0,
                                     lp::infinity);
        for (int k = 0; k < out_.blocks; ++k) {
            out_.map.spillage.push_back(slot);
        }
    } else {
        for (int k = 0; k < out_.blocks; ++k) {
            out_.map.spillage.push_back(
                add_column({Kind::spillage, hydro, k},
                           plant.costs_in(t_, k).spillage * stage_.blocks[at(k)].hours,
                           plant.min_spillage_m3s(t_, k),
                           plant.max_spillage_m3s(t_, k)));
        }
    }
    for (int k = 0; k < out_.blocks; ++k) {
        const auto hours = stage_.blocks[at(k)].hours;
        const bool diverts = plant.max_diversion_m3s(t_, k) > 0;
        out_.map.diversion.push_back(add_column({Kind::diversion, hydro, k},
                                                plant.costs_in(t_, k).diversion * hours,
                                                diverts ? plant.min_diversion_m3s(t_, k) : 0,
                                                diverts ? plant.max_diversion_m3s(t_, k) : 0));
    }
}

void StageBuilder::add_outflow_slacks(int hydro) {
    const auto& plant = system_.hydros[at(hydro)];
    for (int k = 0; k < out_.blocks; ++k) {
        const auto& costs = plant.costs_in(t_, k);
        const auto hours = stage_.blocks[at(k)].hours;
        out_.map.outflow_below.push_back(
            add_column({Kind::outflow_below, hydro, k},
                       costs.outflow_below * hours,
                       0,
                       plant.min_outflow_m3s(t_, k) > 0 ? lp::infinity : 0));
        out_.map.outflow_above.push_back(
            add_column({Kind::outflow_above, hydro, k},
                       costs.outflow_above * hours,
                       0,
                       plant.max_outflow_m3s(t_, k) < lp::infinity ? lp::infinity : 0));
    }
}

void StageBuilder::add_water_slacks(int hydro) {
    const auto& plant = system_.hydros[at(hydro)];
    const auto& costs = plant.costs[at(t_)];
    auto& map = out_.map;
    const auto& evaporation = plant.evaporation[at(t_)];
    const bool substituted = evaporation && options_.substitute_evaporation &&
                             evaporation_needs_no_row(problem_, t_, hydro);
    map.evaporation_substituted.push_back(substituted ? 1 : 0);
    add_evaporation(hydro, evaporation && !substituted);
    // The realised withdrawal keeps the sign of the demand.
    const bool is_in_system = receiver(system_, t_, hydro) >= 0;
    const auto demand = is_in_system ? plant.withdrawal_m3s[at(t_)] : 0;
    map.withdrawal_above.push_back(add_column({Kind::withdrawal_above, hydro},
                                              costs.withdrawal_above * out_.hours,
                                              0,
                                              demand > 0 ? lp::infinity : -demand));
    map.withdrawal_below.push_back(add_column({Kind::withdrawal_below, hydro},
                                              costs.withdrawal_below * out_.hours,
                                              0,
                                              demand < 0 ? lp::infinity : demand));
    map.inflow_slack.push_back(
        add_column({Kind::inflow_slack, hydro},
                   costs.inflow_slack * out_.hours,
                   0,
                   has_inflow_slack(problem_) && is_in_system ? lp::infinity : 0));
    add_storage_slack(hydro);
}

void StageBuilder::add_evaporation(int hydro, bool has_line) {
    const auto& plant = system_.hydros[at(hydro)];
    const auto limit = has_line ? plant.evaporation[at(t_)]->limit_m3s : 0;
    const auto slack = has_line ? lp::infinity : 0;
    auto& map = out_.map;
    for (int p = 0; p < out_.periods; ++p) {
        const int block = block_of(p);
        const auto& costs = plant.costs_in(t_, block);
        const auto hours = period_hours(p);
        map.evaporation.push_back(add_column({Kind::evaporation, hydro, block}, 0, -limit, limit));
        map.evaporation_above.push_back(add_column(
            {Kind::evaporation_above, hydro, block}, costs.evaporation_above * hours, 0, slack));
        map.evaporation_below.push_back(add_column(
            {Kind::evaporation_below, hydro, block}, costs.evaporation_below * hours, 0, slack));
    }
}

void StageBuilder::add_storage_slack(int hydro) {
    const auto& plant = system_.hydros[at(hydro)];
    const auto& costs = plant.costs[at(t_)];
    const bool has_target = !plant.storage_target_hm3.empty() &&
                            plant.storage_target_hm3[at(t_)] > plant.min_storage_hm3[at(t_)];
    out_.map.storage_below.push_back(add_column(
        {Kind::storage_below, hydro},
        plant.phase(t_) == HydroPhase::filling ? costs.filling_below : costs.storage_below,
        0,
        has_target ? lp::infinity : 0));
}

void StageBuilder::add_thermals() {
    for (std::size_t j = 0; j < system_.thermals.size(); ++j) {
        const auto& thermal = system_.thermals[j];
        const auto cost = thermal.delivered_in(t_) == nullptr ? thermal.cost[at(t_)] : 0;
        for (int k = 0; k < out_.blocks; ++k) {
            out_.map.thermal.push_back(add_column({Kind::thermal, static_cast<int>(j), k},
                                                  cost * stage_.blocks[at(k)].hours,
                                                  thermal.min_mw(t_, k),
                                                  thermal.max_mw(t_, k)));
        }
    }
}

// The delivery after this stage that a place of the state stands for, if one is decided by then.
const Delivery* StageBuilder::pending(const Thermal& thermal, int place) const {
    for (const auto& delivery : thermal.deliveries) {
        if (delivery.stage > t_ && delivery.decided_in <= t_ &&
            delivery.stage % thermal.commitments == place) {
            return &delivery;
        }
    }
    return nullptr;
}

void StageBuilder::add_commitments() {
    for (std::size_t j = 0; j < system_.thermals.size(); ++j) {
        const auto& thermal = system_.thermals[j];
        const int plant = static_cast<int>(j);
        for (int place = 0; place < thermal.commitments; ++place) {
            const auto* delivery = pending(thermal, place);
            Slot slot;
            if (delivery != nullptr && delivery->decided_in == t_) {
                slot = add_column({Kind::commitment, plant},
                                  delivery->cost_per_mw,
                                  delivery->min_mw,
                                  delivery->max_mw);
            } else if (delivery != nullptr) {
                slot = add_column({Kind::commitment, plant}, 0, 0, lp::infinity);
            }
            out_.map.commitment.push_back(slot);
        }
    }
}

void StageBuilder::add_lines() {
    for (std::size_t l = 0; l < system_.lines.size(); ++l) {
        const auto& line = system_.lines[l];
        for (int k = 0; k < out_.blocks; ++k) {
            const auto cost = line.exchange_cost(t_, k) * stage_.blocks[at(k)].hours;
            out_.map.direct.push_back(
                add_column({Kind::direct, static_cast<int>(l), k}, cost, 0, line.direct_mw(t_, k)));
            out_.map.reverse.push_back(add_column(
                {Kind::reverse, static_cast<int>(l), k}, cost, 0, line.reverse_mw(t_, k)));
        }
    }
}

void StageBuilder::add_buses() {
    int segments = 0;
    for (std::size_t b = 0; b < system_.buses.size(); ++b) {
        const auto& bus = system_.buses[b];
        out_.map.first_segment.push_back(segments);
        segments += static_cast<int>(bus.deficit.size());
        for (const auto& segment : bus.deficit) {
            for (int k = 0; k < out_.blocks; ++k) {
                out_.map.deficit.push_back(add_column({Kind::deficit, static_cast<int>(b), k},
                                                      segment.cost * stage_.blocks[at(k)].hours,
                                                      0,
                                                      segment.depth_mw));
            }
        }
        for (int k = 0; k < out_.blocks; ++k) {
            out_.map.excess.push_back(
                add_column({Kind::excess, static_cast<int>(b), k},
                           bus.excess_cost(t_, k) * stage_.blocks[at(k)].hours,
                           0,
                           lp::infinity));
        }
    }
    out_.map.first_segment.push_back(segments);
}

// What is not generated of an availability is curtailed at a cost >= 0; the availability itself is
// in the right-hand side of the load balance. The upper bound is set with the noise when it is
// random.
void StageBuilder::add_sources() {
    for (std::size_t n = 0; n < system_.sources.size(); ++n) {
        const auto& source = system_.sources[n];
        for (int k = 0; k < out_.blocks; ++k) {
            const bool curtails = source.allow_curtailment && source.in_service[at(t_)] > 0;
            const auto most =
                source.is_stochastic ? source.max_generation_mw : source.available_mw[at(t_)];
            out_.map.curtailed.push_back(
                add_column({Kind::curtailed, static_cast<int>(n), k},
                           source.curtailment_cost(t_, k) * stage_.blocks[at(k)].hours,
                           0,
                           curtails ? most * source.factor(t_, k) : 0));
        }
    }
    add_contracts();
    add_pumping_stations();
    add_batteries();
}

void StageBuilder::add_contracts() {
    for (std::size_t c = 0; c < system_.contracts.size(); ++c) {
        const auto& contract = system_.contracts[c];
        for (int k = 0; k < out_.blocks; ++k) {
            out_.map.contract.push_back(
                add_column({Kind::contract, static_cast<int>(c), k},
                           contract.price(t_, k) * stage_.blocks[at(k)].hours,
                           contract.min_mw(t_, k),
                           contract.max_mw(t_, k)));
        }
    }
}

void StageBuilder::add_pumping_stations() {
    for (std::size_t j = 0; j < system_.pumping_stations.size(); ++j) {
        const auto& station = system_.pumping_stations[j];
        for (int k = 0; k < out_.blocks; ++k) {
            out_.map.pumped.push_back(add_column({Kind::pumping, static_cast<int>(j), k},
                                                 0,
                                                 station.min_m3s(t_, k),
                                                 station.max_m3s(t_, k)));
        }
    }
}

void StageBuilder::add_batteries() {
    for (int b = 0; b < static_cast<int>(system_.batteries.size()); ++b) {
        const auto& battery = system_.batteries[at(b)];
        for (int k = 0; k < out_.blocks; ++k) {
            out_.map.charge.push_back(
                add_column({Kind::charge, b, k}, 0, 0, battery.max_charge_mw(t_, k)));
            out_.map.discharge.push_back(
                add_column({Kind::discharge, b, k}, 0, 0, battery.max_discharge_mw(t_, k)));
        }
        for (int p = 0; p < out_.periods; ++p) {
            out_.map.energy.push_back(add_column({Kind::energy, b, block_of(p)},
                                                 0,
                                                 battery.min_energy_mwh[at(t_)],
                                                 battery.max_energy_mwh[at(t_)]));
        }
    }
}

}  // namespace lockstep::sddp
