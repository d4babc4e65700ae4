#include "sddp/stage_problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sddp/evaporation.hpp"

namespace lockstep::sddp {

namespace {

using Kind = Tag::Kind;

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

/// Sum of columns, constants and couplings: a side of a generic constraint.
struct Expression {
    std::map<int, double> columns;
    double constant = 0;
    std::vector<std::pair<int, double>> storage;  // (hydro, coefficient of the incoming storage)
    std::vector<std::pair<int, double>> inflow;   // (hydro, coefficient of the realised inflow)

    void add(const Slot& slot, double coefficient) {
        if (slot.column < 0)
            constant += coefficient * slot.constant;
        else
            columns[slot.column] += coefficient;
    }
};

/// Columns and rows of one stage in dollars; scaled at the end.
class StageBuilder {
public:
    StageBuilder(const Problem& problem, int stage, const SpeedOptions& options);
    StageProblem build();

private:
    // columns
    Slot add_column(Tag tag, double cost, double lower, double upper);
    void add_storages();
    void add_cells();
    void add_cell(int hydro, const std::vector<const UnitGroup*>& groups);
    void add_releases(int hydro);
    void add_outflow_slacks(int hydro);
    void add_water_slacks(int hydro);
    void add_thermals();
    void add_lines();
    void add_buses();
    void add_sources();
    // rows
    int add_row(Tag tag, double lower, double upper);
    void add_term(int row, const Slot& slot, double coefficient);
    void add_water_balance(int hydro);
    void add_load_balances();
    void add_planes(int cell);
    void add_cell_minima(int cell);
    void add_outflow_limits(int hydro, int block);
    void add_evaporation_line(int hydro);
    void add_generic(const GenericConstraint& constraint, int index, const ConstraintRow& row);
    void add_row_of(const GenericConstraint& constraint,
                    int index,
                    const ConstraintRow& row,
                    Expression expression);
    Expression express(const ConstraintRow& row) const;
    void express(const ConstraintTerm& term, int block, double weight, Expression& into) const;
    // what the plant's water meets
    [[nodiscard]] bool has_outflow_limits(int hydro, int block) const;
    [[nodiscard]] bool spills_alike_in_blocks(int hydro) const;
    [[nodiscard]] double group_maximum(const UnitGroup& group,
                                       int block,
                                       double productivity) const;
    void scale();
    void finish_couplings();

    const Problem& problem_;
    const System& system_;
    const Stage& stage_;
    const int t_;
    const SpeedOptions& options_;
    StageProblem out_;
    lp::ModelBuilder lp_;
    std::vector<double> cost_, lower_, upper_;  // columns
    std::vector<double> row_lower_, row_upper_;
    std::vector<std::vector<Coupling>> storage_, inflow_;  // [hydros]
    std::vector<std::vector<int>> upstream_, diverting_;   // [hydros]
};

StageBuilder::StageBuilder(const Problem& problem, int stage, const SpeedOptions& options)
    : problem_(problem),
      system_(problem.system),
      stage_(problem.calendar.stages[at(stage)]),
      t_(stage),
      options_(options) {
    const auto hydros = system_.hydros.size();
    storage_.resize(hydros);
    inflow_.resize(hydros);
    upstream_.resize(hydros);
    diverting_.resize(hydros);
    for (int h = 0; h < problem.hydro_count(); ++h) {
        if (system_.hydros[at(h)].downstream >= 0)
            upstream_[at(system_.hydros[at(h)].downstream)].push_back(h);
        if (system_.hydros[at(h)].diversion_target >= 0)
            diverting_[at(system_.hydros[at(h)].diversion_target)].push_back(h);
    }
    out_.stage = stage;
    out_.blocks = static_cast<int>(stage_.blocks.size());
    out_.hours = stage_.hours();
    out_.water_factor = hm3_per_m3s_hour * out_.hours;
    out_.discount = stage + 1 < problem.stage_count() ? stage_.discount_factor() : 1.0;
}

StageProblem StageBuilder::build() {
    add_storages();
    add_cells();
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        add_releases(h);
        add_outflow_slacks(h);
        add_water_slacks(h);
    }
    add_thermals();
    add_lines();
    add_buses();
    add_sources();
    for (int h = 0; h < problem_.hydro_count(); ++h)
        add_water_balance(h);
    add_load_balances();
    for (int c = 0; c < static_cast<int>(out_.map.cells.size()); ++c) {
        add_planes(c);
        add_cell_minima(c);
    }
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        for (int k = 0; k < out_.blocks; ++k)
            add_outflow_limits(h, k);
        add_evaporation_line(h);
    }
    for (std::size_t c = 0; c < system_.constraints.size(); ++c)
        for (const auto& row : system_.constraints[c].rows)
            if (row.stage == t_)
                add_generic(system_.constraints[c], static_cast<int>(c), row);
    out_.model = lp_.build();
    scale();
    finish_couplings();
    return std::move(out_);
}

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

