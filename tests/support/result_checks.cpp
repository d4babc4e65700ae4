#include "support/result_checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "support/cost_check.hpp"
#include "support/stage_check.hpp"

namespace lockstep::test {
namespace {

// Balances and limits of a stage.
class QuantityCheck : public StageCheck {
public:
    using StageCheck::StageCheck;

    void check(const std::vector<double>& storages, const std::vector<double>& lags) {
        expect_equal("blocks", result_.blocks, static_cast<double>(stage_.blocks.size()));
        for (std::size_t i = 0; i < lags.size(); ++i) {
            expect_equal("lag", result_.incoming_lags_m3s[i], lags[i]);
        }
        for (int h = 0; h < problem_.hydro_count(); ++h) {
            expect_equal("initial storage", hydro().storage_initial_hm3[at(h)], storages[at(h)]);
            check_inflow(h, lags);
            for (int period = 0; period < periods(); ++period) {
                check_water(h, period);
                check_evaporation(h, period);
            }
            check_target(h);
            for (int k = 0; k < result_.blocks; ++k) {
                check_release(h, k);
            }
        }
        check_cells();
        for (int b = 0; b < static_cast<int>(system_.buses.size()); ++b) {
            for (int k = 0; k < result_.blocks; ++k) {
                check_load(b, k);
            }
        }
        check_sources();
        check_trade();
        check_deliveries();
        check_batteries();
    }

private:
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
            mode == sddp::NonNegativity::truncation_with_penalty) {
            z = std::max(z, 0.0);
        }
        expect_equal("inflow", hydro().incremental_inflow_m3s[at(h)], z);
    }

    void check_water(int h, int period) {
        const auto& plant = system_.hydros[at(h)];
        if (!plant.is_built(t_)) {
            return expect_equal("storage of a site without a dam",
                                storage_after(h, period),
                                storage_before(h, period));
        }
        double water = storage_before(h, period) +
                       sddp::hm3_per_m3s_hour * period_hours(period) *
                           (rate(h) - in_period(hydro().evaporation_m3s, h, period));
        for (int k = 0; k < result_.blocks; ++k) {
            if (period_of(k) == period) {
                water += sddp::hm3_per_m3s_hour * hours(k) *
                         (arriving(h, k) + lifted(h, k) - in(hydro().turbined_m3s, h, k) -
                          in(hydro().spillage_m3s, h, k) - in(hydro().diverted_m3s, h, k));
            }
        }
        expect_equal("water balance", storage_after(h, period), water);
        expect_within("storage",
                      storage_after(h, period),
                      plant.min_storage_hm3[at(t_)],
                      plant.max_storage_hm3[at(t_)]);
    }

    void check_target(int h) {
        const auto& plant = system_.hydros[at(h)];
        const bool has_target = !plant.storage_target_hm3.empty() && plant.is_built(t_);
        const double target = has_target ? plant.storage_target_hm3[at(t_)] : 0;
        expect_equal("storage below its target",
                     hydro().storage_below_hm3[at(h)],
                     std::max(0.0, target - hydro().storage_final_hm3[at(h)]));
    }

