#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/rl/environments/bandit.hpp"
#include "lockstep/rl/environments/blackjack.hpp"
#include "lockstep/rl/environments/cliff_walking.hpp"
#include "lockstep/rl/environments/deep_sea.hpp"
#include "lockstep/rl/environments/frozen_lake.hpp"
#include "lockstep/rl/environments/garnet.hpp"
#include "lockstep/rl/environments/inventory.hpp"
#include "lockstep/rl/environments/model_environment.hpp"
#include "lockstep/rl/environments/open_grid.hpp"
#include "lockstep/rl/environments/reservoir.hpp"
#include "lockstep/rl/environments/taxi.hpp"
#include "lockstep/rl/environments/tic_tac_toe.hpp"
#include "lockstep/rl/games/tic_tac_toe_opponent.hpp"
#include "lockstep/rl/games/tic_tac_toe_self_play.hpp"
#include "lockstep/rl/time_limit.hpp"

namespace lockstep::rl {

/// Parameters of an environment by name, as they are written: "true", "0.8", "SFFF/FHFH/FFFH/HFFG".
using EnvironmentOptions = std::map<std::string, std::string, std::less<>>;

/// A parameter of an environment.
struct EnvironmentParameter {
    std::string_view name;
    std::string_view about;     ///< what it is, with its unit
    std::string_view fallback;  ///< its value where none is given
    std::string_view range;     ///< what it may be
};

/// An environment that can be made by name.
struct EnvironmentEntry {
    std::string_view name;
    std::vector<std::string_view> aliases;
    std::string_view about;  ///< one line
    std::vector<EnvironmentParameter> parameters;
};

/// All of them, in the order in which they are listed.
const std::vector<EnvironmentEntry>& environments();

/// The entry of this name or alias; upper and lower case are one.
/// @throws InputError  an unknown name, with the nearest one that exists
const EnvironmentEntry& environment_entry(std::string_view name);

/// Any environment: which one is chosen when the program runs, the loop over it when it is
/// compiled.
using AnyEnvironment = std::variant<TimeLimit<TicTacToe>,
                                    TimeLimit<TicTacToeOpponent>,
                                    TimeLimit<TicTacToeSelfPlay>,
                                    TimeLimit<FrozenLake>,
                                    TimeLimit<CliffWalking>,
                                    TimeLimit<Taxi>,
                                    TimeLimit<Blackjack>,
                                    TimeLimit<Bandit>,
                                    TimeLimit<DeepSea>,
                                    TimeLimit<Garnet>,
                                    TimeLimit<OpenGrid>,
                                    TimeLimit<Inventory>,
                                    TimeLimit<Reservoir>,
                                    TimeLimit<ModelEnvironment>>;

/// The environment of this name or alias; upper and lower case are one.
/// @throws InputError  an unknown name or parameter, with the nearest one that exists; a value that
/// is none or out of range, with what it may be
AnyEnvironment make_environment(std::string_view name, const EnvironmentOptions& options = {});

/// Calls `use(rules)` with the concrete type of the environment.
template <typename Use>
decltype(auto) with_environment(const AnyEnvironment& environment, Use&& use) {
    return std::visit(std::forward<Use>(use), environment);
}

}  // namespace lockstep::rl