void StageBuilder::add_storages() {
    for (int h = 0; h < problem_.hydro_count(); ++h) {
        const auto& hydro = system_.hydros[at(h)];
        out_.map.storage.push_back(add_column(
            {Kind::storage, h}, 0, hydro.min_storage_hm3[at(t_)], hydro.max_storage_hm3[at(t_)]));
    }
    out_.theta = add_column({Kind::future_cost, 0}, out_.discount, 0, lp::infinity).column;
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
        for (const auto& group : system_.hydros[at(h)].groups)
            if (std::find(buses.begin(), buses.end(), group.bus) == buses.end())
                buses.push_back(group.bus);
        for (const int bus : buses) {
            std::vector<const UnitGroup*> groups;
            for (const auto& group : system_.hydros[at(h)].groups)
                if (group.bus == bus)
                    groups.push_back(&group);
            add_cell(h, groups);
        }
    }
    out_.map.first_cell.push_back(static_cast<int>(out_.map.cells.size()));
}

void StageBuilder::add_cell(int hydro, const std::vector<const UnitGroup*>& groups) {
    const auto& plant = system_.hydros[at(hydro)];
    const auto& costs = plant.costs[at(t_)];
    const bool planes = !plant.planes[at(t_)].empty();
    const auto productivity = planes ? 0.0 : plant.productivity[at(t_)];
    const auto c = static_cast<int>(out_.map.cells.size());
    out_.map.cells.push_back({hydro, groups.front()->bus, planes, productivity});
    for (int k = 0; k < out_.blocks; ++k) {
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
        if (productivity > 0)
            flow = std::min(flow, plant.max_generation_mw(t_, k) / productivity);
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
    if (!plant.planes[at(t_)].empty() || mentions_water_of(system_, t_, hydro))
        return false;
    for (int k = 0; k < out_.blocks; ++k)
        if (has_outflow_limits(hydro, k) || plant.min_spillage_m3s(t_, k) > 0 ||
            plant.max_spillage_m3s(t_, k) < lp::infinity)
            return false;
    return true;
}

void StageBuilder::add_releases(int hydro) {
    const auto& plant = system_.hydros[at(hydro)];
    const auto& costs = plant.costs[at(t_)];
    if (spills_alike_in_blocks(hydro)) {
        const auto slot =
            add_column({Kind::spillage, hydro, -1}, costs.spillage * out_.hours, 0, lp::infinity);
        out_.map.spillage.insert(out_.map.spillage.end(), at(out_.blocks), slot);
    } else {
        for (int k = 0; k < out_.blocks; ++k)
            out_.map.spillage.push_back(add_column({Kind::spillage, hydro, k},
                                                   costs.spillage * stage_.blocks[at(k)].hours,
                                                   plant.min_spillage_m3s(t_, k),
                                                   plant.max_spillage_m3s(t_, k)));
    }
    for (int k = 0; k < out_.blocks; ++k) {
        const auto hours = stage_.blocks[at(k)].hours;
        const bool diverts = plant.max_diversion_m3s(t_, k) > 0;
        out_.map.diversion.push_back(add_column({Kind::diversion, hydro, k},
                                                costs.diversion * hours,
                                                diverts ? plant.min_diversion_m3s(t_, k) : 0,
                                                diverts ? plant.max_diversion_m3s(t_, k) : 0));
    }
}

void StageBuilder::add_outflow_slacks(int hydro) {
    const auto& plant = system_.hydros[at(hydro)];
    const auto& costs = plant.costs[at(t_)];
    for (int k = 0; k < out_.blocks; ++k) {
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
    const bool line = evaporation && !substituted;
    const auto limit = line ? evaporation->limit_m3s : 0;
    map.evaporation_substituted.push_back(substituted ? 1 : 0);
    map.evaporation.push_back(add_column({Kind::evaporation, hydro}, 0, -limit, limit));
    map.evaporation_above.push_back(add_column({Kind::evaporation_above, hydro},
                                               costs.evaporation_above * out_.hours,
                                               0,
                                               line ? lp::infinity : 0));
    map.evaporation_below.push_back(add_column({Kind::evaporation_below, hydro},
                                               costs.evaporation_below * out_.hours,
                                               0,
                                               line ? lp::infinity : 0));
    // The realised withdrawal keeps the sign of the demand.
    const auto demand = plant.withdrawal_m3s[at(t_)];
    map.withdrawal_above.push_back(add_column({Kind::withdrawal_above, hydro},
                                              costs.withdrawal_above * out_.hours,
                                              0,
                                              demand > 0 ? lp::infinity : -demand));
    map.withdrawal_below.push_back(add_column({Kind::withdrawal_below, hydro},
                                              costs.withdrawal_below * out_.hours,
                                              0,
                                              demand < 0 ? lp::infinity : demand));
    map.inflow_slack.push_back(add_column({Kind::inflow_slack, hydro},
                                          costs.inflow_slack * out_.hours,
                                          0,
                                          has_inflow_slack(problem_) ? lp::infinity : 0));
}

void StageBuilder::add_thermals() {
    for (std::size_t j = 0; j < system_.thermals.size(); ++j) {
        const auto& thermal = system_.thermals[j];
        for (int k = 0; k < out_.blocks; ++k)
            out_.map.thermal.push_back(add_column({Kind::thermal, static_cast<int>(j), k},
                                                  thermal.cost[at(t_)] * stage_.blocks[at(k)].hours,
                                                  thermal.min_mw(t_, k),
                                                  thermal.max_mw(t_, k)));
    }
}

void StageBuilder::add_lines() {
    for (std::size_t l = 0; l < system_.lines.size(); ++l) {
        const auto& line = system_.lines[l];
        for (int k = 0; k < out_.blocks; ++k) {
            const auto cost = line.exchange_cost[at(t_)] * stage_.blocks[at(k)].hours;
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
        for (const auto& segment : bus.deficit)
            for (int k = 0; k < out_.blocks; ++k)
                out_.map.deficit.push_back(add_column({Kind::deficit, static_cast<int>(b), k},
                                                      segment.cost * stage_.blocks[at(k)].hours,
                                                      0,
                                                      segment.depth_mw));
        for (int k = 0; k < out_.blocks; ++k)
            out_.map.excess.push_back(
                add_column({Kind::excess, static_cast<int>(b), k},
                           bus.excess_cost[at(t_)] * stage_.blocks[at(k)].hours,
                           0,
                           lp::infinity));
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
                           source.curtailment_cost[at(t_)] * stage_.blocks[at(k)].hours,
                           0,
                           curtails ? most * source.factor(t_, k) : 0));
        }
    }
}

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

