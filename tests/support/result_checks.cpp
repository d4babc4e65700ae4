#include "support/result_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep::test {
namespace {

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

// Compares the figures of one stage.
class StageChecker {
public:
    StageChecker(const sddp::Problem& problem,
                 const sddp::StageResult& result,
                 std::vector<double> noise,
                 std::vector<std::string>& faults)
        : problem_(problem),
          system_(problem.system),
          result_(result),
          t_(result.stage),
          stage_(problem.calendar.stages[at(result.stage)]),
          noise_(std::move(noise)),
          faults_(faults) {}

    void check(const std::vector<double>& storages, const std::vector<double>& lags) {
        expect_equal("blocks", result_.blocks, static_cast<double>(stage_.blocks.size()));
        for (std::size_t i = 0; i < lags.size(); ++i)
            expect_equal("lag", result_.incoming_lags_m3s[i], lags[i]);
        for (int h = 0; h < problem_.hydro_count(); ++h) {
            expect_equal("initial storage", hydro().storage_initial_hm3[at(h)], storages[at(h)]);
            check_inflow(h, lags);
            check_water(h);
            check_evaporation(h);
            for (int k = 0; k < result_.blocks; ++k)
                check_release(h, k);
        }
        check_cells();
        for (int b = 0; b < static_cast<int>(system_.buses.size()); ++b)
            for (int k = 0; k < result_.blocks; ++k)
                check_load(b, k);
        check_sources();
        check_costs();
    }

private:
    [[nodiscard]] const sddp::StageResult::Hydro& hydro() const { return result_.hydro; }
    [[nodiscard]] double hours(int k) const {
        return k < 0 ? stage_.hours() : stage_.blocks[at(k)].hours;
    }
    [[nodiscard]] double in(const std::vector<double>& values, int entity, int block) const {
        return values[at(entity * result_.blocks + block)];
    }

    // `size`: of what the figure is a part
    void expect_equal(const std::string& what, double found, double wanted, double size = 1) {
        if (!(std::abs(found - wanted) <= 1e-6 * (size + std::abs(wanted))))
            fault(what, found, wanted);
    }
    void expect_cost(const std::string& what, double found, double wanted) {
        expect_equal(what, found, wanted, 1 + 1e-3 * result_.cost.immediate);
    }
    void expect_within(const std::string& what, double found, double lower, double upper) {
        if (!(found >= lower - 1e-6 * (1 + std::abs(lower))))
            fault(what + " below", found, lower);
        if (!(found <= upper + 1e-6 * (1 + std::abs(upper))))
            fault(what + " above", found, upper);
    }
    void fault(const std::string& what, double found, double wanted) {
        faults_.push_back("stage " + std::to_string(t_) + ": " + what + " " +
                          std::to_string(found) + ", not " + std::to_string(wanted));
    }

    void check_inflow(int h, const std::vector<double>& lags) {
        const auto& inflow = problem_.process.inflow;
        const auto& model = inflow.stages[at(t_)];
        double z = model.base[at(h)] + model.scale[at(h)] * noise_[at(h)];
        for (int l = 0; l < inflow.lags; ++l) {
            const auto i = at(l * problem_.hydro_count() + h);
            z += model.lag[i] * lags[i];
        }
        const auto mode = problem_.process.non_negativity;
        if (mode == sddp::NonNegativity::truncation ||
            mode == sddp::NonNegativity::truncation_with_penalty)
            z = std::max(z, 0.0);
        expect_equal("inflow", hydro().incremental_inflow_m3s[at(h)], z);
    }

    [[nodiscard]] double arriving(int h, int k) const {
        double sum = 0;
        for (int j = 0; j < problem_.hydro_count(); ++j) {
            if (system_.hydros[at(j)].downstream == h)
                sum += in(hydro().turbined_m3s, j, k) + in(hydro().spillage_m3s, j, k);
            if (system_.hydros[at(j)].diversion_target == h)
                sum += in(hydro().diverted_m3s, j, k);
        }
        return sum;
    }

