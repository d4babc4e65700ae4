#include "app/rl/boards.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

namespace lockstep::app {
namespace {

using testing::ElementsAre;

std::optional<Boards> boards_of(const std::string& name,
                                const rl::EnvironmentOptions& options = {}) {
    return app::boards_of(rl::make_environment(name, options));
}

TEST(BoardsTest, LaysALakeOutAsItsMap) {
    const auto all = boards_of("FrozenLake", {{"desc", "SF/HG"}});

    ASSERT_TRUE(all);
    const auto& board = all->boards.front();
    EXPECT_EQ(board.rows, 2);
    EXPECT_EQ(board.columns, 2);
    EXPECT_THAT(board.states, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(board.marks, ElementsAre("S", "", "H", "G"));
    EXPECT_THAT(board.ends, ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(all->actions, ElementsAre("left", "down", "right", "up"));
}

// What an action is called is where it leads.
TEST(BoardsTest, ArrowsPointWhereActionsLead) {
    for (const auto* name : {"FrozenLake", "CliffWalking", "opengrid", "Taxi"}) {
        rl::EnvironmentOptions options;
        if (std::string(name) == "FrozenLake") {
            options = {{"is_slippery", "false"}, {"desc", "SFF/FFF/FFG"}};
        }
        const auto environment = rl::make_environment(name, options);
        const auto all = *app::boards_of(environment);
        const auto& board = all.boards.front();
        const auto model =
            *rl::with_environment(environment, [](const auto& rules) { return rules.model(); });
        const auto centre = board.columns + 1;  // second row, second column
        for (int a = 0; a < 4; ++a) {
            const auto next = model.outcomes(board.states[at(centre)], a)[0].next;
            const auto& glyph = all.glyphs[at(a)];
            const auto step = glyph == "→"   ? 1
                              : glyph == "←" ? -1
                              : glyph == "↓" ? board.columns
                                             : -board.columns;
            const auto expected = board.states[at(centre + step)];
            const bool is_wall = std::string(name) == "Taxi" && next == board.states[at(centre)];
            EXPECT_TRUE(is_wall || next == expected) << name << " " << glyph;
        }
    }
}

TEST(BoardsTest, DrawsATaxiForEveryPassengerAndDestination) {
    const auto all = boards_of("Taxi");

    ASSERT_TRUE(all);
    EXPECT_EQ(all->boards.size(), 16U);  // five places and four, less the four that are at home
    std::set<std::int32_t> states;
    for (const auto& board : all->boards) {
        states.insert(board.states.begin(), board.states.end());
    }
    EXPECT_EQ(states.size(), 400U);
    EXPECT_EQ(all->boards.front().title, "Passenger at R, wants to G");
    EXPECT_EQ(all->boards.front().states[0], 1);
}

TEST(BoardsTest, DrawsHandsOfBlackjack) {
    const auto all = boards_of("Blackjack");

    ASSERT_TRUE(all);
    EXPECT_EQ(all->boards[0].states[0], rl::Blackjack::state_of({21, 1, 0}));
    EXPECT_EQ(all->boards[1].states.back(), rl::Blackjack::state_of({12, 10, 1}));
}

TEST(BoardsTest, HasNoneForWhatLiesOnNoBoard) {
    EXPECT_FALSE(boards_of("garnet"));
    EXPECT_FALSE(boards_of("opengrid", {{"size", "1000"}}));
}

}  // namespace
}  // namespace lockstep::app
