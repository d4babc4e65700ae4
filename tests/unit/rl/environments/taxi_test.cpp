#include "lockstep/rl/environments/taxi.hpp"

#include <array>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/chi_square.hpp"
#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

using test::array;
using test::integer;
using test::member;
using test::number;

TEST(TaxiTest, ItsDryTableIsGymnasiums) {
    const io::Json optimal = test::rl_data("optimal.json");
    const io::Json& table = member(optimal, {"taxi", "dry", "model"});
    const Model model = *Taxi().model();
    const auto entry = [&](const char* key, std::size_t s, std::size_t a) -> const io::Json& {
        return array(array(member(table, {key}))[s])[a];
    };
    for (int s = 0; s < 500; ++s) {
        for (int a = 0; a < 6; ++a) {
            ASSERT_EQ(model.outcomes(s, a).size(), 1U);
            const Outcome& only = model.outcomes(s, a)[0];
            EXPECT_EQ(only.next, integer(entry("next_state", at(s), at(a))));
            EXPECT_EQ(only.reward, number(entry("reward", at(s), at(a))));
            const io::Json& terminated = entry("terminated", at(s), at(a));
            EXPECT_EQ(
                only.terminated,
                terminated.if_bool() != nullptr ? *terminated.if_bool() : integer(terminated) != 0);
        }
    }
}

TEST(TaxiTest, OptimalValuesAreThePublishedOnes) {
    const io::Json optimal = test::rl_data("optimal.json");
    const io::Json golden = test::rl_data("golden.json");
    for (const bool rainy : {false, true}) {
        const char* const key = rainy ? "rainy0.8" : "dry";
        SCOPED_TRACE(key);
        const Model model = *Taxi({.rainy = rainy}).model();
        test::expect_optimal_values(model, member(optimal, {"taxi", key}));
        const test::ValueIteration oracle(model, 1);
        EXPECT_NEAR(
            oracle.at_start(oracle.optimal()), number(member(golden, {"taxi", key, "1.0"})), 1e-9);
        EXPECT_NEAR(oracle.at_start(oracle.within(200, test::random_policy(model))),
                    number(member(golden, {"taxi", key, "random_policy_200_steps"})),
                    1e-9);
    }
}

TEST(TaxiTest, BeginsInThePublishedStates) {
    const io::Json optimal = test::rl_data("optimal.json");
    const Model model = *Taxi().model();
    const auto& states = array(member(optimal, {"taxi", "dry", "start_states"}));
    ASSERT_EQ(model.starts().size(), states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        EXPECT_EQ(model.starts()[i].state, integer(states[i]));
    }
}

// Rain treats all headings alike: ahead, then a quarter turn to the left, then to the right, each
// where the dry taxi would go. Packages have had north and south, or left and right, mixed up.
TEST(TaxiTest, RainDriftsToBothSidesOfEveryHeading) {
    enum Heading { south, north, east, west };
    constexpr std::array<int, 4> left{east, west, north, south};
    constexpr std::array<int, 4> right{west, east, south, north};
    const Model dry = *Taxi().model();
    const Model rain = *Taxi({.rainy = true}).model();
    for (int s = 0; s < 500; ++s) {
        for (int heading = 0; heading < 4; ++heading) {
            const auto after = [&](int way) { return dry.outcomes(s, way)[0].next; };
            const bool blocked = after(heading) == s;
            const auto outcomes = rain.outcomes(s, heading);
            ASSERT_EQ(outcomes.size(), 3U);
            EXPECT_EQ(outcomes[0].next, after(heading));
            EXPECT_EQ(outcomes[1].next, blocked ? s : after(left[at(heading)]));
            EXPECT_EQ(outcomes[2].next, blocked ? s : after(right[at(heading)]));
            EXPECT_EQ(outcomes[0].probability, 0.8);
            EXPECT_EQ(outcomes[1].probability, outcomes[2].probability);
        }
    }
}

TEST(TaxiTest, TheMaskLeavesOutWhatChangesNothing) {
    const Taxi masked({.masked = true});
    const Model model = *Taxi().model();
    for (int s = 0; s < 500; ++s) {
        for (int a = 0; a < 6; ++a) {
            EXPECT_EQ((masked.mask(s) >> unsigned(a) & 1U) != 0, model.outcomes(s, a)[0].next != s);
        }
    }
    const Model own = *masked.model();
    const test::ValueIteration oracle(own, 1);
    EXPECT_NEAR(oracle.at_start(oracle.optimal()), 7.93, 1e-9);
}

// A passenger at R wants to G: picked up, the taxi goes south.
std::int32_t destination_after_first_move(std::uint64_t item) {
    static const Taxi rules({.fickle = true, .fickle_probability = 0.3});
    const Streams streams(17, "fickle");
    StepDraws draws = streams.at(static_cast<std::uint32_t>(item), 0);
    Taxi::Episode episode = rules.reset(draws);
    episode.state = 1;
    rules.step(episode, 4, draws);
    rules.step(episode, 3, draws);  // a wall: no move, so no change yet
    EXPECT_EQ(episode.state % 4, 1);
    rules.step(episode, 0, draws);
    const std::int32_t destination = episode.state % 4;
    rules.step(episode, 0, draws);
    EXPECT_EQ(episode.state % 4, destination) << "changes but once";
    return destination;
}

// False alarm in one seed of a million.
TEST(TaxiTest, AFicklePassengerChangesToEachOtherPlaceAlike) {
    std::vector<double> counts(4, 0);
    for (std::uint64_t item = 0; item < 20'000; ++item) {
        ++counts[at(destination_after_first_move(item))];
    }
    test::ChiSquare chi_square;
    chi_square.add(counts, {0.1, 0.7, 0.1, 0.1});
    EXPECT_LT(chi_square.statistic(), 30.66);  // chi-square of three degrees of freedom at 1e-6
}

TEST(TaxiTest, AFicklePassengerHasNoModel) {
    EXPECT_FALSE(Taxi({.fickle = true}).model().has_value());
    EXPECT_THAT([] { static_cast<void>(Taxi({.rainy_probability = 1.5})); },
                testing::ThrowsMessage<InputError>(
                    testing::HasSubstr("rainy_probability 1.5: must be from 0 to 1")));
}

}  // namespace
}  // namespace lockstep::rl
