#pragma once

#include "support/stage_check.hpp"

namespace lockstep::test {

/// Recomputes cost parts and constraint slacks of a stage from the reported quantities.
class CostCheck : public StageCheck {
public:
    explicit CostCheck(const StageCheck& stage) : StageCheck(stage) {}

    void check() {
        check_power_costs();
        check_hydro_costs();
        check_constraints();
        expect_cost("sum of costs", result_.cost.immediate, sum_of_parts());
    }

private:
    // Σ over entities and blocks of price·hours·quantity.
    template <typename F>
    [[nodiscard]] double cost_of(std::size_t entities,
                                 const std::vector<double>& quantity,
                                 F&& price) const {
        double sum = 0;
        for (int e = 0; e < static_cast<int>(entities); ++e) {
            for (int k = 0; k < result_.blocks; ++k) {
                sum += price(e, k) * hours(k) * in(quantity, e, k);
            }
        }
        return sum;
    }

    template <typename F>
    [[nodiscard]] double hydro_cost(const std::vector<double>& quantity, F&& price) const {
        return cost_of(system_.hydros.size(), quantity, [&](int h, int k) {
            return price(system_.hydros[at(h)].costs_in(t_, k));
        });
    }

    // The same for rates that hold for the whole stage.
    template <typename F>
    [[nodiscard]] double stage_cost(const std::vector<double>& quantity, F&& price) const {
        double sum = 0;
        for (int h = 0; h < problem_.hydro_count(); ++h) {
            sum += price(system_.hydros[at(h)].costs[at(t_)]) * stage_.hours() * quantity[at(h)];
        }
        return sum;
    }

    void check_power_costs() {
        const auto& cost = result_.cost;
        expect_cost("thermal cost",
                    cost.thermal,
                    cost_of(system_.thermals.size(), result_.thermal_mw, [this](int j, int) {
                        const auto& thermal = system_.thermals[at(j)];
                        return thermal.delivered_in(t_) == nullptr ? thermal.cost[at(t_)] : 0;
                    }));
        expect_cost("cost of decisions", cost.anticipated, decision_cost());
        expect_cost("contract cost", cost.contract, contract_cost());
        expect_cost("deficit cost", cost.deficit, deficit_cost());
        expect_cost("excess cost",
                    cost.excess,
                    cost_of(system_.buses.size(), result_.excess_mw, [this](int b, int k) {
                        return system_.buses[at(b)].excess_cost(t_, k);
                    }));
        const auto exchange = [this](int l, int k) {
            return system_.lines[at(l)].exchange_cost(t_, k);
        };
        expect_cost("exchange cost",
                    cost.exchange,
                    cost_of(system_.lines.size(), result_.direct_mw, exchange) +
                        cost_of(system_.lines.size(), result_.reverse_mw, exchange));
        expect_cost("curtailment cost",
                    cost.curtailment,
                    cost_of(system_.sources.size(), result_.curtailed_mw, [this](int n, int k) {
                        return system_.sources[at(n)].curtailment_cost(t_, k);
                    }));
    }

    void check_hydro_costs() {
        using Costs = sddp::HydroCosts;
        const auto& cost = result_.cost;
        expect_cost(
            "spillage cost",
            cost.spillage,
            hydro_cost(hydro().spillage_m3s, [](const Costs& c) { return c.spillage; }) +
                hydro_cost(hydro().diverted_m3s, [](const Costs& c) { return c.diversion; }));
        expect_cost("turbined cost",
                    cost.turbined,
                    hydro_cost(hydro().turbined_m3s, [](const Costs& c) { return c.turbined; }));
        expect_cost("turbined penalty",
                    cost.turbined_below,
                    hydro_cost(hydro().turbined_slack_m3s,
                               [](const Costs& c) { return c.turbined_below; }));
        expect_cost("outflow penalty below",
                    cost.outflow_below,
                    hydro_cost(hydro().outflow_slack_below_m3s,
                               [](const Costs& c) { return c.outflow_below; }));
        expect_cost("outflow penalty above",
                    cost.outflow_above,
                    hydro_cost(hydro().outflow_slack_above_m3s,
                               [](const Costs& c) { return c.outflow_above; }));
        expect_cost("generation penalty",
                    cost.generation_below,
                    hydro_cost(hydro().generation_slack_mw,
                               [](const Costs& c) { return c.generation_below; }));
        expect_cost("evaporation penalty", cost.evaporation, evaporation_cost());
        expect_cost("withdrawal penalty",
                    cost.withdrawal,
                    stage_cost(hydro().withdrawal_above_m3s, [](const Costs& c) {
                        return c.withdrawal_above;
                    }) + stage_cost(hydro().withdrawal_below_m3s, [](const Costs& c) {
                        return c.withdrawal_below;
                    }));
        check_storage_costs();
        expect_cost(
            "inflow penalty",
            cost.inflow_slack,
            stage_cost(hydro().inflow_slack_m3s, [](const Costs& c) { return c.inflow_slack; }));
    }

