#include "support/extensive_node.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace lockstep::test {
namespace {

using Terms = std::vector<std::pair<int, double>>;

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

// The groups of a plant that feed one bus.
struct CellColumns {
    int bus = -1;
    std::vector<const sddp::UnitGroup*> groups;
    std::vector<int> turbined;  // [blocks]
    std::vector<int> power;     // [blocks], MW
};

struct HydroColumns {
    int storage_in = -1;
    int storage_out = -1;
    int inflow = -1;
    int inflow_slack = -1;
    int evaporation = -1;
    int withdrawal_below = -1;
    int withdrawal_above = -1;
    std::vector<int> spilled;   // [blocks]
    std::vector<int> diverted;  // [blocks]
    std::vector<CellColumns> cells;
};

struct BusColumns {
    std::vector<std::vector<int>> deficit;  // [blocks][segments]
    std::vector<int> excess;                // [blocks]
};

class NodeWriter {
public:
    NodeWriter(lp::ModelBuilder& builder,
               const sddp::Problem& problem,
               int stage,
               std::span<const double> noise,
               const CostSink& sink)
        : builder_(builder),
          problem_(problem),
          system_(problem.system),
          t_(stage),
          stage_(problem.calendar.stages[at(stage)]),
          noise_(noise),
          sink_(sink) {
        for (const auto& block : stage_.blocks)
            hours_.push_back(block.hours);
        for (const double h : hours_)
            stage_hours_ += h;
    }

    PathState write(const PathState& incoming) {
        PathState outgoing;
        add_states(incoming);
        add_inflows(incoming, outgoing);
        for (int h = 0; h < hydro_count(); ++h)
            add_hydro_controls(h);
        for (int h = 0; h < hydro_count(); ++h)
            add_water_balance(h);
        add_thermals();
        add_lines();
        add_sources();
        add_buses();
        for (int b = 0; b < static_cast<int>(system_.buses.size()); ++b)
            for (int k = 0; k < blocks(); ++k)
                add_load_balance(b, k);
        for (const auto& constraint : system_.constraints)
            add_constraint(constraint);
        return outgoing;
    }

private:
    [[nodiscard]] int hydro_count() const { return problem_.hydro_count(); }
    [[nodiscard]] int blocks() const { return static_cast<int>(hours_.size()); }
    [[nodiscard]] double hours(int k) const { return k < 0 ? stage_hours_ : hours_[at(k)]; }
    // hm³ per m³/s kept up for block k, or for the stage
    [[nodiscard]] double water(int k) const { return sddp::hm3_per_m3s_hour * hours(k); }

    int column(double cost, double lower, double upper) {
        return add_column(builder_, sink_, cost, lower, upper);
    }

    void row(const Terms& terms, double lower, double upper) {
        const int index = builder_.add_row(lower, upper);
        for (const auto& [col, value] : terms)
            builder_.add_entry(index, col, value);
    }

    int copy_of(int other) {
        const int col = column(0, -lp::infinity, lp::infinity);
        row({{col, 1}, {other, -1}}, 0, 0);
        return col;
    }

    void add_states(const PathState& incoming) {
        hydros_.resize(at(hydro_count()));
        for (int h = 0; h < hydro_count(); ++h) {
            const auto& plant = system_.hydros[at(h)];
            hydros_[at(h)].storage_in = copy_of(incoming.storage[at(h)]);
            hydros_[at(h)].storage_out =
                column(0, plant.min_storage_hm3[at(t_)], plant.max_storage_hm3[at(t_)]);
        }
        for (const int lag : incoming.lag)
            lags_.push_back(copy_of(lag));
    }

    // z - Σ ψ a = b + σ η, with η raised where the path would have a negative inflow.
    void add_inflows(const PathState& incoming, PathState& outgoing) {
        const auto& inflow = problem_.process.inflow;
        const auto& model = inflow.stages[at(t_)];
        std::vector<double> realised;
        for (int h = 0; h < hydro_count(); ++h) {
            const int z = column(0, -lp::infinity, lp::infinity);
            double innovation = model.base[at(h)] + model.scale[at(h)] * noise_[at(h)];
            Terms terms{{z, 1}};
            double memory = 0;
            for (int l = 0; l < inflow.lags; ++l) {
                const auto i = at(l * hydro_count() + h);
                terms.emplace_back(lags_[i], -model.lag[i]);
                memory += model.lag[i] * incoming.lag_value[i];
            }
            if (truncates() && model.scale[at(h)] > 0)
                innovation = std::max(innovation, -memory);
            row(terms, innovation, innovation);
            realised.push_back(memory + innovation);
            hydros_[at(h)].inflow = z;
            if (has_inflow_slack())
                hydros_[at(h)].inflow_slack =
                    column(costs(h).inflow_slack * stage_hours_, 0, lp::infinity);
        }
        shift_lags(incoming, realised, outgoing);
    }

