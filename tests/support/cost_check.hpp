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
                sum += price(e) * hours(k) * in(quantity, e, k);
            }
        }
        return sum;
    }

    template <typename F>
    [[nodiscard]] double hydro_cost(const std::vector<double>& quantity, F&& price) const {
        return cost_of(system_.hydros.size(), quantity, [&](int h) {
            return price(system_.hydros[at(h)].costs[at(t_)]);
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
                    cost_of(system_.thermals.size(), result_.thermal_mw, [this](int j) {
                        return system_.thermals[at(j)].cost[at(t_)];
                    }));
        expect_cost("contract cost", cost.contract, contract_cost());
        expect_cost("deficit cost", cost.deficit, deficit_cost());
        expect_cost("excess cost",
                    cost.excess,
                    cost_of(system_.buses.size(), result_.excess_mw, [this](int b) {
                        return system_.buses[at(b)].excess_cost[at(t_)];
                    }));
        const auto exchange = [this](int l) { return system_.lines[at(l)].exchange_cost[at(t_)]; };
        expect_cost("exchange cost",
                    cost.exchange,
                    cost_of(system_.lines.size(), result_.direct_mw, exchange) +
                        cost_of(system_.lines.size(), result_.reverse_mw, exchange));
        expect_cost("curtailment cost",
                    cost.curtailment,
                    cost_of(system_.sources.size(), result_.curtailed_mw, [this](int n) {
                        return system_.sources[at(n)].curtailment_cost[at(t_)];
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
        expect_cost("evaporation penalty",
                    cost.evaporation,
                    stage_cost(hydro().evaporation_above_m3s, [](const Costs& c) {
                        return c.evaporation_above;
                    }) + stage_cost(hydro().evaporation_below_m3s, [](const Costs& c) {
                        return c.evaporation_below;
                    }));
        expect_cost("withdrawal penalty",
                    cost.withdrawal,
                    stage_cost(hydro().withdrawal_above_m3s, [](const Costs& c) {
                        return c.withdrawal_above;
                    }) + stage_cost(hydro().withdrawal_below_m3s, [](const Costs& c) {
                        return c.withdrawal_below;
                    }));
        expect_cost(
            "inflow penalty",
            cost.inflow_slack,
            stage_cost(hydro().inflow_slack_m3s, [](const Costs& c) { return c.inflow_slack; }));
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
                return hydro().storage_initial_hm3[at(e)];
            case hydro_storage_final:
                return hydro().storage_final_hm3[at(e)];
            case hydro_evaporation:
                return hydro().evaporation_m3s[at(e)];
            case hydro_inflow:
                return hydro().incremental_inflow_m3s[at(e)] + arriving(e, k);
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
        }
        return 0;
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
        return c.thermal + c.deficit + c.excess + c.exchange + c.curtailment + c.spillage +
               c.turbined + c.outflow_below + c.outflow_above + c.turbined_below +
               c.generation_below + c.evaporation + c.withdrawal + c.inflow_slack + c.generic +
               c.contract;
    }
};

}  // namespace lockstep::test
