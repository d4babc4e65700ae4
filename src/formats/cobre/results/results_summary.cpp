#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lockstep/formats/cobre/simulation_summary.hpp"

#include "formats/cobre/results/results_fold.hpp"
#include "formats/cobre/results/results_power.hpp"
#include "formats/cobre/results/results_scenarios.hpp"
#include "formats/cobre/results/results_storage_limits.hpp"
#include "formats/cobre/write/tables/simulation.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

constexpr double deficit_threshold_mw = 1e-6;

std::vector<double> scenario_costs(const Results& results) {
    const auto path = results.directory / (scenario_summary_table().file() + ".parquet");
    const io::Table table = io::read_parquet(path);
    const auto costs = column<double>(table, "discounted_immediate_cost", path.string());
    return {costs.begin(), costs.end()};
}

/// Places of the scenarios of the least, the middle and the largest cost.
std::vector<std::size_t> singles_of(const std::vector<double>& cost) {
    std::vector<std::size_t> order(cost.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return cost[a] < cost[b];
    });
    if (order.empty() || cost[order.front()] == cost[order.back()]) {
        return {};
    }
    if (order.size() == 2) {
        return order;
    }
    return {order.front(), order[order.size() / 2], order.back()};
}

std::vector<NamedSeries> mean_costs(const Scenarios& scenarios) {
    std::vector<NamedSeries> out;
    for (const std::string& part : cost_parts()) {
        out.emplace_back(part, std::vector<double>(scenarios.stages()));
    }
    scenarios.for_each("costs", [&](std::size_t s, const ScenarioTable& table) {
        const auto stage = table.stages(scenarios.stage_ids());
        for (auto& [name, sums] : out) {
            const auto values = table.get<double>(name);
            for (std::size_t row = 0; row < values.size(); ++row) {
                sums[stage[row]] += scenarios.weight(s) * values[row];
            }
        }
    });
    std::erase_if(out, [](const NamedSeries& part) {
        return std::all_of(part.second.begin(), part.second.end(), [](double x) { return x == 0; });
    });
    for (auto& [name, sums] : out) {
        for (double& sum : sums) {
            sum /= static_cast<double>(scenarios.size());
        }
    }
    return out;
}

/// Makes the summary table by table.
class Summarizer {
public:
    Summarizer(const Results& results, std::size_t memory_bytes)
        : scenarios_(results), entities_(results.directory), results_(results) {
        out_.scenarios = static_cast<int>(scenarios_.size());
        out_.stages = results.stages;
        out_.scenario_cost = scenario_costs(results);
        out_.scenario_weight = scenarios_.weights();
        limits_ = {memory_bytes, singles_of(out_.scenario_cost)};
        for (const std::size_t place : limits_.singles) {
            out_.singles.push_back(scenarios_.id(place));
        }
        if (scenarios_.has("buses")) {
            buses_ = scenarios_.entities("buses", "bus_id");
        }
    }

    SimulationSummary run() {
        out_.cost = mean_costs(scenarios_);
        add_buses_by_name();
        add_hydros();
        add_thermals();
        add_sources();
        add_lines();
        add_buses();
        return std::move(out_);
    }

private:
    using Rows = ScenarioTable;
    using Stages = std::vector<std::size_t>;

    template <typename Entity>
    std::vector<Entity> named(const EntityIndex& index, EntityCode type) const {
        std::vector<Entity> out(index.size());
        for (std::size_t i = 0; i < index.size(); ++i) {
            out[i].id = index.id(i);
            out[i].name = entities_.name(type, index.id(i));
        }
        return out;
    }

    /// The bus of each row's entity, by the dictionary.
    [[nodiscard]] std::vector<std::int32_t> buses_of(const Rows& rows,
                                                     const char* id_column,
                                                     EntityCode type) const {
        std::vector<std::int32_t> buses;
        for (const std::int32_t id : rows.get<std::int32_t>(id_column)) {
            const Entity* entity = entities_.find(type, id);
            buses.push_back(entity == nullptr ? -1 : entity->bus_id);
        }
        return buses;
    }

    void add_generation(const char* name, const MeanPower& power) {
        out_.generation.emplace_back(name, power.total());
        for (std::size_t i = 0; i < out_.buses.size(); ++i) {
            auto series = power.of_bus(i);
            if (std::any_of(series.begin(), series.end(), [](double mw) { return mw != 0; })) {
                out_.buses[i].generation.emplace_back(name, std::move(series));
            }
        }
    }

    void add_buses_by_name() { out_.buses = named<BusSummary>(buses_, EntityCode::bus); }

