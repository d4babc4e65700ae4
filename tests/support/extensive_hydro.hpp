#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "support/extensive_part.hpp"
#include "support/season_means.hpp"

namespace lockstep::test {

/// The groups of a plant that feed one bus.
struct CellColumns {
    int bus = -1;
    std::vector<const sddp::UnitGroup*> groups;
    std::vector<int> turbined;  ///< [blocks]
    std::vector<int> power;     ///< [blocks], MW
};

/// Columns of a plant, -1 where it has none.
struct HydroColumns {
    int storage_in = -1;
    int storage_out = -1;
    int inflow = -1;
    int inflow_slack = -1;
    std::vector<int> storage_between;  ///< [periods - 1]
    std::vector<int> evaporation;      ///< [periods], empty for none
    int withdrawal_below = -1;
    int withdrawal_above = -1;
    std::vector<int> spilled;   ///< [blocks]
    std::vector<int> diverted;  ///< [blocks]
    std::vector<CellColumns> cells;
};

/// Reservoirs, turbines and rivers of a node.
class HydroPart : public NodePart {
public:
    using NodePart::NodePart;

    /// Inflows that do not depend on those before.
    void pin(std::span<const double> inflow) { pinned_ = inflow; }

    PathState write(const PathState& incoming) {
        PathState outgoing;
        add_states(incoming);
        add_inflows(incoming, outgoing);
        for (int h = 0; h < hydro_count(); ++h) {
            add_hydro_controls(h);
        }
        add_pumps();
        pass_on(incoming, outgoing);
        for (int h = 0; h < hydro_count(); ++h) {
            add_water_balance(h);
        }
        return outgoing;
    }

    /// Storage before and after a period: a block of a chronological stage, or the stage.
    [[nodiscard]] int storage_before(int h, int period) const {
        const auto& columns = hydros_[at(h)];
        return period == 0 ? columns.storage_in : columns.storage_between[at(period - 1)];
    }
    [[nodiscard]] int storage_after(int h, int period) const {
        const auto& columns = hydros_[at(h)];
        return period + 1 < periods() ? columns.storage_between[at(period)] : columns.storage_out;
    }
    [[nodiscard]] int period_of(int block) const { return periods() > 1 ? block : 0; }

    [[nodiscard]] const HydroColumns& columns(int h) const { return hydros_[at(h)]; }

    /// factor·turbined flow of plant h in block k, of one bus only unless that is -1.
    [[nodiscard]] Terms turbined(int h, int k, double factor, int bus = -1) const {
        Terms terms;
        for (const auto& cell : hydros_[at(h)].cells) {
            if (bus < 0 || cell.bus == bus) {
                terms.emplace_back(cell.turbined[at(k)], factor);
            }
        }
        return terms;
    }

    /// factor·(turbined + spilled).
    [[nodiscard]] Terms outflow(int h, int k, double factor) const {
        Terms terms = turbined(h, k, factor);
        terms.emplace_back(hydros_[at(h)].spilled[at(k)], factor);
        return terms;
    }

    /// factor·(releases and diversions into plant h), also of those that pass sites without a dam.
    [[nodiscard]] Terms arrivals(int h, int k, double factor) const {
        Terms terms;
        for (int j = 0; j < hydro_count(); ++j) {
            if (ends_at(system_.hydros[at(j)].downstream) == h) {
                append(terms, outflow(j, k, factor * share(j, k, first_period() + period_of(k))));
            }
            if (ends_at(system_.hydros[at(j)].diversion_target) == h) {
                terms.emplace_back(hydros_[at(j)].diverted[at(k)], factor);
            }
        }
        return terms;
    }

