#include "sddp/passes/cut_selector.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "support/random_system.hpp"
#include "support/train_run.hpp"

namespace lockstep::sddp {
namespace {

using Method = CutSelection::Method;

TrainOptions options(CutSelection selection, int iterations = 12) {
    TrainOptions out;
    out.forward_passes = 3;
    out.selection = selection;
    out.keep_states = true;
    return test::with_iterations(out, iterations);
}

/// Values of all cuts at a visited state, in the order in which they come out of the files.
std::vector<double> values_at(const StageCuts& cuts, const std::vector<double>& state) {
    std::vector<double> value = cuts.intercept;
    for (int cut = 0; cut < cuts.size(); ++cut) {
        const auto slopes = cuts.slopes.row(cut);
        value[at(cut)] += std::inner_product(slopes.begin(), slopes.end(), state.begin(), 0.0);
    }
    return value;
}

void for_each_state(const Policy& policy,
                    const std::function<void(const StageCuts&, const std::vector<double>&)>& body) {
    for (std::size_t node = 1; node + 1 < policy.stages.size(); ++node) {
        const auto& states = policy.visited[node].states;
        for (int state = 0; state < states.size(); ++state) {
            body(policy.stages[node], values_at(policy.stages[node], states.row(state)));
        }
    }
}

// Of every state what is highest by more than rounding must be there, and what is highest nowhere,
// and was not made in the last iteration, must not.
TEST(CutSelectorTest, Level1KeepsWhatIsHighestAtSomeVisitedState) {
    const double tolerance = 1e-3;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto problem = test::random_problem(seed);
        const auto result = test::train_alone(problem, options({Method::level1, tolerance, 3}));
        for (std::size_t node = 1; node + 1 < result.policy.stages.size(); ++node) {
            const auto& cuts = result.policy.stages[node];
            const auto& visited = result.policy.visited[node].states;
            EXPECT_EQ(visited.size(), cuts.size());
            std::vector<double> shortfall(at(cuts.size()), std::numeric_limits<double>::infinity());
            for (int state = 0; state < visited.size(); ++state) {
                const auto value = values_at(cuts, visited.row(state));
                const auto highest = *std::max_element(value.begin(), value.end());
                for (std::size_t cut = 0; cut < value.size(); ++cut) {
                    shortfall[cut] = std::min(shortfall[cut], highest - value[cut]);
                }
            }
            for (std::size_t cut = 0; cut < shortfall.size(); ++cut) {
                const double rounding = 1e-9 * std::abs(cuts.intercept[cut]);
                if (shortfall[cut] < tolerance - rounding) {
                    EXPECT_EQ(cuts.active[cut], 1) << "seed " << seed << " cut " << cut;
                }
                if (shortfall[cut] > tolerance + rounding) {
                    EXPECT_EQ(cuts.active[cut], cuts.iteration[cut] == 12 ? 1 : 0)
                        << "seed " << seed << " cut " << cut;
                }
            }
        }
    }
}

TEST(CutSelectorTest, Lml1KeepsOneOfTheHighestOfEachState) {
    const double tolerance = 1e-3;
    std::int64_t fewer = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto problem = test::random_problem(seed);
        const auto all = test::train_alone(problem, options({Method::level1, tolerance, 3}));
        const auto oldest = test::train_alone(problem, options({Method::lml1, tolerance, 3}));
        fewer += all.iterations.back().cuts_active - oldest.iterations.back().cuts_active;
        for_each_state(oldest.policy, [&](const StageCuts& cuts, const std::vector<double>& value) {
            const auto highest = *std::max_element(value.begin(), value.end());
            double kept = -std::numeric_limits<double>::infinity();
            for (std::size_t cut = 0; cut < value.size(); ++cut) {
                kept = cuts.active[cut] != 0 ? std::max(kept, value[cut]) : kept;
            }
            EXPECT_GE(kept, highest - tolerance - 1e-9 * std::abs(highest)) << "seed " << seed;
        });
    }
    EXPECT_GT(fewer, 0);
}

TEST(CutSelectorTest, TheBoundIsTheSameInTheEnd) {
    TrainOptions dynamic = options({}, 30);
    dynamic.speed.seed_window = 5;
    dynamic.speed.cuts_per_round = 10;
    dynamic.speed.lazy_from = 2;
    TrainOptions eager = options({Method::level1, 1e-6, 5}, 30);
    eager.speed.lazy_cuts = false;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const auto problem = test::random_problem(seed);
        const auto bound = test::train_alone(problem, options({}, 30)).lower_bound;
        for (const auto& selecting : {options({Method::level1, 1e-6, 5}, 30),
                                      options({Method::lml1, 1e-6, 4}, 30),
                                      options({Method::recent, 0, 5, 15}, 30),
                                      dynamic,
                                      eager}) {
            EXPECT_NEAR(test::train_alone(problem, selecting).lower_bound,
                        bound,
                        1e-7 * std::max(1.0, std::abs(bound)))
                << "seed " << seed;
        }
    }
}

TEST(CutSelectorTest, ABudgetIsKeptAndCutsComeBack) {
    CutSelection selection{Method::level1, 1e-6, 2};
    selection.most_selected = 6;
    std::int64_t reselected = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto result = test::train_alone(test::random_problem(seed), options(selection, 20));
        double bound = -std::numeric_limits<double>::infinity();
        for (const auto& iteration : result.iterations) {
            EXPECT_GE(iteration.lower_bound, bound - 1e-9 * std::abs(bound)) << "seed " << seed;
            bound = iteration.lower_bound;
            for (const auto& node : iteration.selection) {
                EXPECT_LE(node.after(), 6);
                EXPECT_EQ(node.cuts, 3 * iteration.iteration);
                reselected += node.reselected;
            }
        }
        for (std::size_t node = 1; node + 1 < result.policy.stages.size(); ++node) {
            const auto& active = result.policy.stages[node].active;
            EXPECT_LE(std::count(active.begin(), active.end(), 1), 6);
        }
    }
    EXPECT_GT(reselected, 0);
}

TEST(CutSelectorTest, RanksThreadsAndALossDoNotChangeABit) {
    CutSelection selection{Method::lml1, 1e-6, 2};
    selection.most_selected = 8;
    for (std::uint64_t seed = 0; seed < 40; seed += 10) {
        const auto problem = test::random_problem(seed);
        const auto job = options(selection, 6);
        const auto reference = test::run_bits(problem, job, 7, 1, 1);
        for (const int ranks : {1, 2, 3}) {
            EXPECT_EQ(test::run_bits(problem, job, 7, ranks, 2), reference) << ranks << " ranks";
        }
        const auto dies = [](int rank, std::int64_t call) { return rank == 1 && call == 90; };
        EXPECT_EQ(test::run_bits(problem, job, 7, 3, 1, dies), reference) << "seed " << seed;
    }
}

TEST(CutSelectorTest, OptionsOutsideTheirRangeAreRefused) {
    EXPECT_THROW(options({Method::level1, -1, 3}).validate(), InputError);
    EXPECT_THROW(options({Method::level1, 0, 0}).validate(), InputError);
    EXPECT_THROW(options({Method::recent, 0, 5, 0}).validate(), InputError);
    EXPECT_THROW(options({Method::all, 0, 5, 1, -1}).validate(), InputError);
}

}  // namespace
}  // namespace lockstep::sddp
