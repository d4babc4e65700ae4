#include "sddp/passes/engine.hpp"

#include <algorithm>
#include <numeric>

#include "lockstep/base/index.hpp"

#include "sddp/passes/work_counts.hpp"

namespace lockstep::sddp {

namespace {

std::vector<int> outcomes_of(const Model& model) {
    std::vector<int> outcomes;
    for (int t = 0; t < model.stage_count(); ++t) {
        outcomes.push_back(model.outcomes(t));
    }
    return outcomes;
}

std::vector<int> order_as_given(int outcomes) {
    std::vector<int> order(at(outcomes));
    std::iota(order.begin(), order.end(), 0);
    return order;
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
      weight(at(std::ranges::max(outcomes_of(model)))) {}

Engine::Engine(Model& the_model, const SolverSetup& the_setup, runtime::Team& the_team)
    : model(the_model),
      setup(the_setup),
      team(the_team),
      states(model.states()),
      working_sets(at(model.stage_count())),
      activity(model.stage_count(), team.threads.size()),
      tally(outcomes_of(model), team.threads.size()),
      workers(team.threads, [this](int thread) { return Worker(thread, model, setup); }),
      initial_state_(model.initial_state()) {
    for (int t = 0; t < model.stage_count(); ++t) {
        pools.emplace_back(states);
        if (model.bounds_apart()) {
            bounding_pools.emplace_back(states);
        }
        opening_orders.push_back(setup.speed.ordered_openings ? model.outcome_path(t)
                                                              : order_as_given(model.outcomes(t)));
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
            incoming_state.subspan(decided()),
            last || !bounds_apart() ? nullptr : &bounding_pools[t]};
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
    model.realise(stage, incoming.subspan(decided()), noise, *worker.outcome);
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
    std::vector<StoredBasis> bases(pools.size());
    auto& worker = workers[0];
    auto state = initial_state_;
    auto next = state;
    for (int t = 0; t < stage_count(); ++t) {
        worker.solver.begin(unit(t, nullptr, state));
        if (solve(worker, t, state, model.noise(t, opening_orders[at(t)].front())) !=
            lp::Status::optimal) {
            break;  // the pass itself will meet it and say where
        }
        worker.solver.store_basis(bases[at(t)]);
        worker.solver.leave(*worker.outcome, next);
        std::swap(state, next);
    }
    return bases;
}

void Engine::place(Cuts cuts, int more_cuts) {
    if (cuts == Cuts::move) {
        cut_memory.place(team.node(), growing_pools(), more_cuts);
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