    /// factor·(mean flow of what was on its way and comes to plant h in a period of this stage).
    [[nodiscard]] Terms maturing(int h, int period, double factor) const {
        Terms terms;
        const double volume = water(block_or_all(period));
        for (const auto& coming : due_) {
            if (ends_at(coming.plant) == h && coming.period == first_period() + period) {
                terms.emplace_back(coming.column, factor * coming.hm3_per_unit / volume);
            }
        }
        for (int j = 0; j < hydro_count(); ++j) {
            for (int k = 0; ends_at(system_.hydros[at(j)].downstream) == h && k < period; ++k) {
                const double part = share(j, k, first_period() + period) * water(k) / volume;
                append(terms, outflow(j, k, factor * part));
            }
        }
        return terms;
    }

    /// The plant that keeps or uses water which comes to `h`: the first that is built.
    [[nodiscard]] int ends_at(int h) const {
        if (h < 0 || system_.hydros[at(h)].is_built(t_)) {
            return h;
        }
        return ends_at(system_.hydros[at(h)].downstream);
    }

    /// factor·power [MW], of one bus only unless that is -1.
    [[nodiscard]] Terms generation(int h, int k, double factor, int bus) const {
        Terms terms;
        for (const auto& cell : hydros_[at(h)].cells) {
            if (bus < 0 || cell.bus == bus) {
                terms.emplace_back(cell.power[at(k)], factor);
            }
        }
        return terms;
    }

