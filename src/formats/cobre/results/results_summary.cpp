#include <algorithm>
#include <utility>

#include "lockstep/formats/cobre/results.hpp"

#include "formats/cobre/results/results_scenarios.hpp"
#include "formats/cobre/write/tables_simulation.hpp"

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

/// Sums of a column by stage over the scenarios, in scenario order.
void add_by_stage(const ScenarioTable& table,
                  const std::vector<std::size_t>& stage,
                  const std::string& name,
                  std::vector<double>& sums) {
    const auto values = table.get<double>(name);
    for (std::size_t row = 0; row < values.size(); ++row) {
        sums[stage[row]] += values[row];
    }
}

std::vector<NamedSeries> mean_costs(const Scenarios& scenarios) {
    std::vector<NamedSeries> out;
    for (const std::string& part : cost_parts()) {
        out.emplace_back(part, std::vector<double>(scenarios.stages()));
    }
    scenarios.for_each("costs", [&](std::size_t, const ScenarioTable& table) {
        const auto stage = table.stages(scenarios.stages());
        for (auto& [name, sums] : out) {
            add_by_stage(table, stage, name, sums);
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

/// Energy of a column over scenarios, as mean power by stage.
class MeanPower {
public:
    MeanPower(const Scenarios& scenarios, std::string energy_column)
        : scenarios_(scenarios), column_(std::move(energy_column)), sums_(scenarios.stages()) {}

    void add(const ScenarioTable& table, const std::vector<std::size_t>& stage) {
        add_by_stage(table, stage, column_, sums_);
    }
    [[nodiscard]] std::vector<double> get() const {
        std::vector<double> out = sums_;
        for (std::size_t t = 0; t < out.size(); ++t) {
            out[t] /= scenarios_.hours(t) * static_cast<double>(scenarios_.size());
        }
        return out;
    }

private:
    const Scenarios& scenarios_;
    std::string column_;
    std::vector<double> sums_;
};

std::vector<double> mean_power(const Scenarios& scenarios, const std::string& table) {
    MeanPower power(scenarios, "generation_mwh");
    scenarios.for_each(table, [&](std::size_t, const ScenarioTable& scenario) {
        power.add(scenario, scenario.stages(scenarios.stages()));
    });
    return power.get();
}

/// Adds the stage's total of a column of hydros that belongs to the stage: it is told on every
/// block row and counts once.
void add_total(const ScenarioTable& table,
               const std::vector<std::size_t>& stage,
               const char* name,
               std::size_t scenario,
               Samples& totals) {
    const auto block = table.get<std::int32_t>("block_id");
    const auto values = table.get<double>(name);
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (block[row] == 0) {
            totals.add(0, stage[row], scenario, values[row]);
        }
    }
}

/// Storages of as many plants as memory allows.
class Storages {
public:
    Storages(const Scenarios& scenarios,
             const EntityIndex& plants,
             std::size_t first,
             std::size_t count)
        : plants_(plants), first_(first), count_(count), samples_(scenarios.samples(count)) {}

    void add(const ScenarioTable& table,
             const std::vector<std::size_t>& stage,
             std::size_t scenario) {
        const auto id = table.get<std::int32_t>("hydro_id");
        const auto storage = table.get<double>("storage_final_hm3");
        for (std::size_t row = 0; row < storage.size(); ++row) {
            const std::size_t plant = plants_.at(id[row], table.file());
            if (plant >= first_ && plant < first_ + count_) {
                samples_.set(plant - first_, stage[row], scenario, storage[row]);
            }
        }
    }
    void get(const EntityNames& names, std::vector<EntitySpread>& out) {
        for (std::size_t i = 0; i < count_; ++i) {
            const std::int32_t id = plants_.id(first_ + i);
            out.push_back({id, names.name(EntityCode::hydro, id), samples_.spread(i)});
        }
    }

private:
    const EntityIndex& plants_;
    std::size_t first_;
    std::size_t count_;
    Samples samples_;
};

/// The first pass over the hydros: everything but the storages of plants beyond the first group.
void summarize_hydros(const Scenarios& scenarios, Storages& storages, SimulationSummary& out) {
    MeanPower power(scenarios, "generation_mwh");
    Samples volume = scenarios.samples(1);
    Samples energy = scenarios.samples(1);
    scenarios.for_each("hydros", [&](std::size_t s, const ScenarioTable& table) {
        const auto stage = table.stages(scenarios.stages());
        power.add(table, stage);
        add_total(table, stage, "storage_final_hm3", s, volume);
        add_total(table, stage, "stored_energy_final_mwh", s, energy);
        storages.add(table, stage, s);
    });
    out.generation.emplace_back("hydro", power.get());
    out.system_storage = volume.spread(0);
    out.stored_energy = energy.spread(0);
}

void summarize_storages(const Scenarios& scenarios, Storages& storages) {
    scenarios.for_each("hydros", [&](std::size_t s, const ScenarioTable& table) {
        storages.add(table, table.stages(scenarios.stages()), s);
    });
}

void summarize_all_hydros(const Scenarios& scenarios,
                          const EntityNames& names,
                          std::size_t memory_bytes,
                          SimulationSummary& out) {
    const EntityIndex plants = scenarios.entities("hydros", "hydro_id");
    const std::size_t bytes = Samples::item_bytes(scenarios.stages(), scenarios.size());
    const std::size_t group =
        std::max<std::size_t>(1, memory_bytes / std::max<std::size_t>(1, bytes));
    for (std::size_t first = 0; first < plants.size(); first += group) {
        Storages storages(scenarios, plants, first, std::min(group, plants.size() - first));
        if (first == 0) {
            summarize_hydros(scenarios, storages, out);
        } else {
            summarize_storages(scenarios, storages);
        }
        storages.get(names, out.storage);
    }
}

void add_prices(const Scenarios& scenarios,
                const ScenarioTable& table,
                const std::vector<std::size_t>& stage,
                std::size_t scenario,
                const EntityIndex& buses,
                Samples& prices) {
    const auto block = table.get<std::int32_t>("block_id");
    const auto id = table.get<std::int32_t>("bus_id");
    const auto price = table.get<double>("spot_price");
    for (std::size_t row = 0; row < price.size(); ++row) {
        prices.add(buses.at(id[row], table.file()),
                   stage[row],
                   scenario,
                   price[row] * scenarios.block_share(stage[row], block[row], table.file()));
    }
}

void mark_deficit(const ScenarioTable& table,
                  const std::vector<std::size_t>& stage,
                  std::size_t scenario,
                  Samples& has_deficit) {
    const auto deficit = table.get<double>("deficit_mw");
    for (std::size_t row = 0; row < deficit.size(); ++row) {
        if (deficit[row] > deficit_threshold_mw) {
            has_deficit.set(0, stage[row], scenario, 1);
        }
    }
}

void summarize_buses(const Scenarios& scenarios, const EntityNames& names, SimulationSummary& out) {
    const EntityIndex buses = scenarios.entities("buses", "bus_id");
    MeanPower deficit(scenarios, "deficit_mwh");
    MeanPower load(scenarios, "load_mwh");
    Samples prices = scenarios.samples(buses.size());
    Samples has_deficit = scenarios.samples(1);
    scenarios.for_each("buses", [&](std::size_t s, const ScenarioTable& table) {
        const auto stage = table.stages(scenarios.stages());
        deficit.add(table, stage);
        load.add(table, stage);
        add_prices(scenarios, table, stage, s, buses, prices);
        mark_deficit(table, stage, s, has_deficit);
    });
    out.generation.emplace_back("deficit", deficit.get());
    out.load = load.get();
    out.deficit_probability = has_deficit.mean(0);
    for (std::size_t i = 0; i < buses.size(); ++i) {
        out.spot_price.push_back(
            {buses.id(i), names.name(EntityCode::bus, buses.id(i)), prices.spread(i)});
    }
}

}  // namespace

SimulationSummary summarize_simulation(const Results& results, std::size_t memory_bytes) {
    const Scenarios scenarios(results);
    const EntityNames names(results.directory);
    SimulationSummary out;
    out.scenarios = static_cast<int>(scenarios.size());
    out.stages = results.stages;
    out.scenario_cost = scenario_costs(results);
    out.cost = mean_costs(scenarios);
    if (scenarios.has("hydros")) {
        summarize_all_hydros(scenarios, names, memory_bytes, out);
    }
    if (scenarios.has("thermals")) {
        out.generation.emplace_back("thermal", mean_power(scenarios, "thermals"));
    }
    if (scenarios.has("non_controllables")) {
        out.generation.emplace_back("non_controllable", mean_power(scenarios, "non_controllables"));
    }
    summarize_buses(scenarios, names, out);
    return out;
}

}  // namespace lockstep::formats::cobre
