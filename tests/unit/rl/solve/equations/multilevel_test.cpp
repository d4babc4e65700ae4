#include "rl/solve/equations/multilevel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "rl/solve/equations/linear.hpp"
#include "support/rl/worlds.hpp"

namespace lockstep::rl {
namespace {

// A walk on a line that goes on with `right`, turns back with `left`, and else ends.
Couplings line(std::int32_t size, double left, double right) {
    Couplings line;
    for (std::int32_t i = 0; i < size; ++i) {
        if (i > 0) {
            line.next.push_back(i - 1);
            line.factor.push_back(left);
        }
        if (i + 1 < size) {
            line.next.push_back(i + 1);
            line.factor.push_back(right);
        }
        line.end_row(1);
    }
    return line;
}

TEST(MultilevelTest, SolvesFewEquationsAtOnce) {
    runtime::ThreadTeam team(1);
    const Couplings c = line(3, 0.25, 0.5);
    Multilevel multilevel(c, team);
    std::vector<double> x(3);
    // By hand: x = (2, 2, 1.5).
    multilevel.solve(std::vector{1.0, 0.75, 1.0}, x, team);
    EXPECT_NEAR(x[0], 2, 1e-14);
    EXPECT_NEAR(x[1], 2, 1e-14);
    EXPECT_NEAR(x[2], 1.5, 1e-14);
}

/// A walk on a line that pays 1 a step; goes back a step, stays or goes on by weights.
class Walk : public RowSource {
public:
    Walk(int states, double back, double on) : states_(states), back_(back), on_(on) {}
    [[nodiscard]] int states() const override { return states_; }
    [[nodiscard]] int actions() const override { return 1; }
    void write(int s, RowWriter& writer) const override {
        writer.pair(0);
        if (back_ > 0) {
            writer.outcome(back_, std::max(s - 1, 0), -1, s == 0);
        }
        writer.outcome(on_, std::min(s + 1, states_ - 1), -1, s == states_ - 1);
    }

private:
    int states_;
    double back_;
    double on_;
};

// Sweeps take one state after the other: tens of thousands of them to get from end to end.
TEST(MultilevelTest, FindsWhatComesFromFarAway) {
    constexpr int n = 50'000;
    constexpr double gamma = 0.99999;
    const std::vector<std::int32_t> only(n, 0);
    for (const double back : {0.0, 0.5}) {
        const Walk walk(n, back, 1);
        std::vector<double> one;
        for (const int threads : {1, 2, 3}) {
            runtime::ThreadTeam team(threads);
            PolicyEquations equations(walk, only, gamma, team);
            std::vector<double> v(n, 0.0);
            const auto improved = equations.improve(v, 1e-9, 3000, team);
            EXPECT_LE(improved.error, 1e-9) << back;
            EXPECT_LE(equations.sweep(v, true, team).largest(), 1e-8) << back;
            one = threads == 1 ? v : one;
            EXPECT_EQ(one, v);
        }
        if (back == 0) {  // to the end in n - s steps
            EXPECT_NEAR(one[0], -(1 - std::pow(gamma, n)) / (1 - gamma), 1e-3);
        }
    }
}

// Entries of a random process do not become fewer from level to level.
TEST(MultilevelTest, LeavesGroupsOutThatGainNothing) {
    runtime::ThreadTeam team(1);
    const test::Garnet garnet(2000, 1, 8, 3);
    PolicyEquations equations(garnet, std::vector<std::int32_t>(2000, 0), 0.95, team);
    std::vector<double> v(2000, 0.0);
    EXPECT_LE(equations.improve(v, 1e-12, 3000, team).error, 1e-12);
    EXPECT_LE(equations.sweep(v, false, team).largest(), 1e-11);
}

}  // namespace
}  // namespace lockstep::rl