    void check_water(int h) {
        const auto& plant = system_.hydros[at(h)];
        const double rate = hydro().incremental_inflow_m3s[at(h)] +
                            hydro().inflow_slack_m3s[at(h)] - hydro().evaporation_m3s[at(h)] -
                            (plant.withdrawal_m3s[at(t_)] + hydro().withdrawal_above_m3s[at(h)] -
                             hydro().withdrawal_below_m3s[at(h)]);
        double water =
            hydro().storage_initial_hm3[at(h)] + sddp::hm3_per_m3s_hour * stage_.hours() * rate;
        for (int k = 0; k < result_.blocks; ++k)
            water += sddp::hm3_per_m3s_hour * hours(k) *
                     (arriving(h, k) - in(hydro().turbined_m3s, h, k) -
                      in(hydro().spillage_m3s, h, k) - in(hydro().diverted_m3s, h, k));
        expect_equal("water balance", hydro().storage_final_hm3[at(h)], water);
        expect_within("storage",
                      hydro().storage_final_hm3[at(h)],
                      plant.min_storage_hm3[at(t_)],
                      plant.max_storage_hm3[at(t_)]);
    }

    void check_evaporation(int h) {
        const auto& line = system_.hydros[at(h)].evaporation[at(t_)];
        const double mean =
            (hydro().storage_initial_hm3[at(h)] + hydro().storage_final_hm3[at(h)]) / 2;
        const double model = line ? line->k0 + line->kv * mean : 0;
        expect_equal(
            "evaporation",
            hydro().evaporation_m3s[at(h)],
            model + hydro().evaporation_above_m3s[at(h)] - hydro().evaporation_below_m3s[at(h)]);
        const double limit = line ? line->limit_m3s : 0;
        expect_within("evaporation", hydro().evaporation_m3s[at(h)], -limit, limit);
    }

    void check_release(int h, int k) {
        const auto& plant = system_.hydros[at(h)];
        const double spilled = in(hydro().spillage_m3s, h, k);
        const double outflow = in(hydro().turbined_m3s, h, k) + spilled;
        expect_equal("arriving", in(hydro().arriving_m3s, h, k), arriving(h, k));
        expect_within(
            "spillage", spilled, plant.min_spillage_m3s(t_, k), plant.max_spillage_m3s(t_, k));
        expect_within("diversion",
                      in(hydro().diverted_m3s, h, k),
                      plant.min_diversion_m3s(t_, k),
                      plant.max_diversion_m3s(t_, k));
        expect_equal("outflow too low",
                     in(hydro().outflow_slack_below_m3s, h, k),
                     std::max(0.0, plant.min_outflow_m3s(t_, k) - outflow));
        expect_equal("outflow too high",
                     in(hydro().outflow_slack_above_m3s, h, k),
                     std::max(0.0, outflow - plant.max_outflow_m3s(t_, k)));
    }

    void check_cells() {
        const auto& cell = result_.cell;
        const auto size = at(problem_.hydro_count() * result_.blocks);
        std::vector<double> turbined(size), power(size), flow_slack(size), power_slack(size);
        for (int c = 0; c < static_cast<int>(cell.hydro.size()); ++c)
            for (int k = 0; k < result_.blocks; ++k) {
                const auto i = at(cell.hydro[at(c)] * result_.blocks + k);
                turbined[i] += in(cell.turbined_m3s, c, k);
                power[i] += in(cell.generation_mw, c, k);
                const auto minimum = cell_minimum(c, k);
                flow_slack[i] += std::max(0.0, minimum.first - in(cell.turbined_m3s, c, k));
                power_slack[i] += std::max(0.0, minimum.second - in(cell.generation_mw, c, k));
                check_production(c, k);
            }
        for (std::size_t i = 0; i < size; ++i) {
            expect_equal("turbined by cell", hydro().turbined_m3s[i], turbined[i]);
            expect_equal("generation by cell", hydro().generation_mw[i], power[i]);
            expect_equal("turbined too low", hydro().turbined_slack_m3s[i], flow_slack[i]);
            expect_equal("generation too low", hydro().generation_slack_mw[i], power_slack[i]);
        }
    }

    [[nodiscard]] std::pair<double, double> cell_minimum(int c, int k) const {
        double turbined = 0;
        double power = 0;
        for (const auto& group : system_.hydros[at(result_.cell.hydro[at(c)])].groups)
            if (group.bus == result_.cell.bus[at(c)]) {
                turbined += group.min_turbined_m3s(t_, k);
                power += group.min_generation_mw(t_, k);
            }
        return {turbined, power};
    }

