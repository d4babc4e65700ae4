#include "rl/exchange/combine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "rl/exchange/feedback.hpp"
#include "rl/exchange/transition_bytes.hpp"

namespace lockstep::rl {
namespace {

/// One cell: its value after workers that each made updates towards their own target.
struct OneCell {
    explicit OneCell(const char* step_size) : rule(parse_step_size(step_size)), alpha(rule) {}

    // Changes of a worker that sees `target` so many times.
    Delta learn(double target, std::uint32_t times) const {
        double q = value;
        for (std::uint32_t n = 1; n <= times; ++n) {
            q += alpha(visits + n) * (target - q);
        }
        Delta delta;
        if (times > 0) {
            delta.add(0, q - value, times);
        }
        return delta;
    }

    double after(Combine combine, const std::vector<Delta>& deltas) {
        std::vector<const Delta*> pointers;
        for (const auto& delta : deltas) {
            pointers.push_back(&delta);
        }
        double cell = value;
        std::uint32_t count = visits;
        runtime::ThreadTeam threads(1);
        Combiner(combine, rule, 1)
            .apply(pointers, CellsOf<double>{&cell, &count, nullptr, 1}, 1, threads);
        return cell;
    }

    StepSize rule;
    StepSizes alpha;
    double value = 1;
    std::uint32_t visits = 10;
};

TEST(Combiner, FollowsItsRule) {
    OneCell cell("0.1");
    const std::vector<Delta> deltas{cell.learn(5, 3), cell.learn(2, 1), cell.learn(9, 0)};
    const double p3 = std::pow(0.9, 3);
    const double d0 = (1 - p3) * 4;
    const double d1 = 0.1;
    EXPECT_NEAR(cell.after(Combine::average, deltas), 1 + (d0 + d1) / 3, 1e-12);
    EXPECT_NEAR(cell.after(Combine::touched, deltas), 1 + (d0 + d1) / 2, 1e-12);
    EXPECT_NEAR(cell.after(Combine::sum, deltas), 1 + d0 + d1, 1e-12);
    EXPECT_NEAR(cell.after(Combine::importance, deltas),
                1 + (d0 / p3 + d1 / 0.9) / (1 / p3 + 1 / 0.9 + 1),
                0.005);
    EXPECT_NEAR(cell.after(Combine::composition, deltas), 1 + 0.9 * d0 + d1, 0.005);
}

// Updates turn any value q into P q + c, whatever the worker found there.
TEST(Combiner, AppliesUpdatesToAValueThatHasMovedOn) {
    OneCell before("0.1");
    const std::vector<Delta> deltas{before.learn(5, 3), before.learn(2, 1)};
    OneCell now("0.1");
    now.value = 3;
    now.visits = 17;
    const std::vector<Delta> as_if{now.learn(5, 3), now.learn(2, 1)};
    for (const auto combine : {Combine::average,
                               Combine::touched,
                               Combine::importance,
                               Combine::composition,
                               Combine::sum}) {
        Delta moved;
        moved.add(0, now.value - before.value, now.visits - before.visits);
        double cell = now.value;
        std::uint32_t visits = now.visits;
        const std::vector<const Delta*> pointers{&deltas[0], &deltas[1]};
        runtime::ThreadTeam threads(1);
        Combiner(combine, before.rule, 1)
            .apply(pointers, CellsOf<double>{&cell, &visits, nullptr, 1}, 1, threads, moved);
        EXPECT_NEAR(cell, now.after(combine, as_if), 0.01) << to_string(combine);
        EXPECT_EQ(visits, 21U);
        ASSERT_EQ(moved.size(), 1U);
        EXPECT_DOUBLE_EQ(moved.changes[0], cell - now.value);
        EXPECT_EQ(moved.visits[0], 4U);
    }
}

TEST(Combiner, TakesTheOneThatHasReplacedTheOldValueWhole) {
    OneCell cell("n^-0.65");
    cell.visits = 0;  // the first visit ever takes the target
    const std::vector<Delta> one{cell.learn(7, 1), {}, {}};
    EXPECT_DOUBLE_EQ(cell.after(Combine::importance, one), 7);
    EXPECT_DOUBLE_EQ(cell.after(Combine::composition, one), 7);
    EXPECT_DOUBLE_EQ(cell.after(Combine::average, one), 3);
}

TEST(Combiner, WeighsManyVisitsWithoutOverflow) {
    OneCell cell("0.5");
    const std::vector<Delta> deltas{cell.learn(4, 4'000'000), cell.learn(2, 3)};
    EXPECT_NEAR(cell.after(Combine::importance, deltas), 4, 1e-9);
    EXPECT_NEAR(cell.after(Combine::composition, deltas), 1 + 3.0 / 8 + 7.0 / 8, 1e-2);
}

// Against products that are computed one by one.
TEST(Retention, IsWhatIsLeftOfAValue) {
    for (const char* text : {"0.1", "0.001", "n^-0.65", "n^-1", "101/(100+n)", "1/(1+0.01n)"}) {
        const auto rule = parse_step_size(text);
        const StepSizes alpha(rule);
        const Retention retention(rule);
        for (const std::uint32_t before : {1U, 7U, 300U, 5000U, 200'000U}) {
            double logarithm = 0;
            std::uint32_t n = before;
            for (const std::uint32_t visits : {1U, 3U, 40U, 700U, 30'000U}) {
                while (n < before + visits) {
                    logarithm -= std::log2(1 - alpha(++n)) * 256;
                }
                EXPECT_NEAR(static_cast<double>(retention.loss(before, visits)),
                            logarithm,
                            1.01 + 0.002 * logarithm)
                    << text << " after " << before << ", " << visits << " visits";
            }
        }
    }
    const Retention constant(parse_step_size("0.5"));
    EXPECT_DOUBLE_EQ(constant.left(256), 0.5);
    EXPECT_DOUBLE_EQ(constant.left(0), 1);
    EXPECT_DOUBLE_EQ(constant.left(Retention::nothing), 0);
}

TEST(StepSizes, AreTheirFormula) {
    for (const double omega : {0.51, 0.65, 1.0}) {
        const StepSizes alpha({StepSize::Rule::power, omega, 1, 0, 1});
        for (std::uint64_t n = 1; n < UINT32_MAX; n += 1 + n / 7) {
            const double exact = std::pow(static_cast<double>(n), -omega);
            EXPECT_NEAR(alpha(static_cast<std::uint32_t>(n)) / exact, 1, 1e-14) << n;
        }
    }
}

TEST(StepSizes, OfManyAreThoseOfEach) {
    std::vector<std::uint32_t> visits{1, 2, 3, 1022, 1023, 1024, 1025, 2047, 2048, UINT32_MAX};
    for (std::uint64_t n = 1; n < UINT32_MAX; n += 1 + n / 97) {
        visits.push_back(static_cast<std::uint32_t>(n));
    }
    for (const char* rule : {"0.25", "n^-0.65", "n^-1", "1/n", "101/(100+n)"}) {
        const StepSizes alpha(parse_step_size(rule));
        std::vector<double> sizes(visits.size());
        alpha.of_each(visits, sizes);
        for (std::size_t i = 0; i < visits.size(); ++i) {
            EXPECT_EQ(sizes[i], alpha(visits[i])) << rule << " of " << visits[i];
        }
    }
}

TEST(Delta, SurvivesTheWay) {
    Delta delta;
    delta.add(0, 1.0 / 3, 1);
    delta.add(5, -7e300, 200);
    delta.add(123'456'789, 0, UINT32_MAX);
    const auto back = decode(encode(delta, Width::f64), 200'000'000);
    EXPECT_EQ(back.cells, delta.cells);
    EXPECT_EQ(back.changes, delta.changes);
    EXPECT_EQ(back.visits, delta.visits);
}

TEST(Delta, RefusesDamage) {
    Delta delta;
    for (std::uint32_t cell = 0; cell < 50; ++cell) {
        delta.add(3 * cell, cell, cell);
    }
    const auto bytes = encode(delta, Width::f32);
    EXPECT_THROW(decode(bytes, 100), InputError);  // cells that do not exist
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(decode(std::span(bytes).first(length), 1000), InputError) << length;
    }
}

TEST(Feedback, LosesNothing) {
    const Feedback feedback(0.5, true);
    Delta waiting;
    std::vector<double> held(64, 0);  // what waits
    std::vector<std::uint32_t> held_visits(64, 0);
    std::vector<double> exact(64, 0);
    std::vector<double> arrived(64, 0);
    std::vector<std::uint32_t> seen(64, 0);
    std::vector<std::uint32_t> told(64, 0);
    for (std::uint32_t round = 0; round < 100; ++round) {
        for (std::uint32_t cell = round % 3; cell < 64; cell += 3) {
            const double change = std::sin(round * 64.0 + cell) / (1 + cell);
            held[cell] += change;
            ++held_visits[cell];
            exact[cell] += change;
            ++seen[cell];
        }
        Delta all;
        for (std::uint32_t cell = 0; cell < 64; ++cell) {
            if (held_visits[cell] > 0 || held[cell] != 0) {
                all.add(cell, held[cell], held_visits[cell]);
            }
        }
        const auto parts = feedback.split(all, waiting);
        waiting = parts.waiting;
        std::fill(held.begin(), held.end(), 0);
        std::fill(held_visits.begin(), held_visits.end(), 0);
        for (std::size_t i = 0; i < parts.waiting.size(); ++i) {
            held[parts.waiting.cells[i]] = parts.waiting.changes[i];
            held_visits[parts.waiting.cells[i]] = parts.waiting.visits[i];
        }
        for (std::size_t i = 0; i < parts.travelling.size(); ++i) {
            arrived[parts.travelling.cells[i]] += parts.travelling.changes[i];
            told[parts.travelling.cells[i]] += parts.travelling.visits[i];
        }
    }
    EXPECT_GT(std::accumulate(held_visits.begin(), held_visits.end(), 0U), 0U);
    for (std::size_t cell = 0; cell < 64; ++cell) {
        EXPECT_NEAR(arrived[cell] + held[cell], exact[cell], 1e-12) << cell;
        EXPECT_EQ(told[cell] + held_visits[cell], seen[cell]) << cell;
    }
}

Delta even_changes(double value) {
    Delta delta;
    for (std::uint32_t cell = 0; cell < 8; ++cell) {
        delta.add(cell, value, 1);
    }
    return delta;
}

// No change of several of one size is above twice their root mean square.
TEST(Feedback, LetsWhatIsLearnedTravelWhereARoundAddsLittle) {
    const Feedback feedback(2, true);
    const auto first = feedback.split(even_changes(1), {});
    EXPECT_EQ(first.travelling.size(), 0U);
    EXPECT_EQ(feedback.split(even_changes(1.5), first.waiting).travelling.size(), 8U);
}

TEST(Feedback, WithoutMemoryLosesSmallChanges) {
    const Feedback forgetful(0.5, false);
    Delta changed;
    changed.add(0, 1, 1);
    changed.add(1, 0.01, 1);
    const auto parts = forgetful.split(changed, {});
    EXPECT_EQ(parts.travelling.cells, std::vector<std::uint32_t>{0});
    EXPECT_EQ(parts.waiting.size(), 0U);
}

TEST(Transitions, SurviveTheWay) {
    std::vector<Transition> transitions;
    for (std::int32_t i = 0; i < 60; ++i) {
        const double reward = i % 3 == 0 ? 0 : i % 3 == 1 ? -0.0 : 1.0 / (i + 1);
        transitions.push_back({reward, i % 7, (i + 2) % 7, i % 4, i % 10 == 9});
    }
    const auto bytes = encode(transitions, 2);
    const auto back = decode(bytes, transitions.size(), 2, 7, 4);
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        EXPECT_EQ(back[i].reward, transitions[i].reward);
        EXPECT_EQ(std::signbit(back[i].reward), std::signbit(transitions[i].reward));
        EXPECT_EQ(back[i].state, transitions[i].state);
        EXPECT_EQ(back[i].next, transitions[i].next);
        EXPECT_EQ(back[i].action, transitions[i].action);
        EXPECT_EQ(back[i].terminated, transitions[i].terminated);
    }
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(decode(std::span(bytes).first(length), 60, 2, 7, 4), InputError) << length;
    }
    EXPECT_THROW(decode(bytes, 60, 2, 5, 4), InputError);
    EXPECT_THROW(decode(bytes, 60, 2, 7, 3), InputError);
}

}  // namespace
}  // namespace lockstep::rl
