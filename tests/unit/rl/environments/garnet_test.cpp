#include "lockstep/rl/environments/garnet.hpp"

#include <algorithm>
#include <numeric>
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

TEST(GarnetTest, ItsHashIsThePublishedGenerator) {
    const io::Json golden = test::rl_data("golden.json");
    std::uint64_t i = 0;
    for (const io::Json& word : array(member(golden, {"splitmix", "seed0_first3"}))) {
        EXPECT_EQ(split_mix(0, i++), std::stoull(*word.if_string(), nullptr, 16));
    }
}

TEST(GarnetTest, SuccessorsWeightsAndRewardsAreThePublishedOnes) {
    const io::Json golden = test::rl_data("golden.json");
    const io::Json& published = array(member(golden, {"garnet"}))[0];
    const Garnet rules;
    for (std::size_t j = 0; j < 5; ++j) {
        const int branch = static_cast<int>(j);
        EXPECT_EQ(rules.successor(0, 0, branch),
                  integer(array(member(published, {"next_0_0"}))[j]));
        EXPECT_EQ(rules.weight(0, 0, branch),
                  static_cast<std::uint64_t>(integer(array(member(published, {"weight_0_0"}))[j])));
    }
    for (int a = 0; a < 4; ++a) {
        EXPECT_NEAR(
            rules.reward(0, a), number(array(member(published, {"reward_0"}))[at(a)]), 1e-12);
    }
}

// The fourth instance has a million states: bench/ and the solver's tests take it.
TEST(GarnetTest, OptimalValuesAreThePublishedOnes) {
    const io::Json golden = test::rl_data("golden.json");
    int compared = 0;
    for (const io::Json& published : array(member(golden, {"garnet"}))) {
        const auto states = static_cast<std::int32_t>(integer(member(published, {"S"})));
        if (states > 10'000) {
            continue;
        }
        ++compared;
        const Garnet rules({states,
                            static_cast<std::int32_t>(integer(member(published, {"A"}))),
                            static_cast<std::int32_t>(integer(member(published, {"b"}))),
                            static_cast<std::uint64_t>(integer(member(published, {"seed"})))});
        const Model model = *rules.model();
        const auto values =
            test::ValueIteration(model, number(member(published, {"gamma"}))).optimal();
        EXPECT_NEAR(values[0], number(member(published, {"V0"})), 1e-9);
        EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / states,
                    number(member(published, {"mean"})),
                    1e-9);
        EXPECT_NEAR(*std::min_element(values.begin(), values.end()),
                    number(member(published, {"min"})),
                    1e-9);
        EXPECT_NEAR(*std::max_element(values.begin(), values.end()),
                    number(member(published, {"max"})),
                    1e-9);
    }
    EXPECT_EQ(compared, 3);
}

TEST(GarnetTest, RefusesSizesThatNoTableHas) {
    EXPECT_THROW(static_cast<void>(Garnet({.states = 0})), InputError);
    EXPECT_THROW(static_cast<void>(Garnet({.actions = 65})), InputError);
    EXPECT_THROW(static_cast<void>(Garnet({.actions = 0})), InputError);
    EXPECT_THROW(static_cast<void>(Garnet({.branches = 65})), InputError);
    EXPECT_THROW(static_cast<void>(Garnet({.states = 2'000'000'000})), InputError);
}

}  // namespace
}  // namespace lockstep::rl
