#include "sddp/hydro/hydro_model.hpp"

#include <algorithm>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "sddp/hydro/process/inflow/inflow_step.hpp"
#include "sddp/hydro/process/noise/opening_order.hpp"
#include "sddp/hydro/process/noise/sampling.hpp"
#include "sddp/hydro/stage/place_stages.hpp"
#include "sddp/hydro/stage/recorder.hpp"
#include "sddp/model/outcome_costs.hpp"

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
            const std::size_t index = stage.at(static_cast<int>(n), k);
            const double available = realisation.available[index];
            out.rows.push_back(
                {stage.map.load_row[stage.at(system.sources[n].bus, k)], -available});
            for (const auto& coupling : stage.available_coupling.of(static_cast<int>(index))) {
                out.rows.push_back({coupling.row, coupling.coefficient * available});
            }
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

// [$], the future left out.
double least_cost(const StageLp& stage) {
    const auto& model = stage.model;
    double least = stage.constant_cost;
    for (int j = 0; j < model.columns(); ++j) {
        const double cost = model.cost[at(j)] / stage.objective_scale;
        const double bound = cost < 0 ? model.column_upper[at(j)] : model.column_lower[at(j)];
        if (j != stage.theta && cost != 0) {
            least += std::min(0.0, cost * bound);
        }
    }
    return least;
}

/// Where a state lies after the last stage. Inflows and water on its way lie within the reach of
/// any river.
Interval range_of(const StageLp& last, std::size_t state) {
    constexpr double reach = 1e6;  // [m³/s, hm³]
    if (state >= last.decided.size()) {
        return {-reach, reach};
    }
    const auto& slot = last.decided[state];
    if (slot.column < 0) {
        return {slot.constant, slot.constant};
    }
    return {std::max(-reach, last.model.column_lower[at(slot.column)]),
            std::min(reach, last.model.column_upper[at(slot.column)])};
}

// [$]
double least_value(const StageLp& last, const StageCuts& cuts, int cut) {
    const auto slopes = cuts.slopes.row(cut);
    double value = cuts.intercept[at(cut)];
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const auto range = range_of(last, i);
        value += std::min(slopes[i] * range.low, slopes[i] * range.high);
    }
    return value;
}

// [$], of what the cuts of a boundary say after the last stage: no highest cut is below the lowest
// value of any one of them.
double least_boundary(const StageLp& last, const StageCuts& boundary) {
    if (boundary.size() == 0) {
        return 0;
    }
    double least = -lp::infinity;
    for (int cut = 0; cut < boundary.size(); ++cut) {
        least = std::max(least, least_value(last, boundary, cut));
    }
    return std::min(0.0, least);
}

