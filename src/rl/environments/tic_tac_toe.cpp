#include "lockstep/rl/environments/tic_tac_toe.hpp"

#include <vector>

#include "lockstep/base/index.hpp"

#include "rl/games/tic_tac_toe_positions.hpp"

namespace lockstep::rl {
namespace {

using Episode = TicTacToe::Episode;

// The nine openings where the opponent moves first.
std::vector<Episode> second_starts() {
    std::vector<Episode> starts;
    for (int cell = 0; cell < 9; ++cell) {
        Episode episode;
        episode.mark = 2;
        TicTacToe::reply(episode, cell);
        starts.push_back(episode);
    }
    return starts;
}

// Positions that ask for a move, each once, found by playing on.
class Positions {
public:
    explicit Positions(const TicTacToe& rules) : rules_(rules) {
        add({});
        for (const Episode& start : second_starts()) {
            add(start);
        }
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const Episode from = found_[i];
            each_cell(rules_.mask(from), [&](int action) { play(from, action); });
        }
    }

    [[nodiscard]] const std::vector<Episode>& all() const { return found_; }

private:
    void add(const Episode& episode) {
        if (!seen_[at(episode.state)]) {
            seen_[at(episode.state)] = true;
            found_.push_back(episode);
        }
    }

    void play(Episode episode, int action) {
        TicTacToe::move(episode, action);
        if (TicTacToe::has_line(episode.own)) {
            return;
        }
        each_cell(rules_.mask(episode), [&](int cell) {
            Episode answered = episode;
            TicTacToe::reply(answered, cell);
            if (!TicTacToe::has_line(answered.other) && rules_.mask(answered) != 0) {
                add(answered);
            }
        });
    }

    const TicTacToe& rules_;
    std::vector<Episode> found_;
    std::vector<bool> seen_ = std::vector<bool>(19'683, false);
};

std::vector<std::uint16_t> masks_of_states() {
    const TicTacToe rules;
    std::vector<std::uint16_t> masks(at(rules.states()), 0);
    const Positions positions(rules);
    for (const Episode& position : positions.all()) {
        masks[at(position.state)] = static_cast<std::uint16_t>(rules.mask(position));
    }
    return masks;
}

void add_outcomes(ModelBuilder& builder, const TicTacToe& rules, const Episode& from, int action) {
    Episode moved = from;
    TicTacToe::move(moved, action);
    const ActionMask empty = rules.mask(moved);
    if (TicTacToe::has_line(moved.own) || empty == 0) {
        const double reward = TicTacToe::has_line(moved.own) ? 1 : 0;
        builder.add(from.state, action, {1.0, moved.state, reward, true});
        return;
    }
    each_cell(empty, [&](int cell) {
        Episode answered = moved;
        TicTacToe::reply(answered, cell);
        const bool lost = TicTacToe::has_line(answered.other);
        const bool over = lost || rules.mask(answered) == 0;
        builder.add(from.state,
                    action,
                    {1.0 / std::popcount(empty), answered.state, lost ? -1.0 : 0.0, over});
    });
}

}  // namespace

ActionMask TicTacToe::mask(int s) const noexcept {
    static const std::vector<std::uint16_t> masks = masks_of_states();
    return masks[at(s)];
}

std::string TicTacToe::describe() const {
    return "TicTacToe against random play, a fair coin decides who begins";
}

std::string TicTacToe::render_text(int s) const {
    std::string text = " . . .\n . . .\n . . .\n";
    for (std::size_t cell = 0; cell < place_values.size(); ++cell) {
        text[cell / 3 * 7 + cell % 3 * 2 + 1] = ".XO"[s / place_values[cell] % 3];
    }
    return text;
}

std::optional<Model> TicTacToe::model() const {
    ModelBuilder builder(states(), actions());
    const Positions positions(*this);
    for (const Episode& position : positions.all()) {
        each_cell(mask(position),
                  [&](int action) { add_outcomes(builder, *this, position, action); });
    }
    builder.add_start({0, 0.5});
    for (const Episode& start : second_starts()) {
        builder.add_start({start.state, 0.5 / 9});
    }
    return builder.build();
}

}  // namespace lockstep::rl
