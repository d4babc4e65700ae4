#include "sddp/passes/engine.hpp"

#include <algorithm>
#include <numeric>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/stage/place_stages.hpp"
#include "sddp/passes/opening_order.hpp"
#include "sddp/passes/work_counts.hpp"

namespace lockstep::sddp {

namespace {

std::vector<StageProblem> build_stages(const Problem& problem, const SpeedOptions& options) {
    std::vector<StageProblem> stages;
    for (int t = 0; t < problem.stage_count(); ++t) {
        stages.push_back(build_stage_problem(problem, t, options));
    }
    return stages;
}

std::vector<int> order_as_given(const Problem& problem, int stage) {
    std::vector<int> order(static_cast<std::size_t>(problem.process.tree.count[at(stage)]));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

std::size_t most_openings(const Problem& problem) {
    const auto& count = problem.process.tree.count;
    return static_cast<std::size_t>(*std::max_element(count.begin(), count.end()));
}

std::vector<double> state_before(const Problem& problem) {
    std::vector<double> state;
    for (const auto& hydro : problem.system.hydros) {
        state.push_back(hydro.initial_storage_hm3);
    }
    const auto& lags = problem.process.inflow.initial_lags;
    state.insert(state.end(), lags.begin(), lags.end());
    return state;
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

Worker::Worker(int the_thread,
               const Problem& problem,
               const std::vector<StageProblem>& stages,
               const SolverSetup& setup)
    : thread(the_thread),
      solver(problem, stages, setup),
      noise(static_cast<std::size_t>(problem.process.layout.size())),
      weight(most_openings(problem)) {}

Engine::Engine(const Problem& the_problem, const SolverSetup& the_setup, runtime::Team& the_team)
    : problem(the_problem),
      setup(the_setup),
      team(the_team),
      stages(build_stages(problem, setup.speed)),
      working_sets(stages.size()),
      activity(stage_count(), team.threads.size()),
      tally(problem.process.tree.count, team.threads.size()),
      workers(team.threads, [this](int thread) { return Worker(thread, problem, stages, setup); }),
      initial_state_(state_before(problem)) {
    if (problem.process.bound_slopes == BoundSlopes::secant &&
        !truncated_hydros(problem.process).empty()) {
        inflow_means_ = inflow_means(problem.process);
    }
    for (int t = 0; t < stage_count(); ++t) {
        pools.emplace_back(problem.hydro_count(), problem.process.inflow.lags);
        if (bounds_apart()) {
            bounding_pools.emplace_back(problem.hydro_count(), problem.process.inflow.lags);
        }
        opening_orders.push_back(setup.speed.ordered_openings ? opening_order(problem, t)
                                                              : order_as_given(problem, t));
    }
}

UnitStart Engine::unit(int stage,
                       const StoredBasis* basis,
                       std::span<const double> incoming_state) const {
    const auto t = static_cast<std::size_t>(stage);
    const bool last = stage + 1 == stage_count();
    return {stage,
            last ? nullptr : &pools[t],
            working_sets[t],
            setup.speed.warm_start ? basis : nullptr,
            incoming_state.subspan(storages()),
            last || !bounds_apart() ? nullptr : &bounding_pools[t],
            bounds_apart() ? inflow_means_[t] : std::span<const Interval>()};
}

UnitStart Engine::bounding_unit(int stage,
                                const StoredBasis* basis,
                                std::span<const double> incoming_state) const {
    auto start = unit(stage, basis, incoming_state);
    if (start.bounding != nullptr) {
        start.pool = start.bounding;
    }
    return start;
}

lp::Status Engine::solve(Worker& worker,
                         int stage,
                         std::span<const double> incoming,
                         std::span<const double> noise) const {
    realise(problem, stage, incoming.subspan(storages()), noise, worker.realisation);
    return worker.solver.solve(incoming.first(storages()), worker.realisation);
}

void Engine::leave(Worker& worker,
                   std::span<const double> incoming,
                   std::span<double> outgoing) const {
    worker.solver.outgoing_storage(outgoing.first(storages()));
    shift_lags(
        incoming.subspan(storages()), worker.realisation.inflow, outgoing.subspan(storages()));
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

void Engine::refresh_working_set(int stage, int iteration) {
    auto& set = working_sets[at(stage)];
    const auto& pool = pools[at(stage)];
    set.clear();
    for (int cut = 0; cut < pool.size(); ++cut) {
        if (pool.last_active(cut) >= iteration - 1) {
            set.push_back(cut);
        }
    }
}

std::vector<StoredBasis> Engine::pilot_bases() {
    std::vector<StoredBasis> bases(stages.size());
    auto& worker = workers[0];
    auto state = initial_state_;
    auto next = state;
    for (int t = 0; t < stage_count(); ++t) {
        worker.solver.begin(unit(t, nullptr, state));
        if (solve(worker, t, state, opening_noise(t, opening_orders[at(t)].front())) !=
            lp::Status::optimal) {
            break;  // the pass itself will meet it and say where
        }
        worker.solver.store_basis(bases[at(t)]);
        leave(worker, state, next);
        std::swap(state, next);
    }
    return bases;
}

void Engine::place(Cuts cuts, int more_cuts) {
    if (cuts == Cuts::move) {
        cut_memory.place(team.node(), growing_pools(), more_cuts);
    }
    borrowed_stages_ = place_stages(stages, team.node());
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
