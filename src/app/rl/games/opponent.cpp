#include "app/rl/games/opponent.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/rl/table_file.hpp"

namespace lockstep::app {

bool is_game(const formats::rl::EnvironmentRecord& environment) {
    return environment.file.empty() &&
           (environment.name == "tictactoe" || environment.name == "TicTacToe-selfplay");
}

rl::TicTacToeMoves moves_of_training(const std::filesystem::path& output) {
    const auto [origin, table] = formats::rl::read_table(output / "training");
    if (!is_game(origin.environment)) {
        throw InputError(fmt::format("{}: a training of {}: must be one of TicTacToe",
                                     output.string(),
                                     origin.environment.name));
    }
    return rl::greedy_moves(table.values);
}

}  // namespace lockstep::app