void StageBuilder::add_water_balance(int hydro) {
    const auto& plant = system_.hydros[at(hydro)];
    const auto& map = out_.map;
    const auto zeta = out_.water_factor;
    double fixed = -zeta * plant.withdrawal_m3s[at(t_)];
    double storage = 1;
    double incoming = 1;
    if (map.evaporation_substituted[at(hydro)] != 0) {
        const auto& line = *plant.evaporation[at(t_)];
        fixed -= zeta * line.k0;
        storage += zeta * line.kv / 2;
        incoming -= zeta * line.kv / 2;
    }
    const int row = add_row({Kind::water_balance, hydro}, fixed, fixed);
    out_.map.water_row.push_back(row);
    add_term(row, map.storage[at(hydro)], storage);
    storage_[at(hydro)].push_back({row, incoming});
    inflow_[at(hydro)].push_back({row, zeta});
    for (int k = 0; k < out_.blocks; ++k) {
        const auto tau = hm3_per_m3s_hour * stage_.blocks[at(k)].hours;
        for (int c = map.first_cell[at(hydro)]; c < map.first_cell[at(hydro) + 1]; ++c)
            add_term(row, map.turbined[out_.at(c, k)], tau);
        add_term(row, map.spillage[out_.at(hydro, k)], tau);
        add_term(row, map.diversion[out_.at(hydro, k)], tau);
        for (const int up : upstream_[at(hydro)]) {
            for (int c = map.first_cell[at(up)]; c < map.first_cell[at(up) + 1]; ++c)
                add_term(row, map.turbined[out_.at(c, k)], -tau);
            add_term(row, map.spillage[out_.at(up, k)], -tau);
        }
        for (const int up : diverting_[at(hydro)])
            add_term(row, map.diversion[out_.at(up, k)], -tau);
    }
    add_term(row, map.evaporation[at(hydro)], zeta);
    add_term(row, map.inflow_slack[at(hydro)], -zeta);
    add_term(row, map.withdrawal_below[at(hydro)], -zeta);
    add_term(row, map.withdrawal_above[at(hydro)], zeta);
}

