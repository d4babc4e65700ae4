#include "lockstep/base/index.hpp"

#include "sddp/hydro/stage/river.hpp"
#include "sddp/hydro/stage/stage_builder.hpp"

namespace lockstep::sddp {

namespace {

using Kind = Tag::Kind;

}  // namespace

int StageBuilder::add_row(Tag tag, double lower, double upper) {
    row_lower_.push_back(lower);
    row_upper_.push_back(upper);
    out_.row_tags.push_back(tag);
    return lp_.add_row(lower, upper);
}

void StageBuilder::add_term(int row, const Slot& slot, double coefficient) {
    if (slot.column >= 0) {
        lp_.add_entry(row, slot.column, coefficient);
    } else if (slot.constant != 0) {
        row_lower_[at(row)] -= coefficient * slot.constant;
        row_upper_[at(row)] -= coefficient * slot.constant;
    }
}

const Slot& StageBuilder::storage_after(int hydro, int period) const {
    const int between = out_.periods - 1;
    return period < between ? out_.map.between[at(hydro * between + period)]
                            : out_.map.storage[at(hydro)];
}

// The storage before the first period comes from the stage before and stands on the right.
void StageBuilder::add_storage_before(int row, int hydro, int period, double coefficient) {
    if (period == 0) {
        storage_[at(hydro)].push_back({row, -coefficient});
    } else {
        add_term(row, storage_after(hydro, period - 1), coefficient);
    }
}

// Where no dam stands the storage is what it was.
void StageBuilder::add_still_water(int hydro, int period) {
    const int row = add_row({Kind::water_balance, hydro, block_of(period)}, 0, 0);
    out_.map.water_row.push_back(row);
    add_term(row, storage_after(hydro, period), 1);
    add_storage_before(row, hydro, period, -1);
}

// What comes to and goes from the site of a plant at a rate of the stage.
void StageBuilder::add_rates(int row, int hydro, int period) {
    const auto& map = out_.map;
    const auto zeta = hm3_per_m3s_hour * period_hours(period);
    inflow_[at(hydro)].push_back({row, zeta});
    add_term(row, map.inflow_slack[at(hydro)], -zeta);
    add_term(row, map.withdrawal_below[at(hydro)], -zeta);
    add_term(row, map.withdrawal_above[at(hydro)], zeta);
}

// What a plant turbines and spills in a block.
void StageBuilder::add_release(int row, int hydro, int block, double coefficient) {
    const auto& map = out_.map;
    if (coefficient == 0) {
        return;
    }
    for (int c = map.first_cell[at(hydro)]; c < map.first_cell[at(hydro) + 1]; ++c) {
        add_term(row, map.turbined[out_.at(c, block)], coefficient);
    }
    add_term(row, map.spillage[out_.at(hydro, block)], coefficient);
}

// What plants and pumps move in a block.
void StageBuilder::add_flows(int row, int hydro, int block) {
    const auto& map = out_.map;
    const auto tau = hm3_per_m3s_hour * stage_.blocks[at(block)].hours;
    add_release(row, hydro, block, tau);
    add_term(row, map.diversion[out_.at(hydro, block)], tau);
    const int period = first_period_ + out_.period_of(block);
    for (const int up : upstream_[at(hydro)]) {
        add_release(row, up, block, -tau * system_.hydros[at(up)].arrival_share(period, 0));
    }
    for (const int up : diverting_[at(hydro)]) {
        add_term(row, map.diversion[out_.at(up, block)], -tau);
    }
    for (int j = 0; j < static_cast<int>(system_.pumping_stations.size()); ++j) {
        const auto& station = system_.pumping_stations[at(j)];
        if (station.source == hydro || station.destination == hydro) {
            add_term(row, map.pumped[out_.at(j, block)], station.source == hydro ? tau : -tau);
        }
    }
}

// What was on its way and comes in a period: from before the stage, and from its earlier periods.
void StageBuilder::add_arrivals(int row, int hydro, int period) {
    for (int k = 0; k < out_.blocks && out_.period_of(k) < period; ++k) {
        const int from = out_.period_of(k);
        const auto tau = hm3_per_m3s_hour * stage_.blocks[at(k)].hours;
        for (const int up : upstream_[at(hydro)]) {
            const auto& plant = system_.hydros[at(up)];
            add_release(
                row, up, k, -tau * plant.arrival_share(first_period_ + from, period - from));
        }
    }
    for (int to = 0; to < problem_.hydro_count(); ++to) {
        if (system_.hydros[at(to)].transit_periods() > period &&
            receiver(system_, t_, to) == hydro) {
            transit_[at(first_transit_[at(to)] + period)].push_back({row, 1});
        }
    }
}

// Equation (4). Incoming storage, inflow and withdrawal are numbers and stand on the right.
void StageBuilder::add_water_balance(int hydro, int period) {
    const auto& plant = system_.hydros[at(hydro)];
    const auto& map = out_.map;
    const auto zeta = hm3_per_m3s_hour * period_hours(period);
    double fixed = -zeta * plant.withdrawal_m3s[at(t_)];
    for (const int site : passing_[at(hydro)]) {
        fixed -= zeta * system_.hydros[at(site)].withdrawal_m3s[at(t_)];
    }
    double storage = 1;
    double incoming = 1;
    if (map.evaporation_substituted[at(hydro)] != 0) {
        const auto& line = *plant.evaporation[at(t_)];
        fixed -= zeta * line.k0;
        storage += zeta * line.kv / 2;
        incoming -= zeta * line.kv / 2;
    }
    const int row = add_row({Kind::water_balance, hydro, block_of(period)}, fixed, fixed);
    out_.map.water_row.push_back(row);
    add_term(row, storage_after(hydro, period), storage);
    add_storage_before(row, hydro, period, -incoming);
    for (int k = 0; k < out_.blocks; ++k) {
        if (out_.period_of(k) == period) {
            add_flows(row, hydro, k);
        }
    }
    add_term(row, map.evaporation[out_.in_period(hydro, period)], zeta);
    add_rates(row, hydro, period);
    for (const int site : passing_[at(hydro)]) {
        add_rates(row, site, period);
    }
    add_arrivals(row, hydro, period);
}

void StageBuilder::add_water_balance(int hydro) {
    const bool is_built = system_.hydros[at(hydro)].is_built(t_);
    for (int period = 0; period < out_.periods; ++period) {
        if (is_built) {
            add_water_balance(hydro, period);
        } else {
            add_still_water(hydro, period);
        }
    }
    add_storage_target(hydro);
}

void StageBuilder::add_transit_balances() {
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        for (int later = 1; later <= system_.hydros[at(h)].transit_periods(); ++later) {
            if (!is_lost(later)) {
                add_transit_balance(h, later);
            }
        }
    }
}

