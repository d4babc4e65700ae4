#include "lockstep/rl/environments/tic_tac_toe.hpp"

#include <string>

#include <gtest/gtest.h>

#include "lockstep/rl/numpy_random.hpp"

#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

using test::array;
using test::integer;
using test::member;
using test::number;

TEST(TicTacToeTest, ValuesAndBestCellsOfAllPositionsAreThePublishedOnes) {
    const io::Json optimal = test::rl_data("optimal.json");
    const Model model = *TicTacToe().model();
    for (const char* const discount : {"1", "0.99"}) {
        const test::ValueIteration oracle(model, std::stod(discount));
        const auto values = oracle.optimal();
        const io::Json& published = member(optimal, {"tictactoe_vs_random", discount});
        for (const char* const mark : {"1", "2"}) {
            for (const io::Json& row : array(member(published, {"values", mark}))) {
                const auto state = static_cast<std::int32_t>(integer(array(row)[0]));
                const double value = values[at(state)];
                EXPECT_NEAR(value, number(array(row)[1]), 1e-12) << "position " << state;
                unsigned best = 0;
                for (int a = 0; a < 9; ++a) {
                    const bool is_best =
                        model.is_legal(state, a) && oracle.worth(state, a, values) > value - 1e-9;
                    best |= static_cast<unsigned>(is_best) << unsigned(a);
                }
                EXPECT_EQ(best, integer(array(row)[2])) << "position " << state;
            }
        }
        EXPECT_NEAR(oracle.at_start(values), number(member(published, {"coin_flip_mean"})), 1e-12);
    }
}

TEST(TicTacToeTest, AsksForAMoveInAsManyPositionsAsArePublished) {
    const io::Json golden = test::rl_data("golden.json");
    const io::Json& counts = member(golden, {"tictactoe_vs_random", "states"});
    const TicTacToe rules;
    int asked = 0;
    for (int s = 0; s < rules.states(); ++s) {
        asked += static_cast<int>(rules.mask(s) != 0);
    }
    EXPECT_EQ(rules.states(), integer(member(counts, {"radix_size"})));
    EXPECT_EQ(asked,
              integer(member(counts, {"agent_decision_first"})) +
                  integer(member(counts, {"agent_decision_second"})));
}

TEST(TicTacToeTest, RandomAgainstRandomIsFairWithACoin) {
    const io::Json golden = test::rl_data("golden.json");
    const Model model = *TicTacToe().model();
    const test::ValueIteration oracle(model, 1);
    const auto values = oracle.of(test::random_policy(model));
    const auto shares =
        test::numbers(member(golden, {"tictactoe_vs_random", "random_vs_random_first"}));
    EXPECT_NEAR(values[0], shares[0] - shares[2], 1e-12);
    EXPECT_NEAR(oracle.at_start(values), 0, 1e-12);
}

// Whole games of the package that people come from, seed by seed.
TEST(TicTacToeTest, SeedsGiveTheGamesOfDistClassicrl) {
    const io::Json file = test::rl_data("tic_tac_toe.json");
    const TicTacToe rules;
    for (const io::Json& game : array(member(file, {"games"}))) {
        SCOPED_TRACE(integer(member(game, {"seed"})));
        NumpyRandom random(static_cast<std::uint64_t>(integer(member(game, {"seed"}))));
        auto episode = rules.reset(random);
        EXPECT_EQ(episode.state, integer(member(game, {"first"})));
        for (const io::Json& move : array(member(game, {"moves"}))) {
            const auto row = test::numbers(move);
            const Step step = rules.step(episode, static_cast<int>(row[0]), random);
            EXPECT_EQ(step, (Step{static_cast<std::int32_t>(row[1]), row[2], row[3] != 0, false}));
        }
    }
}

TEST(TicTacToeTest, FindsTheEightLines) {
    int lines = 0;
    for (std::uint32_t cells = 0; cells < 512; ++cells) {
        lines += static_cast<int>(std::popcount(cells) == 3 && TicTacToe::has_line(cells));
    }
    EXPECT_EQ(lines, 8);
    EXPECT_TRUE(TicTacToe::has_line(0b100'010'001));
    EXPECT_TRUE(TicTacToe::has_line(0b111'000'010));
    EXPECT_FALSE(TicTacToe::has_line(0b011'000'100));
}

// Cells 0, 1, 2 are the first row: the most significant digits.
TEST(TicTacToeTest, CodesCellsFromTheMostSignificantDigit) {
    TicTacToe::Episode episode;
    TicTacToe::move(episode, 0);
    TicTacToe::reply(episode, 8);
    EXPECT_EQ(episode.state, 6561 + 2);
    EXPECT_EQ(TicTacToe().mask(episode), 0b011111110U);
}

}  // namespace
}  // namespace lockstep::rl
