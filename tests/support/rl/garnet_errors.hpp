#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn.hpp"
#include "lockstep/rl/solve.hpp"

#include "support/rl/learning.hpp"

namespace lockstep::test {

constexpr double garnet_discount = 0.95;

/// Optimal values of pairs.
inline std::vector<double> optimal_pairs(const rl::Model& model) {
    rl::SolveOptions options;
    options.gamma = garnet_discount;
    runtime::ThreadTeam team(1);
    rl::SolveObserver observer;
    const auto value = rl::solve(model, options, team, observer).value;
    std::vector<double> pairs;
    for (int s = 0; s < model.states(); ++s) {
        for (int a = 0; a < model.actions(); ++a) {
            double sum = 0;
            for (const auto& outcome : model.outcomes(s, a)) {
                sum += outcome.probability *
                       (outcome.reward + garnet_discount * value[at(outcome.next)]);
            }
            pairs.push_back(sum);
        }
    }
    return pairs;
}

/// Errors of learning in Garnet(100, 4, 5), the process on which rl.md 5.3 and 5.4 measured.
class GarnetErrors {
public:
    explicit GarnetErrors(int seeds = 4) : seeds_(seeds) {}

    /// Largest error of a pair's value, mean of the seeds.
    [[nodiscard]] double of_pairs(const rl::LearnOptions& options) const {
        return mean(options, [this](const rl::QTable& table) {
            return largest_difference(table.values, optimum_);
        });
    }
    /// Of a state's value.
    [[nodiscard]] double of_states(const rl::LearnOptions& options) const {
        return mean(options, [this](const rl::QTable& table) {
            return largest_difference(maxima(table.values, table.actions),
                                      maxima(optimum_, table.actions));
        });
    }

private:
    template <typename Measure>
    [[nodiscard]] double mean(rl::LearnOptions options, const Measure& measure) const {
        options.discount_factor = garnet_discount;
        options.exploration.level = rl::parse_schedule("0.5");
        options.learning_rate = rl::parse_step_size("101/(100+n)");
        double sum = 0;
        for (int seed = 0; seed < seeds_; ++seed) {
            options.seed = static_cast<std::uint64_t>(seed);
            sum += measure(learn_alone(*world_, options).table) / seeds_;
        }
        return sum;
    }
    static double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            largest = std::max(largest, std::abs(a[i] - b[i]));
        }
        return largest;
    }
    static std::vector<double> maxima(const std::vector<double>& pairs, int actions) {
        std::vector<double> values;
        for (auto row = pairs.begin(); row != pairs.end(); row += actions) {
            values.push_back(*std::max_element(row, row + actions));
        }
        return values;
    }

    int seeds_;
    const std::unique_ptr<rl::World> world_ = rl::make_world(rl::make_environment("garnet"));
    const std::vector<double> optimum_ = optimal_pairs(*world_->model());
};

}  // namespace lockstep::test
