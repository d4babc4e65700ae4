#include "rl/learn/worlds/world_builders.hpp"

namespace lockstep::rl {

std::unique_ptr<World> make_world(const AnyEnvironment& environment) {
    return with_environment(environment, [](const auto& rules) { return build_world(rules); });
}

}  // namespace lockstep::rl
