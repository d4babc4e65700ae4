#include "lockstep/rl/environments/blackjack.hpp"

#include <string>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

using test::array;
using test::integer;
using test::member;
using test::number;

struct Rules {
    const char* key;
    BlackjackOptions options;
};

const Rules rule_sets[] = {{"sab=True,natural=False", {.sab = true, .natural = false}},
                           {"sab=False,natural=False", {.sab = false, .natural = false}},
                           {"sab=False,natural=True", {.sab = false, .natural = true}}};

TEST(BlackjackTest, BothActionsOfEveryHandAreWorthWhatIsPublished) {
    const io::Json optimal = test::rl_data("optimal.json");
    for (const Rules& rules : rule_sets) {
        SCOPED_TRACE(rules.key);
        const Model model = *Blackjack(rules.options).model();
        const test::ValueIteration oracle(model, 1);
        const auto values = oracle.optimal();
        const io::Json& published = member(optimal, {"blackjack", rules.key});
        for (const io::Json& entry : array(member(published, {"values"}))) {
            const auto row = test::numbers(
                io::Json(io::Json::Array(array(entry).begin(), array(entry).begin() + 6)));
            const std::int32_t state = Blackjack::state_of({static_cast<std::int32_t>(row[0]),
                                                            static_cast<std::int32_t>(row[1]),
                                                            static_cast<std::int32_t>(row[2])});
            EXPECT_NEAR(values[at(state)], row[3], 1e-12);
            EXPECT_NEAR(oracle.worth(state, 0, values), row[4], 1e-12);
            EXPECT_NEAR(oracle.worth(state, 1, values), row[5], 1e-12);
        }
        for (std::int32_t dealer = 1; dealer <= 10; ++dealer) {
            const auto row =
                test::numbers(member(published, {"natural_two_card_21", std::to_string(dealer)}));
            const std::int32_t state = Blackjack::natural_state(dealer);
            EXPECT_NEAR(oracle.worth(state, 0, values), row[1], 1e-12);
            EXPECT_NEAR(oracle.worth(state, 1, values), row[2], 1e-12);
        }
        EXPECT_NEAR(
            oracle.at_start(values), number(member(published, {"optimal_start_value"})), 1e-12);
    }
}

TEST(BlackjackTest, SimplePoliciesEarnWhatIsPublished) {
    const io::Json golden = test::rl_data("golden.json");
    for (const Rules& rules : rule_sets) {
        SCOPED_TRACE(rules.key);
        const Model model = *Blackjack(rules.options).model();
        const test::ValueIteration oracle(model, 1);
        const io::Json& published = member(golden, {"blackjack", rules.key});
        EXPECT_NEAR(oracle.at_start(oracle.of(test::random_policy(model))),
                    number(member(published, {"random"})),
                    1e-9);
        for (const int least : {17, 20}) {
            const auto share = [&](int s, int a) {
                const bool sticks = Blackjack::observation(s).sum >= least;
                return sticks == (a == 0) ? 1.0 : 0.0;
            };
            EXPECT_NEAR(oracle.at_start(oracle.of(share)),
                        number(member(published, {"stick_at_" + std::to_string(least)})),
                        1e-9);
        }
    }
}

TEST(BlackjackTest, ShowsANaturalAsTheHandThatGymnasiumShows) {
    EXPECT_EQ(Blackjack::observation(Blackjack::natural_state(9)),
              (Blackjack::Observation{21, 9, 1}));
    const Blackjack::Observation bust{22, 9, 0};
    EXPECT_EQ(Blackjack::observation(Blackjack::state_of(bust)), bust);
}

TEST(BlackjackTest, TakesOneRuleForANatural) {
    EXPECT_THROW(static_cast<void>(Blackjack({.sab = true, .natural = true})), InputError);
}

}  // namespace
}  // namespace lockstep::rl
