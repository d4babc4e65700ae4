// Acceptance of reinforcement learning, row 5: what compression costs, as rl.md 5.4 measured it.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/rl/solve.hpp"

#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

constexpr double gamma_of_garnet = 0.95;

std::vector<double> optimal_pairs(const rl::Model& model) {
    rl::SolveOptions options;
    options.gamma = gamma_of_garnet;
    runtime::ThreadTeam team(1);
    rl::SolveObserver observer;
    const auto value = rl::solve(model, options, team, observer).value;
    std::vector<double> pairs;
    for (int s = 0; s < model.states(); ++s) {
        for (int a = 0; a < model.actions(); ++a) {
            double sum = 0;
            for (const auto& outcome : model.outcomes(s, a)) {
                sum += outcome.probability *
                       (outcome.reward + gamma_of_garnet * value[at(outcome.next)]);
            }
            pairs.push_back(sum);
        }
    }
    return pairs;
}

/// Largest error of a value, mean of some seeds: eight workers, equal average, 2000 rounds.
class AcceptanceRow5 : public testing::Test {
protected:
    [[nodiscard]] double error(double ratio, bool has_feedback) const {
        double sum = 0;
        constexpr int seeds = 4;
        for (int seed = 0; seed < seeds; ++seed) {
            rl::LearnOptions options;
            options.mode = rl::Mode::allreduce;
            options.workers = 8;
            options.sync_frequency = 100;
            options.steps = 2'000 * 800;
            options.discount_factor = gamma_of_garnet;
            options.exploration.level = rl::parse_schedule("0.5");
            options.learning_rate = rl::parse_step_size("101/(100+n)");
            options.combine = rl::Combine::average;
            options.compression_ratio = ratio;
            options.error_feedback = has_feedback;
            options.seed = static_cast<std::uint64_t>(seed);
            const auto table = test::learn_alone(*world_, options).table;
            double largest = 0;
            for (std::size_t pair = 0; pair < table.values.size(); ++pair) {
                largest = std::max(largest, std::abs(table.values[pair] - optimum_[pair]));
            }
            sum += largest / seeds;
        }
        return sum;
    }

    const std::unique_ptr<rl::World> world_ = rl::make_world(rl::make_environment("garnet"));
    const std::vector<double> optimum_ = optimal_pairs(*world_->model());
};

TEST_F(AcceptanceRow5, FeedbackKeepsTheErrorAndPlainThresholdsDoNot) {
    const double dense = error(0, true);
    for (const double ratio : {0.5, 1.0, 2.0}) {
        EXPECT_LE(error(ratio, true), 1.5 * dense) << ratio;
    }
    // The negative control, at the ratio where compression pays.
    EXPECT_GE(error(2, false), 3 * dense);
}

}  // namespace
}  // namespace lockstep