// What is on its way for so many periods after the stage: what was before, a stage nearer, and what
// is released.
void StageBuilder::add_transit_balance(int hydro, int later) {
    const int row = add_row({Kind::transit_balance, hydro}, 0, 0);
    const int place = first_transit_[at(hydro)] + later - 1;
    add_term(row, out_.map.transit[at(place)], 1);
    if (later + out_.periods <= system_.hydros[at(hydro)].transit_periods()) {
        transit_[at(place + out_.periods)].push_back({row, 1});
    }
    for (int up = 0; up < problem_.hydro_count(); ++up) {
        const auto& plant = system_.hydros[at(up)];
        for (int k = 0; plant.downstream == hydro && k < out_.blocks; ++k) {
            const auto tau = hm3_per_m3s_hour * stage_.blocks[at(k)].hours;
            const int from = out_.period_of(k);
            add_release(
                row,
                up,
                k,
                -tau * plant.arrival_share(first_period_ + from, out_.periods - 1 - from + later));
        }
    }
}

void StageBuilder::add_storage_target(int hydro) {
    const auto& slack = out_.map.storage_below[at(hydro)];
    if (slack.column >= 0) {
        const int row = add_row({Kind::storage_target, hydro},
                                system_.hydros[at(hydro)].storage_target_hm3[at(t_)],
                                lp::infinity);
        add_term(row, out_.map.storage[at(hydro)], 1);
        add_term(row, slack, 1);
    }
}