    [[nodiscard]] double evaporation_cost() const {
        double sum = 0;
        for (int h = 0; h < problem_.hydro_count(); ++h) {
            for (int p = 0; p < periods(); ++p) {
                const auto& costs = system_.hydros[at(h)].costs_in(t_, periods() > 1 ? p : -1);
                sum += period_hours(p) *
                       (costs.evaporation_above * in_period(hydro().evaporation_above_m3s, h, p) +
                        costs.evaporation_below * in_period(hydro().evaporation_below_m3s, h, p));
            }
        }
        return sum;
    }

    // Per hm³, not per hour.
    void check_storage_costs() {
        double operating = 0;
        double filling = 0;
        for (int h = 0; h < problem_.hydro_count(); ++h) {
            const auto& plant = system_.hydros[at(h)];
            const auto& costs = plant.costs[at(t_)];
            if (plant.phase(t_) == sddp::HydroPhase::filling) {
                filling += costs.filling_below * hydro().storage_below_hm3[at(h)];
            } else {
                operating += costs.storage_below * hydro().storage_below_hm3[at(h)];
            }
        }
        expect_cost("storage penalty", result_.cost.storage_below, operating);
        expect_cost("filling penalty", result_.cost.filling_below, filling);
    }

    [[nodiscard]] double decision_cost() const {
        double sum = 0;
        int first = 0;
        for (const auto& thermal : system_.thermals) {
            for (const auto& delivery : thermal.deliveries) {
                if (delivery.decided_in == t_) {
                    sum += delivery.cost_per_mw *
                           result_.pending_mw[at(first + delivery.stage % thermal.commitments)];
                }
            }
            first += thermal.commitments;
        }
        return sum;
    }

    [[nodiscard]] double contract_cost() const {
        double sum = 0;
        for (int c = 0; c < static_cast<int>(system_.contracts.size()); ++c) {
            for (int k = 0; k < result_.blocks; ++k) {
                sum += system_.contracts[at(c)].price(t_, k) * hours(k) *
                       in(result_.contract_mw, c, k);
            }
        }
        return sum;
    }

    // Cheap segments fill first.
    [[nodiscard]] double deficit_cost() const {
        double sum = 0;
        for (int b = 0; b < static_cast<int>(system_.buses.size()); ++b) {
            for (int k = 0; k < result_.blocks; ++k) {
                double left = in(result_.deficit_mw, b, k);
                for (const auto& segment : system_.buses[at(b)].deficit) {
                    const double part = std::min(left, segment.depth_mw);
                    sum += segment.cost * hours(k) * part;
                    left -= part;
                }
            }
        }
        return sum;
    }

    void check_constraints() {
        auto slack = result_.generic.begin();
        double total = 0;
        for (int c = 0; c < static_cast<int>(system_.constraints.size()); ++c) {
            const auto& constraint = system_.constraints[at(c)];
            for (const auto& row : constraint.rows) {
                if (row.stage != t_) {
                    continue;
                }
                const double value = activity(row);
                const double below = std::max(0.0, row.lower - value);
                const double above = std::max(0.0, value - row.upper);
                if (!constraint.has_slack) {
                    expect_within("hard constraint", value, row.lower, row.upper);
                }
                const double violation = constraint.has_slack ? below + above : 0;
                const bool is_signed = std::isfinite(row.lower) && std::isfinite(row.upper);
                total += constraint.penalty * hours(row.block) * violation;
                if (slack == result_.generic.end()) {
                    return fault("slacks of constraints missing", c, 0);
                }
                expect_equal("constraint of a slack", slack->constraint, c);
                expect_equal("block of a slack", slack->block, row.block);
                expect_equal(
                    "slack", slack->value, is_signed && above > 0 ? -violation : violation);
                expect_cost("cost of a slack",
                            slack->cost,
                            constraint.penalty * hours(row.block) * violation);
                ++slack;
            }
        }
        expect_cost("generic cost", result_.cost.generic, total);
    }

    [[nodiscard]] double activity(const sddp::ConstraintRow& row) const {
        double sum = 0;
        for (const auto& term : row.terms) {
            sum += term.coefficient * mean_of(term, term.block < 0 ? row.block : term.block);
        }
        return sum;
    }