    void shift_lags(const PathState& incoming,
                    const std::vector<double>& realised,
                    PathState& outgoing) {
        for (int h = 0; h < hydro_count(); ++h)
            outgoing.storage.push_back(hydros_[at(h)].storage_out);
        const int lags = problem_.process.inflow.lags;
        for (int l = 0; l < lags; ++l)
            for (int h = 0; h < hydro_count(); ++h) {
                const auto older = at((l - 1) * hydro_count() + h);
                outgoing.lag.push_back(l == 0 ? hydros_[at(h)].inflow : lags_[older]);
                outgoing.lag_value.push_back(l == 0 ? realised[at(h)] : incoming.lag_value[older]);
            }
    }

    [[nodiscard]] bool truncates() const {
        return problem_.process.non_negativity == sddp::NonNegativity::truncation ||
               problem_.process.non_negativity == sddp::NonNegativity::truncation_with_penalty;
    }
    [[nodiscard]] bool has_inflow_slack() const {
        return problem_.process.non_negativity == sddp::NonNegativity::penalty ||
               problem_.process.non_negativity == sddp::NonNegativity::truncation_with_penalty;
    }

    [[nodiscard]] const sddp::HydroCosts& costs(int h) const {
        return system_.hydros[at(h)].costs[at(t_)];
    }

    void add_hydro_controls(int h) {
        const auto& plant = system_.hydros[at(h)];
        auto& columns = hydros_[at(h)];
        for (int k = 0; k < blocks(); ++k) {
            columns.spilled.push_back(column(costs(h).spillage * hours(k),
                                             plant.min_spillage_m3s(t_, k),
                                             plant.max_spillage_m3s(t_, k)));
            columns.diverted.push_back(column(costs(h).diversion * hours(k),
                                              plant.min_diversion_m3s(t_, k),
                                              plant.max_diversion_m3s(t_, k)));
        }
        for (const auto& group : plant.groups)
            cell_of(columns, group.bus).groups.push_back(&group);
        for (auto& cell : columns.cells)
            for (int k = 0; k < blocks(); ++k)
                add_cell(h, cell, k);
        for (int k = 0; k < blocks(); ++k)
            add_outflow_limits(h, k);
        add_evaporation(h);
        add_withdrawal_slacks(h);
    }

    static CellColumns& cell_of(HydroColumns& columns, int bus) {
        for (auto& cell : columns.cells)
            if (cell.bus == bus)
                return cell;
        columns.cells.emplace_back();
        columns.cells.back().bus = bus;
        return columns.cells.back();
    }

    void add_cell(int h, CellColumns& cell, int k) {
        const auto& plant = system_.hydros[at(h)];
        if (plant.planes[at(t_)].empty())
            add_constant_cell(plant, costs(h).turbined * hours(k), cell, k);
        else
            add_plane_cell(h, cell, k);
        double min_turbined = 0;
        double min_generation = 0;
        for (const auto* group : cell.groups) {
            min_turbined += group->min_turbined_m3s(t_, k);
            min_generation += group->min_generation_mw(t_, k);
        }
        at_least(cell.turbined[at(k)], min_turbined, costs(h).turbined_below * hours(k));
        at_least(cell.power[at(k)], min_generation, costs(h).generation_below * hours(k));
    }

    void at_least(int col, double minimum, double penalty) {
        row({{col, 1}, {column(penalty, 0, lp::infinity), 1}}, minimum, lp::infinity);
    }

    void add_constant_cell(const sddp::Hydro& plant, double cost, CellColumns& cell, int k) {
        const double rho = plant.productivity[at(t_)];
        double groups = 0;
        for (const auto* group : cell.groups)
            groups +=
                turbine_limit(group->max_turbined_m3s(t_, k), group->max_generation_mw(t_, k), rho);
        const double whole =
            turbine_limit(plant.max_turbined_m3s(t_, k), plant.max_generation_mw(t_, k), rho);
        const int q = column(cost, 0, std::min(groups, whole));
        const int p = column(0, -lp::infinity, lp::infinity);
        row({{p, 1}, {q, -rho}}, 0, 0);
        cell.turbined.push_back(q);
        cell.power.push_back(p);
    }

    static double turbine_limit(double flow, double power, double rho) {
        return rho > 0 ? std::min(flow, power / rho) : flow;
    }