// Equation (5). Loads and availabilities are numbers and stand on the right.
void StageBuilder::add_load_balances() {
    auto& map = out_.map;
    for (std::size_t b = 0; b < system_.buses.size(); ++b) {
        for (int k = 0; k < out_.blocks; ++k) {
            const int bus = static_cast<int>(b);
            const int row = add_row({Kind::load_balance, bus, k}, 0, 0);
            map.load_row.push_back(row);
            for (int s = map.first_segment[b]; s < map.first_segment[b + 1]; ++s) {
                add_term(row, map.deficit[out_.at(s, k)], 1);
            }
            add_term(row, map.excess[out_.at(bus, k)], -1);
        }
    }
    const auto row_of = [&](int bus, int k) { return map.load_row[out_.at(bus, k)]; };
    for (int k = 0; k < out_.blocks; ++k) {
        for (std::size_t c = 0; c < map.cells.size(); ++c) {
            const auto& cell = map.cells[c];
            const auto index = out_.at(static_cast<int>(c), k);
            if (cell.has_planes) {
                add_term(row_of(cell.bus, k), map.generation[index], 1);
            } else if (cell.productivity != 0) {
                add_term(row_of(cell.bus, k), map.turbined[index], cell.productivity);
            }
        }
        for (std::size_t j = 0; j < system_.thermals.size(); ++j) {
            add_term(row_of(system_.thermals[j].bus, k),
                     map.thermal[out_.at(static_cast<int>(j), k)],
                     1);
        }
        for (std::size_t n = 0; n < system_.sources.size(); ++n) {
            add_term(row_of(system_.sources[n].bus, k),
                     map.curtailed[out_.at(static_cast<int>(n), k)],
                     -1);
        }
        for (std::size_t l = 0; l < system_.lines.size(); ++l) {
            const auto& line = system_.lines[l];
            const auto index = out_.at(static_cast<int>(l), k);
            add_term(row_of(line.source, k), map.direct[index], -1);
            add_term(row_of(line.target, k), map.direct[index], 1 - line.loss_share);
            add_term(row_of(line.source, k), map.reverse[index], 1 - line.loss_share);
            add_term(row_of(line.target, k), map.reverse[index], -1);
        }
        for (int c = 0; c < static_cast<int>(system_.contracts.size()); ++c) {
            const auto& contract = system_.contracts[at(c)];
            add_term(
                row_of(contract.bus, k), map.contract[out_.at(c, k)], contract.is_import ? 1 : -1);
        }
        for (int b = 0; b < static_cast<int>(system_.batteries.size()); ++b) {
            const int row = row_of(system_.batteries[at(b)].bus, k);
            add_term(row, map.discharge[out_.at(b, k)], 1);
            add_term(row, map.charge[out_.at(b, k)], -1);
        }
        for (int j = 0; j < static_cast<int>(system_.pumping_stations.size()); ++j) {
            const auto& station = system_.pumping_stations[at(j)];
            if (station.consumption_mw_per_m3s != 0) {
                add_term(row_of(station.bus, k),
                         map.pumped[out_.at(j, k)],
                         -station.consumption_mw_per_m3s);
            }
        }
    }
}

// What is pending stays as it was decided; what is due is generated, in blocks as it is needed.
void StageBuilder::add_commitment_rows() {
    int first = 0;
    for (int j = 0; j < static_cast<int>(system_.thermals.size()); ++j) {
        const auto& thermal = system_.thermals[at(j)];
        for (int place = 0; place < thermal.commitments; ++place) {
            const auto* delivery = pending(thermal, place);
            if (delivery != nullptr && delivery->decided_in < t_) {
                const int row = add_row({Kind::pending, j}, 0, 0);
                add_term(row, out_.map.commitment[at(first + place)], 1);
                committed_[at(first + place)].push_back({row, 1});
            }
        }
        if (thermal.delivered_in(t_) != nullptr) {
            const int row = add_row({Kind::delivery, j}, 0, 0);
            for (int k = 0; k < out_.blocks; ++k) {
                add_term(row, out_.map.thermal[out_.at(j, k)], stage_.blocks[at(k)].hours);
            }
            committed_[at(first + t_ % thermal.commitments)].push_back({row, out_.hours});
        }
        first += thermal.commitments;
    }
}

// Losses are those of the battery: limits of power hold at the bus.
void StageBuilder::add_energy_balances() {
    const auto& map = out_.map;
    for (int b = 0; b < static_cast<int>(system_.batteries.size()); ++b) {
        const auto& battery = system_.batteries[at(b)];
        for (int p = 0; p < out_.periods; ++p) {
            const int row = add_row({Kind::energy_balance, b, block_of(p)}, 0, 0);
            add_term(row, map.energy[out_.in_period(b, p)], 1);
            if (p == 0) {
                energy_[at(b)].push_back({row, 1});
            } else {
                add_term(row, map.energy[out_.in_period(b, p - 1)], -1);
            }
            for (int k = 0; k < out_.blocks; ++k) {
                if (out_.period_of(k) == p) {
                    const auto hours = stage_.blocks[at(k)].hours;
                    add_term(row, map.charge[out_.at(b, k)], -hours * battery.charge_efficiency);
                    add_term(
                        row, map.discharge[out_.at(b, k)], hours / battery.discharge_efficiency);
                }
            }
        }
    }
}

