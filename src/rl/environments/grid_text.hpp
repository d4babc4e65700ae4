#pragma once

#include <string>

namespace lockstep::rl {

/// A picture of cells, a line a row; the one at `here` stands in brackets.
/// @param letter  letter(row, column) of a cell
/// @param after  after(row, column): text between a cell and the one to its right
template <typename Letter, typename After>
std::string grid_text(int rows, int columns, int here, const Letter& letter, const After& after) {
    std::string text;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const bool is_here = row * columns + column == here;
            text += is_here ? '[' : ' ';
            text += letter(row, column);
            text += is_here ? ']' : ' ';
            text += after(row, column);
        }
        text.resize(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

template <typename Letter>
std::string grid_text(int rows, int columns, int here, const Letter& letter) {
    return grid_text(rows, columns, here, letter, [](int /*row*/, int /*column*/) { return ""; });
}

}  // namespace lockstep::rl
