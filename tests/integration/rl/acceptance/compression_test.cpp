// Acceptance of reinforcement learning, row 5: what compression costs, as rl.md 5.4 measured it,
// and how many rounds workers need.

#include <gtest/gtest.h>

#include "lockstep/rl/learn.hpp"

#include "support/rl/garnet_errors.hpp"

namespace lockstep {
namespace {

/// Eight workers, equal average, 2000 rounds.
double compressed(const test::GarnetErrors& errors, double ratio, bool has_feedback) {
    rl::LearnOptions options;
    options.mode = rl::Mode::allreduce;
    options.workers = 8;
    options.sync_frequency = 100;
    options.steps = 2'000 * 800;
    options.combine = rl::Combine::average;
    options.compression_ratio = ratio;
    options.error_feedback = has_feedback;
    return errors.of_pairs(options);
}

TEST(AcceptanceRow5, FeedbackKeepsTheErrorAndPlainThresholdsDoNot) {
    const test::GarnetErrors errors;
    const double dense = compressed(errors, 0, true);
    for (const double ratio : {0.5, 1.0, 2.0}) {
        EXPECT_LE(compressed(errors, ratio, true), 1.5 * dense) << ratio;
    }
    // The negative control, at the ratio where compression pays.
    EXPECT_GE(compressed(errors, 2, false), 3 * dense);
}

// Eight workers learn as much as one with eight times the steps, but only if they meet often
// enough (bench/micro/run rl_rounds draws it).
TEST(Rounds, LinearSpeedUpNeedsEnoughOfThem) {
    const test::GarnetErrors errors;
    constexpr std::int64_t transitions = 1 << 16;
    rl::LearnOptions alone;
    alone.mode = rl::Mode::serial;
    alone.steps = 8 * transitions;
    rl::LearnOptions together;
    together.workers = 8;
    together.steps = 8 * transitions;
    together.sync_frequency = transitions / 2'048;
    const double often = errors.of_states(together);
    together.sync_frequency = transitions / 4;
    const double seldom = errors.of_states(together);

    EXPECT_LE(often, 1.3 * errors.of_states(alone));
    EXPECT_GE(seldom, 1.5 * often);
}

}  // namespace
}  // namespace lockstep
