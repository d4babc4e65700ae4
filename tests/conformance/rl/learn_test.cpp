// Acceptance of reinforcement learning, row 4: the same bits on every backend, ranks of an MPI
// launcher among them (docs/rl/acceptance.md).

#include "lockstep/rl/learn.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/comm/fixture.hpp"
#include "support/rl/learning.hpp"

namespace lockstep::comm {
namespace {

using rl::LearnOptions;
using rl::Mode;

LearnOptions options_of(Mode mode) {
    LearnOptions options;
    options.mode = mode;
    options.steps = 40'007;
    options.sync_frequency = mode == Mode::actor_learner ? 20 : 500;
    options.exploration.level = rl::parse_schedule("0.3");
    options.seed = 7;
    options.staleness = 0;
    return options;
}

std::vector<LearnOptions> settings() {
    std::vector<LearnOptions> all;
    for (const auto mode : {Mode::serial,
                            Mode::vector,
                            Mode::threads,
                            Mode::allreduce,
                            Mode::server,
                            Mode::actor_learner}) {
        all.push_back(options_of(mode));
    }
    for (const int servers : {2, 3}) {
        all.push_back(options_of(Mode::server));
        all.back().servers = servers;
    }
    all.push_back(options_of(Mode::allreduce));
    all.back().overlap = true;
    all.push_back(options_of(Mode::allreduce));
    all.back().compression_ratio = 0.5;
    return all;
}

class AcceptanceRow4 : public CommunicatorTest {};

TEST_P(AcceptanceRow4, LearningHasTheBitsOfOneProcess) {
    const auto world = test::lake();
    for (const auto& options : settings()) {
        const auto alone = test::learn_alone(*world, options).digest;
        on_all_ranks([&](Communicator& ranks) {
            runtime::ThreadTeam threads(1);
            runtime::Team team{ranks, threads};
            rl::LearnObserver quiet;
            const auto result = rl::learn(*world, options, team, quiet, nullptr);
            EXPECT_EQ(result.digest, alone) << to_string(options.mode);
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         AcceptanceRow4,
                         testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
