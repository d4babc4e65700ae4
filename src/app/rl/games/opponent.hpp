#pragma once

#include <filesystem>

#include "lockstep/formats/rl/environment_record.hpp"
#include "lockstep/rl/games/tic_tac_toe_game.hpp"

namespace lockstep::app {

/// Whether an environment is a game of two of which everything is known, whoever answers.
bool is_game(const formats::rl::EnvironmentRecord& environment);

/// The greedy moves of a training of TicTacToe, on both sides.
/// @throws IoError, InputError  no training of the game, or a damaged one
rl::TicTacToeMoves moves_of_training(const std::filesystem::path& output);

}  // namespace lockstep::app
