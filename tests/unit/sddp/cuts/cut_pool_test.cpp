#include "sddp/cuts/cut_pool.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

// Two states of each kind.
constexpr StateLayout two_of_each{2, 2, 2};

CutPool two_cuts() {
    CutPool pool(two_of_each);
    pool.add(10, std::vector<double>{-1, -2, 3, 4, 5, 6}, 1, 0);
    pool.add(20, std::vector<double>{-7, -8, 9, 10, 11, 12}, 2, 3);
    return pool;
}

TEST(CutPoolTest, KeepsWhatWasAdded) {
    const auto pool = two_cuts();
    ASSERT_EQ(pool.size(), 2);
    EXPECT_EQ(pool.intercept(1), 20);
    EXPECT_EQ(pool.slopes().decided(1)[0], -7);
    EXPECT_EQ(pool.slopes().fresh(1)[1], 10);
    EXPECT_EQ(pool.slopes().older(0)[0], 5);
    EXPECT_EQ(pool.last_active(1), 2);
}

TEST(CutPoolTest, SplitsACutIntoOlderFreshAndDecidedParts) {
    const auto pool = two_cuts();
    std::vector<double> priced(2);

    pool.price_older(std::vector<double>{100, 1000}, priced);

    EXPECT_EQ(priced[0], 10 + 5 * 100 + 6 * 1000);
    std::vector<double> value{1000, 2000};
    pool.add_fresh_part(std::vector<double>{2, 3}, value);
    EXPECT_EQ(value, (std::vector<double>{1000 + 3 * 2 + 4 * 3, 2000 + 9 * 2 + 10 * 3}));
    pool.add_decided_part(std::vector<double>{5, 7}, value);
    EXPECT_EQ(value, (std::vector<double>{1018 - 5 - 14, 2048 - 35 - 56}));
}

TEST(CutPoolTest, PolicyRoundTripKeepsEveryBit) {
    const auto policy = two_cuts().to_policy();
    const auto again = CutPool::from_policy(policy, two_of_each).to_policy();
    EXPECT_EQ(again.intercept, policy.intercept);
    EXPECT_EQ(again.slopes.rows(), policy.slopes.rows());
    EXPECT_EQ(again.trajectory, policy.trajectory);
    EXPECT_EQ(policy.slopes.rows(),
              (std::vector<double>{-1, -2, 3, 4, 5, 6, -7, -8, 9, 10, 11, 12}));
}

TEST(CutPoolTest, CutsThatAreNotSelectedKeepTheirNumber) {
    auto policy = two_cuts().to_policy();
    policy.active[0] = 0;
    auto pool = CutPool::from_policy(policy, two_of_each);
    ASSERT_EQ(pool.size(), 2);
    EXPECT_EQ(pool.selected_count(), 1);
    EXPECT_FALSE(pool.is_selected(0));
    EXPECT_EQ(pool.to_policy().active, policy.active);

    const auto mark = pool.mark();
    pool.select(0, true);
    pool.select(0, true);
    EXPECT_EQ(pool.selected_count(), 2);
    pool.rewind(mark);
    EXPECT_EQ(pool.selected_count(), 1);
    EXPECT_FALSE(pool.is_selected(0));
}

TEST(CutPoolTest, WorksWithoutCarriedStatesAndWithoutAny) {
    CutPool plain({1, 0, 0});
    plain.add(4, std::vector<double>{-2}, 1, 0);
    std::vector<double> priced(1);
    plain.price_older({}, priced);
    EXPECT_EQ(priced[0], 4);
    plain.add_fresh_part(std::vector<double>{9}, priced);
    EXPECT_EQ(priced[0], 4);

    CutPool empty(StateLayout{});
    empty.add(4, {}, 1, 0);
    std::vector<double> value{3};
    empty.add_decided_part({}, value);
    EXPECT_EQ(value[0], 3);
}

}  // namespace
}  // namespace lockstep::sddp
