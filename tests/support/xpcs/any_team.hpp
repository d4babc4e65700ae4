#pragma once

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/index.hpp"

#include "support/xpcs/alone.hpp"

namespace lockstep::test {

/// One thread, three threads and two ranks of two threads find the same.
/// @param find  (runtime::Team&): the digest of what it finds
template <typename F>
void expect_same_for_any_team(F&& find) {
    Alone alone;
    const Digest expected = find(alone.team);
    Alone several(3);
    EXPECT_EQ(find(several.team), expected);
    std::vector<Digest> digests(2);
    comm::run_in_process(2, [&](comm::Communicator& ranks) {
        runtime::ThreadTeam threads(2);
        runtime::Team team{ranks, threads};
        digests[at(ranks.rank())] = find(team);
    });
    EXPECT_THAT(digests, testing::Each(expected));
}

}  // namespace lockstep::test