    void check_production(int c, int k) {
        const int h = result_.cell.hydro[at(c)];
        const auto& plant = system_.hydros[at(h)];
        double part = 0;
        double whole = 0;
        for (const auto& group : plant.groups) {
            whole += group.declared_max_turbined_m3s;
            if (group.bus == result_.cell.bus[at(c)])
                part += group.declared_max_turbined_m3s;
        }
        const double q = in(result_.cell.turbined_m3s, c, k);
        const double p = in(result_.cell.generation_mw, c, k);
        if (plant.planes[at(t_)].empty())
            expect_equal("generation", p, plant.productivity[at(t_)] * q);
        const double mean =
            (hydro().storage_initial_hm3[at(h)] + hydro().storage_final_hm3[at(h)]) / 2;
        for (const auto& plane : plant.planes[at(t_)]) {
            const double head = plane.intercept + plane.volume * mean +
                                plane.spilled * in(hydro().spillage_m3s, h, k);
            expect_within("plane", p, 0, part / whole * head + plane.turbined * q);
        }
    }

    void check_load(int b, int k) {
        const auto& bus = system_.buses[at(b)];
        const auto& layout = problem_.process.layout;
        double load = bus.mean_load_mw[at(t_)];
        for (std::size_t i = 0; i < layout.buses.size(); ++i)
            if (layout.buses[i] == b)
                load =
                    std::max(0.0, load + bus.load_std_mw[at(t_)] * noise_[at(layout.hydros) + i]);
        load *= bus.load_factor(t_, k);
        expect_equal("load", in(result_.load_mw, b, k), load);
        double supply = in(result_.deficit_mw, b, k) - in(result_.excess_mw, b, k);
        for (int c = 0; c < static_cast<int>(result_.cell.hydro.size()); ++c)
            if (result_.cell.bus[at(c)] == b)
                supply += in(result_.cell.generation_mw, c, k);
        for (int j = 0; j < static_cast<int>(system_.thermals.size()); ++j)
            if (system_.thermals[at(j)].bus == b)
                supply += in(result_.thermal_mw, j, k);
        for (int n = 0; n < static_cast<int>(system_.sources.size()); ++n)
            if (system_.sources[at(n)].bus == b)
                supply += in(result_.available_mw, n, k) - in(result_.curtailed_mw, n, k);
        for (int l = 0; l < static_cast<int>(system_.lines.size()); ++l) {
            const double flow = in(result_.direct_mw, l, k) - in(result_.reverse_mw, l, k);
            supply += system_.lines[at(l)].target == b ? flow : 0;
            supply -= system_.lines[at(l)].source == b ? flow : 0;
        }
        expect_equal("load balance", supply, load);
    }

    void check_sources() {
        const auto& layout = problem_.process.layout;
        for (int n = 0; n < static_cast<int>(system_.sources.size()); ++n) {
            const auto& source = system_.sources[at(n)];
            double available = source.available_mw[at(t_)];
            for (std::size_t i = 0; i < layout.sources.size(); ++i)
                if (layout.sources[i] == n) {
                    const double eta = noise_[at(layout.hydros) + layout.buses.size() + i];
                    available =
                        source.max_generation_mw *
                        std::clamp(source.mean[at(t_)] + source.std[at(t_)] * eta, 0.0, 1.0);
                }
            available *= source.in_service[at(t_)];
            for (int k = 0; k < result_.blocks; ++k) {
                const double here = available * source.factor(t_, k);
                expect_equal("available", in(result_.available_mw, n, k), here);
                expect_within("curtailed",
                              in(result_.curtailed_mw, n, k),
                              0,
                              source.allow_curtailment ? here : 0);
            }
        }
    }

    // Σ over entities and blocks of price·hours·quantity.
    template <typename F>
    [[nodiscard]] double cost_of(std::size_t entities,
                                 const std::vector<double>& quantity,
                                 F&& price) const {
        double sum = 0;
        for (int e = 0; e < static_cast<int>(entities); ++e)
            for (int k = 0; k < result_.blocks; ++k)
                sum += price(e) * hours(k) * in(quantity, e, k);
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
        for (int h = 0; h < problem_.hydro_count(); ++h)
            sum += price(system_.hydros[at(h)].costs[at(t_)]) * stage_.hours() * quantity[at(h)];
        return sum;
    }