    /// factor·flow of a pumping station.
    [[nodiscard]] Terms pumped(int station, int k, double factor) const {
        return {{pumped_[at(station)][at(k)], factor}};
    }

private:
    [[nodiscard]] int periods() const { return stage_.is_chronological ? blocks() : 1; }
    [[nodiscard]] int first_period() const { return problem_.calendar.first_period(t_); }
    // Of what plant j releases in block k, the share that comes in a period of the study.
    [[nodiscard]] double share(int j, int k, int period) const {
        const int from = first_period() + period_of(k);
        return system_.hydros[at(j)].arrival_share(from, period - from);
    }
    // Of a period, as hours() and water() take it.
    [[nodiscard]] int block_or_all(int period) const { return periods() > 1 ? period : -1; }

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
            const bool built = plant.is_built(t_);
            hydros_[at(h)].storage_out =
                column(0,
                       built ? plant.min_storage_hm3[at(t_)] : 0,
                       built ? plant.max_storage_hm3[at(t_)] : lp::infinity);
            for (int p = 0; p + 1 < periods(); ++p) {
                hydros_[at(h)].storage_between.push_back(
                    column(0,
                           built ? plant.min_storage_hm3[at(t_)] : 0,
                           built ? plant.max_storage_hm3[at(t_)] : lp::infinity));
            }
            if (!plant.storage_target_hm3.empty()) {
                add_storage_target(h);
            }
        }
        for (const int lag : incoming.lag) {
            lags_.push_back(copy_of(lag));
        }
    }

    void add_storage_target(int h) {
        const auto& plant = system_.hydros[at(h)];
        const double price = plant.phase(t_) == sddp::HydroPhase::filling ? costs(h).filling_below
                                                                          : costs(h).storage_below;
        row({{hydros_[at(h)].storage_out, 1}, {column(price, 0, lp::infinity), 1}},
            plant.storage_target_hm3[at(t_)],
            lp::infinity);
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
                if (remembers_seasons()) {
                    memory += add_season(l, h, model.lag[i], incoming, terms, innovation);
                    continue;
                }
                terms.emplace_back(lags_[i], -model.lag[i]);
                memory += model.lag[i] * incoming.lag_value[i];
            }
            if (truncates() && model.scale[at(h)] > 0) {
                innovation = std::max(innovation, -memory);
            }
            if (!pinned_.empty()) {
                terms = {{z, 1}};
                memory = 0;
                innovation = pinned_[at(h)];
            }
            row(terms, innovation, innovation);
            realised.push_back(memory + innovation);
            hydros_[at(h)].inflow = z;
            if (has_inflow_slack()) {
                hydros_[at(h)].inflow_slack =
                    column(costs(h).inflow_slack * hours(-1), 0, lp::infinity);
            }
        }
        shift_lags(incoming, realised, outgoing);
    }

    /// Whether lags are more than the inflows of the stages before.
    [[nodiscard]] bool remembers_seasons() const {
        return std::ranges::any_of(problem_.process.inflow.stages,
                                   [](const auto& stage) { return !stage.recall.empty(); });
    }

    /// psi times the season that is a lag: into the row of z, its known part into `right`.
    /// @return  what it is on this path, without the known part
    double add_season(
        int lag, int h, double psi, const PathState& incoming, Terms& terms, double& right) const {
        if (psi == 0) {
            return 0;
        }
        double value = 0;
        const SeasonMean mean = season_mean(problem_, t_, lag, h);
        right += psi * mean.constant;
        for (const auto& [s, weight] : mean.of_stage) {
            terms.emplace_back(incoming.inflow[at(s)][at(h)], -psi * weight);
            value += psi * weight * incoming.inflow_value[at(s)][at(h)];
        }
        return value;
    }

    void shift_lags(const PathState& incoming,
                    const std::vector<double>& realised,
                    PathState& outgoing) {
        outgoing.inflow = incoming.inflow;
        outgoing.inflow_value = incoming.inflow_value;
        outgoing.inflow_value.push_back(realised);
        outgoing.inflow.emplace_back();
        for (const auto& plant : hydros_) {
            outgoing.inflow.back().push_back(plant.inflow);
        }
        for (int h = 0; h < hydro_count(); ++h) {
            outgoing.storage.push_back(hydros_[at(h)].storage_out);
        }
        const int lags = problem_.process.inflow.lags;
        for (int l = 0; l < lags; ++l) {
            for (int h = 0; h < hydro_count(); ++h) {
                const auto older = at((l - 1) * hydro_count() + h);
                outgoing.lag.push_back(l == 0 ? hydros_[at(h)].inflow : lags_[older]);
                outgoing.lag_value.push_back(l == 0 ? realised[at(h)] : incoming.lag_value[older]);
            }
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
    // Of what is done in one block.
    [[nodiscard]] const sddp::HydroCosts& costs(int h, int k) const {
        const auto& all = system_.hydros[at(h)].block_costs;
        return k < 0 || all.empty() || all[at(t_)].empty() ? costs(h) : all[at(t_)][at(k)];
    }

    void add_hydro_controls(int h) {
        const auto& plant = system_.hydros[at(h)];
        auto& columns = hydros_[at(h)];
        for (int k = 0; k < blocks(); ++k) {
            columns.spilled.push_back(column(costs(h, k).spillage * hours(k),
                                             plant.min_spillage_m3s(t_, k),
                                             plant.max_spillage_m3s(t_, k)));
            columns.diverted.push_back(column(costs(h, k).diversion * hours(k),
                                              plant.min_diversion_m3s(t_, k),
                                              plant.max_diversion_m3s(t_, k)));
        }
        for (const auto& group : plant.groups) {
            cell_of(columns, group.bus).groups.push_back(&group);
        }
        for (auto& cell : columns.cells) {
            for (int k = 0; k < blocks(); ++k) {
                add_cell(h, cell, k);
            }
        }
        for (int k = 0; k < blocks(); ++k) {
            add_outflow_limits(h, k);
        }
        add_evaporation(h);
        add_withdrawal_slacks(h);
    }

    static CellColumns& cell_of(HydroColumns& columns, int bus) {
        for (auto& cell : columns.cells) {
            if (cell.bus == bus) {
                return cell;
            }
        }
        columns.cells.emplace_back();
        columns.cells.back().bus = bus;
        return columns.cells.back();
    }

    void add_cell(int h, CellColumns& cell, int k) {
        const auto& plant = system_.hydros[at(h)];
        if (plant.planes[at(t_)].empty()) {
            add_constant_cell(plant, costs(h, k).turbined * hours(k), cell, k);
        } else {
            add_plane_cell(h, cell, k);
        }
        double min_turbined = 0;
        double min_generation = 0;
        for (const auto* group : cell.groups) {
            min_turbined += group->min_turbined_m3s(t_, k);
            min_generation += group->min_generation_mw(t_, k);
        }
        at_least(cell.turbined[at(k)], min_turbined, costs(h, k).turbined_below * hours(k));
        at_least(cell.power[at(k)], min_generation, costs(h, k).generation_below * hours(k));
    }

    void at_least(int col, double minimum, double penalty) {
        row({{col, 1}, {column(penalty, 0, lp::infinity), 1}}, minimum, lp::infinity);
    }

    void add_constant_cell(const sddp::Hydro& plant, double cost, CellColumns& cell, int k) {
        const double rho = plant.productivity[at(t_)];
        double groups = 0;
        for (const auto* group : cell.groups) {
            groups +=
                turbine_limit(group->max_turbined_m3s(t_, k), group->max_generation_mw(t_, k), rho);
        }
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
        const int period = period_of(k);
        double flow = 0;
        double power = 0;
        for (const auto* group : cell.groups) {
            flow += group->max_turbined_m3s(t_, k);
            power += group->max_generation_mw(t_, k);
        }
        const int q = column(
            costs(h, k).turbined * hours(k), 0, std::min(flow, plant.max_turbined_m3s(t_, k)));
        const int p = column(0, 0, std::min(power, plant.max_generation_mw(t_, k)));
        const double share = share_of(cell, plant);
        for (const auto& plane : plant.planes[at(t_)]) {
            row({{p, 1},
                 {storage_before(h, period), -share * plane.volume / 2},
                 {storage_after(h, period), -share * plane.volume / 2},
                 {q, -plane.turbined},
                 {columns.spilled[at(k)], -share * plane.spilled}},
                -lp::infinity,
                share * plane.intercept);
        }
        cell.turbined.push_back(q);
        cell.power.push_back(p);
    }

    // The cell's part of the turbines that the plant was built with.
    static double share_of(const CellColumns& cell, const sddp::Hydro& plant) {
        if (cell.groups.size() == plant.groups.size()) {
            return 1;
        }
        double part = 0;
        for (const auto* group : cell.groups) {
            part += group->declared_max_turbined_m3s;
        }
        double whole = 0;
        for (const auto& group : plant.groups) {
            whole += group.declared_max_turbined_m3s;
        }
        return part / whole;
    }

    void add_outflow_limits(int h, int k) {
        const auto& plant = system_.hydros[at(h)];
        Terms below = outflow(h, k, 1);
        below.emplace_back(column(costs(h, k).outflow_below * hours(k), 0, lp::infinity), 1);
        row(below, plant.min_outflow_m3s(t_, k), lp::infinity);
        Terms above = outflow(h, k, 1);
        above.emplace_back(column(costs(h, k).outflow_above * hours(k), 0, lp::infinity), -1);
        row(above, -lp::infinity, plant.max_outflow_m3s(t_, k));
    }

    void add_evaporation(int h) {
        const auto& evaporation = system_.hydros[at(h)].evaporation[at(t_)];
        if (!evaporation) {
            return;
        }
        for (int p = 0; p < periods(); ++p) {
            const double length = hours(block_or_all(p));
            const int flow = column(0, -evaporation->limit_m3s, evaporation->limit_m3s);
            const int less =
                column(costs(h, block_or_all(p)).evaporation_below * length, 0, lp::infinity);
            const int more =
                column(costs(h, block_or_all(p)).evaporation_above * length, 0, lp::infinity);
            row({{flow, 1},
                 {storage_before(h, p), -evaporation->kv / 2},
                 {storage_after(h, p), -evaporation->kv / 2},
                 {less, 1},
                 {more, -1}},
                evaporation->k0,
                evaporation->k0);
            hydros_[at(h)].evaporation.push_back(flow);
        }
    }

    // What is taken may not change its sign. Where no plant gets the water of a site all is taken.
    void add_withdrawal_slacks(int h) {
        const double demand = ends_at(h) < 0 ? 0 : system_.hydros[at(h)].withdrawal_m3s[at(t_)];
        const double most_below = demand > 0 ? demand : demand < 0 ? lp::infinity : 0;
        const double most_above = demand > 0 ? lp::infinity : -demand;
        hydros_[at(h)].withdrawal_below =
            column(costs(h).withdrawal_below * hours(-1), 0, most_below);
        hydros_[at(h)].withdrawal_above =
            column(costs(h).withdrawal_above * hours(-1), 0, most_above);
    }

    void add_pumps() {
        for (const auto& station : system_.pumping_stations) {
            pumped_.emplace_back();
            for (int k = 0; k < blocks(); ++k) {
                pumped_.back().push_back(column(0, station.min_m3s(t_, k), station.max_m3s(t_, k)));
            }
        }
    }

    // What is due comes; what is released now and comes later is on its way from now on.
    void pass_on(const PathState& incoming, PathState& outgoing) {
        const int next = problem_.calendar.first_period(t_ + 1);
        const int end = problem_.calendar.first_period(problem_.stage_count());
        for (const auto& water : incoming.transit) {
            (water.period < next ? due_ : outgoing.transit).push_back(water);
        }
        for (int h = 0; h < hydro_count(); ++h) {
            const auto& plant = system_.hydros[at(h)];
            for (int period = next; plant.downstream >= 0 && period < end; ++period) {
                for (int k = 0; k < blocks(); ++k) {
                    const double part = share(h, k, period) * water(k);
                    for (const auto& [col, value] : outflow(h, k, part)) {
                        outgoing.transit.push_back({plant.downstream, period, col, value});
                    }
                }
            }
        }
    }

    /// factor·(flow that stations take from plant h, less what they bring).
    [[nodiscard]] Terms lifted(int h, int k, double factor) const {
        Terms terms;
        for (int j = 0; j < static_cast<int>(pumped_.size()); ++j) {
            const auto& station = system_.pumping_stations[at(j)];
            if (station.source == h) {
                append(terms, pumped(j, k, factor));
            }
            if (station.destination == h) {
                append(terms, pumped(j, k, -factor));
            }
        }
        return terms;
    }

    void add_water_balance(int h) {
        for (int p = 0; p < periods(); ++p) {
            add_water_balance(h, p);
        }
    }

    void add_water_balance(int h, int period) {
        const auto& columns = hydros_[at(h)];
        const double zeta = water(block_or_all(period));
        Terms terms{{storage_after(h, period), 1}, {storage_before(h, period), -1}};
        double right = 0;
        for (int j = 0; j < hydro_count(); ++j) {
            if (ends_at(j) == h) {
                append(terms, rates(j, zeta));
                right -= zeta * system_.hydros[at(j)].withdrawal_m3s[at(t_)];
            }
        }
        if (!columns.evaporation.empty()) {
            terms.emplace_back(columns.evaporation[at(period)], zeta);
        }
        append(terms, maturing(h, period, -zeta));
        for (int k = 0; k < blocks(); ++k) {
            if (period_of(k) == period) {
                append(terms, outflow(h, k, water(k)));
                terms.emplace_back(columns.diverted[at(k)], water(k));
                append(terms, arrivals(h, k, -water(k)));
                append(terms, lifted(h, k, water(k)));
            }
        }
        row(terms, right, right);
    }

    // What leaves the river at the site of a plant, at rates of the stage.
    [[nodiscard]] Terms rates(int h, double zeta) const {
        const auto& columns = hydros_[at(h)];
        Terms terms{{columns.inflow, -zeta},
                    {columns.withdrawal_below, -zeta},
                    {columns.withdrawal_above, zeta}};
        if (columns.inflow_slack >= 0) {
            terms.emplace_back(columns.inflow_slack, -zeta);
        }
        return terms;
    }

    std::vector<HydroColumns> hydros_;
    std::vector<UnderWay> due_;
    std::vector<std::vector<int>> pumped_;  // [pumping stations][blocks]
    std::vector<int> lags_;
    std::span<const double> pinned_;  // [hydros], or none
};

}  // namespace lockstep::test
