#include <gtest/gtest.h>

#include "lockstep/rl/environments/registry.hpp"
#include "lockstep/rl/games/tic_tac_toe_self_play.hpp"

namespace lockstep::rl {
namespace {

static_assert(Rendered<TimeLimit<FrozenLake>>);
static_assert(!Rendered<TimeLimit<Garnet>>);

TEST(RenderTextTest, ShowsTheMapOfALake) {
    EXPECT_EQ(FrozenLake().render_text(6),
              " S  F  F  F\n"
              " F  H [F] H\n"
              " F  F  F  H\n"
              " H  F  F  G\n");
}

TEST(RenderTextTest, ShowsTheCliff) {
    EXPECT_EQ(CliffWalking().render_text(CliffWalking::start),
              " .  .  .  .  .  .  .  .  .  .  .  .\n"
              " .  .  .  .  .  .  .  .  .  .  .  .\n"
              " .  .  .  .  .  .  .  .  .  .  .  .\n"
              "[S] C  C  C  C  C  C  C  C  C  C  G\n");
}

TEST(RenderTextTest, ShowsSmallGridsAndPlacesInLargeOnes) {
    EXPECT_EQ(OpenGrid(2).render_text(1), " . [.]\n .  G\n");
    EXPECT_EQ(OpenGrid(100).render_text(203), "row 2, column 3 of 100\n");
}

// Row 2, column 3, a passenger at Y who wants to G; and one in the taxi, at R.
TEST(RenderTextTest, ShowsTheTaxiItsWallsAndItsPassenger) {
    EXPECT_EQ(Taxi().render_text(((2 * 5 + 3) * 5 + 2) * 4 + 1),
              " R   . | .   .   G\n"
              " .   . | .   .   .\n"
              " .   .   .  [.]  .\n"
              " . | .   . | .   .\n"
              " Y | .   . | B   .\n"
              "passenger at Y, to G\n");
    EXPECT_EQ(Taxi().render_text(4 * 4 + 3).substr(0, 3), "[R]");
    EXPECT_NE(Taxi().render_text(4 * 4 + 3).find("passenger in the taxi, to B"), std::string::npos);
}

TEST(RenderTextTest, ShowsAHandAndABoard) {
    EXPECT_EQ(Blackjack().render_text(Blackjack::state_of({18, 10, 1})),
              "18 with a usable ace against 10\n");
    EXPECT_EQ(Blackjack().render_text(Blackjack::state_of({12, 1, 0})), "12 against an ace\n");
    EXPECT_EQ(TicTacToe().render_text(6561 + 2 * 81 + 1),
              " X . .\n"
              " . O .\n"
              " . . X\n");
    EXPECT_EQ(TicTacToeSelfPlay().render_text(0), " . . .\n . . .\n . . .\n");
}

}  // namespace
}  // namespace lockstep::rl