    void check_costs() {
        using Costs = sddp::HydroCosts;
        const auto& cost = result_.cost;
        expect_cost("thermal cost",
                    cost.thermal,
                    cost_of(system_.thermals.size(), result_.thermal_mw, [this](int j) {
                        return system_.thermals[at(j)].cost[at(t_)];
                    }));
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
        expect_cost(
            "spillage cost",
            cost.spillage,
            hydro_cost(hydro().spillage_m3s, [](const Costs& c) { return c.spillage; }) +
                hydro_cost(hydro().diverted_m3s, [](const Costs& c) { return c.diversion; }));
        check_penalties();
        check_constraints();
        expect_cost("sum of costs", cost.immediate, sum_of_parts());
    }

    void check_penalties() {
        using Costs = sddp::HydroCosts;
        const auto& cost = result_.cost;
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

    // Cheap segments fill first.
    [[nodiscard]] double deficit_cost() const {
        double sum = 0;
        for (int b = 0; b < static_cast<int>(system_.buses.size()); ++b)
            for (int k = 0; k < result_.blocks; ++k) {
                double left = in(result_.deficit_mw, b, k);
                for (const auto& segment : system_.buses[at(b)].deficit) {
                    const double part = std::min(left, segment.depth_mw);
                    sum += segment.cost * hours(k) * part;
                    left -= part;
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
                if (row.stage != t_)
                    continue;
                const double value = activity(row);
                if (!constraint.has_slack) {
                    expect_within("hard constraint", value, row.lower, row.upper);
                    continue;
                }
                const double violation = std::max({0.0, row.lower - value, value - row.upper});
                total += constraint.penalty * hours(row.block) * violation;
                if (slack == result_.generic.end())
                    return fault("slacks of constraints missing", c, 0);
                expect_equal("constraint of a slack", slack->constraint, c);
                expect_equal("block of a slack", slack->block, row.block);
                expect_equal("slack", slack->value, violation);
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
        for (const auto& term : row.terms)
            sum += term.coefficient * quantity(term, term.block < 0 ? row.block : term.block);
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
        }
        return 0;
    }

    [[nodiscard]] double of_cells(const std::vector<double>& values,
                                  const sddp::ConstraintTerm& term,
                                  int k) const {
        double sum = 0;
        for (int c = 0; c < static_cast<int>(result_.cell.hydro.size()); ++c)
            if (result_.cell.hydro[at(c)] == term.entity &&
                (term.bus < 0 || result_.cell.bus[at(c)] == term.bus))
                sum += in(values, c, k);
        return sum;
    }

    [[nodiscard]] double sum_of_parts() const {
        const auto& c = result_.cost;
        return c.thermal + c.deficit + c.excess + c.exchange + c.curtailment + c.spillage +
               c.turbined + c.outflow_below + c.outflow_above + c.turbined_below +
               c.generation_below + c.evaporation + c.withdrawal + c.inflow_slack + c.generic;
    }

    const sddp::Problem& problem_;
    const sddp::System& system_;
    const sddp::StageResult& result_;
    int t_;
    const sddp::Stage& stage_;
    std::vector<double> noise_;
    std::vector<std::string>& faults_;
};

}  // namespace

std::vector<std::string> faults_of(const sddp::Problem& problem,
                                   const sddp::ScenarioResult& result,
                                   int scenarios) {
    std::vector<std::string> faults;
    std::vector<double> storages;
    for (const auto& plant : problem.system.hydros)
        storages.push_back(plant.initial_storage_hm3);
    std::vector<double> lags = problem.process.inflow.initial_lags;
    double discount = 1;
    double total = 0;
    for (const auto& stage : result.stages) {
        std::vector<double> noise(at(problem.process.layout.size()));
        problem.process.simulation->draw(0, result.scenario, scenarios, stage.stage, noise);
        StageChecker(problem, stage, noise, faults).check(storages, lags);
        if (std::abs(stage.cost.discount - discount) > 1e-12)
            faults.push_back("discount of stage " + std::to_string(stage.stage));
        total += discount * stage.cost.immediate;
        discount *= problem.calendar.stages[at(stage.stage)].discount_factor();
        storages = stage.hydro.storage_final_hm3;
        if (!lags.empty()) {
            lags.insert(lags.begin(),
                        stage.hydro.incremental_inflow_m3s.begin(),
                        stage.hydro.incremental_inflow_m3s.end());
            lags.resize(problem.process.inflow.initial_lags.size());
        }
    }
    if (!(std::abs(result.total_cost - total) <= 1e-9 * (1 + total)))
        faults.push_back("total cost " + std::to_string(result.total_cost) + ", not " +
                         std::to_string(total));
    return faults;
}

}  // namespace lockstep::test