void StageBuilder::add_load_balances() {
    auto& map = out_.map;
    for (std::size_t b = 0; b < system_.buses.size(); ++b)
        for (int k = 0; k < out_.blocks; ++k) {
            const int bus = static_cast<int>(b);
            const int row = add_row({Kind::load_balance, bus, k}, 0, 0);
            map.load_row.push_back(row);
            for (int s = map.first_segment[b]; s < map.first_segment[b + 1]; ++s)
                add_term(row, map.deficit[out_.at(s, k)], 1);
            add_term(row, map.excess[out_.at(bus, k)], -1);
        }
    const auto row_of = [&](int bus, int k) { return map.load_row[out_.at(bus, k)]; };
    for (int k = 0; k < out_.blocks; ++k) {
        for (std::size_t c = 0; c < map.cells.size(); ++c) {
            const auto& cell = map.cells[c];
            const auto index = out_.at(static_cast<int>(c), k);
            if (cell.has_planes)
                add_term(row_of(cell.bus, k), map.generation[index], 1);
            else if (cell.productivity != 0)
                add_term(row_of(cell.bus, k), map.turbined[index], cell.productivity);
        }
        for (std::size_t j = 0; j < system_.thermals.size(); ++j)
            add_term(row_of(system_.thermals[j].bus, k),
                     map.thermal[out_.at(static_cast<int>(j), k)],
                     1);
        for (std::size_t n = 0; n < system_.sources.size(); ++n)
            add_term(row_of(system_.sources[n].bus, k),
                     map.curtailed[out_.at(static_cast<int>(n), k)],
                     -1);
        for (std::size_t l = 0; l < system_.lines.size(); ++l) {
            const auto& line = system_.lines[l];
            const auto index = out_.at(static_cast<int>(l), k);
            add_term(row_of(line.source, k), map.direct[index], -1);
            add_term(row_of(line.target, k), map.direct[index], 1);
            add_term(row_of(line.source, k), map.reverse[index], 1);
            add_term(row_of(line.target, k), map.reverse[index], -1);
        }
    }
}

