#include "rl/server/ledger.hpp"

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {
namespace {

TEST(LedgerTest, CountsLeasesThatFollowOneAnother) {
    Ledger ledger(2, 1);
    ledger.open({1, 1}, {0, 0, 10, 0});
    ledger.open({1, 2}, {1, 0, 5, 0});
    ledger.count({1, 1}, 0);
    EXPECT_EQ(ledger.transitions(), 10);
    ledger.open({1, 3}, {0, 10, 7, 1});
    ledger.count({1, 3}, 2);
    ledger.count({1, 2}, 0);
    EXPECT_EQ(ledger.transitions(0), 17);
    EXPECT_EQ(ledger.transitions(), 22);
    EXPECT_EQ(ledger.leases(), 3);
    EXPECT_EQ(ledger.ages(), (std::vector<std::int64_t>{2, 0, 1}));
    EXPECT_EQ(ledger.most_ahead(), 1);
}

TEST(LedgerTest, WhatIsReleasedIsPlayedAgain) {
    Ledger ledger(1, 0);
    ledger.open({1, 1}, {0, 0, 10, 0});
    ledger.release({1, 1});
    EXPECT_EQ(ledger.transitions(), 0);
    EXPECT_EQ(ledger.reissued(), 1);
    EXPECT_THROW(ledger.count({1, 1}, 0), AssertionError);
    ledger.open({2, 1}, {0, 0, 4, 0});  // the same number in another session
    ledger.count({2, 1}, 0);
    EXPECT_EQ(ledger.transitions(), 4);
}

TEST(LedgerTest, FindsWhatMustNotBe) {
    Ledger ledger(3, 1);
    ledger.open({1, 1}, {0, 0, 10, 5});
    EXPECT_THROW(ledger.open({1, 2}, {0, 0, 10, 5}), AssertionError);  // leased twice
    EXPECT_THROW(ledger.open({1, 2}, {1, 3, 10, 5}), AssertionError);  // a gap before it
    EXPECT_THROW(ledger.open({1, 2}, {1, 0, -1, 5}), AssertionError);  // no transitions
    EXPECT_THROW(ledger.open({1, 2}, {1, 0, 10, 7}), AssertionError);  // two rounds ahead
    EXPECT_THROW(ledger.open({1, 1}, {1, 0, 10, 6}), AssertionError);  // a number used twice
    EXPECT_THROW(ledger.release({1, 9}), AssertionError);
    ledger.open({1, 2}, {1, 0, 10, 6});
    ledger.open({1, 3}, {2, 0, 10, 0});  // far behind: that holds the others back from now on
    ledger.count({1, 2}, 0);
    EXPECT_THROW(ledger.open({1, 4}, {1, 10, 10, 2}), AssertionError);
}

TEST(LedgerTest, WithoutABoundAnyLeadWillDo) {
    Ledger ledger(2, -1);
    ledger.open({1, 1}, {0, 0, 10, 0});
    ledger.open({1, 2}, {1, 0, 10, 1000});
    EXPECT_EQ(ledger.most_ahead(), 1000);
}

TEST(LedgerTest, KeepsOpenLeasesInItsBytes) {
    Ledger ledger(2, 1);
    ledger.open({1, 1}, {0, 0, 10, 0});
    ledger.count({1, 1}, 70);
    ledger.open({1, 2}, {1, 0, 5, 1});
    ledger.refuse();
    ByteWriter bytes;
    ledger.save(bytes);
    Ledger copy(2, 1);
    ByteReader reader(bytes.bytes());
    copy.load(reader);
    EXPECT_TRUE(reader.at_end());
    EXPECT_EQ(copy.transitions(), 10);
    EXPECT_EQ(copy.refused(), 1);
    EXPECT_EQ(copy.ages().size(), Ledger::most_ages);
    EXPECT_THROW(copy.open({1, 3}, {1, 0, 5, 1}), AssertionError);
    copy.count({1, 2}, 0);
    EXPECT_EQ(copy.transitions(), 15);
    Ledger other(3, 1);
    ByteReader again(bytes.bytes());
    EXPECT_THROW(other.load(again), InputError);
}

}  // namespace
}  // namespace lockstep::rl
