#include "comm/tcp/membership.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::comm::tcp {
namespace {

Membership three() {
    return {7,
            {{0, "a", "node 1", "\x03", "127.0.0.1", 29500},
             {2, "b", "node 2", "", "::1", 4000},
             {5, "c", "node 1", "\x04", "127.0.0.2", 4001}}};
}

TEST(TcpMembershipTest, UnpacksWhatWasPacked) {
    const Membership found = unpack_membership(pack(three()));

    EXPECT_EQ(found.epoch, 7U);
    ASSERT_EQ(found.size(), 3);
    EXPECT_EQ(found.member(1).id, 2);
    EXPECT_EQ(found.member(1).host, "b");
    EXPECT_EQ(found.member(1).node, "node 2");
    EXPECT_EQ(to_string(address_of(found.member(1))), "[::1]:4000");
    EXPECT_EQ(to_string(address_of(found.member(2))), "127.0.0.2:4001");
    EXPECT_EQ(pack(found), pack(three()));
}

TEST(TcpMembershipTest, RefusesHalfAMembership) {
    const Bytes whole = pack(three());
    for (std::size_t half = 0; half < whole.size(); ++half) {
        EXPECT_THROW(unpack_membership(std::span(whole).first(half)), CommError);
    }
}

TEST(TcpMembershipTest, KnowsRanksByTheirFirstNumbers) {
    EXPECT_EQ(three().rank_of(0), 0);
    EXPECT_EQ(three().rank_of(5), 2);
    EXPECT_EQ(three().rank_of(1), -1);
}

TEST(TcpMembershipTest, TellsMembershipsApart) {
    Membership later = three();
    ++later.epoch;
    Membership smaller = three();
    smaller.members.pop_back();

    EXPECT_EQ(three().fingerprint(), three().fingerprint());
    EXPECT_NE(three().fingerprint(), later.fingerprint());
    EXPECT_NE(three().fingerprint(), smaller.fingerprint());
}

TEST(TcpMembershipTest, CountsCoresOnce) {
    EXPECT_EQ(count_cores({}), 0);
    EXPECT_EQ(count_cores({"\x03", "\x03"}), 2);
    EXPECT_EQ(count_cores({"\x01", "\x02", std::string("\0\x80", 2)}), 3);
    EXPECT_GE(count_cores({own_cores()}), 1);
}

TEST(TcpMembershipTest, NamesTheSameNodeInOneProcess) {
    EXPECT_FALSE(own_node().empty());
    EXPECT_EQ(own_node(), own_node());
}

}  // namespace
}  // namespace lockstep::comm::tcp
