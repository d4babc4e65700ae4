#include "lockstep/rl/environments/cliff_walking.hpp"

#include <algorithm>
#include <array>

#include "lockstep/base/index.hpp"

#include "rl/environments/grid_text.hpp"

namespace lockstep::rl {
namespace {

constexpr int rows = 4;
constexpr int columns = 12;
constexpr int goal = 47;
constexpr double third = 1.0 / 3.0;

ThreeWayTable::Way way(int s, int action) {
    static constexpr std::array<std::array<int, 2>, 4> moves{{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}};
    const auto [down, right] = moves[at(action % 4)];
    const int row = std::clamp(s / columns + down, 0, rows - 1);
    const int column = std::clamp(s % columns + right, 0, columns - 1);
    const int next = row * columns + column;
    if (next > CliffWalking::start && next < goal) {
        return {CliffWalking::start, -100, false};
    }
    return {next, -1, next == goal};
}

// Gymnasium's table goes on from the cliff and the goal too, which no episode does.
ThreeWayTable table_of(bool slippery) {
    ThreeWayTable table(rows * columns, 4, {third, third, third});
    for (int s = 0; s < table.states(); ++s) {
        for (int a = 0; a < 4; ++a) {
            if (slippery) {
                table.set_three(s, a, {way(s, a + 3), way(s, a), way(s, a + 1)});
            } else {
                table.set_only(s, a, way(s, a));
            }
        }
    }
    return table;
}

}  // namespace

CliffWalking::CliffWalking(bool slippery) : slippery_(slippery), table_(table_of(slippery)) {}

std::string CliffWalking::describe() const {
    return slippery_ ? "CliffWalking, slippery" : "CliffWalking, dry";
}

std::string CliffWalking::render_text(int s) const {
    return grid_text(rows, columns, s, [](int row, int column) {
        const int cell = row * columns + column;
        return cell < start ? '.' : (cell == start ? 'S' : (cell == goal ? 'G' : 'C'));
    });
}

std::optional<Model> CliffWalking::model() const {
    ModelBuilder builder(states(), actions());
    table_.add_to(builder);
    builder.add_start({start, 1.0});
    return builder.build();
}

}  // namespace lockstep::rl
