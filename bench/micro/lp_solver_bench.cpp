#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "lockstep/lp/solver.hpp"

#include "micro/lp_models.hpp"

namespace lockstep::bench {
namespace {

/// Draws new row bounds, the same sequence for each solver.
class NoiseSource {
public:
    explicit NoiseSource(const NoisyModel& model) : model_(model) {}

    void move_all(lp::Solver& solver) {
        for (const Noise& noise : model_.noise) {
            move(solver, noise);
        }
    }
    void move_one(lp::Solver& solver) {
        move(solver, model_.noise[generator_() % model_.noise.size()]);
    }

private:
    void move(lp::Solver& solver, const Noise& noise) {
        const double value =
            noise.low + (noise.high - noise.low) * static_cast<double>(generator_()) * 0x1p-32;
        solver.set_row_bounds(noise.row, value, noise.equation ? value : lp::infinity);
    }

    const NoisyModel& model_;
    std::mt19937 generator_{3};
};

bool must_be_optimal(benchmark::State& state, lp::Solver& solver) {
    if (solver.solve() == lp::Status::optimal) {
        return true;
    }
    state.SkipWithError("not optimal");
    return false;
}

void report_pivots(benchmark::State& state, std::int64_t pivots) {
    state.counters["pivots"] =
        benchmark::Counter(static_cast<double>(pivots), benchmark::Counter::kAvgIterations);
}

/// Solves again and again after random changes of row bounds.
void resolve(benchmark::State& state, lp::SolverKind kind, const NoisyModel& model, bool all_rows) {
    const auto solver = lp::make_solver(kind);
    solver->load(model.model);
    std::int64_t pivots = 0;
    NoiseSource noise(model);
    if (!must_be_optimal(state, *solver)) {
        return;
    }
    for (auto _ : state) {
        if (all_rows) {
            noise.move_all(*solver);
        } else {
            noise.move_one(*solver);
        }
        if (!must_be_optimal(state, *solver)) {
            return;
        }
        pivots += solver->iterations();
    }
    report_pivots(state, pivots);
}

/// The unit of work of a backward pass: load, start basis, twenty openings.
void unit_of_work(benchmark::State& state, lp::SolverKind kind, const NoisyModel& model) {
    constexpr int openings = 20;
    const auto solver = lp::make_solver(kind);
    solver->load(model.model);
    std::int64_t pivots = 0;
    NoiseSource noise(model);
    if (!must_be_optimal(state, *solver)) {
        return;
    }
    lp::Basis start;
    solver->get_basis(start);
    for (auto _ : state) {
        solver->load(model.model);
        solver->set_basis(start);
        for (int opening = 0; opening < openings; ++opening) {
            noise.move_all(*solver);
            if (!must_be_optimal(state, *solver)) {
                return;
            }
            pivots += solver->iterations();
        }
    }
    report_pivots(state, pivots);
}

void load_and_start(benchmark::State& state, lp::SolverKind kind, const NoisyModel& model) {
    const auto solver = lp::make_solver(kind);
    solver->load(model.model);
    if (!must_be_optimal(state, *solver)) {
        return;
    }
    lp::Basis start;
    solver->get_basis(start);
    for (auto _ : state) {
        solver->load(model.model);
        solver->set_basis(start);
        if (!must_be_optimal(state, *solver)) {
            return;
        }
    }
}

struct NamedModel {
    std::string name;
    NoisyModel model;
};

const std::vector<NamedModel>& models() {
    static const std::vector<NamedModel> all{
        {"covering_60x120", covering_model(60, 120, 4)},
        {"dispatch_30x111", dispatch_model({4, 2, 12, 3, 8})},
        {"dispatch_625x1906", dispatch_model({150, 5, 60, 3, 10})}};
    return all;
}

void register_all() {
    for (const lp::SolverKind kind : {lp::SolverKind::clp, lp::SolverKind::highs}) {
        if (!lp::is_built(kind)) {
            continue;
        }
        const std::string solver(to_string(kind));
        for (const NamedModel& named : models()) {
            const NoisyModel& model = named.model;
            const auto add = [&](const std::string& what, auto body) {
                benchmark::RegisterBenchmark((what + "/" + named.name + "/" + solver).c_str(), body)
                    ->Unit(benchmark::kMicrosecond);
            };
            add("resolve_one_row",
                [kind, &model](benchmark::State& state) { resolve(state, kind, model, false); });
            add("resolve_all_rows",
                [kind, &model](benchmark::State& state) { resolve(state, kind, model, true); });
            add("load_and_start",
                [kind, &model](benchmark::State& state) { load_and_start(state, kind, model); });
            add("unit_of_20_openings",
                [kind, &model](benchmark::State& state) { unit_of_work(state, kind, model); });
        }
    }
}

const bool registered = (register_all(), true);

}  // namespace
}  // namespace lockstep::bench
