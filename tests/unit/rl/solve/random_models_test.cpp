// Random small models against every policy, each solved by elimination in long double.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/rl/solve.hpp"

namespace lockstep::rl {
namespace {

constexpr int states = 4;
constexpr int actions = 2;

/// Whole weights of successors, the last of which ends, and whole rewards.
struct RandomPair {
    std::array<int, states + 1> weight{};
    int reward = 0;
    [[nodiscard]] int sum() const {
        int sum = 0;
        for (const int w : weight) {
            sum += w;
        }
        return sum;
    }
};
using RandomModel = std::vector<RandomPair>;  // [states * actions]

RandomModel any_model(bool ends_everywhere) {
    RandomModel model(at(states * actions));
    for (RandomPair& pair : model) {
        for (int& weight : pair.weight) {
            weight = std::max(0, *rc::gen::inRange(-3, 4));
        }
        pair.weight.back() = *rc::gen::inRange(ends_everywhere ? 1 : 0, 2);
        if (pair.sum() == 0) {
            pair.weight.front() = 1;
        }
        pair.reward = *rc::gen::inRange(-3, 4);
    }
    return model;
}

Model built(const RandomModel& random) {
    ModelBuilder builder(states, actions);
    for (int i = 0; i < states * actions; ++i) {
        const RandomPair& pair = random[at(i)];
        for (int next = 0; next <= states; ++next) {
            if (pair.weight[at(next)] > 0) {
                builder.add(i / actions,
                            i % actions,
                            {static_cast<double>(pair.weight[at(next)]) / pair.sum(),
                             std::min(next, states - 1),
                             static_cast<double>(pair.reward),
                             next == states});
            }
        }
    }
    return builder.build();
}

using Row = std::array<long double, states + 1>;

// v = r + gamma·Pv by elimination with row pivots.
std::array<long double, states> worth(const RandomModel& random, int policy, double gamma) {
    std::array<Row, states> rows{};
    for (int s = 0; s < states; ++s) {
        const RandomPair& pair = random[at(s * actions + (policy >> s & 1))];
        for (int next = 0; next < states; ++next) {
            rows[at(s)][at(next)] = (s == next ? 1.0L : 0.0L) - static_cast<long double>(gamma) *
                                                                    pair.weight[at(next)] /
                                                                    pair.sum();
        }
        rows[at(s)][states] = pair.reward;
    }
    for (std::size_t c = 0; c < states; ++c) {
        for (std::size_t r = c + 1; r < states; ++r) {
            if (std::abs(rows[r][c]) > std::abs(rows[c][c])) {
                std::swap(rows[r], rows[c]);
            }
        }
        for (std::size_t r = 0; r < states; ++r) {
            const long double factor = r == c ? 0 : rows[r][c] / rows[c][c];
            for (std::size_t k = c; k <= states; ++k) {
                rows[r][k] -= factor * rows[c][k];
            }
        }
    }
    std::array<long double, states> v{};
    for (std::size_t s = 0; s < states; ++s) {
        v[s] = rows[s][states] / rows[s][s];
    }
    return v;
}

std::array<long double, states> best_of_all(const RandomModel& random, double gamma) {
    std::array<long double, states> best = worth(random, 0, gamma);
    for (int policy = 1; policy < 1 << states; ++policy) {
        const auto v = worth(random, policy, gamma);
        for (std::size_t s = 0; s < states; ++s) {
            best[s] = std::max(best[s], v[s]);
        }
    }
    return best;
}

void check(const Solution& solution, const std::array<long double, states>& best) {
    for (std::size_t s = 0; s < states; ++s) {
        // Elimination in long double is right to many digits more than these.
        const long double slack = 1e-15L * (1 + std::abs(best[s]));
        RC_ASSERT(static_cast<long double>(solution.lower[s]) <= best[s] + slack);
        RC_ASSERT(static_cast<long double>(solution.upper[s]) >= best[s] - slack);
        RC_ASSERT(solution.lower[s] <= solution.value[s] && solution.value[s] <= solution.upper[s]);
        if (solution.ending == Ending::proven) {
            RC_ASSERT(std::abs(static_cast<long double>(solution.value[s]) - best[s]) <= 1.1e-9L);
        }
    }
}

SolveOptions any_options(double gamma) {
    SolveOptions options;
    options.gamma = gamma;
    options.method = static_cast<Method>(*rc::gen::inRange(0, 5));
    options.max_sweeps = *rc::gen::element(1, 3, 10, 100'000);
    return options;
}

RC_GTEST_PROP(RandomModelsTest, EncloseTheBestPolicyWithADiscount, ()) {
    const double gamma = *rc::gen::element(0.0, 0.3, 0.9, 0.99, 0.9999);
    const RandomModel random = any_model(false);
    runtime::ThreadTeam team(1);
    SolveObserver observer;
    const SolveOptions options = any_options(gamma);
    const Solution solution = solve(built(random), options, team, observer);
    if (options.max_sweeps > 100 && gamma <= 0.99) {
        RC_ASSERT(solution.ending == Ending::proven);
    }
    check(solution, best_of_all(random, gamma));
}

// Also of rows that are not stored and of rows that are.
RC_GTEST_PROP(RandomModelsTest, EncloseEveryPolicy, ()) {
    const double gamma = *rc::gen::element(0.0, 0.9, 0.99, 1.0);
    const RandomModel random = any_model(gamma == 1);
    const int policy = *rc::gen::inRange(0, 1 << states);
    std::vector<std::int32_t> taken;
    for (int s = 0; s < states; ++s) {
        taken.push_back(policy >> s & 1);
    }
    runtime::ThreadTeam team(1);
    SolveObserver observer;
    const Model model = built(random);
    const ModelRows rows(model);
    const RowTable table(rows, team);
    const SolveOptions options = any_options(gamma);
    check(evaluate(rows, {}, taken, options, team, observer), worth(random, policy, gamma));
    check(evaluate(table, {}, taken, options, team, observer), worth(random, policy, gamma));
}

RC_GTEST_PROP(RandomModelsTest, EncloseTheBestPolicyWhereAllEnd, ()) {
    const RandomModel random = any_model(true);
    runtime::ThreadTeam team(1);
    SolveObserver observer;
    const SolveOptions options = any_options(1);
    const Solution solution = solve(built(random), options, team, observer);
    if (options.max_sweeps > 100) {
        RC_ASSERT(solution.ending == Ending::proven);
    }
    check(solution, best_of_all(random, 1));
}

// With gamma = 1 where pairs may go on for ever: either states are named, or the values are limits
// of those with a discount.
RC_GTEST_PROP(RandomModelsTest, AreTheLimitOfSmallDiscountsOrRefused, ()) {
    const RandomModel random = any_model(false);
    runtime::ThreadTeam team(1);
    SolveObserver observer;
    SolveOptions options = any_options(1);
    options.max_sweeps = 100'000;
    try {
        const Solution solution = solve(built(random), options, team, observer);
        const auto near_one = best_of_all(random, 1 - 1e-7);
        for (std::size_t s = 0; s < states; ++s) {
            RC_ASSERT(std::abs(static_cast<long double>(solution.value[s]) - near_one[s]) < 1e-2L);
        }
    } catch (const ModelError&) {
        // A value without limit, or one that grows with 1/(1 - gamma), must be among them.
        const auto less = best_of_all(random, 1 - 1e-5);
        const auto more = best_of_all(random, 1 - 1e-6);
        bool has_limit = true;
        for (std::size_t s = 0; s < states; ++s) {
            has_limit = has_limit && std::abs(less[s] - more[s]) < 1e-3L;
        }
        RC_CLASSIFY(has_limit, "refused where a limit exists");
    }
}

}  // namespace
}  // namespace lockstep::rl
