// Steps of an environment a second, one thread, random legal actions: 16 copies in turn, as a
// learner steps them. All random numbers come from the engine's streams, the actions' too.

#include <array>
#include <bit>
#include <vector>

#include <benchmark/benchmark.h>

#include "lockstep/rl/environments/registry.hpp"

namespace {

using namespace lockstep::rl;

constexpr std::uint32_t copies = 16;

template <Environment E>
int random_action(const E& rules, const typename E::Episode& episode, StepDraws& draws) {
    const ActionMask legal = legal_actions(rules, episode);
    const auto count = static_cast<std::uint32_t>(std::popcount(legal));
    return nth_action(legal, draws.below(count));
}

template <Environment E>
void run(benchmark::State& state, const E& rules) {
    const Streams streams(1, "bench");
    std::vector<typename E::Episode> episodes;
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
        StepDraws draws = streams.at(copy, 0);
        episodes.push_back(rules.reset(draws));
    }
    std::uint64_t step = 1;
    double paid = 0;
    std::array<DrawBlock, copies> blocks;
    for (auto _ : state) {
        streams.fill_items(0, step, blocks);
        for (std::uint32_t copy = 0; copy < copies; ++copy) {
            StepDraws draws = streams.at(copy, step, blocks[copy]);
            auto& episode = episodes[copy];
            const Step now = rules.step(episode, random_action(rules, episode, draws), draws);
            paid += now.reward;
            if (now.ended()) {
                episode = rules.reset(draws);
            }
        }
        ++step;
    }
    benchmark::DoNotOptimize(paid);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * copies);
}

void by_name(benchmark::State& state, const char* name) {
    with_environment(make_environment(name), [&](const auto& rules) { run(state, rules); });
}

BENCHMARK_CAPTURE(by_name, tictactoe, "tictactoe");
BENCHMARK_CAPTURE(by_name, frozen_lake, "FrozenLake-v1");
BENCHMARK_CAPTURE(by_name, frozen_lake_8x8, "FrozenLake8x8-v1");
BENCHMARK_CAPTURE(by_name, cliff_walking, "CliffWalking-v1");
BENCHMARK_CAPTURE(by_name, taxi, "Taxi-v4");
BENCHMARK_CAPTURE(by_name, blackjack, "Blackjack-v1");
BENCHMARK_CAPTURE(by_name, bandit, "bandit");
BENCHMARK_CAPTURE(by_name, deep_sea, "deepsea");
BENCHMARK_CAPTURE(by_name, garnet, "garnet");
BENCHMARK_CAPTURE(by_name, open_grid, "opengrid");
BENCHMARK_CAPTURE(by_name, inventory, "inventory");
BENCHMARK_CAPTURE(by_name, reservoir, "reservoir");

}  // namespace
