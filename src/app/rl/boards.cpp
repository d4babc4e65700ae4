#include "app/rl/boards.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::app {
namespace {

using Words = std::vector<std::string>;

// State: row · columns + column.
Board plain_board(int rows, int columns) {
    Board board;
    board.rows = rows;
    board.columns = columns;
    for (std::int32_t s = 0; s < rows * columns; ++s) {
        board.states.push_back(s);
    }
    board.marks.resize(board.states.size());
    board.ends.resize(board.states.size());
    return board;
}

Board lake_board(const rl::LakeMap& map) {
    auto board = plain_board(static_cast<int>(map.size()), static_cast<int>(map.front().size()));
    for (std::size_t cell = 0; cell < board.states.size(); ++cell) {
        const char letter = map[cell / map.front().size()][cell % map.front().size()];
        if (letter != 'F') {
            board.marks[cell].push_back(letter);
        }
        board.ends[cell] = letter == 'H' || letter == 'G' ? 1 : 0;
    }
    return board;
}

Boards boards(const rl::FrozenLake& rules) {
    return {
        {lake_board(rules.options().map)}, {"left", "down", "right", "up"}, {"←", "↓", "→", "↑"}};
}

Boards boards(const rl::CliffWalking& /*rules*/) {
    auto board = plain_board(4, 12);
    // The cliff is no place to be: a fall leads to the start.
    for (auto cell = at(rl::CliffWalking::start) + 1; cell < board.states.size(); ++cell) {
        board.ends[cell] = 1;
        board.marks[cell].push_back('C');
    }
    board.marks[at(rl::CliffWalking::start)].push_back('S');
    board.marks.back().front() = 'G';
    return {{std::move(board)}, {"up", "right", "down", "left"}, {"↑", "→", "↓", "←"}};
}

std::optional<Boards> boards(const rl::OpenGrid& rules) {
    auto side = 1;
    while (side * side < rules.states()) {
        ++side;
    }
    constexpr int widest = 180;  // a cell has four pixels then
    if (side > widest) {
        return std::nullopt;
    }
    auto board = plain_board(side, side);
    board.marks.front().push_back('S');
    board.marks.back().push_back('G');
    board.ends.back() = 1;
    return Boards{{std::move(board)}, {"up", "right", "down", "left"}, {"↑", "→", "↓", "←"}};
}

// State: ((row · 5 + column) · 5 + passenger) · 4 + destination.
Board taxi_board(int passenger, int destination) {
    constexpr std::array<std::string_view, 5> places{"at R", "at G", "at Y", "at B", "in the taxi"};
    constexpr std::array<int, 4> cells{0, 4, 20, 23};
    auto board = plain_board(5, 5);
    board.title = fmt::format(
        "Passenger {}, wants to {}", places[at(passenger)], places[at(destination)].substr(3));
    for (auto& state : board.states) {
        state = (state * 5 + passenger) * 4 + destination;
    }
    for (std::size_t place = 0; place < cells.size(); ++place) {
        board.marks[at(cells[place])] = places[place].substr(3);
    }
    return board;
}

Boards boards(const rl::Taxi& /*rules*/) {
    Boards all{{},
               {"south", "north", "east", "west", "pick up", "drop off"},
               {"↓", "↑", "→", "←", "P", "D"}};
    for (int passenger = 0; passenger < 5; ++passenger) {
        for (int destination = 0; destination < 4; ++destination) {
            if (passenger != destination) {
                all.boards.push_back(taxi_board(passenger, destination));
            }
        }
    }
    return all;
}

// Rows: the player's sum, largest first, as Sutton and Barto draw it. Columns: the dealer's card.
Board blackjack_board(int usable_ace) {
    const auto first = usable_ace != 0 ? 12 : 4;
    Board board;
    board.title = usable_ace != 0 ? "Usable ace; rows: own sum 21 to 12, columns: dealer's card"
                                  : "No usable ace; rows: own sum 21 to 4, columns: dealer's card";
    board.columns = 10;
    for (int sum = 21; sum >= first; --sum) {
        ++board.rows;
        for (int dealer = 1; dealer <= 10; ++dealer) {
            board.states.push_back(rl::Blackjack::state_of({sum, dealer, usable_ace}));
            const auto row = dealer == 1 ? fmt::format("{}", sum) : std::string();
            board.marks.push_back(row.empty() && sum == 21 ? fmt::format("{}", dealer) : row);
        }
    }
    return board;
}

Boards boards(const rl::Blackjack& /*rules*/) {
    return {{blackjack_board(0), blackjack_board(1)}, {"stick", "hit"}, {"·", "H"}};
}

template <typename E>
std::optional<Boards> boards(const E& /*rules*/) {
    return std::nullopt;
}

}  // namespace

std::optional<Boards> boards_of(const rl::AnyEnvironment& environment) {
    return rl::with_environment(environment, [](const auto& limited) -> std::optional<Boards> {
        return boards(limited.rules());
    });
}

}  // namespace lockstep::app
