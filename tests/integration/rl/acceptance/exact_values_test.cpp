// Acceptance of reinforcement learning, row 1: the values that golden.json has of every
// environment, by the registry and the solver. Nobody here computed them (tests/data/rl/README.md).
// Its trajectories: GymnasiumTest.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/environments/registry.hpp"
#include "lockstep/rl/solve.hpp"

#include "support/rl_data.hpp"

namespace lockstep {
namespace {

using test::member;
using test::number;

struct Golden {
    std::string environment;
    rl::EnvironmentOptions options;
    double gamma;
    double value;  // of the start
    double tolerance = 1e-9;
};

class AcceptanceRow1 : public testing::Test {
protected:
    static void check(const Golden& golden) {
        const auto environment = rl::make_environment(golden.environment, golden.options);
        const auto model =
            rl::with_environment(environment, [](const auto& rules) { return rules.model(); });
        ASSERT_TRUE(model);
        rl::SolveOptions options;
        options.gamma = golden.gamma;
        options.tolerance = 1e-10;
        runtime::ThreadTeam team(2);
        rl::SolveObserver observer;
        const auto solution = rl::solve(*model, options, team, observer);
        double value = 0;
        double lower = 0;
        double upper = 0;
        for (const auto& start : model->starts()) {
            value += start.probability * solution.value[at(start.state)];
            lower += start.probability * solution.lower[at(start.state)];
            upper += start.probability * solution.upper[at(start.state)];
        }
        EXPECT_NEAR(value, golden.value, golden.tolerance) << golden.environment;
        EXPECT_LE(lower, golden.value + golden.tolerance) << golden.environment;
        EXPECT_GE(upper, golden.value - golden.tolerance) << golden.environment;
    }

    const io::Json golden_ = test::rl_data("golden.json");
};

TEST_F(AcceptanceRow1, FrozenLake) {
    for (const auto& [map, slippery] : std::vector<std::pair<std::string, std::string>>{
             {"4x4", "true"}, {"4x4", "false"}, {"8x8", "true"}, {"8x8", "false"}}) {
        const auto& lake =
            member(golden_, {"frozen_lake", map + (slippery == "true" ? "_slippery" : "_dry")});
        for (const auto* gamma : {"0.99", "0.95", "0.9"}) {
            check({"FrozenLake-v1",
                   {{"map_name", map}, {"is_slippery", slippery}},
                   std::stod(gamma),
                   number(member(lake, {gamma, "V0"}))});
        }
    }
    check({"FrozenLake-v1", {}, 1, 14.0 / 17});  // gamma1_V0
}

TEST_F(AcceptanceRow1, CliffWalkingAndTaxi) {
    for (const auto* gamma : {"1.0", "0.99", "0.9"}) {
        for (const auto& [key, slippery] : {std::pair{"dry", "false"}, {"slippery", "true"}}) {
            check({"CliffWalking-v1",
                   {{"is_slippery", slippery}},
                   std::stod(gamma),
                   number(member(golden_, {"cliff_walking", key, gamma}))});
        }
        for (const auto& [key, rainy] : {std::pair{"dry", "false"}, {"rainy0.8", "true"}}) {
            check({"Taxi-v3",
                   {{"is_rainy", rainy}},
                   std::stod(gamma),
                   number(member(golden_, {"taxi", key, gamma}))});
        }
    }
}

TEST_F(AcceptanceRow1, Blackjack) {
    for (const auto& [sab, natural] :
         {std::pair{"true", "false"}, {"false", "false"}, {"false", "true"}}) {
        const auto key = std::string("sab=") + (sab[0] == 't' ? "True" : "False") +
                         ",natural=" + (natural[0] == 't' ? "True" : "False");
        check({"Blackjack-v1",
               {{"sab", sab}, {"natural", natural}},
               1,
               number(member(golden_, {"blackjack", key, "optimal"}))});
    }
}

TEST_F(AcceptanceRow1, TicTacToe) {
    const auto& game = member(golden_, {"tictactoe_vs_random"});
    check({"tictactoe", {}, 1, number(member(game, {"coin_flip_mean"}))});
    check({"tictactoe", {}, 0.99, number(member(game, {"gamma0.99", "mean"}))});
}

TEST_F(AcceptanceRow1, Garnet) {
    for (const auto& process : test::array(member(golden_, {"garnet"}))) {
        const auto states = test::integer(*process.find("S"));
        if (states > 1000) {
            continue;  // a million: bench/micro/run rl_solve 1 garnet-1000000
        }
        check({"garnet",
               {{"states", std::to_string(states)},
                {"actions", std::to_string(test::integer(*process.find("A")))},
                {"branches", std::to_string(test::integer(*process.find("b")))},
                {"seed", std::to_string(test::integer(*process.find("seed")))}},
               number(*process.find("gamma")),
               number(*process.find("V0"))});
    }
}

TEST_F(AcceptanceRow1, InventoryAndReservoir) {
    for (const auto* stock : {"0", "10", "20"}) {
        check({"inventory",
               {{"first_stock", stock}},
               number(member(golden_, {"inventory", "gamma"})),
               number(member(golden_, {"inventory", "V", stock}))});
        // Costs there, rewards here.
        const auto key = std::string("v0=") + stock;
        check({"reservoir",
               {{"first_volume", stock}},
               1,
               -number(member(golden_, {"reservoir", "finite_T12", key}))});
        check({"reservoir",
               {{"first_volume", stock}, {"stages", "0"}},
               0.95,
               -number(member(golden_, {"reservoir", "discounted_0.95", stock}))});
    }
}

// The file's values of the stochastic kind are those of always going right, which is not optimal:
// DeepSeaTest has both.
TEST_F(AcceptanceRow1, DeepSeaAndBandit) {
    check({"deepsea", {}, 1, number(member(golden_, {"deep_sea", "deterministic"}))});
    check({"bandit",
           {{"shows_step", "true"}},
           1,
           number(member(golden_, {"bandit", "optimal_return"}))});
}

}  // namespace
}  // namespace lockstep