    void add_plane_cell(int h, CellColumns& cell, int k) {
        const auto& plant = system_.hydros[at(h)];
        const auto& columns = hydros_[at(h)];
        double flow = 0;
        double power = 0;
        for (const auto* group : cell.groups) {
            flow += group->max_turbined_m3s(t_, k);
            power += group->max_generation_mw(t_, k);
        }
        const int q =
            column(costs(h).turbined * hours(k), 0, std::min(flow, plant.max_turbined_m3s(t_, k)));
        const int p = column(0, 0, std::min(power, plant.max_generation_mw(t_, k)));
        const double share = share_of(cell, plant);
        for (const auto& plane : plant.planes[at(t_)])
            row({{p, 1},
                 {columns.storage_in, -share * plane.volume / 2},
                 {columns.storage_out, -share * plane.volume / 2},
                 {q, -plane.turbined},
                 {columns.spilled[at(k)], -share * plane.spilled}},
                -lp::infinity,
                share * plane.intercept);
        cell.turbined.push_back(q);
        cell.power.push_back(p);
    }

    // The cell's part of the turbines that the plant was built with.
    static double share_of(const CellColumns& cell, const sddp::Hydro& plant) {
        double part = 0;
        for (const auto* group : cell.groups)
            part += group->declared_max_turbined_m3s;
        double whole = 0;
        for (const auto& group : plant.groups)
            whole += group.declared_max_turbined_m3s;
        return part / whole;
    }

    void add_outflow_limits(int h, int k) {
        const auto& plant = system_.hydros[at(h)];
        Terms below = outflow(h, k, 1);
        below.emplace_back(column(costs(h).outflow_below * hours(k), 0, lp::infinity), 1);
        row(below, plant.min_outflow_m3s(t_, k), lp::infinity);
        Terms above = outflow(h, k, 1);
        above.emplace_back(column(costs(h).outflow_above * hours(k), 0, lp::infinity), -1);
        row(above, -lp::infinity, plant.max_outflow_m3s(t_, k));
    }

    void add_evaporation(int h) {
        const auto& evaporation = system_.hydros[at(h)].evaporation[at(t_)];
        if (!evaporation)
            return;
        auto& columns = hydros_[at(h)];
        columns.evaporation = column(0, -evaporation->limit_m3s, evaporation->limit_m3s);
        const int less = column(costs(h).evaporation_below * stage_hours_, 0, lp::infinity);
        const int more = column(costs(h).evaporation_above * stage_hours_, 0, lp::infinity);
        row({{columns.evaporation, 1},
             {columns.storage_in, -evaporation->kv / 2},
             {columns.storage_out, -evaporation->kv / 2},
             {less, 1},
             {more, -1}},
            evaporation->k0,
            evaporation->k0);
    }

    // What is taken may not change its sign.
    void add_withdrawal_slacks(int h) {
        const double demand = system_.hydros[at(h)].withdrawal_m3s[at(t_)];
        const double most_below = demand > 0 ? demand : demand < 0 ? lp::infinity : 0;
        const double most_above = demand > 0 ? lp::infinity : -demand;
        hydros_[at(h)].withdrawal_below =
            column(costs(h).withdrawal_below * stage_hours_, 0, most_below);
        hydros_[at(h)].withdrawal_above =
            column(costs(h).withdrawal_above * stage_hours_, 0, most_above);
    }

    [[nodiscard]] Terms turbined(int h, int k, double factor, int bus = -1) const {
        Terms terms;
        for (const auto& cell : hydros_[at(h)].cells)
            if (bus < 0 || cell.bus == bus)
                terms.emplace_back(cell.turbined[at(k)], factor);
        return terms;
    }

    [[nodiscard]] Terms outflow(int h, int k, double factor) const {
        Terms terms = turbined(h, k, factor);
        terms.emplace_back(hydros_[at(h)].spilled[at(k)], factor);
        return terms;
    }

    [[nodiscard]] Terms arrivals(int h, int k, double factor) const {
        Terms terms;
        for (int j = 0; j < hydro_count(); ++j) {
            if (system_.hydros[at(j)].downstream == h)
                append(terms, outflow(j, k, factor));
            if (system_.hydros[at(j)].diversion_target == h)
                terms.emplace_back(hydros_[at(j)].diverted[at(k)], factor);
        }
        return terms;
    }

    static void append(Terms& terms, const Terms& more) {
        terms.insert(terms.end(), more.begin(), more.end());
    }

