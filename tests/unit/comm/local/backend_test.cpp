#include <gtest/gtest.h>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {
namespace {

TEST(LocalCommunicatorTest, IsRankZeroOfOne) {
    const auto comm = make_local();

    EXPECT_EQ(comm->rank(), 0);
    EXPECT_EQ(comm->size(), 1);
    EXPECT_EQ(comm->backend(), "local");
}

TEST(LocalCommunicatorTest, EndsTheProcessWhenAborted) {
    EXPECT_EXIT(make_local()->abort(71), testing::ExitedWithCode(71), "");
}

}  // namespace
}  // namespace lockstep::comm
