#include "sddp/passes/runs/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/runtime/rounds.hpp"
#include "lockstep/runtime/sample_statistics.hpp"

#include "sddp/passes/engine.hpp"
#include "sddp/passes/risk.hpp"
#include "sddp/passes/runs/option_checks.hpp"
#include "sddp/passes/runs/result_digest.hpp"
#include "sddp/passes/runs/simulation_start.hpp"
#include "sddp/passes/work/work_counts.hpp"

namespace lockstep::sddp {

namespace {

// Scenarios that a thread answers before results go out: keeps memory bounded and threads busy.
constexpr int batch_per_thread = 4;

// Of all stages, or none where they are not of this problem's LPs.
std::vector<SimulationStart> starts_of(const Engine& engine, const Policy& policy) {
    std::vector<SimulationStart> starts;
    for (std::size_t t = 0; t < policy.starts.size(); ++t) {
        try {
            starts.push_back(unpack_simulation_start(policy.starts[t]));
        } catch (const InputError& error) {
            throw InputError(fmt::format(
                "where a simulation starts at the policy's stage {}: {}", t, error.what()));
        }
    }
    const auto is_misfit = [&](std::size_t t) {
        return !fits(starts[t], engine.model.lp(static_cast<int>(t)), engine.pools[t]);
    };
    for (std::size_t t = 0; t < starts.size(); ++t) {
        if (starts.size() != engine.pools.size() || is_misfit(t)) {
            return {};
        }
    }
    return starts;
}

// Every rank's values of a batch, in order of scenario.
template <typename T>
void gather(comm::Communicator& ranks,
            const std::vector<T>& mine,
            const comm::Layout& layout,
            std::vector<T>& all) {
    all.resize(static_cast<std::size_t>(layout.extent()));
    ranks.allgatherv(std::span<const T>(mine), std::span<T>(all), layout);
}

bool is_deterministic(const Model& model) {
    const auto& graph = model.graph();
    for (int node = 0; node < graph.nodes(); ++node) {
        if (model.outcomes(node) > 1) {
            return false;
        }
    }
    return graph.nodes() == graph.stages();
}

/// One simulation run; a round is a batch of scenarios.
class Simulation final : private runtime::Rounds {
public:
    Simulation(Model& model,
               Policy policy,
               const SimulateOptions& options,
               runtime::Team& team,
               Observer& observer);
    SimulateResult run();

private:
    /// What all ranks know of the batch under way.
    struct Batch {
        std::vector<double> costs;
        std::vector<Digest> digests;
        std::optional<Failure> failure;
        std::vector<PhaseReport> works;
    };

    void begin(std::int64_t) override { pending_ = {}; }
    void work() override;
    void confirm() override { team_.ranks.barrier(); }
    void commit() override;
    bool is_over() override;
    void drop() override {}
    void repartition() override { is_shared_ = false; }

    void start_from_pilot();
    [[nodiscard]] const StoredBasis& start_basis(int node, int scenario) const {
        const auto& bases = starts_[at(node)].bases;
        return bases[static_cast<std::size_t>(scenario) % bases.size()];
    }
    [[nodiscard]] std::vector<int> path(int scenario) const;
    [[nodiscard]] double probability_of(std::span<const int> path) const;
    void describe_paths();
    [[nodiscard]] runtime::Sample sample() const;
    ScenarioResult scenario(int number, Worker& worker) const;
    void place();
    std::ptrdiff_t next_count();
    [[nodiscard]] std::ptrdiff_t done() const noexcept {
        return static_cast<std::ptrdiff_t>(result_.total_cost.size());
    }

