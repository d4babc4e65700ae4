// An environment of one's own (pond.hpp): solved exactly, and learned from play alone by eight
// workers on two threads. What was learned is then worth, exactly, what is printed last.
//
// Who always leaves one tonne catches 3 at once and 1 a year on average from then on: worth
// 3 + 0.95/(1 - 0.95) = 22.

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/rl/learn/world_of.hpp"
#include "lockstep/rl/solve.hpp"
#include "lockstep/rl/time_limit.hpp"

#include "pond.hpp"

namespace {

using namespace lockstep;

constexpr double gamma = 0.95;

// The policy that takes the best action of each state: [states, actions] probabilities.
std::vector<double> greedy(const rl::QTable& table, const Pond& pond) {
    std::vector<double> policy(table.values.size(), 0);
    for (int s = 0; s < table.states; ++s) {
        const double* const row = table.values.data() + std::ptrdiff_t{s} * table.actions;
        int best = -1;
        for (int a = 0; a < table.actions; ++a) {
            const bool is_legal = (pond.mask(s) >> static_cast<unsigned>(a) & 1U) != 0;
            best = is_legal && (best < 0 || row[a] > row[best]) ? a : best;
        }
        if (best >= 0) {
            policy[static_cast<std::size_t>(s * table.actions + best)] = 1;
        }
    }
    return policy;
}

void run() {
    const Pond pond;
    const rl::Model model = *pond.model();
    const int start = model.starts().front().state;

    runtime::ThreadTeam threads(2);
    rl::SolveOptions exactly;
    exactly.gamma = gamma;
    rl::SolveObserver nobody;
    const rl::Solution best = rl::solve(model, exactly, threads, nobody);
    std::printf("optimal %.4f\n", best.value[static_cast<std::size_t>(start)]);

    // Episodes that nobody ends are cut, so that play begins anew.
    const auto world = rl::make_world_of(rl::TimeLimit(pond, 200));
    rl::LearnOptions options;
    options.steps = 2'000'000;
    options.workers = 8;
    options.discount_factor = gamma;
    options.exploration.level = rl::parse_schedule("0.3");
    const auto ranks = comm::make_local();
    runtime::Team team{*ranks, threads};
    rl::LearnObserver quiet;
    const rl::LearnResult learned = rl::learn(*world, options, team, quiet);

    const auto policy = greedy(learned.table, pond);
    const rl::Solution worth = rl::evaluate(model, policy, exactly, threads, nobody);
    std::printf("learned %.4f\n", worth.value[static_cast<std::size_t>(start)]);
}

}  // namespace

int main() {
    try {
        run();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
