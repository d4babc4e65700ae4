#pragma once

#include <optional>
#include <string>

#include "lockstep/app/rl/evaluate.hpp"
#include "lockstep/rl/learn/table.hpp"

#include "app/rl/subject.hpp"

namespace lockstep::app {

/// What the best opponent gains on average against a table's greedy policy; nothing where there is
/// no game.
std::optional<double> exploitability_of(const Subject& subject, const rl::QTable& table);

/// @param against  as EvaluateRequest::against, not empty
/// @throws InputError  no game; IoError, InputError  the other training
Match play_match(const Subject& subject, const rl::QTable& table, const std::string& against);

}  // namespace lockstep::app