// A plane of the plant, scaled to the cell by its share of the declared turbine capacity.
void StageBuilder::add_planes(int c) {
    const auto& map = out_.map;
    const auto& cell = map.cells[at(c)];
    if (!cell.has_planes)
        return;
    const auto& plant = system_.hydros[at(cell.hydro)];
    double mine = 0;
    double all = 0;
    for (const auto& group : plant.groups) {
        all += group.declared_max_turbined_m3s;
        if (group.bus == cell.bus)
            mine += group.declared_max_turbined_m3s;
    }
    const auto share =
        all > 0 ? mine / all
                : 1.0 / (map.first_cell[at(cell.hydro) + 1] - map.first_cell[at(cell.hydro)]);
    for (int k = 0; k < out_.blocks; ++k)
        for (const auto& plane : plant.planes[at(t_)]) {
            const int row =
                add_row({Kind::production_plane, c, k}, -lp::infinity, share * plane.intercept);
            add_term(row, map.generation[out_.at(c, k)], 1);
            add_term(row, map.storage[at(cell.hydro)], -share * plane.volume / 2);
            add_term(row, map.turbined[out_.at(c, k)], -plane.turbined);
            add_term(row, map.spillage[out_.at(cell.hydro, k)], -share * plane.spilled);
            if (plane.volume != 0)
                storage_[at(cell.hydro)].push_back({row, share * plane.volume / 2});
        }
}

void StageBuilder::add_cell_minima(int c) {
    const auto& map = out_.map;
    const auto& cell = map.cells[at(c)];
    for (int k = 0; k < out_.blocks; ++k) {
        double min_flow = 0;
        double min_power = 0;
        for (const auto& group : system_.hydros[at(cell.hydro)].groups)
            if (group.bus == cell.bus) {
                min_flow += group.min_turbined_m3s(t_, k);
                min_power += group.min_generation_mw(t_, k);
            }
        const auto index = out_.at(c, k);
        if (min_flow > 0) {
            const int row = add_row({Kind::min_turbined, c, k}, min_flow, lp::infinity);
            add_term(row, map.turbined[index], 1);
            add_term(row, map.turbined_below[index], 1);
        }
        if (min_power > 0) {
            const int row = add_row({Kind::min_generation, c, k}, min_power, lp::infinity);
            if (cell.has_planes)
                add_term(row, map.generation[index], 1);
            else
                add_term(row, map.turbined[index], cell.productivity);
            add_term(row, map.generation_below[index], 1);
        }
    }
}

