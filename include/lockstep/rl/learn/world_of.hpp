#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/rl/learn/double_q.hpp"
#include "lockstep/rl/learn/n_step.hpp"
#include "lockstep/rl/learn/one_step.hpp"
#include "lockstep/rl/learn/planning.hpp"
#include "lockstep/rl/learn/speedy_q.hpp"
#include "lockstep/rl/learn/traces.hpp"
#include "lockstep/rl/learn/world.hpp"

namespace lockstep::rl {

/// The world of one type of environment.
template <Environment E>
class WorldOf final : public World {
public:
    explicit WorldOf(E rules) : rules_(std::move(rules)) {}

    [[nodiscard]] int states() const override { return rules_.states(); }
    [[nodiscard]] int actions() const override { return rules_.actions(); }
    [[nodiscard]] ActionMask mask(int s) const override { return rules_.mask(s); }
    [[nodiscard]] std::string describe() const override { return rules_.describe(); }
    [[nodiscard]] bool alternates() const override { return is_alternating<E>; }
    [[nodiscard]] std::optional<Model> model() const override {
        if constexpr (Modelled<E>) {
            return rules_.model();
        } else {
            return std::nullopt;
        }
    }
    [[nodiscard]] std::unique_ptr<Learner> learner(const LearnOptions& options,
                                                   std::uint32_t item,
                                                   std::int64_t learners) const override {
        switch (options.algorithm) {
            case Algorithm::double_q:
                return std::make_unique<DoubleQLearner<E>>(rules_, options, item, learners);
            case Algorithm::speedy_q:
                return std::make_unique<SpeedyQLearner<E>>(rules_, options, item, learners);
            case Algorithm::n_step_q:
            case Algorithm::n_step_sarsa:
                return std::make_unique<NStepLearner<E>>(rules_, options, item, learners);
            case Algorithm::q_lambda:
            case Algorithm::sarsa_lambda:
                return std::make_unique<TraceLearner<E>>(rules_, options, item, learners);
            case Algorithm::dyna_q:
            case Algorithm::prioritized_sweeping:
                return std::make_unique<PlanningLearner<E>>(rules_, options, item, learners);
            case Algorithm::q_learning:
            case Algorithm::sarsa:
            case Algorithm::expected_sarsa:
                break;
        }
        return std::make_unique<OneStepLearner<E>>(rules_, options, item, learners);
    }
    [[nodiscard]] std::unique_ptr<Actors> actors(const LearnOptions& options,
                                                 std::uint32_t first,
                                                 std::size_t count,
                                                 std::int64_t learners) const override {
        return std::make_unique<ActorsOf<E>>(rules_, options, first, count, learners);
    }

private:
    E rules_;
};

template <Environment E>
std::unique_ptr<World> make_world_of(E rules) {
    return std::make_unique<WorldOf<E>>(std::move(rules));
}

}  // namespace lockstep::rl
