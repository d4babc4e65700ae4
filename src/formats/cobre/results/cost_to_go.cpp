#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "lockstep/formats/cobre/simulation_summary.hpp"
#include "lockstep/io/file.hpp"

#include "formats/cobre/policy/manifest_file.hpp"
#include "formats/cobre/policy/pool_file.hpp"
#include "formats/cobre/results/results_policy.hpp"
#include "formats/cobre/results/results_scenarios.hpp"

namespace lockstep::formats::cobre {

using namespace out;

namespace {

constexpr std::size_t points = 25;

/// After the first stage, and further ones at equal distances; the last stage has no cuts.
std::vector<std::size_t> shown_stages(std::size_t stages) {
    constexpr std::size_t most = 4;
    std::set<std::size_t> chosen;
    for (std::size_t i = 0; i < most && stages > 1; ++i) {
        chosen.insert(i * (stages - 2) / (most - 1));
    }
    return {chosen.begin(), chosen.end()};
}

/// Mean of the past inflows that stages start from, by (stage, plant, lag from 1).
class MeanLags {
public:
    explicit MeanLags(const Results& results) {
        const Scenarios scenarios(results);
        if (!scenarios.has("inflow_lags")) {
            return;
        }
        scenarios.for_each("inflow_lags", [&](std::size_t s, const ScenarioTable& rows) {
            const auto stage = rows.stages(scenarios.stage_ids());
            const auto id = rows.get<std::int32_t>("hydro_id");
            const auto lag = rows.get<std::int32_t>("lag_index");
            const auto inflow = rows.get<double>("inflow_m3s");
            for (std::size_t row = 0; row < inflow.size(); ++row) {
                mean_[{stage[row], id[row], lag[row] + 1}] +=
                    scenarios.weight(s) * inflow[row] / static_cast<double>(scenarios.size());
            }
        });
    }

    /// NaN for what the simulation does not tell.
    [[nodiscard]] double at(std::size_t stage, int hydro, int lag) const {
        const auto found = mean_.find({stage, hydro, lag});
        return found == mean_.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    }

private:
    std::map<std::tuple<std::size_t, int, int>, double> mean_;
};

/// The state after a stage, at the mean of the simulation.
std::vector<double> mean_state(const std::vector<StateVariable>& state,
                               const SimulationSummary& simulation,
                               const MeanLags& lags,
                               std::size_t stage) {
    std::map<int, const HydroSummary*> hydros;
    for (const HydroSummary& hydro : simulation.hydros) {
        hydros[hydro.id] = &hydro;
    }
    std::vector<double> values;
    for (const StateVariable& variable : state) {
        const auto found = hydros.find(variable.hydro_id);
        if (variable.lag > 0) {
            values.push_back(lags.at(stage + 1, variable.hydro_id, variable.lag));
        } else {
            values.push_back(variable.lag < 0 || found == hydros.end()
                                 ? std::numeric_limits<double>::quiet_NaN()
                                 : found->second->storage.mean[stage]);
        }
    }
    return values;
}

std::vector<double> values_at(const CutRows& cuts, const std::vector<double>& state) {
    std::vector<double> values = cuts.intercept;
    for (std::size_t cut = 0; cut < values.size(); ++cut) {
        for (std::size_t i = 0; i < state.size(); ++i) {
            values[cut] += cuts.slopes[cut][i] * state[i];
        }
    }
    return values;
}

/// The largest cut along one variable.
CostToGo along(const CutRows& cuts,
               const std::vector<double>& at_mean,
               std::size_t variable,
               double mean,
               double least,
               double most) {
    CostToGo out;
    for (std::size_t k = 0; k < points; ++k) {
        const double storage =
            least + (most - least) * static_cast<double>(k) / static_cast<double>(points - 1);
        double cost = -std::numeric_limits<double>::infinity();
        for (std::size_t cut = 0; cut < at_mean.size(); ++cut) {
            cost = std::max(cost, at_mean[cut] + cuts.slopes[cut][variable] * (storage - mean));
        }
        out.storage_hm3.push_back(storage);
        out.cost_dollars.push_back(cost);
    }
    return out;
}

/// Place of a plant's storage in the state.
std::map<int, std::size_t> storages_of(const std::vector<StateVariable>& state) {
    std::map<int, std::size_t> places;
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (state[i].lag == 0) {
            places[state[i].hydro_id] = i;
        }
    }
    return places;
}

bool is_known(const std::vector<double>& values) {
    return std::none_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

}  // namespace

std::vector<std::vector<CostToGo>> costs_to_go(const Results& results,
                                               const SimulationSummary& simulation) {
    std::vector<std::vector<CostToGo>> out(simulation.hydros.size());
    if (!io::is_there(results.policy / manifest_name) || has_nodes(results.policy)) {
        return out;  // of a graph no node speaks for its stage
    }
    const MeanLags lags(results);
    for (const std::size_t t : shown_stages(simulation.stages.size())) {
        if (!io::is_there(pool_path(results.policy, t))) {
            continue;
        }
        const auto state = read_state_after(results.policy, t);
        const auto places = storages_of(state);
        const auto mean = mean_state(state, simulation, lags, t);
        if (!is_known(mean)) {
            continue;
        }
        const CutRows cuts = read_cut_rows(results.policy, t, state.size());
        const auto at_mean = values_at(cuts, mean);
        for (std::size_t h = 0; h < out.size() && !at_mean.empty(); ++h) {
            const HydroSummary& hydro = simulation.hydros[h];
            const auto place = places.find(hydro.id);
            if (place == places.end() || hydro.max_hm3.empty() ||
                hydro.max_hm3[t] <= hydro.min_hm3[t]) {
                continue;
            }
            out[h].push_back(along(cuts,
                                   at_mean,
                                   place->second,
                                   mean[place->second],
                                   hydro.min_hm3[t],
                                   hydro.max_hm3[t]));
            out[h].back().stage = static_cast<int>(t);
        }
    }
    return out;
}

}  // namespace lockstep::formats::cobre
