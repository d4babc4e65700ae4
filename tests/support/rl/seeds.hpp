#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "lockstep/rl/learn.hpp"

namespace lockstep::test {

constexpr std::size_t seeds = 20;

/// Q-learning by one learner.
inline rl::LearnOptions serial(std::int64_t steps,
                               const char* epsilon,
                               const char* step_size,
                               double gamma) {
    rl::LearnOptions options;
    options.mode = rl::Mode::serial;
    options.steps = steps;
    options.discount_factor = gamma;
    options.exploration.level = rl::parse_schedule(epsilon);
    options.learning_rate = rl::parse_step_size(step_size);
    return options;
}

/// What `measure` gives for each seed, on two threads.
inline std::vector<double> for_each_seed(const std::function<double(std::uint64_t seed)>& measure) {
    std::vector<double> results(seeds);
    const auto every_other = [&](std::size_t first) {
        for (auto seed = first; seed < seeds; seed += 2) {
            results[seed] = measure(seed);
        }
    };
    std::jthread odd(every_other, 1);
    every_other(0);
    odd.join();
    return results;
}

}  // namespace lockstep::test