    void add_water_balance(int h) {
        const auto& columns = hydros_[at(h)];
        const double zeta = water(-1);
        Terms terms{{columns.storage_out, 1},
                    {columns.storage_in, -1},
                    {columns.inflow, -zeta},
                    {columns.withdrawal_below, -zeta},
                    {columns.withdrawal_above, zeta}};
        if (columns.inflow_slack >= 0)
            terms.emplace_back(columns.inflow_slack, -zeta);
        if (columns.evaporation >= 0)
            terms.emplace_back(columns.evaporation, zeta);
        for (int k = 0; k < blocks(); ++k) {
            append(terms, outflow(h, k, water(k)));
            terms.emplace_back(columns.diverted[at(k)], water(k));
            append(terms, arrivals(h, k, -water(k)));
        }
        const double right = -zeta * system_.hydros[at(h)].withdrawal_m3s[at(t_)];
        row(terms, right, right);
    }

    void add_thermals() {
        for (const auto& thermal : system_.thermals) {
            thermals_.emplace_back();
            for (int k = 0; k < blocks(); ++k)
                thermals_.back().push_back(column(
                    thermal.cost[at(t_)] * hours(k), thermal.min_mw(t_, k), thermal.max_mw(t_, k)));
        }
    }

    void add_lines() {
        for (const auto& line : system_.lines) {
            direct_.emplace_back();
            reverse_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                const double cost = line.exchange_cost[at(t_)] * hours(k);
                direct_.back().push_back(column(cost, 0, line.direct_mw(t_, k)));
                reverse_.back().push_back(column(cost, 0, line.reverse_mw(t_, k)));
            }
        }
    }

