#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/draws.hpp"
#include "lockstep/rl/environments/garnet.hpp"
#include "lockstep/rl/environments/split_mix.hpp"
#include "lockstep/rl/rows.hpp"

namespace lockstep::test {

/// The environment's process as rows, with its integer weights. Computed when asked.
class Garnet : public rl::RowSource {
public:
    Garnet(int states, int actions, int branches, std::uint64_t seed)
        : actions_(actions), branches_(branches), rules_({states, actions, branches, seed}) {}
    [[nodiscard]] int states() const override { return rules_.states(); }
    [[nodiscard]] int actions() const override { return actions_; }
    void write(int s, rl::RowWriter& writer) const override {
        for (int a = 0; a < actions_; ++a) {
            const double reward = rules_.reward(s, a);
            writer.pair(a);
            for (int j = 0; j < branches_; ++j) {
                writer.outcome(static_cast<double>(rules_.weight(s, a, j)),
                               rules_.successor(s, a, j),
                               reward,
                               false);
            }
        }
    }

private:
    int actions_;
    int branches_;
    rl::Garnet rules_;
};

/// A square of cells with a goal in the far corner and -1 a step. On slippery ground a move goes
/// aside, either way, as often as ahead. A cell is a wall with the given probability, or where
/// the goal cannot be reached; there and at the edge one stays. Nothing is legal in the goal and in
/// walls.
class Grid : public rl::RowSource {
public:
    Grid(int side, bool is_slippery, double walls = 0, std::uint64_t seed = 1)
        : side_(side), is_slippery_(is_slippery) {
        if (walls > 0) {
            build_walls(walls, seed);
        }
    }
    [[nodiscard]] int states() const override { return side_ * side_; }
    [[nodiscard]] int actions() const override { return 4; }
    [[nodiscard]] bool is_wall(int s) const { return !is_wall_.empty() && is_wall_[at(s)] != 0; }
    void write(int s, rl::RowWriter& writer) const override {
        if (s == states() - 1 || is_wall(s)) {
            return;
        }
        for (int a = 0; a < 4; ++a) {
            writer.pair(a);
            if (is_slippery_) {
                move(s, (a + 3) % 4, writer);
                move(s, (a + 1) % 4, writer);
            }
            move(s, a, writer);
        }
    }

private:
    // Cells from which the goal cannot be reached are walls too.
    void build_walls(double share, std::uint64_t seed) {
        std::vector<std::uint8_t> is_free(at(states()), 1);
        for (int s = 1; s < states() - 1; ++s) {
            is_free[at(s)] = rl::unit_interval(rl::split_mix(seed, at(s))) < share ? 0 : 1;
        }
        is_wall_.assign(at(states()), 1);
        std::vector<int> open{states() - 1};
        is_wall_.back() = 0;
        while (!open.empty()) {
            const int s = open.back();
            open.pop_back();
            for (int a = 0; a < 4; ++a) {
                const int next = neighbour(s, a);
                if (is_free[at(next)] != 0 && is_wall_[at(next)] != 0) {
                    is_wall_[at(next)] = 0;
                    open.push_back(next);
                }
            }
        }
    }

    [[nodiscard]] int neighbour(int s, int a) const {
        constexpr std::array<int, 4> down{0, 1, 0, -1};
        constexpr std::array<int, 4> right{-1, 0, 1, 0};
        const int row = s / side_ + down[at(a)];
        const int column = s % side_ + right[at(a)];
        const bool is_inside = row >= 0 && row < side_ && column >= 0 && column < side_;
        return is_inside ? row * side_ + column : s;
    }

    void move(int s, int a, rl::RowWriter& writer) const {
        const int to = neighbour(s, a);
        const int next = is_wall(to) ? s : to;
        writer.outcome(1, next, -1, next == states() - 1);
    }

    int side_;
    bool is_slippery_;
    std::vector<std::uint8_t> is_wall_;
};

}  // namespace lockstep::test