// Minimum and maximum share one ranged row: with costs >= 0 a solution never uses both slacks.
void StageBuilder::add_outflow_limits(int hydro, int block) {
    if (!has_outflow_limits(hydro, block))
        return;
    const auto& plant = system_.hydros[at(hydro)];
    const auto& map = out_.map;
    const auto least = plant.min_outflow_m3s(t_, block);
    const auto most = plant.max_outflow_m3s(t_, block);
    const auto index = out_.at(hydro, block);
    const auto fill = [&](int row, bool below, bool above) {
        for (int c = map.first_cell[at(hydro)]; c < map.first_cell[at(hydro) + 1]; ++c)
            add_term(row, map.turbined[out_.at(c, block)], 1);
        add_term(row, map.spillage[index], 1);
        if (below)
            add_term(row, map.outflow_below[index], 1);
        if (above)
            add_term(row, map.outflow_above[index], -1);
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

void StageBuilder::add_evaporation_line(int hydro) {
    const auto& line = system_.hydros[at(hydro)].evaporation[at(t_)];
    const auto& map = out_.map;
    if (!line || map.evaporation_substituted[at(hydro)] != 0)
        return;
    const int row = add_row({Kind::evaporation_line, hydro}, line->k0, line->k0);
    add_term(row, map.evaporation[at(hydro)], 1);
    add_term(row, map.storage[at(hydro)], -line->kv / 2);
    add_term(row, map.evaporation_below[at(hydro)], 1);
    add_term(row, map.evaporation_above[at(hydro)], -1);
    if (line->kv != 0)
        storage_[at(hydro)].push_back({row, line->kv / 2});
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
        for (int c = map.first_cell[at(e)]; c < map.first_cell[at(e) + 1]; ++c)
            if (term.bus < 0 || map.cells[at(c)].bus == term.bus)
                use(c);
    };
    const auto turbined = [&](int hydro) {
        for (int c = map.first_cell[at(hydro)]; c < map.first_cell[at(hydro) + 1]; ++c)
            into.add(map.turbined[out_.at(c, block)], coefficient);
    };
    switch (term.quantity) {
        case Quantity::hydro_storage_initial:
            into.storage.emplace_back(e, coefficient);
            break;
        case Quantity::hydro_storage_final:
            into.add(map.storage[at(e)], coefficient);
            break;
        case Quantity::hydro_evaporation:
            if (map.evaporation_substituted[at(e)] != 0) {
                const auto& line = *system_.hydros[at(e)].evaporation[at(t_)];
                into.constant += coefficient * line.k0;
                into.add(map.storage[at(e)], coefficient * line.kv / 2);
                into.storage.emplace_back(e, coefficient * line.kv / 2);
            } else {
                into.add(map.evaporation[at(e)], coefficient);
            }
            break;
        case Quantity::hydro_inflow:
            into.inflow.emplace_back(e, coefficient);
            for (const int up : upstream_[at(e)]) {
                turbined(up);
                into.add(map.spillage[out_.at(up, block)], coefficient);
            }
            for (const int up : diverting_[at(e)])
                into.add(map.diversion[out_.at(up, block)], coefficient);
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
            turbined(e);
            into.add(map.spillage[index], coefficient);
            break;
        case Quantity::hydro_generation:
            each_cell([&](int c) {
                const auto& cell = map.cells[at(c)];
                if (cell.has_planes)
                    into.add(map.generation[out_.at(c, block)], coefficient);
                else
                    into.add(map.turbined[out_.at(c, block)], coefficient * cell.productivity);
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
            for (int s = map.first_segment[at(e)]; s < map.first_segment[at(e) + 1]; ++s)
                into.add(map.deficit[out_.at(s, block)], coefficient);
            break;
        case Quantity::bus_excess:
            into.add(map.excess[index], coefficient);
            break;
    }
}

// In a row for the whole stage a flow or power counts with its mean over the hours.
Expression StageBuilder::express(const ConstraintRow& row) const {
    Expression sum;
    for (const auto& term : row.terms) {
        const int block = term.block >= 0 ? term.block : row.block;
        if (block >= 0 || term.quantity == Quantity::hydro_storage_initial ||
            term.quantity == Quantity::hydro_storage_final ||
            term.quantity == Quantity::hydro_evaporation) {
            express(term, block, 1, sum);
        } else {
            for (int k = 0; k < out_.blocks; ++k)
                express(term, k, stage_.blocks[at(k)].hours / out_.hours, sum);
        }
    }
    return sum;
}

void StageBuilder::add_generic(const GenericConstraint& constraint,
                               int index,
                               const ConstraintRow& row) {
    auto expression = express(row);
    const bool is_bound = !constraint.has_slack && expression.columns.size() == 1 &&
                          expression.storage.empty() && expression.inflow.empty() &&
                          expression.columns.begin()->second != 0;
    if (!is_bound)
        return add_row_of(constraint, index, row, std::move(expression));
    const auto [column, coefficient] = *expression.columns.begin();
    auto lower = (row.lower - expression.constant) / coefficient;
    auto upper = (row.upper - expression.constant) / coefficient;
    if (coefficient < 0)
        std::swap(lower, upper);
    lower = std::max(lower, lower_[at(column)]);
    upper = std::min(upper, upper_[at(column)]);
    if (lower > upper)  // kept as a row, so that the conflict is reported by name
        return add_row_of(constraint, index, row, std::move(expression));
    lower_[at(column)] = lower;
    upper_[at(column)] = upper;
}

void StageBuilder::add_row_of(const GenericConstraint& constraint,
                              int index,
                              const ConstraintRow& row,
                              Expression expression) {
    const auto hours = row.block < 0 ? out_.hours : stage_.blocks[at(row.block)].hours;
    const int r = add_row({Kind::generic, index, row.block},
                          row.lower - expression.constant,
                          row.upper - expression.constant);
    for (const auto& [column, coefficient] : expression.columns)
        lp_.add_entry(r, column, coefficient);
    for (const auto& [hydro, coefficient] : expression.storage)
        storage_[at(hydro)].push_back({r, -coefficient});
    for (const auto& [hydro, coefficient] : expression.inflow)
        inflow_[at(hydro)].push_back({r, -coefficient});
    if (!constraint.has_slack)
        return;
    StageMap::Generic generic{index, row.block, constraint.penalty * hours, {}, {}};
    if (row.upper < lp::infinity) {
        generic.above =
            add_column({Kind::generic_above, index, row.block}, generic.unit_cost, 0, lp::infinity);
        add_term(r, generic.above, -1);
    }
    if (row.lower > -lp::infinity) {
        generic.below =
            add_column({Kind::generic_below, index, row.block}, generic.unit_cost, 0, lp::infinity);
        add_term(r, generic.below, 1);
    }
    out_.map.generic.push_back(generic);
}

// Powers of two, so that scaling itself rounds nothing. The objective is centred between its
// smallest and largest cost; the future cost is measured in units of about the dearest water, so
// that cut rows have coefficients near 1.
void StageBuilder::scale() {
    auto& model = out_.model;
    double least = lp::infinity;
    double most = 0;
    for (std::size_t j = 0; j < cost_.size(); ++j)
        if (static_cast<int>(j) != out_.theta && cost_[j] > 0) {
            least = std::min(least, cost_[j]);
            most = std::max(most, cost_[j]);
        }
    double water = 1;
    for (const auto& bus : system_.buses)
        water = std::max(water, bus.deficit.back().cost / hm3_per_m3s_hour);
    const auto power_near = [](double x) { return std::ldexp(1.0, std::ilogb(x)); };
    out_.objective_scale = most > 0 ? 1 / power_near(std::sqrt(least) * std::sqrt(most)) : 1;
    out_.theta_scale = 1 / power_near(water);
    for (std::size_t j = 0; j < cost_.size(); ++j)
        model.cost[j] = cost_[j] * out_.objective_scale;
    model.cost[at(out_.theta)] = out_.discount * out_.objective_scale / out_.theta_scale;
    model.column_lower = lower_;
    model.column_upper = upper_;
    model.row_lower = row_lower_;
    model.row_upper = row_upper_;
}

void StageBuilder::finish_couplings() {
    const auto flatten = [](const std::vector<std::vector<Coupling>>& lists) {
        CouplingTable table;
        for (const auto& list : lists) {
            table.first.push_back(static_cast<int>(table.entries.size()));
            table.entries.insert(table.entries.end(), list.begin(), list.end());
        }
        table.first.push_back(static_cast<int>(table.entries.size()));
        return table;
    };
    out_.storage_coupling = flatten(storage_);
    out_.inflow_coupling = flatten(inflow_);
}

}  // namespace

StageProblem build_stage_problem(const Problem& problem, int stage, const SpeedOptions& options) {
    return StageBuilder(problem, stage, options).build();
}

}  // namespace lockstep::sddp