    // Power and what is curtailed of it share the availability.
    void add_sources() {
        for (int n = 0; n < static_cast<int>(system_.sources.size()); ++n) {
            const auto& source = system_.sources[at(n)];
            sources_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                const double available = availability(n) * source.factor(t_, k);
                const int power = column(0, source.allow_curtailment ? 0 : available, available);
                const int curtailed =
                    column(source.curtailment_cost[at(t_)] * hours(k), 0, lp::infinity);
                row({{power, 1}, {curtailed, 1}}, available, available);
                sources_.back().push_back(power);
            }
        }
    }

    [[nodiscard]] double availability(int n) const {
        const auto& source = system_.sources[at(n)];
        const auto& layout = problem_.process.layout;
        if (!source.is_stochastic)
            return source.in_service[at(t_)] * source.available_mw[at(t_)];
        const auto found = std::find(layout.sources.begin(), layout.sources.end(), n);
        const auto position = layout.hydros + static_cast<int>(layout.buses.size()) +
                              static_cast<int>(found - layout.sources.begin());
        const double share = source.mean[at(t_)] + source.std[at(t_)] * noise_[at(position)];
        return source.in_service[at(t_)] * source.max_generation_mw * std::clamp(share, 0.0, 1.0);
    }

    void add_buses() {
        for (const auto& bus : system_.buses) {
            buses_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                auto& segments = buses_.back().deficit.emplace_back();
                for (const auto& segment : bus.deficit)
                    segments.push_back(column(segment.cost * hours(k), 0, segment.depth_mw));
                buses_.back().excess.push_back(
                    column(bus.excess_cost[at(t_)] * hours(k), 0, lp::infinity));
            }
        }
    }

    [[nodiscard]] double load(int b, int k) const {
        const auto& bus = system_.buses[at(b)];
        const auto& layout = problem_.process.layout;
        double mean = bus.mean_load_mw[at(t_)];
        const auto found = std::find(layout.buses.begin(), layout.buses.end(), b);
        if (found != layout.buses.end()) {
            const auto position = layout.hydros + static_cast<int>(found - layout.buses.begin());
            mean = std::max(0.0, mean + bus.load_std_mw[at(t_)] * noise_[at(position)]);
        }
        return mean * bus.load_factor(t_, k);
    }

    void add_load_balance(int b, int k) {
        Terms terms;
        for (int h = 0; h < hydro_count(); ++h)
            append(terms, generation(h, k, 1, b));
        for (std::size_t j = 0; j < thermals_.size(); ++j)
            if (system_.thermals[j].bus == b)
                terms.emplace_back(thermals_[j][at(k)], 1);
        for (std::size_t n = 0; n < sources_.size(); ++n)
            if (system_.sources[n].bus == b)
                terms.emplace_back(sources_[n][at(k)], 1);
        for (std::size_t l = 0; l < direct_.size(); ++l) {
            const double sign =
                (system_.lines[l].target == b ? 1 : 0) - (system_.lines[l].source == b ? 1 : 0);
            terms.emplace_back(direct_[l][at(k)], sign);
            terms.emplace_back(reverse_[l][at(k)], -sign);
        }
        append(terms, deficit(b, k, 1));
        terms.emplace_back(buses_[at(b)].excess[at(k)], -1);
        row(terms, load(b, k), load(b, k));
    }

    [[nodiscard]] Terms generation(int h, int k, double factor, int bus) const {
        Terms terms;
        for (const auto& cell : hydros_[at(h)].cells)
            if (bus < 0 || cell.bus == bus)
                terms.emplace_back(cell.power[at(k)], factor);
        return terms;
    }

    [[nodiscard]] Terms deficit(int b, int k, double factor) const {
        Terms terms;
        for (const int segment : buses_[at(b)].deficit[at(k)])
            terms.emplace_back(segment, factor);
        return terms;
    }

    void add_constraint(const sddp::GenericConstraint& constraint) {
        for (const auto& limits : constraint.rows) {
            if (limits.stage != t_)
                continue;
            Terms terms;
            for (const auto& term : limits.terms)
                append(terms, quantity(term, term.block >= 0 ? term.block : limits.block));
            const double penalty = constraint.penalty * hours(limits.block);
            if (constraint.has_slack && std::isfinite(limits.lower))
                terms.emplace_back(column(penalty, 0, lp::infinity), 1);
            if (constraint.has_slack && std::isfinite(limits.upper))
                terms.emplace_back(column(penalty, 0, lp::infinity), -1);
            row(terms, limits.lower, limits.upper);
        }
    }

    // Over a whole stage a rate is its mean over the hours.
    [[nodiscard]] Terms quantity(const sddp::ConstraintTerm& term, int block) const {
        if (block >= 0)
            return quantity_in(term, block, term.coefficient);
        Terms terms;
        for (int k = 0; k < blocks(); ++k)
            append(terms, quantity_in(term, k, term.coefficient * hours(k) / stage_hours_));
        return terms;
    }

    [[nodiscard]] Terms quantity_in(const sddp::ConstraintTerm& term, int k, double factor) const {
        using enum sddp::Quantity;
        const int e = term.entity;
        switch (term.quantity) {
            case hydro_storage_initial:
                return {{hydros_[at(e)].storage_in, factor}};
            case hydro_storage_final:
                return {{hydros_[at(e)].storage_out, factor}};
            case hydro_evaporation:
                return hydros_[at(e)].evaporation < 0 ? Terms{}
                                                      : Terms{{hydros_[at(e)].evaporation, factor}};
            case hydro_inflow: {
                Terms terms = arrivals(e, k, factor);
                terms.emplace_back(hydros_[at(e)].inflow, factor);
                return terms;
            }
            case hydro_turbined:
                return turbined(e, k, factor, term.bus);
            case hydro_spillage:
                return {{hydros_[at(e)].spilled[at(k)], factor}};
            case hydro_diversion:
                return {{hydros_[at(e)].diverted[at(k)], factor}};
            case hydro_outflow:
                return outflow(e, k, factor);
            case hydro_generation:
                return generation(e, k, factor, term.bus);
            case thermal_generation:
                return {{thermals_[at(e)][at(k)], factor}};
            case line_direct:
                return {{direct_[at(e)][at(k)], factor}};
            case line_reverse:
                return {{reverse_[at(e)][at(k)], factor}};
            case bus_deficit:
                return deficit(e, k, factor);
            case bus_excess:
                return {{buses_[at(e)].excess[at(k)], factor}};
        }
        return {};
    }

    lp::ModelBuilder& builder_;
    const sddp::Problem& problem_;
    const sddp::System& system_;
    int t_;
    const sddp::Stage& stage_;
    std::span<const double> noise_;
    CostSink sink_;
    std::vector<double> hours_;
    double stage_hours_ = 0;

    std::vector<HydroColumns> hydros_;
    std::vector<int> lags_;
    std::vector<std::vector<int>> thermals_, direct_, reverse_, sources_;  // [entity][block]
    std::vector<BusColumns> buses_;
};

}  // namespace

int add_column(
    lp::ModelBuilder& builder, const CostSink& sink, double cost, double lower, double upper) {
    const double weighted = sink.weight * cost;
    const int column = builder.add_column(sink.row < 0 ? weighted : 0, lower, upper);
    if (sink.row >= 0)
        builder.add_entry(sink.row, column, -weighted);
    return column;
}

PathState add_node(lp::ModelBuilder& builder,
                   const sddp::Problem& problem,
                   int stage,
                   std::span<const double> noise,
                   const PathState& incoming,
                   const CostSink& sink) {
    return NodeWriter(builder, problem, stage, noise, sink).write(incoming);
}

}  // namespace lockstep::test
