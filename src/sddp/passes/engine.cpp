#include "sddp/passes/engine.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "sddp/passes/work/work_counts.hpp"

namespace lockstep::sddp {

namespace {

// [stages], the most that a node of the stage has.
std::vector<int> most_outcomes(const Model& model) {
    std::vector<int> most(at(model.graph().stages()));
    for (int node = 0; node < model.graph().nodes(); ++node) {
        auto& here = most[at(model.graph().stage(node))];
        here = std::max(here, model.outcomes(node));
    }
    return most;
}

// Of the outcomes of all that may follow a node.
std::size_t most_weights(const Model& model) {
    std::size_t most = 0;
    for (int node = 0; node < model.graph().nodes(); ++node) {
        most = std::max(most, model.probabilities_after(node).size());
    }
    return most;
}

std::vector<int> order_as_given(int outcomes) {
    std::vector<int> order(at(outcomes));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

// Leaves nothing there.
CutPool pool_of(std::vector<StageCuts>& stages, std::size_t stage, StateLayout states) {
    const auto cuts = std::exchange(stages[stage], {});
    if (cuts.size() > 0 && cuts.slopes.width() != states.size()) {
        throw InputError(fmt::format("the policy's stage {} has {} state variables, the problem {}",
                                     stage,
                                     cuts.slopes.width(),
                                     states.size()));
    }
    return CutPool::from_policy(cuts, states);
}

void require_known_outcomes(const CutPool& pool, const StageLp& stage, std::size_t node) {
    const auto outcomes = static_cast<int>(stage.outcome_theta.size());
    for (int cut = 0; cut < pool.size(); ++cut) {
        if (pool.outcome(cut) >= outcomes) {
            throw InputError(
                fmt::format("the policy has cuts of single outcomes after stage {}: it was trained "
                            "with multi-cut, and is one for multi-cut only",
                            node));
        }
    }
}

template <typename F>
void visit_counts(PhaseReport& report, F&& f) {
    for (auto* count : {&report.solves,
                        &report.units,
                        &report.pivots,
                        &report.resident_cuts,
                        &report.warm_starts}) {
        f(*count);
    }
    for (auto& count : report.retried) {
        f(count);
    }
}

}  // namespace

Worker::Worker(int the_thread, const Model& model, const SolverSetup& setup)
    : thread(the_thread),
      solver(model, setup),
      outcome(model.make_outcome()),
      noise(at(model.noise_size())),
      weight(most_weights(model)) {}

Engine::Engine(Model& the_model,
               const SolverSetup& the_setup,
               runtime::Team& the_team,
               bool the_states_stay)
    : model(the_model),
      setup(the_setup),
      team(the_team),
      states(model.states()),
      working_sets(at(model.graph().nodes())),
      activity(model.graph().nodes(), team.threads.size()),
      tally(most_outcomes(model), model.graph().is_cyclic(), team.threads.size()),
      workers(team.threads, [this](int thread) { return Worker(thread, model, setup); }),
      initial_state_(model.initial_state()) {
    for (int node = 0; node < node_count(); ++node) {
        pools.emplace_back(states);
        if (the_states_stay) {
            visited.emplace_back(states);
        }
        if (model.bounds_apart()) {
            bounding_pools.emplace_back(states);
        }
        if (graph().is_leaf(node) && model.boundary().size() > 0) {
            pools.back() = CutPool::from_policy(model.boundary(), states);
            if (model.bounds_apart()) {
                bounding_pools.back() = pools.back();
            }
        }
        opening_orders.push_back(setup.speed.ordered_openings
                                     ? model.outcome_path(node)
                                     : order_as_given(model.outcomes(node)));
        probabilities.push_back(model.probabilities_after(node));
    }
}

UnitStart Engine::unit(int node,
                       const StoredBasis* basis,
                       std::span<const double> incoming_state) const {
    const auto n = at(node);
    const bool last = graph().is_leaf(node) && pools[n].size() == 0;
    return {node,
            last ? nullptr : &pools[n],
            working_sets[n],
            setup.speed.warm_start ? basis : nullptr,
            incoming_state.subspan(decided()),
            last || !bounds_apart() ? nullptr : &bounding_pools[n]};
}

UnitStart Engine::forward_unit(int node,
                               const StoredBasis* basis,
                               std::span<const double> incoming_state) const {
    auto start = unit(node, basis, incoming_state);
    start.is_forward = true;
    if (setup.forward) {
        start.basis = setup.forward->warm_start ? basis : nullptr;
    }
    return start;
}

UnitStart Engine::bounding_unit(int node,
                                const StoredBasis* basis,
                                std::span<const double> incoming_state) const {
    auto start = unit(node, basis, incoming_state);
    if (start.bounding != nullptr) {
        start.pool = start.bounding;
    }
    return start;
}

lp::Status Engine::solve(Worker& worker,
                         int node,
                         std::span<const double> incoming,
                         std::span<const double> noise) const {
    model.realise(node, incoming.subspan(decided()), noise, *worker.outcome);
    return worker.solver.solve(incoming.first(decided()), *worker.outcome);
}

std::optional<Failure> Engine::run(std::ptrdiff_t first,
                                   std::ptrdiff_t count,
                                   const std::function<void(std::ptrdiff_t, Worker&)>& body) {
    std::optional<Failure> failure;
    std::int64_t failed = no_item;
    const auto first_failed = comm::agree_on_lowest(team.ranks, [&] {
        std::vector<std::optional<Failure>> failures(static_cast<std::size_t>(count));
        team.threads.parallel_for(count, [&](std::ptrdiff_t item, int thread) {
            try {
                body(item, workers[thread]);
            } catch (const StageFailure& stage) {
                failures[at(item)] = stage.failure();
            }
        });
        for (std::ptrdiff_t item = count - 1; item >= 0; --item) {
            if (failures[at(item)]) {
                failure = std::move(failures[at(item)]);
                failed = first + item;
            }
        }
        return failed;
    });
    return exchange_failure(team.ranks, failure, failed, first_failed);
}

void Engine::take(Policy& policy) {
    if (policy.stages.size() != pools.size()) {
        throw InputError(fmt::format(
            "the policy has {} stages, the problem {}", policy.stages.size(), pools.size()));
    }
    for (std::size_t t = 0; t < pools.size(); ++t) {
        if (!graph().is_leaf(static_cast<int>(t))) {  // a leaf has what the boundary says
            pools[t] = pool_of(policy.stages, t, states);
            require_known_outcomes(pools[t], model.lp(static_cast<int>(t)), t);
        }
    }
}

void Engine::take_bounds(Policy& policy) {
    for (std::size_t t = 0; t < bounding_pools.size(); ++t) {
        if (graph().is_leaf(static_cast<int>(t))) {
            continue;
        }
        auto& pool = bounding_pools[t];
        if (t < policy.bounding.size()) {
            pool = pool_of(policy.bounding, t, states);
            if (pool.size() != pools[t].size()) {
                throw InputError(fmt::format("the policy's stage {} has {} cuts and {} bounds",
                                             t,
                                             pools[t].size(),
                                             pool.size()));
            }
            continue;
        }
        const auto& stage = model.lp(static_cast<int>(t));
        const auto floor = stage.model.column_lower[at(stage.theta)] / stage.theta_scale;
        const std::vector<double> flat(state_size());
        for (int cut = 0; cut < pools[t].size(); ++cut) {
            pool.reserve(1);
            pool.add(floor, flat, pools[t].iteration(cut), 0);
        }
    }
}

void Engine::refresh_working_set(int node, int iteration) {
    auto& set = working_sets[at(node)];
    const auto& pool = pools[at(node)];
    const auto& speed = setup.speed;
    set.clear();
    for (int cut = 0; cut < pool.size(); ++cut) {
        const bool is_wanted = iteration < speed.lazy_from ||
                               pool.last_active(cut) >= iteration - 1 ||
                               pool.iteration(cut) >= iteration - speed.seed_window;
        if (is_wanted && pool.is_selected(cut)) {
            set.push_back(cut);
        }
    }
}

std::vector<StoredBasis> Engine::pilot_bases() {
    std::vector<StoredBasis> bases(pools.size());
    std::vector<std::optional<std::vector<double>>> after(pools.size());
    auto& worker = workers[0];
    for (int node = 0; node < node_count(); ++node) {
        const int before = graph().before(node);
        const auto state = before < 0 ? std::optional(initial_state_) : after[at(before)];
        if (!state) {
            continue;
        }
        worker.solver.begin(unit(node, nullptr, *state));
        if (solve(worker, node, *state, model.noise(node, opening_orders[at(node)].front())) !=
            lp::Status::optimal) {
            continue;  // the pass itself will meet it and say where
        }
        worker.solver.store_basis(bases[at(node)]);
        if (!graph().is_leaf(node)) {
            worker.solver.leave(*worker.outcome, after[at(node)].emplace(state_size()));
        }
    }
    return bases;
}

void Engine::place(Cuts cuts, int more_cuts) {
    if (cuts == Cuts::move) {
        cut_memory.place(team.node(), growing_pools(), more_cuts);
        visited_memory.place(team.node(), growing_visited(), more_cuts);
    }
    borrowed_model_ = model.place(team.node());
}

PhaseReport Engine::take_work() {
    auto sum = tally.take_total();
    for (int thread = 0; thread < workers.size(); ++thread) {
        add(workers[thread].solver.take_work(), sum);
    }
    return sum;
}

void exchange_counts(comm::Communicator& ranks, std::span<PhaseReport* const> reports) {
    std::vector<std::int64_t> counts;
    for (auto* report : reports) {
        visit_counts(*report, [&](std::int64_t count) { counts.push_back(count); });
    }
    ranks.allreduce(std::span<std::int64_t>(counts), comm::ReduceOp::sum);
    auto next = counts.begin();
    for (auto* report : reports) {
        visit_counts(*report, [&](std::int64_t& count) { count = *next++; });
    }
}

}  // namespace lockstep::sddp
