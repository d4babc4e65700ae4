#include "app/xpcs/shards/shard_dealing.hpp"

#include <future>
#include <stdexcept>
#include <system_error>

#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

std::shared_ptr<const xpcs::ShardDeal> some_deal() {
    xpcs::Measurement measurement;
    measurement.frames = 20;
    measurement.phi = {0};
    return xpcs::deal_shards(measurement, {}, {3}, 42);
}

TEST(ShardDealing, GoesOnBesideItsMaker) {
    std::promise<void> other_work;
    ShardDealing dealing([&] {
        other_work.get_future().wait();  // for ever, if its maker waited too
        return some_deal();
    });
    other_work.set_value();
    const auto dealt = dealing.end();
    EXPECT_NE(dealt.deal, nullptr);
    EXPECT_EQ(dealt.remark, "");
    EXPECT_LT(dealt.begin, dealt.end);
}

TEST(ShardDealing, WithoutAThreadThereIsARemark) {
    ShardDealing dealing(some_deal, [](const std::function<void()>&) -> std::thread {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    });
    const auto dealt = dealing.end();
    EXPECT_EQ(dealt.deal, nullptr);
    EXPECT_EQ(dealt.remark.find("a thread could not be started ("), 0U) << dealt.remark;
}

TEST(ShardDealing, ADealThatFailsIsARemark) {
    ShardDealing dealing(
        []() -> std::shared_ptr<const xpcs::ShardDeal> { throw std::runtime_error("no room"); });
    const auto dealt = dealing.end();
    EXPECT_EQ(dealt.deal, nullptr);
    EXPECT_EQ(dealt.remark, "no room");
}

}  // namespace
}  // namespace lockstep::app
