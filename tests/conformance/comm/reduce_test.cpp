#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "conformance/comm/fixture.hpp"

namespace lockstep::comm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
template <typename T>
constexpr T lowest = std::numeric_limits<T>::lowest();
template <typename T>
constexpr T highest = std::numeric_limits<T>::max();

template <typename T>
std::uint64_t bits_of(T value) {
    if constexpr (sizeof(T) == 8) {
        return std::bit_cast<std::uint64_t>(value);
    } else {
        return std::bit_cast<std::uint32_t>(value);
    }
}

// Reduces contributions[rank % n] and gives what every rank got.
template <typename T>
T reduce(Communicator& comm, const std::vector<T>& contributions, ReduceOp op) {
    const T own = contributions[static_cast<std::size_t>(comm.rank()) % contributions.size()];
    return comm.allreduce(own, op);
}

TEST_P(CommunicatorTest, SumsInRankOrder) {
    const std::vector<double> contributions{1e16, 1, -1e16, 1};
    double expected = contributions[0];
    for (int rank = 1; rank < ranks(); ++rank) {
        expected += contributions[at(rank)];
    }
    if (ranks() == 4) {
        EXPECT_EQ(expected, 1);
    }

    on_all_ranks([&](Communicator& comm) {
        EXPECT_EQ(reduce(comm, contributions, ReduceOp::sum), expected);
    });
}

TEST_P(CommunicatorTest, ReducesEachElementOnItsOwn) {
    on_all_ranks([](Communicator& comm) {
        std::vector<std::int32_t> values{comm.rank(), 10, -comm.rank()};
        comm.allreduce<std::int32_t>(values, ReduceOp::max);
        EXPECT_EQ(values, (std::vector<std::int32_t>{comm.size() - 1, 10, 0}));

        comm.allreduce<std::int32_t>(values, ReduceOp::sum);
        EXPECT_EQ(values[1], 10 * comm.size());
    });
}

template <typename T>
void expect_extremes(Communicator& comm) {
    const std::vector<T> contributions{0, highest<T>, lowest<T>, 1};
    T smallest = 0;
    T largest = 0;
    for (int rank = 0; rank < comm.size(); ++rank) {
        smallest = std::min(smallest, contributions[at(rank)]);
        largest = std::max(largest, contributions[at(rank)]);
    }
    EXPECT_EQ(reduce(comm, contributions, ReduceOp::min), smallest);
    EXPECT_EQ(reduce(comm, contributions, ReduceOp::max), largest);
}

// MPI libraries have compared unsigned numbers as signed ones here.
TEST_P(CommunicatorTest, OrdersExtremesOfEveryType) {
    on_all_ranks([](Communicator& comm) {
        expect_extremes<float>(comm);
        expect_extremes<double>(comm);
        expect_extremes<std::int32_t>(comm);
        expect_extremes<std::int64_t>(comm);
        expect_extremes<std::uint32_t>(comm);
        expect_extremes<std::uint64_t>(comm);
    });
}

template <typename T>
void expect_wrapping_sum(Communicator& comm) {
    const T expected = comm.size() == 1 ? highest<T> : lowest<T>;
    EXPECT_EQ(reduce<T>(comm, {highest<T>, 1, 0, 0}, ReduceOp::sum), expected);
}

TEST_P(CommunicatorTest, WrapsSumsOfIntegers) {
    on_all_ranks([](Communicator& comm) {
        expect_wrapping_sum<std::int32_t>(comm);
        expect_wrapping_sum<std::int64_t>(comm);
        expect_wrapping_sum<std::uint32_t>(comm);
        expect_wrapping_sum<std::uint64_t>(comm);
    });
}

TEST_P(CommunicatorTest, JoinsBits) {
    on_all_ranks([](Communicator& comm) {
        const std::uint64_t expected = (std::uint64_t{1} << comm.size()) - 1;
        EXPECT_EQ(comm.allreduce(std::uint64_t{1} << comm.rank(), ReduceOp::bit_or), expected);
        EXPECT_EQ(comm.allreduce(std::uint32_t{1} << comm.rank(), ReduceOp::bit_or), expected);
    });
}

template <typename T>
void expect_canonical_nan(Communicator& comm) {
    constexpr T quiet = std::numeric_limits<T>::quiet_NaN();
    // NaN of another sign on one rank, numbers on the others.
    for (int nan_rank = 0; nan_rank < comm.size(); ++nan_rank) {
        const T own = comm.rank() == nan_rank ? std::copysign(quiet, T{-1}) : T{3};
        EXPECT_EQ(bits_of(comm.allreduce(own, ReduceOp::min)), bits_of(quiet));
        EXPECT_EQ(bits_of(comm.allreduce(own, ReduceOp::max)), bits_of(quiet));
        EXPECT_TRUE(std::isnan(comm.allreduce(own, ReduceOp::sum)));
    }
}

TEST_P(CommunicatorTest, GivesTheCanonicalNanWhereverOneIsAmongTheInputs) {
    on_all_ranks([](Communicator& comm) {
        expect_canonical_nan<float>(comm);
        expect_canonical_nan<double>(comm);
    });
}

TEST_P(CommunicatorTest, PutsMinusZeroBelowZero) {
    on_all_ranks([](Communicator& comm) {
        for (int negative = 0; negative < comm.size(); ++negative) {
            const double own = comm.rank() == negative ? -0.0 : 0.0;
            EXPECT_TRUE(std::signbit(comm.allreduce(own, ReduceOp::min)));
            EXPECT_EQ(std::signbit(comm.allreduce(own, ReduceOp::max)), comm.size() == 1);
        }
    });
}

TEST_P(CommunicatorTest, CarriesInfinities) {
    on_all_ranks([](Communicator& comm) {
        const double own = comm.rank() == 0 ? infinity : -1e308;
        EXPECT_EQ(comm.allreduce(own, ReduceOp::sum), infinity);
        EXPECT_EQ(comm.allreduce(own, ReduceOp::max), infinity);
        EXPECT_EQ(comm.allreduce(own, ReduceOp::min), comm.size() == 1 ? infinity : -1e308);
    });
}

// Whether a rank that comes 20 ms late is what the others count as waiting: neither as exchanging,
// nor does the late one wait.
bool tells_waiting(Communicator& comm) {
    comm.barrier();
    if (comm.rank() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const Traffic before = comm.traffic();
    static_cast<void>(comm.allreduce(1, ReduceOp::sum));
    const double waited = comm.traffic().wait_seconds - before.wait_seconds;
    const double exchanged = comm.traffic().seconds - before.seconds - waited;
    return exchanged < 0.005 && (comm.rank() == 0 ? waited < 0.005 : waited >= 0.015);
}

// A machine that others use delays any rank now and then.
TEST_P(CommunicatorTest, CountsTheTimeUntilALateRankComesAsWaiting) {
    on_all_ranks([](Communicator& comm) {
        for (int warm_up = 0; warm_up < 10; ++warm_up) {
            static_cast<void>(comm.allreduce(1, ReduceOp::sum));
        }
        bool does_tell = false;
        for (int tries = 0; tries < 20 && !does_tell; ++tries) {
            does_tell =
                comm.size() == 1 || comm.allreduce(tells_waiting(comm) ? 1 : 0, ReduceOp::min) == 1;
        }
        EXPECT_TRUE(does_tell);
    });
}

INSTANTIATE_TEST_SUITE_P(Reduce,
                         CommunicatorTest,
                         testing::ValuesIn(all_backends()),
                         name_of_backend);

}  // namespace
}  // namespace lockstep::comm
