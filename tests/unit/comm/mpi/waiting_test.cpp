#include "comm/mpi/waiting.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace lockstep::comm {
namespace {

CallStamp call(CallStamp::Kind kind, std::int64_t bytes, std::uint64_t detail = 0) {
    return {.kind = kind, .width = 1, .sequence = 0, .length = bytes, .detail = detail};
}

constexpr auto allreduce = CallStamp::Kind::allreduce;

TEST(MpiWaitingTest, IsWhatACallTakesBeyondTheFastest) {
    MpiWaiting waiting(0, 2);

    EXPECT_EQ(waiting.add(call(allreduce, 8), 2), 0);
    EXPECT_EQ(waiting.add(call(allreduce, 8), 2.5), 0.5);
    EXPECT_EQ(waiting.add(call(allreduce, 8), 20), 18);
    EXPECT_EQ(waiting.add(call(allreduce, 8), 2), 0);
}

TEST(MpiWaitingTest, GrowsForThoseBeforeAFasterCall) {
    MpiWaiting waiting(0, 2);

    EXPECT_EQ(waiting.add(call(allreduce, 8), 10), 0);
    EXPECT_EQ(waiting.add(call(allreduce, 8), 12), 2);
    EXPECT_EQ(waiting.add(call(allreduce, 8), 1), 9 + 9);
    EXPECT_EQ(waiting.add(call(allreduce, 8), 3), 2);
}

TEST(MpiWaitingTest, ComparesCallsOfOneKindAndSize) {
    MpiWaiting waiting(0, 2);
    waiting.add(call(allreduce, 8), 1);

    EXPECT_EQ(waiting.add(call(allreduce, 256), 3), 0);
    EXPECT_EQ(waiting.add(call(CallStamp::Kind::allgatherv, 8), 4), 0);
    EXPECT_EQ(waiting.add(call(CallStamp::Kind::barrier, 0), 5), 0);
    EXPECT_EQ(waiting.add(call(CallStamp::Kind::broadcast, 8, 1), 6), 0);
    EXPECT_EQ(waiting.add(call(allreduce, 15), 2.5), 1.5);
    EXPECT_EQ(waiting.add(call(allreduce, 16), 2), 0);
}

TEST(MpiWaitingTest, TellsTheRootOfABroadcastFromOthers) {
    MpiWaiting waiting(1, 3);
    waiting.add(call(CallStamp::Kind::broadcast, 8, 1), 1);

    EXPECT_EQ(waiting.add(call(CallStamp::Kind::broadcast, 8, 0), 3), 0);
    EXPECT_EQ(waiting.add(call(CallStamp::Kind::broadcast, 8, 2), 4), 1);
    EXPECT_EQ(waiting.add(call(CallStamp::Kind::broadcast, 8, 1), 3), 2);
}

TEST(MpiWaitingTest, IsNotToldOfLongCalls) {
    MpiWaiting waiting(0, 4);

    for (const double seconds : {1, 5}) {
        EXPECT_EQ(waiting.add(call(allreduce, 257), seconds), 0);
        EXPECT_EQ(waiting.add(call(CallStamp::Kind::allgatherv, 1025), seconds), 0);
    }
    waiting.add(call(CallStamp::Kind::allgatherv, 1024), 1);
    EXPECT_EQ(waiting.add(call(CallStamp::Kind::allgatherv, 1024), 5), 4);
}

}  // namespace
}  // namespace lockstep::comm