    void check_evaporation(int h, int period) {
        const auto& line = system_.hydros[at(h)].evaporation[at(t_)];
        const double mean = (storage_before(h, period) + storage_after(h, period)) / 2;
        const double model = line ? line->k0 + line->kv * mean : 0;
        const double flow = in_period(hydro().evaporation_m3s, h, period);
        expect_equal("evaporation",
                     flow,
                     model + in_period(hydro().evaporation_above_m3s, h, period) -
                         in_period(hydro().evaporation_below_m3s, h, period));
        const double limit = line ? line->limit_m3s : 0;
        expect_within("evaporation", flow, -limit, limit);
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
        for (int c = 0; c < static_cast<int>(cell.hydro.size()); ++c) {
            for (int k = 0; k < result_.blocks; ++k) {
                const auto i = at(cell.hydro[at(c)] * result_.blocks + k);
                turbined[i] += in(cell.turbined_m3s, c, k);
                power[i] += in(cell.generation_mw, c, k);
                const auto minimum = cell_minimum(c, k);
                flow_slack[i] += std::max(0.0, minimum.first - in(cell.turbined_m3s, c, k));
                power_slack[i] += std::max(0.0, minimum.second - in(cell.generation_mw, c, k));
                check_production(c, k);
            }
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
        for (const auto& group : system_.hydros[at(result_.cell.hydro[at(c)])].groups) {
            if (group.bus == result_.cell.bus[at(c)]) {
                turbined += group.min_turbined_m3s(t_, k);
                power += group.min_generation_mw(t_, k);
            }
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
            if (group.bus == result_.cell.bus[at(c)]) {
                part += group.declared_max_turbined_m3s;
            }
        }
        const double q = in(result_.cell.turbined_m3s, c, k);
        const double p = in(result_.cell.generation_mw, c, k);
        if (plant.planes[at(t_)].empty()) {
            expect_equal("generation", p, plant.productivity[at(t_)] * q);
        }
        const int period = period_of(k);
        const double mean = (storage_before(h, period) + storage_after(h, period)) / 2;
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
        for (std::size_t i = 0; i < layout.buses.size(); ++i) {
            if (layout.buses[i] == b) {
                load =
                    std::max(0.0, load + bus.load_std_mw[at(t_)] * noise_[at(layout.hydros) + i]);
            }
        }
        load *= bus.load_factor(t_, k);
        expect_equal("load", in(result_.load_mw, b, k), load);
        double supply = in(result_.deficit_mw, b, k) - in(result_.excess_mw, b, k);
        for (int c = 0; c < static_cast<int>(result_.cell.hydro.size()); ++c) {
            if (result_.cell.bus[at(c)] == b) {
                supply += in(result_.cell.generation_mw, c, k);
            }
        }
        for (int j = 0; j < static_cast<int>(system_.thermals.size()); ++j) {
            if (system_.thermals[at(j)].bus == b) {
                supply += in(result_.thermal_mw, j, k);
            }
        }
        for (int n = 0; n < static_cast<int>(system_.sources.size()); ++n) {
            if (system_.sources[at(n)].bus == b) {
                supply += in(result_.available_mw, n, k) - in(result_.curtailed_mw, n, k);
            }
        }
        for (int l = 0; l < static_cast<int>(system_.lines.size()); ++l) {
            const auto& line = system_.lines[at(l)];
            const double direct = in(result_.direct_mw, l, k);
            const double reverse = in(result_.reverse_mw, l, k);
            supply += line.target == b ? direct * (1 - line.loss_share) - reverse : 0;
            supply += line.source == b ? reverse * (1 - line.loss_share) - direct : 0;
        }
        for (int c = 0; c < static_cast<int>(system_.contracts.size()); ++c) {
            const auto& contract = system_.contracts[at(c)];
            const double power = in(result_.contract_mw, c, k);
            supply += contract.bus != b ? 0 : contract.is_import ? power : -power;
        }
        for (int j = 0; j < static_cast<int>(system_.pumping_stations.size()); ++j) {
            const auto& station = system_.pumping_stations[at(j)];
            supply -= station.bus == b
                          ? station.consumption_mw_per_m3s * in(result_.pumped_m3s, j, k)
                          : 0;
        }
        for (int i = 0; i < static_cast<int>(system_.batteries.size()); ++i) {
            if (system_.batteries[at(i)].bus == b) {
                supply += in(result_.discharge_mw, i, k) - in(result_.charge_mw, i, k);
            }
        }
        expect_equal("load balance", supply, load);
    }

    void check_batteries() {
        for (int b = 0; b < static_cast<int>(system_.batteries.size()); ++b) {
            const auto& battery = system_.batteries[at(b)];
            double energy = result_.energy_initial_mwh[at(b)];
            for (int k = 0; k < result_.blocks; ++k) {
                const double charge = in(result_.charge_mw, b, k);
                const double discharge = in(result_.discharge_mw, b, k);
                expect_within("charge", charge, 0, battery.max_charge_mw(t_, k));
                expect_within("discharge", discharge, 0, battery.max_discharge_mw(t_, k));
                energy += hours(k) * (charge * battery.charge_efficiency -
                                      discharge / battery.discharge_efficiency);
                if (periods() > 1 || k + 1 == result_.blocks) {
                    expect_within("energy",
                                  energy,
                                  battery.min_energy_mwh[at(t_)],
                                  battery.max_energy_mwh[at(t_)]);
                }
            }
            expect_equal("energy", result_.energy_final_mwh[at(b)], energy);
        }
    }

    void check_deliveries() {
        for (int j = 0; j < static_cast<int>(system_.thermals.size()); ++j) {
            double energy = 0;
            for (int k = 0; k < result_.blocks; ++k) {
                energy += hours(k) * in(result_.thermal_mw, j, k);
            }
            if (system_.thermals[at(j)].delivered_in(t_) != nullptr) {
                expect_equal("delivery", energy / hours(-1), result_.committed_mw[at(j)]);
            }
        }
    }

    void check_trade() {
        for (int k = 0; k < result_.blocks; ++k) {
            for (int c = 0; c < static_cast<int>(system_.contracts.size()); ++c) {
                const auto& contract = system_.contracts[at(c)];
                expect_within("contract",
                              in(result_.contract_mw, c, k),
                              contract.min_mw(t_, k),
                              contract.max_mw(t_, k));
            }
            for (int j = 0; j < static_cast<int>(system_.pumping_stations.size()); ++j) {
                const auto& station = system_.pumping_stations[at(j)];
                expect_within("pumped flow",
                              in(result_.pumped_m3s, j, k),
                              station.min_m3s(t_, k),
                              station.max_m3s(t_, k));
            }
        }
    }

    void check_sources() {
        const auto& layout = problem_.process.layout;
        for (int n = 0; n < static_cast<int>(system_.sources.size()); ++n) {
            const auto& source = system_.sources[at(n)];
            double available = source.available_mw[at(t_)];
            for (std::size_t i = 0; i < layout.sources.size(); ++i) {
                if (layout.sources[i] == n) {
                    const double eta = noise_[at(layout.hydros) + layout.buses.size() + i];
                    available =
                        source.max_generation_mw *
                        std::clamp(source.mean[at(t_)] + source.std[at(t_)] * eta, 0.0, 1.0);
                }
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
};

// Water on its way along a scenario.
class Transit {
public:
    explicit Transit(const sddp::Problem& problem) : problem_(problem) {
        for (int h = 0; h < problem.hydro_count(); ++h) {
            const auto& initial = problem.system.hydros[at(h)].initial_transit_hm3;
            for (int t = 0; t < static_cast<int>(initial.size()); ++t) {
                water_[{h, t}] += initial[at(t)];
            }
        }
    }

    // What comes to each plant in each period of a stage.
    std::vector<std::vector<double>> take(int stage) {
        const int first = problem_.calendar.first_period(stage);
        const int end = problem_.calendar.first_period(stage + 1);
        std::vector<std::vector<double>> due;
        for (int h = 0; h < problem_.hydro_count(); ++h) {
            due.emplace_back();
            for (int period = first; period < end; ++period) {
                due.back().push_back(water_[{h, period}]);
            }
        }
        return due;
    }

    void add(const sddp::StageResult& result) {
        const auto& calendar = problem_.calendar;
        const auto& blocks = calendar.stages[at(result.stage)].blocks;
        const int next = calendar.first_period(result.stage + 1);
        for (int h = 0; h < problem_.hydro_count(); ++h) {
            const auto& plant = problem_.system.hydros[at(h)];
            for (int k = 0; k < result.blocks; ++k) {
                const auto i = at(h * result.blocks + k);
                const double volume = sddp::hm3_per_m3s_hour * blocks[at(k)].hours *
                                      (result.hydro.turbined_m3s[i] + result.hydro.spillage_m3s[i]);
                const int from = calendar.first_period(result.stage) + (result.periods > 1 ? k : 0);
                for (int to = next; to < calendar.first_period(problem_.stage_count()); ++to) {
                    water_[{plant.downstream, to}] += plant.arrival_share(from, to - from) * volume;
                }
            }
        }
    }

private:
    const sddp::Problem& problem_;
    std::map<std::pair<int, int>, double> water_;  // [hm³], by (plant, period)
};

// What a stage delivers is what was decided for it, before the study or in an earlier stage.
void note_decisions(const sddp::Problem& problem,
                    const sddp::StageResult& stage,
                    std::map<std::pair<std::size_t, int>, double>& decided,
                    std::vector<std::string>& faults) {
    int first = 0;
    for (std::size_t j = 0; j < problem.system.thermals.size(); ++j) {
        const auto& thermal = problem.system.thermals[j];
        if (const auto* delivery = thermal.delivered_in(stage.stage); delivery != nullptr) {
            const double wanted =
                delivery->decided_in < 0 ? delivery->committed_mw : decided.at({j, stage.stage});
            if (std::abs(stage.committed_mw[j] - wanted) > 1e-6 * (1 + wanted)) {
                faults.push_back("commitment of stage " + std::to_string(stage.stage));
            }
        }
        for (const auto& delivery : thermal.deliveries) {
            if (delivery.decided_in == stage.stage) {
                decided[{j, delivery.stage}] =
                    stage.pending_mw[at(first + delivery.stage % thermal.commitments)];
            }
        }
        first += thermal.commitments;
    }
}

}  // namespace

std::vector<std::string> faults_of(const sddp::Problem& problem,
                                   const sddp::ScenarioResult& result,
                                   int scenarios) {
    std::vector<std::string> faults;
    std::vector<double> storages;
    for (const auto& plant : problem.system.hydros) {
        storages.push_back(plant.initial_storage_hm3);
    }
    std::vector<double> lags = problem.process.inflow.initial_lags;
    double discount = 1;
    double total = 0;
    Transit transit(problem);
    std::map<std::pair<std::size_t, int>, double> decided;  // by (thermal, stage of delivery)
    for (const auto& stage : result.stages) {
        note_decisions(problem, stage, decided, faults);
        std::vector<double> noise(at(problem.process.layout.size()));
        problem.process.simulation->draw(0, result.scenario, scenarios, stage.stage, noise);
        QuantityCheck quantities(problem, stage, noise, faults);
        quantities.set_due(transit.take(stage.stage));
        quantities.check(storages, lags);
        CostCheck(quantities).check();
        transit.add(stage);
        if (std::abs(stage.cost.discount - discount) > 1e-12) {
            faults.push_back("discount of stage " + std::to_string(stage.stage));
        }
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
    if (!(std::abs(result.total_cost - total) <= 1e-9 * (1 + std::abs(total)))) {
        faults.push_back("total cost " + std::to_string(result.total_cost) + ", not " +
                         std::to_string(total));
    }
    return faults;
}

}  // namespace lockstep::test
