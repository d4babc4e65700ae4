#include "lockstep/rl/games/tic_tac_toe_game.hpp"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "rl/games/tic_tac_toe_positions.hpp"

namespace lockstep::rl {
namespace {

constexpr int states = 19'683;
constexpr int cells = 9;
constexpr double sum_tolerance = 1e-9;

std::size_t pair_of(const TicTacToePosition& position, int cell) {
    return at(position.state) * cells + at(cell);
}

void check_size(std::size_t size, std::size_t wanted) {
    if (size != wanted) {
        throw InputError(
            fmt::format("TicTacToe has {} states with {} actions: a table of {} numbers "
                        "must have {}",
                        states,
                        cells,
                        size,
                        wanted));
    }
}

// Only where this side moves: the policy of one side need not know the other's positions.
void check(std::span<const double> policy, int mark) {
    check_size(policy.size(), std::size_t{states} * cells);
    for (const TicTacToePosition& position : tic_tac_toe_positions()) {
        const ActionMask moves = moves_in(position);
        if (moves == 0 || position.mark != mark) {
            continue;
        }
        double sum = 0;
        for (int cell = 0; cell < cells; ++cell) {
            const double share = policy[pair_of(position, cell)];
            const bool is_legal = (moves >> static_cast<unsigned>(cell) & 1U) != 0;
            if (!(share >= 0) || (!is_legal && share != 0)) {
                throw InputError(fmt::format("state {}, action {}: probability {} must be 0{}",
                                             position.state,
                                             cell,
                                             share,
                                             is_legal ? " or more" : ", the cell is taken"));
            }
            sum += share;
        }
        if (!(std::abs(sum - 1) <= sum_tolerance)) {
            throw InputError(fmt::format(
                "state {}: the probabilities add up to {}, must be 1", position.state, sum));
        }
    }
}

// Calls visit(position) from the last ones back to the start.
template <typename Visit>
void backwards(const Visit& visit) {
    const auto& positions = tic_tac_toe_positions();
    for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
        visit(*position);
    }
}

// Of a game that is over: the last to move may have won.
GameResult final_result(const TicTacToePosition& position) {
    if (!TicTacToe::has_line(position.other)) {
        return {0, 1, 0};
    }
    return position.mark == 2 ? GameResult{1, 0, 0} : GameResult{0, 0, 1};
}

// What the one gains who is to move.
double gain(const TicTacToePosition& position, const GameResult& result) {
    return position.mark == 1 ? result.value() : -result.value();
}

}  // namespace

GameResult play_exactly(std::span<const double> cross, std::span<const double> nought) {
    check(cross, 1);
    check(nought, 2);
    std::vector<GameResult> results(states);
    backwards([&](const TicTacToePosition& position) {
        const ActionMask moves = moves_in(position);
        GameResult& result = results[at(position.state)];
        result = moves == 0 ? final_result(position) : GameResult{};
        const auto& policy = position.mark == 1 ? cross : nought;
        each_cell(moves, [&](int cell) {
            const double share = policy[pair_of(position, cell)];
            const GameResult& next = results[at(after(position, cell).state)];
            result.win += share * next.win;
            result.draw += share * next.draw;
            result.loss += share * next.loss;
        });
    });
    return results[0];
}

BestResponse best_response(std::span<const double> opponent, int mark) {
    if (mark != 1 && mark != 2) {
        throw InputError(fmt::format("mark {} must be 1 (cross) or 2 (nought)", mark));
    }
    check(opponent, 3 - mark);
    std::vector<double> gains(states, 0);  // of the one who responds
    BestResponse response{0, TicTacToeMoves(states, 0)};
    backwards([&](const TicTacToePosition& position) {
        const ActionMask moves = moves_in(position);
        const bool is_own = position.mark == mark;
        if (moves == 0) {
            const double last = gain(position, final_result(position));
            gains[at(position.state)] = is_own ? last : -last;
            return;
        }
        response.moves[at(position.state)] = static_cast<std::uint8_t>(std::countr_zero(moves));
        double best = -2;
        double mean = 0;
        each_cell(moves, [&](int cell) {
            const double worth = gains[at(after(position, cell).state)];
            if (is_own && worth > best) {
                best = worth;
                response.moves[at(position.state)] = static_cast<std::uint8_t>(cell);
            }
            mean += is_own ? 0 : opponent[pair_of(position, cell)] * worth;
        });
        gains[at(position.state)] = is_own ? best : mean;
    });
    response.value = gains[0];
    return response;
}

double exploitability(std::span<const double> policy) {
    return (best_response(policy, 1).value + best_response(policy, 2).value) / 2;
}

TicTacToeMoves greedy_moves(std::span<const double> values) {
    check_size(values.size(), std::size_t{states} * cells);
    TicTacToeMoves moves(states, 0);
    for (const TicTacToePosition& position : tic_tac_toe_positions()) {
        const double* best = nullptr;
        each_cell(moves_in(position), [&](int cell) {
            const double& value = values[pair_of(position, cell)];
            if (best == nullptr || value > *best) {
                best = &value;
                moves[at(position.state)] = static_cast<std::uint8_t>(cell);
            }
        });
    }
    return moves;
}

TicTacToePolicy random_tic_tac_toe() {
    TicTacToePolicy policy(std::size_t{states} * cells, 0);
    for (const TicTacToePosition& position : tic_tac_toe_positions()) {
        const ActionMask moves = moves_in(position);
        each_cell(moves,
                  [&](int cell) { policy[pair_of(position, cell)] = 1.0 / std::popcount(moves); });
    }
    return policy;
}

TicTacToePolicy policy_of(const TicTacToeMoves& moves) {
    check_size(moves.size(), states);
    TicTacToePolicy policy(std::size_t{states} * cells, 0);
    for (const TicTacToePosition& position : tic_tac_toe_positions()) {
        const int cell = moves[at(position.state)];
        if (moves_in(position) != 0 && cell < cells) {
            policy[pair_of(position, cell)] = 1;
        }
    }
    return policy;
}

std::vector<std::uint8_t> petting_zoo_planes(std::int32_t state, int mark) {
    std::vector<std::uint8_t> planes(at(2 * cells), 0);
    for (int cell = cells - 1; cell >= 0; --cell) {
        const int digit = state % 3;
        state /= 3;
        if (digit != 0) {
            planes[at(2 * petting_zoo_cell(cell) + (digit == mark ? 0 : 1))] = 1;
        }
    }
    return planes;
}

}  // namespace lockstep::rl