    // Over a whole stage a rate is its mean over the hours.
    [[nodiscard]] double mean_of(const sddp::ConstraintTerm& term, int block) const {
        if (block >= 0) {
            return quantity(term, block);
        }
        double sum = 0;
        for (int k = 0; k < result_.blocks; ++k) {
            sum += quantity(term, k) * hours(k) / hours(-1);
        }
        return sum;
    }

    [[nodiscard]] double quantity(const sddp::ConstraintTerm& term, int k) const {
        using enum sddp::Quantity;
        const int e = term.entity;
        switch (term.quantity) {
            case hydro_storage_initial:
                return storage_before(e, term.block < 0 ? 0 : period_of(term.block));
            case hydro_storage_final:
                return storage_after(e, term.block < 0 ? periods() - 1 : period_of(term.block));
            case hydro_evaporation:
                return in_period(hydro().evaporation_m3s, e, period_of(k));
            case hydro_inflow:
                return natural_inflow(e) + released_into(e, k) + due(e, k);
            case hydro_turbined:
                return of_cells(result_.cell.turbined_m3s, term, k);
            case hydro_spillage:
                return in(hydro().spillage_m3s, e, k);
            case hydro_diversion:
                return in(hydro().diverted_m3s, e, k);
            case hydro_outflow:
                return in(hydro().turbined_m3s, e, k) + in(hydro().spillage_m3s, e, k);
            case hydro_generation:
                return of_cells(result_.cell.generation_mw, term, k);
            case thermal_generation:
                return in(result_.thermal_mw, e, k);
            case line_direct:
                return in(result_.direct_mw, e, k);
            case line_reverse:
                return in(result_.reverse_mw, e, k);
            case bus_deficit:
                return in(result_.deficit_mw, e, k);
            case bus_excess:
                return in(result_.excess_mw, e, k);
            case anticipated_decision:
                return result_.decided_mw[at(e)];
            case contract_power:
                return in(result_.contract_mw, e, k);
            case pumping_flow:
                return in(result_.pumped_m3s, e, k);
            case hydro_withdrawal:
                return problem_.system.hydros[at(e)].withdrawal_m3s[at(result_.stage)] +
                       hydro().withdrawal_above_m3s[at(e)] - hydro().withdrawal_below_m3s[at(e)];
            case source_generation:
                return in(result_.available_mw, e, k) - in(result_.curtailed_mw, e, k);
            case source_curtailment:
                return in(result_.curtailed_mw, e, k);
            case battery_charge:
                return in(result_.charge_mw, e, k);
            case battery_discharge:
                return in(result_.discharge_mw, e, k);
            case battery_energy_initial:
                return energy_after(e, term.block < 0 ? 0 : period_of(term.block));
            case battery_energy_final:
                return energy_after(e, term.block < 0 ? periods() : period_of(term.block) + 1);
        }
        return 0;
    }

    // Of a battery, after so many periods.
    [[nodiscard]] double energy_after(int b, int count) const {
        const auto& battery = system_.batteries[at(b)];
        double energy = result_.energy_initial_mwh[at(b)];
        for (int k = 0; k < result_.blocks; ++k) {
            if (period_of(k) < count) {
                energy +=
                    hours(k) * (in(result_.charge_mw, b, k) * battery.charge_efficiency -
                                in(result_.discharge_mw, b, k) / battery.discharge_efficiency);
            }
        }
        return energy;
    }

    [[nodiscard]] double natural_inflow(int h) const {
        double sum = hydro().incremental_inflow_m3s[at(h)];
        for (int j = 0; j < problem_.hydro_count(); ++j) {
            sum += passes(j, h) ? hydro().incremental_inflow_m3s[at(j)] : 0;
        }
        return sum;
    }

    [[nodiscard]] double of_cells(const std::vector<double>& values,
                                  const sddp::ConstraintTerm& term,
                                  int k) const {
        double sum = 0;
        for (int c = 0; c < static_cast<int>(result_.cell.hydro.size()); ++c) {
            if (result_.cell.hydro[at(c)] == term.entity &&
                (term.bus < 0 || result_.cell.bus[at(c)] == term.bus)) {
                sum += in(values, c, k);
            }
        }
        return sum;
    }

    [[nodiscard]] double sum_of_parts() const {
        const auto& c = result_.cost;
        return c.thermal + c.anticipated + c.deficit + c.excess + c.exchange + c.curtailment +
               c.spillage + c.turbined + c.outflow_below + c.outflow_above + c.turbined_below +
               c.generation_below + c.evaporation + c.withdrawal + c.inflow_slack + c.generic +
               c.contract + c.storage_below + c.filling_below;
    }
};

}  // namespace lockstep::test
