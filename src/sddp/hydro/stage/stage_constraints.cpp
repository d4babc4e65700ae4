#include <algorithm>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/stage/river.hpp"
#include "sddp/hydro/stage/stage_builder.hpp"

namespace lockstep::sddp {

namespace {

using Kind = Tag::Kind;

bool is_stock(Quantity quantity) {
    return quantity == Quantity::hydro_storage_initial ||
           quantity == Quantity::hydro_storage_final ||
           quantity == Quantity::battery_energy_initial ||
           quantity == Quantity::battery_energy_final;
}

}  // namespace

int StageBuilder::commitment_of(int thermal, int delivery_stage) const {
    int first = 0;
    for (int j = 0; j < thermal; ++j) {
        first += system_.thermals[at(j)].commitments;
    }
    return first + delivery_stage % system_.thermals[at(thermal)].commitments;
}

// What comes to a plant from others in a block [m³/s].
void StageBuilder::express_arrivals(int hydro,
                                    int block,
                                    double coefficient,
                                    Expression& into) const {
    const auto& map = out_.map;
    const int period = out_.period_of(block);
    for (const int up : upstream_[at(hydro)]) {
        for (int k = 0; k < out_.blocks; ++k) {
            const int from = out_.period_of(k);
            if (from > period || (from == period && k != block)) {
                continue;
            }
            const auto share =
                system_.hydros[at(up)].arrival_share(first_period_ + from, period - from) *
                coefficient * (stage_.blocks[at(k)].hours / stage_.blocks[at(block)].hours);
            for (int c = map.first_cell[at(up)]; c < map.first_cell[at(up) + 1]; ++c) {
                into.add(map.turbined[out_.at(c, k)], share);
            }
            into.add(map.spillage[out_.at(up, k)], share);
        }
    }
    for (int to = 0; to < problem_.hydro_count(); ++to) {
        if (system_.hydros[at(to)].transit_periods() > period &&
            receiver(system_, t_, to) == hydro) {
            into.transit.emplace_back(first_transit_[at(to)] + period,
                                      coefficient / (hm3_per_m3s_hour * period_hours(period)));
        }
    }
    for (const int up : diverting_[at(hydro)]) {
        into.add(map.diversion[out_.at(up, block)], coefficient);
    }
}

void StageBuilder::express_decisions(int thermal, double coefficient, Expression& into) const {
    const auto decided = system_.thermals[at(thermal)].decided_in(t_);
    for (const auto& delivery : decided) {
        into.add(out_.map.commitment[at(commitment_of(thermal, delivery.stage))],
                 coefficient / static_cast<double>(decided.size()));
    }
}

void StageBuilder::express(const ConstraintTerm& term,
                           int block,
                           double weight,
                           Expression& into) const {
    const auto& map = out_.map;
    const auto e = term.entity;
    const auto coefficient = term.coefficient * weight;
    const auto index = block < 0 ? std::size_t{0} : out_.at(e, block);
    const auto each_cell = [&](auto&& use) {
        for (int c = map.first_cell[at(e)]; c < map.first_cell[at(e) + 1]; ++c) {
            if (term.bus < 0 || map.cells[at(c)].bus == term.bus) {
                use(c);
            }
        }
    };
    const auto turbined = [&](int hydro, double factor) {
        for (int c = map.first_cell[at(hydro)]; c < map.first_cell[at(hydro) + 1]; ++c) {
            into.add(map.turbined[out_.at(c, block)], factor);
        }
    };
    switch (term.quantity) {
        case Quantity::hydro_storage_initial:
            if (const int period = term.block < 0 ? 0 : out_.period_of(term.block); period > 0) {
                into.add(storage_after(e, period - 1), coefficient);
            } else {
                into.storage.emplace_back(e, coefficient);
            }
            break;
        case Quantity::hydro_storage_final:
            into.add(
                storage_after(e, term.block < 0 ? out_.periods - 1 : out_.period_of(term.block)),
                coefficient);
            break;
        case Quantity::hydro_evaporation:
            if (map.evaporation_substituted[at(e)] != 0) {
                const auto& line = *system_.hydros[at(e)].evaporation[at(t_)];
                into.constant += coefficient * line.k0;
                into.add(map.storage[at(e)], coefficient * line.kv / 2);
                into.storage.emplace_back(e, coefficient * line.kv / 2);
            } else {
                into.add(map.evaporation[out_.in_period(e, out_.period_of(block))], coefficient);
            }
            break;
        case Quantity::hydro_inflow:
            into.inflow.emplace_back(e, coefficient);
            for (const int site : passing_[at(e)]) {
                into.inflow.emplace_back(site, coefficient);
            }
            express_arrivals(e, block, coefficient, into);
            break;
        case Quantity::hydro_turbined:
            each_cell([&](int c) { into.add(map.turbined[out_.at(c, block)], coefficient); });
            break;
        case Quantity::hydro_spillage:
            into.add(map.spillage[index], coefficient);
            break;
        case Quantity::hydro_diversion:
            into.add(map.diversion[index], coefficient);
            break;
        case Quantity::hydro_outflow:
            turbined(e, coefficient);
            into.add(map.spillage[index], coefficient);
            break;
        case Quantity::hydro_generation:
            each_cell([&](int c) {
                const auto& cell = map.cells[at(c)];
                if (cell.has_planes) {
                    into.add(map.generation[out_.at(c, block)], coefficient);
                } else {
                    into.add(map.turbined[out_.at(c, block)], coefficient * cell.productivity);
                }
            });
            break;
        case Quantity::thermal_generation:
            into.add(map.thermal[index], coefficient);
            break;
        case Quantity::line_direct:
            into.add(map.direct[index], coefficient);
            break;
        case Quantity::line_reverse:
            into.add(map.reverse[index], coefficient);
            break;
        case Quantity::bus_deficit:
            for (int s = map.first_segment[at(e)]; s < map.first_segment[at(e) + 1]; ++s) {
                into.add(map.deficit[out_.at(s, block)], coefficient);
            }
            break;
        case Quantity::bus_excess:
            into.add(map.excess[index], coefficient);
            break;
        case Quantity::anticipated_decision:
            express_decisions(e, coefficient, into);
            break;
        case Quantity::contract_power:
            into.add(map.contract[index], coefficient);
            break;
        case Quantity::pumping_flow:
            into.add(map.pumped[index], coefficient);
            break;
        case Quantity::hydro_withdrawal:
            into.constant += coefficient * system_.hydros[at(e)].withdrawal_m3s[at(t_)];
            into.add(map.withdrawal_above[at(e)], coefficient);
            into.add(map.withdrawal_below[at(e)], -coefficient);
            break;
        case Quantity::source_generation:
            into.available.emplace_back(index, coefficient);
            into.add_curtailed(map.curtailed[index], -coefficient);
            break;
        case Quantity::source_curtailment:
            into.add_curtailed(map.curtailed[index], coefficient);
            break;
        case Quantity::battery_charge:
            into.add(map.charge[index], coefficient);
            break;
        case Quantity::battery_discharge:
            into.add(map.discharge[index], coefficient);
            break;
        case Quantity::battery_energy_initial:
            if (const int period = term.block < 0 ? 0 : out_.period_of(term.block); period > 0) {
                into.add(map.energy[out_.in_period(e, period - 1)], coefficient);
            } else {
                into.energy.emplace_back(e, coefficient);
            }
            break;
        case Quantity::battery_energy_final:
            into.add(map.energy[out_.in_period(
                         e, term.block < 0 ? out_.periods - 1 : out_.period_of(term.block))],
                     coefficient);
            break;
    }
}

// In a row for the whole stage a flow or power counts with its mean over the hours.
Expression StageBuilder::express(const ConstraintRow& row) const {
    Expression sum;
    for (const auto& term : row.terms) {
        const int block = term.block >= 0 ? term.block : row.block;
        if (block >= 0 || is_stock(term.quantity) ||
            (term.quantity == Quantity::hydro_evaporation && out_.periods == 1) ||
            term.quantity == Quantity::hydro_withdrawal) {
            express(term, block, 1, sum);
        } else {
            for (int k = 0; k < out_.blocks; ++k) {
                express(term, k, stage_.blocks[at(k)].hours / out_.hours, sum);
            }
        }
    }
    return sum;
}

void StageBuilder::add_generic(const GenericConstraint& constraint,
                               int index,
                               const ConstraintRow& row) {
    const auto expression = express(row);
    const bool is_bound = !constraint.has_slack && expression.columns.size() == 1 &&
                          expression.storage.empty() && expression.inflow.empty() &&
                          !expression.has_curtailed && expression.transit.empty() &&
                          expression.energy.empty() && expression.columns.begin()->second != 0;
    if (!is_bound) {
        return add_row_of(constraint, index, row, expression);
    }
    const auto [column, coefficient] = *expression.columns.begin();
    auto lower = (row.lower - expression.constant) / coefficient;
    auto upper = (row.upper - expression.constant) / coefficient;
    if (coefficient < 0) {
        std::swap(lower, upper);
    }
    lower = std::max(lower, lower_[at(column)]);
    upper = std::min(upper, upper_[at(column)]);
    if (lower > upper) {  // kept as a row, so that the conflict is reported by name
        return add_row_of(constraint, index, row, expression);
    }
    lower_[at(column)] = lower;
    upper_[at(column)] = upper;
    out_.map.generic.push_back({index, row.block, 0, {}, {}});
}

void StageBuilder::add_row_of(const GenericConstraint& constraint,
                              int index,
                              const ConstraintRow& row,
                              const Expression& expression) {
    const auto hours = row.block < 0 ? out_.hours : stage_.blocks[at(row.block)].hours;
    const int r = add_row({Kind::generic, index, row.block},
                          row.lower - expression.constant,
                          row.upper - expression.constant);
    for (const auto& [column, coefficient] : expression.columns) {
        lp_.add_entry(r, column, coefficient);
    }
    for (const auto& [hydro, coefficient] : expression.storage) {
        storage_[at(hydro)].push_back({r, -coefficient});
    }
    for (const auto& [place, coefficient] : expression.transit) {
        transit_[at(place)].push_back({r, -coefficient});
    }
    for (const auto& [battery, coefficient] : expression.energy) {
        energy_[at(battery)].push_back({r, -coefficient});
    }
    for (const auto& [hydro, coefficient] : expression.inflow) {
        inflow_[at(hydro)].push_back({r, -coefficient});
    }
    for (const auto& [source_block, coefficient] : expression.available) {
        available_[source_block].push_back({r, -coefficient});
    }
    StageMap::Generic generic{index, row.block, constraint.penalty * hours, {}, {}};
    if (constraint.has_slack && row.upper < lp::infinity) {
        generic.above =
            add_column({Kind::generic_above, index, row.block}, generic.unit_cost, 0, lp::infinity);
        add_term(r, generic.above, -1);
    }
    if (constraint.has_slack && row.lower > -lp::infinity) {
        generic.below =
            add_column({Kind::generic_below, index, row.block}, generic.unit_cost, 0, lp::infinity);
        add_term(r, generic.below, 1);
    }
    out_.map.generic.push_back(generic);
}

}  // namespace lockstep::sddp
