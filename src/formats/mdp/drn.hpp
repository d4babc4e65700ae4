#pragma once

#include <string>
#include <string_view>

#include "lockstep/formats/mdp/model_file.hpp"

#include "formats/mdp/draft.hpp"

namespace lockstep::formats::mdp {

// Storm's explicit format. It has rewards of states and of actions, and states of which nothing
// ends: an ended episode is a state that is labelled "terminated", where one stays and earns
// nothing.

inline constexpr std::string_view terminated_label = "terminated";

/// Reads the text of an MDP or a DTMC. Rewards are those of the only reward model, or of the one
/// that is called "reward"; what a state earns is earned by each of its actions. States labelled
/// "init" start with equal probability.
void read_drn(std::string_view text, Draft& draft, Faults& faults);

/// @throws InputError  a name of an action that the format cannot hold
std::string drn_text(const ModelFile& file);

}  // namespace lockstep::formats::mdp
