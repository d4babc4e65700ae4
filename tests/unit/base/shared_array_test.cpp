#include "lockstep/base/shared_array.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Numbers = SharedArray<int>;

TEST(SharedArrayTest, IsFilledLikeAVector) {
    Numbers list(2, 7);
    list.push_back(5);
    list[0] = 1;
    list.resize(5, 3);
    EXPECT_EQ(list, (Numbers{1, 7, 5, 3, 3}));
    list.assign(2, 4);
    EXPECT_EQ(list, (Numbers{4, 4}));
    EXPECT_EQ(list.back(), 4);
    EXPECT_TRUE(Numbers().empty());
}

TEST(SharedArrayTest, CopiesAreApartUntilItIsPlaced) {
    Numbers list{1, 2, 3};
    auto copy = list;
    copy[0] = 9;
    EXPECT_EQ(list[0], 1);
    copy = list;
    EXPECT_EQ(copy, list);
    EXPECT_NE(copy.data(), list.data());
}

TEST(SharedArrayTest, MovesTakeAllAndLeaveNothing) {
    Numbers list{1, 2, 3};
    const auto* data = list.data();
    const Numbers taken = std::move(list);
    EXPECT_EQ(taken.data(), data);
    EXPECT_TRUE(list.empty());  // NOLINT(bugprone-use-after-move): what it promises
    list.push_back(4);
    EXPECT_EQ(list, Numbers{4});
}

TEST(SharedArrayTest, ReadsWhereItWasPlacedAsLongAsACopyLives) {
    auto memory = std::make_shared<std::vector<int>>(std::vector<int>{1, 2, 3});
    const std::weak_ptr<std::vector<int>> watch = memory;
    Numbers copy;
    {
        Numbers list{1, 2, 3};
        list.place(memory, memory->data());
        EXPECT_EQ(list.data(), memory->data());
        EXPECT_THROW(list.push_back(4), AssertionError);
        copy = list;
        memory.reset();
    }
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(copy, (Numbers{1, 2, 3}));
    copy = Numbers();
    EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace lockstep
