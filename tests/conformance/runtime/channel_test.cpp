#include "lockstep/runtime/channel.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::runtime {
namespace {

using namespace std::chrono_literals;

// Values of several kinds, made from a number and told back.
template <typename T>
struct Kind;
template <>
struct Kind<int> {
    static int make(int number) { return number; }
    static int number(const int& value) { return value; }
};
template <>
struct Kind<std::string> {
    static std::string make(int number) { return std::to_string(number) + std::string(100, '.'); }
    static int number(const std::string& value) { return std::stoi(value); }
};
template <>
struct Kind<std::unique_ptr<int>> {
    static std::unique_ptr<int> make(int number) { return std::make_unique<int>(number); }
    static int number(const std::unique_ptr<int>& value) { return *value; }
};

template <typename T>
class ChannelTest : public testing::Test {};
using Values = testing::Types<int, std::string, std::unique_ptr<int>>;
TYPED_TEST_SUITE(ChannelTest, Values);

TYPED_TEST(ChannelTest, GivesValuesInTheirOrder) {
    using K = Kind<TypeParam>;
    Channel<TypeParam> channel(10);
    for (int number = 0; number < 10; ++number) {
        EXPECT_TRUE(channel.push(K::make(number)));
    }
    for (int number = 0; number < 10; ++number) {
        EXPECT_EQ(K::number(*channel.pop()), number);
    }
}

TYPED_TEST(ChannelTest, HoldsNoMoreThanItsCapacity) {
    using K = Kind<TypeParam>;
    Channel<TypeParam> channel(3);
    EXPECT_EQ(channel.capacity(), 3U);
    auto value = K::make(0);
    for (int number = 0; number < 3; ++number) {
        value = K::make(number);
        EXPECT_TRUE(channel.try_push(value));
    }
    value = K::make(3);
    EXPECT_FALSE(channel.try_push(value));
    EXPECT_EQ(K::number(value), 3) << "it stays with the caller";
    EXPECT_EQ(K::number(*channel.pop()), 0);
    EXPECT_TRUE(channel.try_push(value));
}

TYPED_TEST(ChannelTest, GivesWhatIsInsideAfterItWasClosed) {
    using K = Kind<TypeParam>;
    Channel<TypeParam> channel(3);
    channel.push(K::make(1));
    channel.close();
    EXPECT_TRUE(channel.is_closed());
    EXPECT_FALSE(channel.push(K::make(2)));
    EXPECT_EQ(K::number(*channel.pop()), 1);
    EXPECT_FALSE(channel.pop().has_value());
}

TYPED_TEST(ChannelTest, WaitsNoLongerThanItMay) {
    Channel<TypeParam> channel(3);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(channel.pop_within(0ms).has_value());
    EXPECT_FALSE(channel.pop_within(20ms).has_value());
    EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
}

TYPED_TEST(ChannelTest, CarriesEveryValueOnceBetweenManyThreads) {
    using K = Kind<TypeParam>;
    constexpr int senders = 3;
    constexpr int receivers = 3;
    constexpr int each = 2000;
    Channel<TypeParam> channel(4);
    std::vector<std::atomic<int>> seen(senders * each);
    std::atomic<bool> is_in_order = true;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < receivers; ++i) {
            threads.emplace_back([&] {
                std::vector<int> last(senders, -1);
                while (const auto value = channel.pop()) {
                    const int number = K::number(*value);
                    ++seen[at(number)];
                    auto& before = last[at(number / each)];
                    is_in_order = is_in_order && number > before;
                    before = number;
                }
            });
        }
        std::vector<std::jthread> sending;
        for (int i = 0; i < senders; ++i) {
            sending.emplace_back([&, i] {
                for (int number = i * each; number < (i + 1) * each; ++number) {
                    channel.push(K::make(number));
                }
            });
        }
        sending.clear();
        channel.close();
    }
    EXPECT_TRUE(is_in_order);
    for (const auto& times : seen) {
        ASSERT_EQ(times, 1);
    }
}

TYPED_TEST(ChannelTest, WakesThoseWhoWaitWhenItCloses) {
    using K = Kind<TypeParam>;
    Channel<TypeParam> empty(1);
    Channel<TypeParam> full(1);
    full.push(K::make(0));
    std::jthread popping([&] { EXPECT_FALSE(empty.pop().has_value()); });
    std::jthread pushing([&] { EXPECT_FALSE(full.push(K::make(1))); });
    std::this_thread::sleep_for(10ms);
    empty.close();
    full.close();
}

TYPED_TEST(ChannelTest, HandsAFailureToBothSides) {
    using K = Kind<TypeParam>;
    Channel<TypeParam> channel(1);
    channel.push(K::make(0));
    std::jthread pushing([&] { EXPECT_THROW(channel.push(K::make(1)), std::runtime_error); });
    std::this_thread::sleep_for(10ms);
    channel.fail(std::make_exception_ptr(std::runtime_error("the writer failed")));
    channel.fail(std::make_exception_ptr(std::logic_error("later")));
    EXPECT_THROW(channel.pop(), std::runtime_error);
    EXPECT_THROW(channel.push(K::make(2)), std::runtime_error);
    EXPECT_EQ(channel.weight(), 0U);
}

TEST(ChannelWeightTest, BoundsTheSumOfWeights) {
    Channel<int> channel(100);
    int value = 1;
    EXPECT_TRUE(channel.try_push(value, 60));
    EXPECT_FALSE(channel.try_push(value, 41));
    EXPECT_TRUE(channel.try_push(value, 40));
    EXPECT_EQ(channel.weight(), 100U);
    EXPECT_TRUE(channel.try_push(value, 0));
}

TEST(ChannelWeightTest, LetsOneThatIsTooHeavyInAlone) {
    Channel<int> channel(100);
    int value = 1;
    EXPECT_TRUE(channel.try_push(value, 1000));
    EXPECT_FALSE(channel.try_push(value, 1));
    EXPECT_EQ(channel.pop(), 1);
    EXPECT_TRUE(channel.try_push(value, 1));
    EXPECT_FALSE(channel.try_push(value, 1000));
}

TEST(ChannelWeightTest, RefusesToHoldNothing) {
    EXPECT_THROW(Channel<int>(0), AssertionError);
}

// Load, square, write: the stages overlap, and never more than the capacities lies between them.
TEST(ChannelPipelineTest, OverlapsItsStagesInBoundedMemory) {
    Channel<int> loaded(2);
    Channel<int> squared(2);
    std::atomic<int> under_way = 0;
    std::atomic<int> most = 0;
    std::jthread loader([&] {
        for (int number = 0; number < 500; ++number) {
            most = std::max(most.load(), ++under_way);
            loaded.push(number);
        }
        loaded.close();
    });
    std::jthread worker([&] {
        while (const auto number = loaded.pop()) {
            squared.push(*number * *number);
        }
        squared.close();
    });
    int next = 0;
    while (const auto square = squared.pop()) {
        EXPECT_EQ(*square, next * next);
        ++next;
        --under_way;
    }
    EXPECT_EQ(next, 500);
    EXPECT_LE(most, 2 + 2 + 3);
}

}  // namespace
}  // namespace lockstep::runtime
