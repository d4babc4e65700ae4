#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/rl/environment.hpp"

namespace lockstep::rl {

/// TicTacToe against an opponent who plays at random. Cross (1) moves first; a fair coin decides
/// whether that is the learner. Action: the cell, row by row, that must be empty. Pays 1 for a won
/// game, -1 for a lost one, else 0.
///
/// State: the cells as digits of base 3, the first one the most significant: 0 empty, 1 cross, 2
/// nought. 19,683 codes, of which 4,520 ask for a move. A step is a move and the reply.
/// @par Source  dist_classicrl 0.1, in the order of its draws
class TicTacToe {
public:
    struct Episode : PlainEpisode {
        std::uint16_t own = 0;    ///< cells of the learner, bit by bit
        std::uint16_t other = 0;  ///< of the opponent
        std::int32_t mark = 1;    ///< of the learner: 1 or 2
    };

    [[nodiscard]] int states() const noexcept { return 19'683; }
    [[nodiscard]] int actions() const noexcept { return 9; }
    [[nodiscard]] ActionMask mask(int s) const noexcept;
    [[nodiscard]] ActionMask mask(const Episode& episode) const noexcept {
        return board & ~ActionMask{taken(episode)};
    }
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] std::string render_text(int s) const;
    [[nodiscard]] std::optional<Model> model() const;

    template <Draws D>
    [[nodiscard]] Episode reset(D& draws) const {
        Episode episode;
        if (draws.below(2) == 1) {
            episode.mark = 2;
            reply(episode, static_cast<int>(draws.below(9)));
        }
        return episode;
    }

    template <Draws D>
    Step step(Episode& episode, int action, D& draws) const {
        move(episode, action);
        if (has_line(episode.own)) {
            return {episode.state, 1, true, false};
        }
        const std::uint32_t empty = board & ~taken(episode);
        if (empty == 0) {
            return {episode.state, 0, true, false};
        }
        const auto choices = static_cast<std::uint32_t>(std::popcount(empty));
        reply(episode, cell(empty, draws.below(choices)));
        if (has_line(episode.other)) {
            return {episode.state, -1, true, false};
        }
        return {episode.state, 0, taken(episode) == board, false};
    }

    /// Three in a row, by the bits of cells.
    [[nodiscard]] static bool has_line(std::uint32_t cells) noexcept {
        return (lines[cells / 64] >> cells % 64 & 1U) != 0;
    }
    static void move(Episode& episode, int cell) noexcept {
        episode.own = static_cast<std::uint16_t>(episode.own | 1U << static_cast<unsigned>(cell));
        episode.state += episode.mark * place_values[static_cast<std::size_t>(cell)];
    }
    static void reply(Episode& episode, int cell) noexcept {
        episode.other =
            static_cast<std::uint16_t>(episode.other | 1U << static_cast<unsigned>(cell));
        episode.state += (3 - episode.mark) * place_values[static_cast<std::size_t>(cell)];
    }

private:
    static constexpr std::uint32_t board = 0x1FF;
    static constexpr std::array<std::int32_t, 9> place_values{
        6561, 2187, 729, 243, 81, 27, 9, 3, 1};

    [[nodiscard]] static std::uint32_t taken(const Episode& episode) noexcept {
        return std::uint32_t{episode.own} | episode.other;
    }

    // Bit c: the cells of the bits of c hold a line.
    static constexpr std::array<std::uint64_t, 8> lines = [] {
        constexpr std::array<std::uint32_t, 8> threes{
            0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
        std::array<std::uint64_t, 8> bits{};
        for (std::uint32_t cells = 0; cells <= board; ++cells) {
            for (const std::uint32_t three : threes) {
                if ((cells & three) == three) {
                    bits[cells / 64] |= std::uint64_t{1} << cells % 64;
                }
            }
        }
        return bits;
    }();

    // The number-th of these cells: looked up, four bits each.
    [[nodiscard]] static int cell(std::uint32_t cells, std::uint32_t number) noexcept {
        return static_cast<int>(nth_cells[cells] >> 4U * number & 15U);
    }
    static constexpr std::array<std::uint64_t, 512> nth_cells = [] {
        std::array<std::uint64_t, 512> table{};
        for (std::uint32_t cells = 0; cells <= board; ++cells) {
            unsigned count = 0;
            for (unsigned bit = 0; bit < 9; ++bit) {
                if ((cells >> bit & 1U) != 0) {
                    table[cells] |= std::uint64_t{bit} << 4U * count++;
                }
            }
        }
        return table;
    }();
};

}  // namespace lockstep::rl