    void add_hydros() {
        if (!scenarios_.has("hydros")) {
            return;
        }
        const EntityIndex plants = scenarios_.entities("hydros", "hydro_id");
        out_.hydros = named<HydroSummary>(plants, EntityCode::hydro);
        Samples volume = scenarios_.samples(1);
        Samples energy = scenarios_.samples(1);
        std::vector<double> initial(plants.size());
        MeanPower power(scenarios_, buses_, "generation_mwh");
        const auto visit = [&](std::size_t s, const Rows& rows, const Stages& stage) {
            add_stage_total(rows, stage, "storage_final_hm3", s, volume);
            add_stage_total(rows, stage, "stored_energy_final_mwh", s, energy);
            add_initial(scenarios_.weight(s), rows, stage, plants, initial);
            power.add(
                scenarios_.weight(s), rows, stage, buses_of(rows, "hydro_id", EntityCode::hydro));
        };
        auto spreads =
            fold(scenarios_,
                 "hydros",
                 "hydro_id",
                 plants,
                 {{"storage_final_hm3", false},
                  {"incremental_inflow_m3s", false},
                  {"spillage_m3s", true},
                  {"generation_mw", true},
                  {"water_value_per_hm3", false, -1}},
                 limits_,
                 {{"storage_initial_hm3", "stored_energy_final_mwh", "generation_mwh"}, visit});
        const auto bounds = read_storage_limits(results_);
        for (std::size_t i = 0; i < plants.size(); ++i) {
            HydroSummary& hydro = out_.hydros[i];
            hydro.storage = std::move(spreads[0][i]);
            hydro.inflow = std::move(spreads[1][i]);
            hydro.spillage = std::move(spreads[2][i]);
            hydro.generation = std::move(spreads[3][i]);
            hydro.water_value = std::move(spreads[4][i]);
            hydro.initial_storage = initial[i] / std::max<double>(1, out_.scenarios);
            if (const auto found = bounds.find(hydro.id); found != bounds.end()) {
                hydro.min_hm3 = found->second.min_hm3;
                hydro.max_hm3 = found->second.max_hm3;
            }
        }
        out_.system_storage = volume.spread(0, limits_.singles);
        out_.stored_energy = energy.spread(0, limits_.singles);
        add_generation("hydro", power_by_cells(power));
    }

    /// Plants may feed several buses; their cells say which.
    MeanPower power_by_cells(const MeanPower& by_dictionary) const {
        if (!scenarios_.has("hydro_bus_generation")) {
            return by_dictionary;
        }
        MeanPower power(scenarios_, buses_, "generation_mwh");
        scenarios_.for_each("hydro_bus_generation", [&](std::size_t s, const Rows& rows) {
            const auto bus = rows.get<std::int32_t>("bus_id");
            power.add(scenarios_.weight(s),
                      rows,
                      rows.stages(scenarios_.stage_ids()),
                      {bus.begin(), bus.end()});
        });
        return power;
    }

    /// A column that belongs to the stage is told on every block row and counts once.
    /// What the last block of each stage ends with.
    void add_stage_total(const Rows& rows,
                         const Stages& stage,
                         const char* name,
                         std::size_t scenario,
                         Samples& totals) const {
        const auto block = rows.get<std::int32_t>("block_id");
        const auto values = rows.get<double>(name);
        for (std::size_t row = 0; row < values.size(); ++row) {
            const auto& blocks = results_.stages[stage[row]].block_hours;
            if (static_cast<std::size_t>(block[row]) + 1 == blocks.size()) {
                totals.add(0, stage[row], scenario, values[row]);
            }
        }
    }

    static void add_initial(double weight,
                            const Rows& rows,
                            const Stages& stage,
                            const EntityIndex& plants,
                            std::vector<double>& sums) {
        const auto id = rows.get<std::int32_t>("hydro_id");
        const auto block = rows.get<std::int32_t>("block_id");
        const auto storage = rows.get<double>("storage_initial_hm3");
        for (std::size_t row = 0; row < storage.size(); ++row) {
            if (stage[row] == 0 && block[row] == 0) {
                sums[plants.at(id[row], rows.file())] += weight * storage[row];
            }
        }
    }

