#include "sddp/hydro/hydro_model.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/process/opening_order.hpp"
#include "sddp/hydro/stage/place_stages.hpp"
#include "sddp/hydro/stage/recorder.hpp"

namespace lockstep::sddp {

namespace {

const Realisation& realisation_of(const Outcome& outcome) {
    return static_cast<const HydroOutcome&>(outcome).realisation;
}

void shift_loads(const StageProblem& stage, const Realisation& realisation, Outcome& out) {
    for (std::size_t i = 0; i < realisation.load.size(); ++i) {
        out.rows.push_back({stage.map.load_row[i], realisation.load[i]});
    }
}

void shift_sources(const System& system,
                   const StageProblem& stage,
                   const Realisation& realisation,
                   Outcome& out) {
    for (std::size_t n = 0; n < system.sources.size(); ++n) {
        for (int k = 0; k < stage.blocks; ++k) {
            out.rows.push_back({stage.map.load_row[stage.at(system.sources[n].bus, k)],
                                -realisation.available[stage.at(static_cast<int>(n), k)]});
        }
    }
}

void limit_curtailments(const std::vector<int>& stochastic_sources,
                        const StageProblem& stage,
                        const Realisation& realisation,
                        Outcome& out) {
    for (const int n : stochastic_sources) {
        for (int k = 0; k < stage.blocks; ++k) {
            const auto index = stage.at(n, k);
            if (const int column = stage.map.curtailed[index].column; column >= 0) {
                out.bounds.push_back({column, 0, realisation.available[index]});
            }
        }
    }
}

std::vector<std::string> names_of(const Problem& problem,
                                  const StageProblem& stage,
                                  std::span<const Tag> tags) {
    std::vector<std::string> names;
    for (const auto& tag : tags) {
        names.push_back(name_of(problem, stage, tag));
    }
    return names;
}

}  // namespace

HydroModel::HydroModel(const Problem& problem, const SpeedOptions& options) : problem_(problem) {
    for (int t = 0; t < problem.stage_count(); ++t) {
        stages_.push_back(build_stage_problem(problem, t, options));
    }
    if (problem.process.bound_slopes == BoundSlopes::secant &&
        !truncated_hydros(problem.process).empty()) {
        inflow_means_ = inflow_means(problem.process);
    }
}

std::vector<double> HydroModel::initial_state() const {
    std::vector<double> state;
    for (const auto& hydro : problem_.system.hydros) {
        state.push_back(hydro.initial_storage_hm3);
    }
    const auto& lags = problem_.process.inflow.initial_lags;
    state.insert(state.end(), lags.begin(), lags.end());
    return state;
}

bool HydroModel::is_in_cuts(int stage, int state) const {
    const auto& here = problem_.calendar.stages[at(stage)];
    return state < problem_.hydro_count() ? here.storage_in_cuts : here.lags_in_cuts;
}

std::vector<int> HydroModel::outcome_path(int stage) const {
    return opening_order(problem_, stage);
}

void HydroModel::draw(Purpose purpose,
                      int iteration,
                      int scenario,
                      int scenarios,
                      int stage,
                      std::span<double> noise) const {
    const auto& process = problem_.process;
    const auto& sampler = purpose == Purpose::training ? *process.training : *process.simulation;
    sampler.draw(iteration, scenario, scenarios, stage, noise);
}

const RiskMeasure& HydroModel::risk(int stage) const {
    return problem_.calendar.stages[at(std::max(stage - 1, 0))].risk;
}

void HydroModel::realise(int stage,
                         std::span<const double> carried,
                         std::span<const double> noise,
                         Outcome& out) const {
    auto& realisation = static_cast<HydroOutcome&>(out).realisation;
    const auto& here = lp(stage);
    sddp::realise(problem_, stage, carried, noise, realisation);
    out.drawn.assign(realisation.inflow.begin(), realisation.inflow.end());
    out.rows.clear();
    out.bounds.clear();
    shift_loads(here, realisation, out);
    shift_sources(problem_.system, here, realisation, out);
    limit_curtailments(problem_.process.layout.sources, here, realisation, out);
}

void HydroModel::carry(int /*stage*/,
                       std::span<const double> carried,
                       std::span<double> older) const {
    std::copy_n(carried.begin(), older.size(), older.begin());  // lag l - 1 becomes lag l
}

void HydroModel::carry_back(int stage,
                            std::span<const double> by_drawn,
                            std::span<const double> by_older,
                            std::span<double> by_carried) const {
    const auto& psi = problem_.process.inflow.stages[at(stage)].lag;
    const auto rest = std::copy(by_older.begin(), by_older.end(), by_carried.begin());
    std::fill(rest, by_carried.end(), 0.0);
    for (std::size_t i = 0; i < by_carried.size(); ++i) {
        by_carried[i] += psi[i] * by_drawn[i % by_drawn.size()];
    }
}

// Equation (15): a truncated inflow is no affine function of the lags, its support takes its place.
double HydroModel::support(int stage, const Outcome& outcome, std::span<double> by_drawn) const {
    const auto& realisation = realisation_of(outcome);
    const auto& scale = problem_.process.inflow.stages[at(stage)].scale;
    const auto& means = inflow_means_[at(stage)];
    double change = 0;
    for (std::size_t h = 0; h < means.size(); ++h) {
        if (scale[h] == 0) {
            continue;
        }
        const auto f = realisation.untruncated[h];
        const auto shock = realisation.shock[h];
        const auto support =
            support_of_truncated(by_drawn[h], f, {means[h].low + shock, means[h].high + shock});
        change += by_drawn[h] * (support.slope * f + support.constant - realisation.inflow[h]);
        by_drawn[h] *= support.slope;
    }
    return change;
}

StageResult HydroModel::record(int stage,
                               const StageSolver& solver,
                               std::span<const double> state,
                               const Outcome& outcome,
                               double discount) const {
    return record_stage(problem_, lp(stage), solver, state, realisation_of(outcome), discount);
}

std::vector<std::string> HydroModel::column_names(int stage) const {
    return names_of(problem_, lp(stage), lp(stage).column_tags);
}

std::vector<std::string> HydroModel::row_names(int stage) const {
    return names_of(problem_, lp(stage), lp(stage).row_tags);
}

std::int64_t HydroModel::place(std::shared_ptr<comm::Communicator> node) {
    return place_stages(stages_, std::move(node));
}

}  // namespace lockstep::sddp