// Equation (6): a plane of the plant, scaled to the cell by its share of the declared turbine
// capacity.
void StageBuilder::add_planes(int c) {
    const auto& map = out_.map;
    const auto& cell = map.cells[at(c)];
    if (!cell.has_planes) {
        return;
    }
    const auto& plant = system_.hydros[at(cell.hydro)];
    double mine = 0;
    double all = 0;
    for (const auto& group : plant.groups) {
        all += group.declared_max_turbined_m3s;
        if (group.bus == cell.bus) {
            mine += group.declared_max_turbined_m3s;
        }
    }
    const auto share =
        all > 0 ? mine / all
                : 1.0 / (map.first_cell[at(cell.hydro) + 1] - map.first_cell[at(cell.hydro)]);
    for (int k = 0; k < out_.blocks; ++k) {
        for (const auto& plane : plant.planes[at(t_)]) {
            const int row =
                add_row({Kind::production_plane, c, k}, -lp::infinity, share * plane.intercept);
            add_term(row, map.generation[out_.at(c, k)], 1);
            const int period = out_.period_of(k);
            const auto volume = share * plane.volume / 2;
            add_term(row, storage_after(cell.hydro, period), -volume);
            add_term(row, map.turbined[out_.at(c, k)], -plane.turbined);
            add_term(row, map.spillage[out_.at(cell.hydro, k)], -share * plane.spilled);
            if (plane.volume != 0) {
                add_storage_before(row, cell.hydro, period, -volume);
            }
        }
    }
}

void StageBuilder::add_cell_minima(int c) {
    const auto& map = out_.map;
    const auto& cell = map.cells[at(c)];
    for (int k = 0; k < out_.blocks; ++k) {
        double min_flow = 0;
        double min_power = 0;
        for (const auto& group : system_.hydros[at(cell.hydro)].groups) {
            if (group.bus == cell.bus) {
                min_flow += group.min_turbined_m3s(t_, k);
                min_power += group.min_generation_mw(t_, k);
            }
        }
        const auto index = out_.at(c, k);
        if (min_flow > 0) {
            const int row = add_row({Kind::min_turbined, c, k}, min_flow, lp::infinity);
            add_term(row, map.turbined[index], 1);
            add_term(row, map.turbined_below[index], 1);
        }
        if (min_power > 0) {
            const int row = add_row({Kind::min_generation, c, k}, min_power, lp::infinity);
            if (cell.has_planes) {
                add_term(row, map.generation[index], 1);
            } else {
                add_term(row, map.turbined[index], cell.productivity);
            }
            add_term(row, map.generation_below[index], 1);
        }
    }
}

// Equation (8). Minimum and maximum share one ranged row: with costs >= 0 a solution never uses
// both slacks.
void StageBuilder::add_outflow_limits(int hydro, int block) {
    if (!has_outflow_limits(hydro, block)) {
        return;
    }
    const auto& plant = system_.hydros[at(hydro)];
    const auto& map = out_.map;
    const auto least = plant.min_outflow_m3s(t_, block);
    const auto most = plant.max_outflow_m3s(t_, block);
    const auto index = out_.at(hydro, block);
    const auto fill = [&](int row, bool below, bool above) {
        for (int c = map.first_cell[at(hydro)]; c < map.first_cell[at(hydro) + 1]; ++c) {
            add_term(row, map.turbined[out_.at(c, block)], 1);
        }
        add_term(row, map.spillage[index], 1);
        if (below) {
            add_term(row, map.outflow_below[index], 1);
        }
        if (above) {
            add_term(row, map.outflow_above[index], -1);
        }
    };
    if (least <= most) {
        fill(add_row({Kind::outflow_limits, hydro, block}, least > 0 ? least : -lp::infinity, most),
             true,
             true);
    } else {  // contradictory limits: both are violated by slacks
        fill(add_row({Kind::outflow_limits, hydro, block}, least, lp::infinity), true, false);
        fill(add_row({Kind::outflow_limits, hydro, block}, -lp::infinity, most), false, true);
    }
}

// Equation (7), unless it was substituted into (4).
void StageBuilder::add_evaporation_line(int hydro, int period) {
    const auto& line = system_.hydros[at(hydro)].evaporation[at(t_)];
    const auto& map = out_.map;
    if (!line || map.evaporation_substituted[at(hydro)] != 0) {
        return;
    }
    const auto index = out_.in_period(hydro, period);
    const int row = add_row({Kind::evaporation_line, hydro, block_of(period)}, line->k0, line->k0);
    add_term(row, map.evaporation[index], 1);
    add_term(row, storage_after(hydro, period), -line->kv / 2);
    add_term(row, map.evaporation_below[index], 1);
    add_term(row, map.evaporation_above[index], -1);
    if (line->kv != 0) {
        add_storage_before(row, hydro, period, -line->kv / 2);
    }
}

}  // namespace lockstep::sddp
