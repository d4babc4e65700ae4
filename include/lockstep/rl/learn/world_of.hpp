#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/learn/one_step.hpp"
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
            case Algorithm::q_learning:
            case Algorithm::sarsa:
            case Algorithm::expected_sarsa:
                return std::make_unique<OneStepLearner<E>>(rules_, options, item, learners);
            default:
                throw InputError("this algorithm is not built");
        }
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
