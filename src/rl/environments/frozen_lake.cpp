#include "lockstep/rl/environments/frozen_lake.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "rl/environments/grid_text.hpp"

namespace lockstep::rl {
namespace {

void check_map(const LakeMap& map) {
    if (map.empty() || map[0].empty()) {
        throw InputError("desc: has no cells");
    }
    for (std::size_t row = 0; row < map.size(); ++row) {
        if (map[row].size() != map[0].size()) {
            throw InputError(fmt::format(
                "desc: row {} has {} cells, row 0 has {}", row, map[row].size(), map[0].size()));
        }
        if (const auto column = map[row].find_first_not_of("SFHG"); column != std::string::npos) {
            throw InputError(fmt::format(
                "desc: row {} has \"{}\", must be of S, F, H and G", row, map[row][column]));
        }
    }
}

// Checked before the table and the starts are made of them.
FrozenLakeOptions checked(FrozenLakeOptions options) {
    check_map(options.map);
    if (!(options.success_rate >= 0 && options.success_rate <= 1)) {
        throw InputError(fmt::format("success_rate {}: must be from 0 to 1", options.success_rate));
    }
    return options;
}

class Cells {
public:
    explicit Cells(const LakeMap& map)
        : map_(map),
          rows_(static_cast<int>(map.size())),
          columns_(static_cast<int>(map[0].size())) {}

    [[nodiscard]] int size() const { return rows_ * columns_; }
    [[nodiscard]] char letter(int s) const { return map_[at(s / columns_)][at(s % columns_)]; }
    [[nodiscard]] bool is_end(int s) const { return letter(s) == 'G' || letter(s) == 'H'; }

    [[nodiscard]] int after(int s, int action) const {
        static constexpr std::array<std::array<int, 2>, 4> moves{
            {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}};
        const auto [down, right] = moves[at(action)];
        const int row = std::clamp(s / columns_ + down, 0, rows_ - 1);
        const int column = std::clamp(s % columns_ + right, 0, columns_ - 1);
        return row * columns_ + column;
    }

private:
    const LakeMap& map_;
    int rows_;
    int columns_;
};

double reward_of(const FrozenLakeOptions& options, char letter) {
    if (letter == 'G') {
        return options.goal_reward;
    }
    return letter == 'H' ? options.hole_reward : options.frozen_reward;
}

ThreeWayTable table_of(const FrozenLakeOptions& options) {
    const Cells cells(options.map);
    const double aside = (1.0 - options.success_rate) / 2.0;
    ThreeWayTable table(cells.size(), 4, {aside, options.success_rate, aside});
    const auto way = [&](int s, int action) -> ThreeWayTable::Way {
        const int next = cells.after(s, action % 4);
        return {next, reward_of(options, cells.letter(next)), cells.is_end(next)};
    };
    for (int s = 0; s < cells.size(); ++s) {
        for (int a = 0; a < 4; ++a) {
            if (cells.is_end(s)) {
                table.set_only(s, a, {s, 0, true});
            } else if (options.slippery) {
                table.set_three(s, a, {way(s, a + 3), way(s, a), way(s, a + 1)});
            } else {
                table.set_only(s, a, way(s, a));
            }
        }
    }
    return table;
}

std::vector<Start> starts_of(const LakeMap& map) {
    const Cells cells(map);
    std::vector<std::int32_t> states;
    for (int s = 0; s < cells.size(); ++s) {
        if (cells.letter(s) == 'S') {
            states.push_back(s);
        }
    }
    if (states.empty()) {
        throw InputError("desc: has no start S");
    }
    return even_starts(states);
}

}  // namespace

FrozenLake::FrozenLake(FrozenLakeOptions options)
    : options_(checked(std::move(options))),
      table_(table_of(options_)),
      starts_(starts_of(options_.map)) {}

std::string FrozenLake::describe() const {
    const std::string ice =
        options_.slippery ? fmt::format("slippery, {:.3g} as meant", options_.success_rate) : "dry";
    return fmt::format(
        "FrozenLake, {} x {} cells, {}", options_.map.size(), options_.map[0].size(), ice);
}

std::string FrozenLake::render_text(int s) const {
    const LakeMap& map = options_.map;
    const auto columns = static_cast<int>(map.front().size());
    return grid_text(static_cast<int>(map.size()), columns, s, [&](int row, int column) {
        return map[at(row)][at(column)];
    });
}

std::optional<Model> FrozenLake::model() const {
    ModelBuilder builder(states(), actions());
    table_.add_to(builder);
    starts_.add_to(builder);
    return builder.build();
}

}  // namespace lockstep::rl
