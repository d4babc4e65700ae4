#include "xpcs/cmc/crews.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs::cmc {

CrewPlan plan_crews(int tasks, int threads, int useful) {
    CrewPlan best{0, 1};
    int best_turns = 1;
    for (int crews = std::min(tasks, threads); crews >= 1; --crews) {
        const CrewPlan plan{crews, std::min(threads / crews, useful)};
        const int turns = (tasks + crews - 1) / crews;
        // turns / threads is the time that it takes
        if (best.crews == 0 || turns * best.threads < best_turns * plan.threads) {
            best = plan;
            best_turns = turns;
        }
    }
    return best;
}

void on_crews(std::span<runtime::ThreadTeam> crews,
              std::ptrdiff_t count,
              const std::function<void(std::ptrdiff_t, runtime::ThreadTeam&)>& body) {
    std::vector<std::exception_ptr> failures(at(count));
    std::atomic<std::ptrdiff_t> next = 0;
    const auto lead = [&](runtime::ThreadTeam& crew) noexcept {
        for (auto task = next++; task < count; task = next++) {
            try {
                body(task, crew);
            } catch (...) {
                failures[at(task)] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> leaders;  // join
        for (auto& crew : crews.subspan(1)) {
            leaders.emplace_back([&] { lead(crew); });
        }
        lead(crews.front());
    }
    for (const auto& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

}  // namespace lockstep::xpcs::cmc
