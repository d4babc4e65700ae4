#include "sddp/cuts/cut_memory.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

constexpr StateLayout states{2, 2, 2};
constexpr int width = states.size();
constexpr int passes = 3;

std::vector<double> slopes_of(std::size_t stage, int cut) {
    std::vector<double> slopes;
    for (int i = 0; i < width; ++i) {
        slopes.push_back(1000.0 * static_cast<double>(stage) + 10.0 * cut + i);
    }
    return slopes;
}

/// Pools of two stages on one rank.
class Pools {
public:
    explicit Pools(comm::Communicator& ranks) : ranks_(ranks) {}

    void place() { memory_.place(ranks_.split_local(), pools_, passes); }

    // As a backward pass: the last stage first, each shown to all before the next.
    void iterate() {
        memory_.reserve(pools_, passes);
        memory_.open();
        for (auto t = pools_.size(); t-- > 0;) {
            for (int m = 0; m < passes; ++m) {
                pools_[t].add(pools_[t].size(), slopes_of(t, pools_[t].size()), 1, m);
            }
            memory_.publish();
            expect_all(t);
        }
        memory_.close();
    }

    void expect_all(std::size_t t) const {
        for (int cut = 0; cut < pools_[t].size(); ++cut) {
            ASSERT_EQ(pools_[t].slopes().row(cut), slopes_of(t, cut)) << t << " " << cut;
        }
    }

    [[nodiscard]] const CutPool& pool(std::size_t t) const { return pools_[t]; }
    [[nodiscard]] const CutMemory& memory() const { return memory_; }
    void rewind(const std::vector<CutPool::Mark>& marks) {
        for (std::size_t t = 0; t < pools_.size(); ++t) {
            pools_[t].rewind(marks[t]);
        }
    }
    [[nodiscard]] std::vector<CutPool::Mark> marks() const {
        return {pools_[0].mark(), pools_[1].mark()};
    }

private:
    comm::Communicator& ranks_;
    std::vector<CutPool> pools_{CutPool(states), CutPool(states)};
    CutMemory memory_;
};

TEST(CutMemoryTest, HoldsOneCopyThatAllRanksRead) {
    comm::run_in_process(3, [](comm::Communicator& ranks) {
        Pools pools(ranks);
        pools.place();
        for (int i = 0; i < 60; ++i) {
            pools.iterate();
        }
        EXPECT_FALSE(pools.pool(0).slopes().has_own_blocks());
        EXPECT_GT(pools.pool(0).slopes().blocks().size(), 1u);
        const auto held = static_cast<std::int64_t>(2 * 180 * width * sizeof(double));
        if (ranks.rank() == 0) {
            EXPECT_EQ(pools.memory().borrowed_bytes(), 0);
        } else {
            EXPECT_GE(pools.memory().borrowed_bytes(), held);
        }
    });
}

TEST(CutMemoryTest, KeepsItsOwnWhenAlone) {
    const auto local = comm::make_local();
    Pools pools(*local);
    pools.place();
    for (int i = 0; i < 30; ++i) {
        pools.iterate();
    }
    EXPECT_FALSE(pools.pool(0).slopes().has_shared_blocks());
    EXPECT_EQ(pools.memory().borrowed_bytes(), 0);
}

// Rank 0, which writes the cuts, vanishes; the others move them to a memory of their own.
void lose_the_writer(std::int64_t last) {
    SCOPED_TRACE("in collective " + std::to_string(last));
    comm::run_in_process(
        3,
        [](comm::Communicator& ranks) {
            Pools pools(ranks);
            pools.place();
            auto marks = pools.marks();
            while (pools.pool(1).size() < 5 * passes) {
                try {
                    ranks.barrier();
                    marks = pools.marks();
                    pools.iterate();
                } catch (const comm::PeerFailed&) {
                    ranks.recover();
                    pools.rewind(marks);
                    pools.place();
                }
            }
            EXPECT_LT(ranks.size(), 3);
            pools.expect_all(0);
            pools.expect_all(1);
        },
        [=](int rank, std::int64_t collective) { return rank == 0 && collective == last; });
}

TEST(CutMemoryTest, OutlivesItsWriter) {
    for (std::int64_t last = 5; last < 25; ++last) {
        lose_the_writer(last);
    }
}

}  // namespace
}  // namespace lockstep::sddp