    const SimulateOptions& options_;
    runtime::Team& team_;
    Observer& observer_;
    Engine engine_;
    int scenarios_;
    std::vector<SimulationStart> starts_;  // [nodes]
    std::vector<Digest> digests_;          // of all scenarios so far
    bool is_shared_ = false;               // with the present ranks of the node
    Batch pending_;
    SimulateResult result_;
};

Simulation::Simulation(Model& model,
                       Policy policy,
                       const SimulateOptions& options,
                       runtime::Team& team,
                       Observer& observer)
    : options_(options),
      team_(team),
      observer_(observer),
      engine_(model, {options.solver, options.tolerances, options.speed}, team),
      scenarios_(options.enumerated ? engine_.graph().width(engine_.stage_count() - 1)
                                    : options.scenarios) {
    if (options.enumerated) {
        require_tree(engine_.model);
    }
    engine_.take(policy);
    starts_ = starts_of(engine_, policy);
    for (std::size_t t = 0; t < starts_.size(); ++t) {
        engine_.working_sets[t] = starts_[t].working_set;
    }
    if (starts_.empty() || !is_deterministic(model)) {
        start_from_pilot();
    }
    engine_.take_work();
}

// Its bases are the starts; where training left no working sets, cuts that it needed are resident
// from the start of every unit.
void Simulation::start_from_pilot() {
    const bool has_working_sets = !starts_.empty();
    auto bases = engine_.pilot_bases();
    starts_.resize(bases.size());
    for (std::size_t t = 0; t < bases.size(); ++t) {
        if (!has_working_sets) {
            engine_.working_sets[t] = bases[t].cuts;
            std::ranges::sort(engine_.working_sets[t]);
        }
        starts_[t].bases.assign(1, std::move(bases[t]));
    }
}

// Enumerated: to the leaf with the scenario's number.
std::vector<int> Simulation::path(int scenario) const {
    const auto& graph = engine_.graph();
    std::vector<int> nodes;
    if (options_.enumerated) {
        for (int node = graph.first(graph.stages() - 1) + scenario; node >= 0;
             node = graph.before(node)) {
            nodes.push_back(node);
        }
        std::ranges::reverse(nodes);
        return nodes;
    }
    nodes.push_back(0);
    int last_stages = 0;  // met so far
    while (true) {
        const int node = nodes.back();
        last_stages += graph.stage(node) + 1 == graph.stages() ? 1 : 0;
        if (graph.is_leaf(node) || last_stages == options_.cycles) {
            return nodes;
        }
        nodes.push_back(engine_.model.next_node(0, scenario, node));
    }
}

double Simulation::probability_of(std::span<const int> path) const {
    double probability = 1;
    for (std::size_t t = 0; t + 1 < path.size(); ++t) {
        for (const auto& arc : engine_.graph().after(path[t])) {
            probability *= arc.to == path[t + 1] ? arc.probability : 1;
        }
    }
    return probability;
}

ScenarioResult Simulation::scenario(int number, Worker& worker) const {
    const auto& model = engine_.model;
    ScenarioResult result;
    result.scenario = number;
    const auto nodes = path(number);
    auto state = engine_.initial_state();
    auto next = state;
    double discount = 1;
    int passage = 0;
    for (std::size_t step = 0; step < nodes.size(); ++step) {
        const int node = nodes[step];
        const int t = engine_.graph().stage(node);
        passage += step > 0 && node <= nodes[step - 1] ? 1 : 0;
        worker.solver.begin(engine_.unit(node, &start_basis(node, number), state));
        // Another passage is to the noise what another scenario is.
        model.draw(Purpose::simulation,
                   0,
                   number + passage * scenarios_,
                   scenarios_ * options_.cycles,
                   node,
                   worker.noise);
        const auto status = engine_.solve(worker, node, state, worker.noise);
        require_optimal(status, {Phase::simulation, 0, t, number}, worker.solver, engine_.setup);
        result.stages.push_back(
            model.record(node, worker.solver, state, *worker.outcome, discount));
        result.stages.back().node += passage * engine_.node_count();
        result.total_cost += discount * result.stages.back().cost.immediate;
        discount *= model.lp(node).discount;
        worker.solver.leave(*worker.outcome, next);
        std::swap(state, next);
    }
    return result;
}

// Batches are consecutive scenarios over all ranks, so that what is done is always a prefix.
std::ptrdiff_t Simulation::next_count() {
    const auto threads =
        team_.ranks.allreduce(static_cast<std::int64_t>(team_.threads.size()), comm::ReduceOp::sum);
    return std::min(static_cast<std::ptrdiff_t>(batch_per_thread * threads), scenarios_ - done());
}

// A policy that was read from files is on every rank; one that was just trained need not be.
void Simulation::place() {
    const auto is_own = [](const CutPool& pool) { return pool.slopes().has_own_blocks(); };
    const int wish = std::ranges::any_of(engine_.pools, is_own) ? 1 : 0;
    const bool is_wanted = team_.ranks.allreduce(wish, comm::ReduceOp::max) != 0;
    engine_.place(is_wanted ? Engine::Cuts::move : Engine::Cuts::stay);
    is_shared_ = true;
}

void Simulation::work() {
    auto& ranks = team_.ranks;
    if (!is_shared_) {
        place();
    }
    const auto count = next_count();
    const auto mine = runtime::block_of(count, ranks.rank(), ranks.size());
    const auto first = done() + mine.begin;
    std::vector<ScenarioResult> results(static_cast<std::size_t>(mine.size()));
    std::vector<double> costs(results.size());
    std::vector<Digest> digests(results.size());
    std::vector<PhaseReport> works(results.size());
    pending_.failure = engine_.run(first, mine.size(), [&](std::ptrdiff_t item, Worker& worker) {
        const auto i = static_cast<std::size_t>(item);
        worker.solver.take_work();  // what a scenario without an answer left
        results[i] = scenario(static_cast<int>(first + item), worker);
        costs[i] = results[i].total_cost;
        digests[i] = digest_of(results[i]);
        works[i] = worker.solver.take_work();
    });
    if (pending_.failure) {
        return;
    }
    comm::agree(ranks, [&] {
        for (const auto& result : results) {
            observer_.on_scenario(result);
        }
    });
    const auto layout = comm::Layout::blocks(count, 1, ranks.size());
    gather(ranks, costs, layout, pending_.costs);
    gather(ranks, digests, layout, pending_.digests);
    gather(ranks, works, layout, pending_.works);
}

void Simulation::commit() {
    for (const auto& work : pending_.works) {
        add(work, result_.work);
    }
    result_.failure = std::move(pending_.failure);
    const auto append = [](auto& all, const auto& part) {
        all.insert(all.end(), part.begin(), part.end());
    };
    append(result_.total_cost, pending_.costs);
    append(digests_, pending_.digests);
    append(result_.scenario_work, pending_.works);
    if (!result_.failure) {
        observer_.on_simulation_progress(static_cast<int>(done()), scenarios_);
    }
}

bool Simulation::is_over() {
    const int wants_stop = observer_.stop_requested() ? 1 : 0;
    const bool is_stopped = team_.ranks.allreduce(wants_stop, comm::ReduceOp::max) != 0;
    const bool is_done = result_.failure || done() >= scenarios_;
    result_.cancelled = is_stopped && !is_done;
    return is_stopped || is_done;
}

void Simulation::describe_paths() {
    const bool is_chain = engine_.node_count() == engine_.stage_count();
    for (int i = 0; i < static_cast<int>(done()) && !is_chain; ++i) {
        result_.nodes.push_back(path(i));
        if (options_.enumerated) {
            result_.probability.push_back(probability_of(result_.nodes.back()));
        }
    }
}

// Enumerated paths are no sample but all there is.
runtime::Sample Simulation::sample() const {
    if (result_.probability.empty()) {
        return runtime::sample_of(result_.total_cost);
    }
    const auto& weight = result_.probability;
    runtime::Sample all;
    all.mean = weighted_sum(weight, result_.total_cost);
    double variance = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        const auto difference = result_.total_cost[i] - all.mean;
        variance += weight[i] * difference * difference;
    }
    all.std = std::sqrt(variance);
    return all;
}

SimulateResult Simulation::run() {
    const Stopwatch clock;
    runtime::run_rounds(team_, 0, *this);
    describe_paths();
    const auto sample = this->sample();
    result_.mean = sample.mean;
    result_.std = sample.std;
    result_.half_width_95 = sample.half_width_95;
    result_.digest = digest_of(digests_);
    result_.seconds = clock.seconds();
    result_.work.wall_seconds = result_.seconds;
    return std::move(result_);
}

}  // namespace

SimulateResult run_simulation(Model& model,
                              Policy policy,
                              const SimulateOptions& options,
                              runtime::Team& team,
                              Observer& observer) {
    return Simulation(model, std::move(policy), options, team, observer).run();
}

}  // namespace lockstep::sddp
