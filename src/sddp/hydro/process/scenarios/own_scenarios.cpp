#include "lockstep/sddp/own_scenarios.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/scenarios/scenario_library.hpp"

namespace lockstep::sddp {
namespace {

/// What takes the place of the noise of a class: values, for which value = 0 + 1·noise.
struct Part {
    NoiseLibrary values;    ///< empty: none
    std::vector<int> from;  ///< [width], place in the noise vector of the process, -1: none
};

class OwnSampler final : public TrajectorySampler {
public:
    OwnSampler(std::shared_ptr<const TrajectorySampler> process,
               int noise_size,
               std::vector<Part> parts)
        : process_(std::move(process)), noise_size_(at(noise_size)), parts_(std::move(parts)) {}

    void draw(int iteration,
              int scenario,
              int scenarios,
              int stage,
              std::span<double> noise) const override {
        thread_local std::vector<double> buffer;  // grows once; draw() must not allocate
        buffer.resize(std::max(buffer.size(), noise_size_));
        const std::span<double> drawn = std::span(buffer).first(noise_size_);
        process_->draw(iteration, scenario, scenarios, stage, drawn);
        auto out = noise.begin();
        for (const Part& part : parts_) {
            for (std::size_t i = 0; i < part.from.size(); ++i) {
                *out++ = value(part, scenario, stage, i, drawn);
            }
        }
    }

private:
    static double value(const Part& part,
                        int scenario,
                        int stage,
                        std::size_t entity,
                        std::span<const double> drawn) {
        const NoiseLibrary& values = part.values;
        const double own = values.scenarios == 0
                               ? std::nan("")
                               : values.noise(scenario % values.scenarios, stage)[entity];
        return std::isnan(own) ? drawn[at(part.from[entity])] : own;
    }

    std::shared_ptr<const TrajectorySampler> process_;
    std::size_t noise_size_;
    std::vector<Part> parts_;
};

/// Entities that have noise or values, by their ids as everywhere.
template <typename Entity>
std::vector<int> with_values(const std::vector<Entity>& entities,
                             const std::vector<int>& before,
                             const std::vector<ExternalValue>& rows) {
    std::set<int> all(before.begin(), before.end());
    for (const ExternalValue& row : rows) {
        all.insert(row.entity);
    }
    std::vector<int> list(all.begin(), all.end());
    std::ranges::sort(list, {}, [&](int i) { return entities[at(i)].id; });
    return list;
}

/// Where each entity of a list was in another list that begins at `offset`.
std::vector<int> places(const std::vector<int>& list, const std::vector<int>& before, int offset) {
    std::vector<int> result;
    for (const int entity : list) {
        const auto found = std::ranges::find(before, entity);
        result.push_back(found == before.end() ? -1
                                               : offset + static_cast<int>(found - before.begin()));
    }
    return result;
}

std::set<int> entities_of(const std::vector<ExternalValue>& rows) {
    std::set<int> entities;
    for (const ExternalValue& row : rows) {
        entities.insert(row.entity);
    }
    return entities;
}

/// Inflow = noise.
void take_inflows(InflowModel& inflow) {
    for (InflowModel::StageModel& stage : inflow.stages) {
        stage.base.assign(stage.base.size(), 0.0);
        stage.scale.assign(stage.scale.size(), 1.0);
        stage.lag.assign(stage.lag.size(), 0.0);
    }
}

/// Load = noise, availability = noise.
void take_values(System& system, const OwnScenarios& scenarios) {
    for (const int b : entities_of(scenarios.load)) {
        Bus& bus = system.buses[at(b)];
        bus.is_stochastic = true;
        bus.mean_load_mw.assign(bus.mean_load_mw.size(), 0.0);
        bus.load_std_mw.assign(bus.load_std_mw.size(), 1.0);
    }
    for (const int n : entities_of(scenarios.source)) {
        NonControllable& source = system.sources[at(n)];
        source.is_stochastic = true;
        source.mean.assign(source.mean.size(), 0.0);
        source.std.assign(source.std.size(), 1.0);
    }
}

/// One opening a stage, that of the first scenario: no cuts are made, but work starts from it.
OpeningTree tree_of(const TrajectorySampler& sampler, int stages, int dimension) {
    OpeningTree tree;
    tree.dimension = dimension;
    for (int t = 0; t < stages; ++t) {
        std::vector<double> noise(at(dimension));
        sampler.draw(0, 0, 1, t, noise);
        tree.count.push_back(1);
        tree.values.emplace_back(std::move(noise));
    }
    return tree;
}

std::vector<int> all_of(int count) {
    std::vector<int> all(at(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

template <typename Place>
Part part_of(const std::vector<ExternalValue>& rows, std::vector<int> from, Place place) {
    return {rows.empty() ? NoiseLibrary{} : place(), std::move(from)};
}

}  // namespace

int scenario_count(const Calendar& calendar, const OwnScenarios& scenarios) {
    int most = 0;
    for (const auto* rows : {&scenarios.inflow, &scenarios.load, &scenarios.source}) {
        for (const int count : external_counts(calendar, *rows)) {
            most = std::max(most, count);
        }
    }
    return most;
}

OwnScenarios recorded_scenarios(const Calendar& calendar,
                                const System& system,
                                const std::vector<InflowObservation>& record,
                                const std::vector<int>& years) {
    const NoiseLibrary library = recorded_inflows(calendar, system, record, years);
    OwnScenarios out;
    for (int s = 0; s < library.scenarios; ++s) {
        for (int t = 0; t < library.stages; ++t) {
            for (int h = 0; h < library.width; ++h) {
                out.inflow.push_back({t, s, h, library.noise(s, t)[at(h)]});
            }
        }
    }
    return out;
}

Problem with_scenarios(Problem problem, const OwnScenarios& scenarios, Problems& problems) {
    Process& process = problem.process;
    const NoiseLayout before = process.layout;
    const auto& system = problem.system;
    NoiseLayout layout{before.hydros,
                       with_values(system.buses, before.buses, scenarios.load),
                       with_values(system.sources, before.sources, scenarios.source)};
    const int loads = before.hydros + static_cast<int>(before.buses.size());
    std::vector<Part> parts;
    const std::vector<int> hydros = all_of(before.hydros);
    parts.push_back(part_of(scenarios.inflow, hydros, [&] {
        return placed_inflows(problem.calendar, system, scenarios.inflow, problems);
    }));
    parts.push_back(part_of(scenarios.load, places(layout.buses, before.buses, before.hydros), [&] {
        return placed_loads(problem.calendar, system, layout.buses, scenarios.load, problems);
    }));
    parts.push_back(part_of(scenarios.source, places(layout.sources, before.sources, loads), [&] {
        return placed_sources(problem.calendar, system, layout.sources, scenarios.source, problems);
    }));
    const bool is_pinned = std::ranges::any_of(
        process.pinned_noise, [](const std::vector<double>& noise) { return !noise.empty(); });
    if (is_pinned) {
        problems.add(ProblemKind::not_supported,
                     subject::scenario_source,
                     "",
                     "not supported yet: other scenarios where nodes of the policy graph have "
                     "external columns");
    }
    if (problems.has_errors()) {
        return problem;
    }
    if (!scenarios.inflow.empty()) {
        take_inflows(process.inflow);
    }
    take_values(problem.system, scenarios);
    process.simulation =
        std::make_shared<const OwnSampler>(process.simulation, before.size(), std::move(parts));
    process.training = process.simulation;
    process.layout = std::move(layout);
    process.tree = tree_of(*process.simulation, problem.stage_count(), process.layout.size());
    return problem;
}

}  // namespace lockstep::sddp
