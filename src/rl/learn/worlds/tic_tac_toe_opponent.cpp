#include "lockstep/rl/learn/world_of.hpp"

#include "rl/learn/worlds/world_builders.hpp"

namespace lockstep::rl {

std::unique_ptr<World> build_world(const TimeLimit<TicTacToeOpponent>& rules) {
    return make_world_of(rules);
}

}  // namespace lockstep::rl
