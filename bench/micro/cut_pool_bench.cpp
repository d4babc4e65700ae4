// What it takes to price all cuts of a stage at a solution, by number of cuts: the part of a solve
// that grows with the pool. Threads read one pool, as those of a rank do.
#include "sddp/cuts/cut_pool.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

namespace lockstep::bench {
namespace {

constexpr int plants = 160;
constexpr int lags = 6;

sddp::CutPool pool_of(int cuts) {
    sddp::CutPool pool({plants, plants, plants * (lags - 1)});
    pool.reserve(cuts);
    std::vector<double> slopes(static_cast<std::size_t>(plants * (1 + lags)));
    for (int cut = 0; cut < cuts; ++cut) {
        for (std::size_t i = 0; i < slopes.size(); ++i) {
            slopes[i] = static_cast<double>((static_cast<std::size_t>(cut) * 31 + i * 17) % 101);
        }
        pool.add(cut, slopes, cut / 192, cut % 192);
    }
    return pool;
}

std::unique_ptr<sddp::CutPool> shared_pool;

void build(const benchmark::State& state) {
    shared_pool = std::make_unique<sddp::CutPool>(pool_of(static_cast<int>(state.range(0))));
}

void drop(const benchmark::State&) {
    shared_pool.reset();
}

// Once an opening: the inflow's part, and the storages' part at the solution.
void price_an_opening(benchmark::State& state) {
    const std::vector<double> x(plants, 0.5);
    std::vector<double> value(static_cast<std::size_t>(state.range(0)));
    while (state.KeepRunning()) {
        shared_pool->add_fresh_part(x, value);
        shared_pool->add_decided_part(x, value);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0) * 2 * plants * 8);
}

// Once a trial point: the older lags.
void price_a_trial_point(benchmark::State& state) {
    const std::vector<double> x(static_cast<std::size_t>(plants * (lags - 1)), 0.5);
    std::vector<double> value(static_cast<std::size_t>(state.range(0)));
    while (state.KeepRunning()) {
        shared_pool->price_older(x, value);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0) * (lags - 1) * plants * 8);
}

void sizes(benchmark::internal::Benchmark* measured) {
    measured->Arg(300)->Arg(1000)->Arg(9600)->Arg(15000);
    measured->Setup(build)->Teardown(drop)->UseRealTime();
}

BENCHMARK(price_an_opening)->Apply(sizes)->Threads(1)->Threads(2);
BENCHMARK(price_a_trial_point)->Apply(sizes)->Threads(1)->Threads(2);

}  // namespace
}  // namespace lockstep::bench
