#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/rl/environments/registry.hpp"

namespace lockstep::app {

/// States that lie as cells of a board.
struct Board {
    std::string title;
    int rows = 0;
    int columns = 0;
    std::vector<std::int32_t> states;  ///< [rows, columns]; -1: no state
    std::vector<std::string> marks;    ///< [rows, columns]; letters of the rules; empty: none
    std::vector<std::uint8_t> ends;    ///< [rows, columns]; 1: no episode goes on; empty: none
};

/// An environment whose states can be drawn.
struct Boards {
    std::vector<Board> boards;
    std::vector<std::string> actions;  ///< in words
    std::vector<std::string> glyphs;   ///< arrows or letters; empty: numbers of actions
};

/// Nothing for environments that lie on no board.
std::optional<Boards> boards_of(const rl::AnyEnvironment& environment);

}  // namespace lockstep::app
