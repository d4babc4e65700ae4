#include "sddp/cuts/activity.hpp"

#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {
namespace {

constexpr int threads = 2;

void see(Activity& activity, int stage, int thread, int cut) {
    const auto place = static_cast<std::size_t>(cut);
    activity.of(stage, thread)[place / 64] |= std::uint64_t{1} << (place % 64);
}

std::vector<CutPool> pools_of(const std::vector<int>& sizes) {
    std::vector<CutPool> pools;
    for (const int size : sizes) {
        pools.emplace_back(StateLayout{1, 0, 0});
        for (int cut = 0; cut < size; ++cut) {
            pools.back().add(0, std::vector<double>{0.0}, 1, cut);
        }
    }
    return pools;
}

using Cuts = std::set<std::pair<int, int>>;  // stage, cut

// What was marked for an iteration.
Cuts marked(const std::vector<CutPool>& pools, int iteration) {
    Cuts cuts;
    for (int stage = 0; stage < static_cast<int>(pools.size()); ++stage) {
        for (int cut = 0; cut < pools[at(stage)].size(); ++cut) {
            if (pools[at(stage)].last_active(cut) == iteration) {
                cuts.emplace(stage, cut);
            }
        }
    }
    return cuts;
}

TEST(ActivityTest, MarksWhatAnyThreadOfAnyRankSaw) {
    const std::vector<int> sizes{130, 0, 64, 1, 65};
    comm::run_in_process(3, [&](comm::Communicator& ranks) {
        auto pools = pools_of(sizes);
        Activity activity(5, threads);
        for (int stage = 0; stage < 5; ++stage) {
            activity.begin(stage, sizes[at(stage)]);
        }
        // Each rank another part; rank 2 nothing; some cuts more than once.
        if (ranks.rank() == 0) {
            for (const auto& [stage, cut] : Cuts{{0, 0}, {0, 129}, {2, 63}, {4, 64}}) {
                see(activity, stage, 0, cut);
            }
        }
        if (ranks.rank() == 1) {
            for (const auto& [stage, cut] : Cuts{{0, 64}, {0, 129}, {3, 0}, {4, 0}}) {
                see(activity, stage, cut % threads, cut);
            }
        }

        activity.exchange(pools, 7, ranks);

        EXPECT_EQ(marked(pools, 7),
                  (Cuts{{0, 0}, {0, 64}, {0, 129}, {2, 63}, {3, 0}, {4, 0}, {4, 64}}));
    });
}

TEST(ActivityTest, ForgetsAStageThatBeginsAnew) {
    const auto ranks = comm::make_local();
    auto pools = pools_of({10, 10});
    Activity activity(2, threads);
    for (int stage = 0; stage < 2; ++stage) {
        activity.begin(stage, 10);
        see(activity, stage, 1, 3);
    }
    activity.begin(0, 10);
    activity.exchange(pools, 2, *ranks);
    EXPECT_EQ(marked(pools, 2), (Cuts{{1, 3}}));
}

TEST(ActivityTest, MayHaveSeenNothing) {
    comm::run_in_process(2, [](comm::Communicator& ranks) {
        auto pools = pools_of({5});
        Activity activity(1, threads);
        activity.exchange(pools, 2, ranks);
        EXPECT_EQ(marked(pools, 2), Cuts{});
    });
}

}  // namespace
}  // namespace lockstep::sddp
