#include "lockstep/rl/environments/cliff_walking.hpp"

#include <gtest/gtest.h>

#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

using test::member;
using test::number;

TEST(CliffWalkingTest, ItsDryTableIsGymnasiums) {
    const io::Json optimal = test::rl_data("optimal.json");
    test::expect_table(*CliffWalking(false).model(),
                       member(optimal, {"cliff_walking", "dry", "model"}));
}

TEST(CliffWalkingTest, OptimalValuesAreThePublishedOnes) {
    const io::Json optimal = test::rl_data("optimal.json");
    for (const bool slippery : {false, true}) {
        const char* const key = slippery ? "slippery" : "dry";
        SCOPED_TRACE(key);
        test::expect_optimal_values(*CliffWalking(slippery).model(),
                                    member(optimal, {"cliff_walking", key}));
    }
}

// The way of the optimal policy, one step in ten at random: what SARSA avoids.
TEST(CliffWalkingTest, TheShortestWayWithATenthAtRandomCostsWhatIsPublished) {
    const io::Json golden = test::rl_data("golden.json");
    const Model model = *CliffWalking(false).model();
    const test::ValueIteration oracle(model, 1);
    const auto best = oracle.optimal();
    const auto share = [&](int s, int a) {
        int greedy = 0;
        for (int other = 1; other < 4; ++other) {
            greedy = oracle.worth(s, other, best) > oracle.worth(s, greedy, best) ? other : greedy;
        }
        return a == greedy ? 0.925 : 0.025;
    };
    EXPECT_NEAR(oracle.of(share)[36],
                number(member(
                    golden, {"cliff_walking", "dry", "optimal_policy_run_with_eps0.1_gamma1_V36"})),
                1e-6);
}

TEST(CliffWalkingTest, AFallGoesBackToTheStartAndTheEpisodeOn) {
    const CliffWalking rules;
    StepDraws draws = Streams(1, "test").at(0, 0);
    auto episode = rules.reset(draws);
    EXPECT_EQ(episode.state, 36);
    EXPECT_EQ(rules.step(episode, 1, draws), (Step{36, -100, false, false}));
    EXPECT_EQ(rules.step(episode, 0, draws), (Step{24, -1, false, false}));
    episode.state = 35;
    EXPECT_EQ(rules.step(episode, 2, draws), (Step{47, -1, true, false}));
}

}  // namespace
}  // namespace lockstep::rl
