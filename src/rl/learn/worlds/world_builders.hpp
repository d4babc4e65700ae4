#pragma once

#include <memory>

#include "lockstep/rl/learn/world.hpp"

namespace lockstep::rl {

// Loops of learners are long to compile: a source for each environment.

std::unique_ptr<World> build_world(const TimeLimit<TicTacToe>& rules);
std::unique_ptr<World> build_world(const TimeLimit<TicTacToeOpponent>& rules);
std::unique_ptr<World> build_world(const TimeLimit<TicTacToeSelfPlay>& rules);
std::unique_ptr<World> build_world(const TimeLimit<FrozenLake>& rules);
std::unique_ptr<World> build_world(const TimeLimit<CliffWalking>& rules);
std::unique_ptr<World> build_world(const TimeLimit<Taxi>& rules);
std::unique_ptr<World> build_world(const TimeLimit<Blackjack>& rules);
std::unique_ptr<World> build_world(const TimeLimit<Bandit>& rules);
std::unique_ptr<World> build_world(const TimeLimit<DeepSea>& rules);
std::unique_ptr<World> build_world(const TimeLimit<Garnet>& rules);
std::unique_ptr<World> build_world(const TimeLimit<OpenGrid>& rules);
std::unique_ptr<World> build_world(const TimeLimit<Inventory>& rules);
std::unique_ptr<World> build_world(const TimeLimit<Reservoir>& rules);
std::unique_ptr<World> build_world(const TimeLimit<ModelEnvironment>& rules);

}  // namespace lockstep::rl
