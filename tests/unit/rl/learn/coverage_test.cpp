// Workers that see different parts of a problem, as rl.md 5.3 and [Woo2025] have them: no single
// one covers it, all of them together do.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/learn/world_of.hpp"

#include "support/rl/learning.hpp"

namespace lockstep {
namespace {

constexpr std::int32_t rooms = 8;
constexpr std::int32_t places = 4;
constexpr std::int32_t round_length = 40;
constexpr double discount_factor = 0.9;

/// Rooms without doors in which one walks in circles. An episode is as long as a round and stays
/// in its room; coming round pays 1.
struct Rooms {
    struct Episode {
        std::int32_t state = 0;
        std::int32_t steps = 0;
    };
    [[nodiscard]] int states() const { return rooms * places; }
    [[nodiscard]] int actions() const { return 1; }
    [[nodiscard]] rl::ActionMask mask(int /*s*/) const { return 1; }
    [[nodiscard]] std::string describe() const { return "rooms without doors"; }

    template <rl::Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        return {static_cast<std::int32_t>(draws.below(rooms)) * places};
    }
    template <rl::Draws D>
    rl::Step step(Episode& episode, int /*action*/, D& /*draws*/) const {
        const auto place = (episode.state + 1) % places;
        episode.state += place == 0 ? 1 - places : 1;
        return {episode.state, place == 0 ? 1.0 : 0.0, false, ++episode.steps == round_length};
    }
};

double error_of(rl::Combine rule, std::int64_t rounds) {
    rl::LearnOptions options;
    options.mode = rl::Mode::threads;
    options.workers = rooms;
    options.sync_frequency = round_length;
    options.steps = rounds * rooms * round_length;
    options.discount_factor = discount_factor;
    options.learning_rate = rl::parse_step_size("0.5");
    options.combine = rule;
    const auto table = test::learn_alone(*rl::make_world_of(Rooms()), options).table;
    double largest = 0;
    for (std::int32_t s = 0; s < table.states; ++s) {
        const double exact = std::pow(discount_factor, places - 1 - s % places) /
                             (1 - std::pow(discount_factor, places));
        largest = std::max(largest, std::abs(table.values[at(s)] - exact));
    }
    return largest;
}

TEST(Coverage, OfAllWorkersTogetherIsEnoughForTheImportanceAverage) {
    EXPECT_LT(error_of(rl::Combine::importance, 30), 0.02);
    EXPECT_LT(error_of(rl::Combine::composition, 30), 0.02);
    // The equal average pulls back what the others have not seen.
    EXPECT_GT(error_of(rl::Combine::average, 30), 0.3);
}

}  // namespace
}  // namespace lockstep
