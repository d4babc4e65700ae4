#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/index.hpp"

#include "app/rl/boards.hpp"
#include "app/rl/report/parts.hpp"

namespace lockstep::app {
namespace {

constexpr std::size_t most_rows = 400;

std::string joined(const std::vector<double>& actions,
                   const std::vector<std::string>& names,
                   const char* separator) {
    std::string text;
    for (const auto action : actions) {
        const auto number = static_cast<std::size_t>(action);
        text += text.empty() ? "" : separator;
        text += number < names.size() ? names[number] : fmt::format("{}", number);
    }
    return text;
}

io::CellMap::Cell cell_of(const Boards& all,
                          const Board& board,
                          std::size_t place,
                          const StateValues& values) {
    io::CellMap::Cell cell{std::numeric_limits<double>::quiet_NaN(), board.marks[place], "", ""};
    const auto state = board.states[place];
    if (state < 0 || (!board.ends.empty() && board.ends[place] != 0)) {
        return cell;
    }
    const auto& best = values.best[at(state)];
    cell.value = values.value[at(state)];
    cell.glyphs = joined(best, all.glyphs, "");
    cell.about = fmt::format("state {}: {}; {}{}",
                             state,
                             digits(cell.value),
                             joined(best, all.actions, " or "),
                             values.remark ? "; " + values.remark(state) : "");
    return cell;
}

io::CellMap map_of(const Boards& all, const Board& board, const StateValues& values) {
    io::CellMap map{board.title, "value", board.rows, board.columns, {}};
    for (std::size_t place = 0; place < board.states.size(); ++place) {
        map.cells.push_back(cell_of(all, board, place, values));
    }
    return map;
}

std::string legend(const Boards& all) {
    std::string text;
    for (std::size_t a = 0; a < all.actions.size(); ++a) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", all.glyphs[a], all.actions[a]);
    }
    return text;
}

void add_boards(io::Page& page, const Boards& all, const StateValues& values) {
    page.paragraph(
        fmt::format("Colours are values, signs the best actions, several where they are "
                    "as good: {}.",
                    legend(all)));
    std::vector<io::CellMap> maps;
    for (const auto& board : all.boards) {
        maps.push_back(map_of(all, board, values));
    }
    page.maps(maps);
}

std::string name_of_state(std::int32_t state, const formats::rl::Names& names) {
    return names.states.empty() ? count(state) : names.states[at(state)];
}

// States without a choice tell nothing of a policy.
void add_states(io::Page& page, const formats::rl::Names& names, const StateValues& values) {
    std::vector<std::vector<std::string>> rows;
    std::size_t left_out = 0;
    for (std::size_t s = 0; s < values.value.size(); ++s) {
        if (values.best[s].empty()) {
            continue;
        }
        if (rows.size() == most_rows) {
            ++left_out;
            continue;
        }
        const auto state = static_cast<std::int32_t>(s);
        rows.push_back({name_of_state(state, names),
                        digits(values.value[s]),
                        joined(values.best[s], names.actions, ", "),
                        values.remark ? values.remark(state) : ""});
    }
    page.table({"State", "Value", "Best actions", ""}, rows);
    if (left_out > 0) {
        page.paragraph(fmt::format("And {} more in the table of the output directory.",
                                   plural(static_cast<std::int64_t>(left_out), "state")));
    }
}

}  // namespace

void add_policy(io::Page& page, const Subject& subject, const StateValues& values) {
    page.heading("Values and policy");
    if (const auto boards = subject.environment ? boards_of(*subject.environment) : std::nullopt) {
        add_boards(page, *boards, values);
    } else {
        add_states(page, names_of(subject), values);
    }
}

}  // namespace lockstep::app