// What was decided before the study for its first stages.
void add_commitments(const System& system, std::vector<double>& state) {
    for (const auto& thermal : system.thermals) {
        const auto first = state.size();
        state.resize(first + at(thermal.commitments));
        for (const auto& delivery : thermal.deliveries) {
            if (delivery.decided_in < 0) {
                state[first + at(delivery.stage % thermal.commitments)] = delivery.committed_mw;
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

// Of what split_future() adds.
void number_rest(const char* what, int count, std::vector<std::string>& names) {
    const auto first = static_cast<int>(names.size());
    for (int i = first; i < count; ++i) {
        names.push_back(std::string(what) + " " + std::to_string(i - first));
    }
}

}  // namespace

HydroModel::HydroModel(const Problem& problem, const SpeedOptions& options)
    : problem_(problem), graph_(problem.graph, problem.stage_count()) {
    for (int t = 0; t < problem.stage_count(); ++t) {
        stages_.push_back(build_stage_problem(problem, t, options));
    }
    set_floors();
    for (int node = 0; node < graph_.nodes(); ++node) {
        lp_of_node_.push_back(graph_.stage(node));
    }
    if (options.multi_cut) {
        split_futures();
    }
    make_node_noise();
    if (problem.process.bound_slopes == BoundSlopes::secant && !is_convex()) {
        inflow_means_ = inflow_means(problem.process);
    }
}

bool HydroModel::is_convex() const {
    return truncated_hydros(problem_.process).empty();
}

// The cheapest that the columns of each stage can be, whatever its rows say: 0 unless something
// earns money. It bounds every risk measure, and no cut is needed for a future to have a value.
void HydroModel::set_floors() {
    double floor = least_boundary(stages_.back(), problem_.boundary);
    if (graph_.is_cyclic()) {
        floor = floor_for_ever();
    }
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
        if (floor < 0) {
            stage->model.column_lower[at(stage->theta)] = floor * stage->theta_scale;
        }
        floor = least_cost(*stage) + stage->discount * floor;
    }
}

// What a passage can earn, again and again.
double HydroModel::floor_for_ever() const {
    double floor = 0;
    double discount = 1;
    for (int t = graph_.stages() - 1; t >= graph_.stage_after(graph_.stages() - 1); --t) {
        const auto& stage = stages_[at(t)];
        floor = least_cost(stage) + stage.discount * floor;
        discount *= stage.discount;
    }
    return floor < 0 ? floor / (1 - discount) : 0;
}

// Nodes of a graph differ in what may follow: each has an LP for itself.
void HydroModel::split_futures() {
    const bool is_chain = problem_.graph.is_chain();
    for (int node = 0; node < graph_.nodes(); ++node) {
        if (graph_.is_leaf(node)) {
            continue;
        }
        if (risk_after(node).entropic > 0) {
            throw InputError(
                "multi-cut needs risk measures that are linear programmes: the entropic one of a "
                "stage is none");
        }
        if (!is_chain) {
            lp_of_node_[at(node)] = static_cast<int>(stages_.size());
            stages_.push_back(StageProblem(stages_[at(graph_.stage(node))]));
        }
        split_future(
            stages_[at(lp_of_node_[at(node)])], probabilities_after(node), risk_after(node));
    }
}

std::vector<double> HydroModel::initial_state() const {
    std::vector<double> state;
    for (const auto& hydro : problem_.system.hydros) {
        state.push_back(hydro.initial_storage_hm3);
    }
    for (const auto& hydro : problem_.system.hydros) {
        const auto& transit = hydro.initial_transit_hm3;
        state.insert(state.end(), transit.begin(), transit.end());
    }
    add_commitments(problem_.system, state);
    for (const auto& battery : problem_.system.batteries) {
        state.push_back(battery.initial_energy_mwh);
    }
    const auto& lags = problem_.process.inflow.initial_lags;
    state.insert(state.end(), lags.begin(), lags.end());
    return state;
}

bool HydroModel::is_in_cuts(int node, int state) const {
    const auto& next = problem_.calendar.stages[at(graph_.stage_after(graph_.stage(node)))];
    if (state >= problem_.states().decided) {
        return next.lags_in_cuts;
    }
    return state >= problem_.hydro_count() || next.storage_in_cuts;
}

int HydroModel::outcomes(int node) const {
    return is_pinned(node) ? 1 : problem_.process.tree.count[at(graph_.stage(node))];
}

// A regime's inflows are the stage's noise, stretched and moved.
void HydroModel::move_to_node(int node, std::span<double> noise) const {
    const auto& change = problem_.process.node_noise[at(node)];
    for (std::size_t h = 0; h < change.factor.size(); ++h) {
        noise[h] = change.factor[h] * noise[h] + change.shift[h];
    }
}

void HydroModel::make_node_noise() {
    node_noise_.resize(problem_.process.node_noise.size());
    for (int node = 0; node < static_cast<int>(node_noise_.size()); ++node) {
        if (is_pinned(node) || problem_.process.node_noise[at(node)].factor.empty()) {
            continue;
        }
        auto& all = node_noise_[at(node)];
        for (int w = 0; w < outcomes(node); ++w) {
            const auto noise = problem_.process.tree.noise(graph_.stage(node), w);
            all.insert(all.end(), noise.begin(), noise.end());
            move_to_node(node, std::span(all).last(noise.size()));
        }
    }
}

std::span<const double> HydroModel::noise(int node, int outcome) const {
    if (is_regime(node)) {
        const auto size = at(noise_size());
        return std::span(node_noise_[at(node)]).subspan(at(outcome) * size, size);
    }
    return is_pinned(node) ? std::span<const double>(problem_.process.pinned_noise[at(node)])
                           : problem_.process.tree.noise(graph_.stage(node), outcome);
}

std::vector<int> HydroModel::outcome_path(int node) const {
    return is_pinned(node) ? std::vector<int>{0} : opening_order(problem_, graph_.stage(node));
}

void HydroModel::draw(Purpose purpose,
                      int iteration,
                      int scenario,
                      int scenarios,
                      int node,
                      std::span<double> noise) const {
    if (is_pinned(node)) {
        std::ranges::copy(this->noise(node, 0), noise.begin());
        return;
    }
    const auto& process = problem_.process;
    const auto& sampler = purpose == Purpose::training ? *process.training : *process.simulation;
    sampler.draw(iteration, scenario, scenarios, graph_.stage(node), noise);
    if (is_regime(node)) {
        move_to_node(node, noise);
    }
}

int HydroModel::next_node(int iteration, int scenario, int node) const {
    const auto arcs = graph_.after(node);
    return arcs.size() == 1 ? arcs.front().to
                            : graph_.next(node,
                                          transition_draw(problem_.process.resolved.tree_seed,
                                                          iteration,
                                                          scenario,
                                                          graph_.stage(node)));
}

void HydroModel::realise(int node,
                         std::span<const double> carried,
                         std::span<const double> noise,
                         Outcome& out) const {
    auto& realisation = static_cast<HydroOutcome&>(out).realisation;
    const auto& here = lp(node);
    sddp::realise(problem_, here.stage, carried, noise, realisation);
    std::ranges::copy(pinned_inflow(node), realisation.inflow.begin());
    out.drawn.assign(realisation.inflow.begin(), realisation.inflow.end());
    out.rows.clear();
    out.bounds.clear();
    shift_loads(here, realisation, out);
    shift_sources(problem_.system, here, realisation, out);
    limit_curtailments(problem_.process.layout.sources, here, realisation, out);
}

// Lag l - 1 becomes lag l; see InflowModel for what the lags of a stage are.
void HydroModel::carry(int node, std::span<const double> carried, std::span<double> older) const {
    thread_local std::vector<double> buffer;  // grows once
    const auto lags = recall_lags(problem_.process.inflow, graph_.stage(node), carried, buffer);
    std::copy_n(lags.begin(), older.size(), older.begin());
}

void HydroModel::carry_back(int node,
                            std::span<const double> by_drawn,
                            std::span<const double> by_older,
                            std::span<double> by_carried) const {
    const auto& psi = problem_.process.inflow.stages[at(graph_.stage(node))].lag;
    const auto rest = std::copy(by_older.begin(), by_older.end(), by_carried.begin());
    std::fill(rest, by_carried.end(), 0.0);
    const bool depends = pinned_inflow(node).empty();
    for (std::size_t i = 0; depends && i < by_carried.size(); ++i) {
        by_carried[i] += psi[i] * by_drawn[i % by_drawn.size()];
    }
    thread_local std::vector<double> buffer;  // grows once
    recall_slopes(problem_.process.inflow, graph_.stage(node), by_carried, buffer);
}

// Equation (15): a truncated inflow is no affine function of the lags, its support takes its place.
double HydroModel::support(int node, const Outcome& outcome, std::span<double> by_drawn) const {
    if (!pinned_inflow(node).empty()) {
        return 0;
    }
    const auto& realisation = realisation_of(outcome);
    const auto& scale = problem_.process.inflow.stages[at(graph_.stage(node))].scale;
    const auto& means = inflow_means_[at(graph_.stage(node))];
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

StageResult HydroModel::record(int node,
                               const StageSolver& solver,
                               std::span<const double> state,
                               const Outcome& outcome,
                               double discount) const {
    auto result =
        record_stage(problem_, lp(node), solver, state, realisation_of(outcome), discount);
    result.node = node;
    return result;
}

std::vector<std::string> HydroModel::column_names(int node) const {
    const auto& stage = lp(node);
    auto names = names_of(problem_, stage, stage.column_tags);
    number_rest("outcome cost", stage.model.columns(), names);
    return names;
}

std::vector<std::string> HydroModel::row_names(int node) const {
    const auto& stage = lp(node);
    auto names = names_of(problem_, stage, stage.row_tags);
    number_rest("outcome", stage.model.rows(), names);
    return names;
}

std::int64_t HydroModel::place(std::shared_ptr<comm::Communicator> machine) {
    return place_stages(stages_, std::move(machine));
}

}  // namespace lockstep::sddp