    void add_thermals() {
        if (!scenarios_.has("thermals")) {
            return;
        }
        const EntityIndex plants = scenarios_.entities("thermals", "thermal_id");
        out_.thermals = named<ThermalSummary>(plants, EntityCode::thermal);
        MeanPower power(scenarios_, buses_, "generation_mwh");
        const auto visit = [&](std::size_t s, const Rows& rows, const Stages& stage) {
            power.add(scenarios_.weight(s),
                      rows,
                      stage,
                      buses_of(rows, "thermal_id", EntityCode::thermal));
        };
        auto spreads = fold(scenarios_,
                            "thermals",
                            "thermal_id",
                            plants,
                            {{"generation_mw", true}},
                            limits_,
                            {{"generation_mwh"}, visit});
        for (std::size_t i = 0; i < plants.size(); ++i) {
            out_.thermals[i].generation = std::move(spreads[0][i]);
        }
        add_generation("thermal", power);
    }

    void add_sources() {
        if (!scenarios_.has("non_controllables")) {
            return;
        }
        MeanPower power(scenarios_, buses_, "generation_mwh");
        scenarios_.for_each("non_controllables", [&](std::size_t s, const Rows& rows) {
            power.add(scenarios_.weight(s),
                      rows,
                      rows.stages(scenarios_.stage_ids()),
                      buses_of(rows, "non_controllable_id", EntityCode::non_controllable));
        });
        add_generation("non_controllable", power);
    }

    void add_lines() {
        if (!scenarios_.has("exchanges")) {
            return;
        }
        const EntityIndex lines = scenarios_.entities("exchanges", "line_id");
        out_.lines = named<LineSummary>(lines, EntityCode::line);
        auto spreads =
            fold(scenarios_, "exchanges", "line_id", lines, {{"net_flow_mw", true}}, limits_, {});
        for (std::size_t i = 0; i < lines.size(); ++i) {
            out_.lines[i].flow = std::move(spreads[0][i]);
        }
    }

    void add_buses() {
        if (!scenarios_.has("buses")) {
            return;
        }
        MeanPower deficit(scenarios_, buses_, "deficit_mwh");
        MeanPower load(scenarios_, buses_, "load_mwh");
        Samples has_deficit = scenarios_.samples(1);
        Samples total = scenarios_.samples(1);
        const auto visit = [&](std::size_t s, const Rows& rows, const Stages& stage) {
            const auto bus = rows.get<std::int32_t>("bus_id");
            const std::vector<std::int32_t> ids(bus.begin(), bus.end());
            deficit.add(scenarios_.weight(s), rows, stage, ids);
            load.add(scenarios_.weight(s), rows, stage, ids);
            add_deficit(rows, stage, s, has_deficit, total);
        };
        auto spreads = fold(scenarios_,
                            "buses",
                            "bus_id",
                            buses_,
                            {{"spot_price", true}, {"deficit_mw", true}},
                            limits_,
                            {{"deficit_mwh", "load_mwh"}, visit});
        add_generation("deficit", deficit);
        out_.load = load.total();
        for (std::size_t i = 0; i < buses_.size(); ++i) {
            out_.buses[i].price = std::move(spreads[0][i]);
            out_.buses[i].deficit = std::move(spreads[1][i]);
            out_.buses[i].load = load.of_bus(i);
        }
        out_.deficit_probability = has_deficit.mean(0);
        add_depth(has_deficit, total);
    }

    void add_deficit(const Rows& rows,
                     const Stages& stage,
                     std::size_t scenario,
                     Samples& has_deficit,
                     Samples& total) const {
        const auto deficit = rows.get<double>("deficit_mw");
        const auto block = rows.get<std::int32_t>("block_id");
        for (std::size_t row = 0; row < deficit.size(); ++row) {
            if (deficit[row] > deficit_threshold_mw) {
                const double share = scenarios_.block_share(stage[row], block[row], rows.file());
                has_deficit.set(0, stage[row], scenario, 1);
                total.add(0, stage[row], scenario, share * deficit[row]);
            }
        }
    }

    void add_depth(const Samples& has_deficit, const Samples& total) {
        for (std::size_t t = 0; t < scenarios_.stages(); ++t) {
            double sum = 0;
            double worst = 0;
            double count = 0;
            for (std::size_t s = 0; s < scenarios_.size(); ++s) {
                sum += scenarios_.weight(s) * total.get(0, t, s);
                worst = std::max(worst, total.get(0, t, s));
                count += scenarios_.weight(s) * has_deficit.get(0, t, s);
            }
            out_.deficit_depth.push_back(count > 0 ? sum / count : 0);
            out_.deficit_worst.push_back(worst);
        }
    }

    Scenarios scenarios_;
    Entities entities_;
    const Results& results_;
    EntityIndex buses_;
    FoldLimits limits_{};
    SimulationSummary out_;
};

}  // namespace

SimulationSummary summarize_simulation(const Results& results, std::size_t memory_bytes) {
    return Summarizer(results, memory_bytes).run();
}

}  // namespace lockstep::formats::cobre
