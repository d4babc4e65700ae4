#include "rl/server/shard_server.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/garnet.hpp"
#include "lockstep/rl/learn/world_of.hpp"

#include "rl/server/shard_messages.hpp"

namespace lockstep::rl {
namespace {

constexpr std::int64_t first = 0;
constexpr std::int64_t worker = 7;

// 300 states of two actions: state s has cells 2s and 2s + 1.
class ShardServerTest : public testing::Test {
protected:
    static std::vector<std::byte> part_of(const LeaseId& lease, std::uint32_t cell, double offset) {
        return pack(std::vector<LeasePart>{
            {lease, encode({{cell}, {offset}, {1}}, Width::f64), {Retention::nothing}}});
    }
    static std::vector<std::byte> apply(const LeaseId& lease) { return pack(Apply{1, {lease}}); }

    std::unique_ptr<World> world = make_world_of(Garnet({300, 2, 3, 1}));
    LearnOptions options;
    TableStore table{*world, options};
    runtime::ThreadTeam threads{1};
    ShardServer shard{options, table, threads, {{0, 1}, first, false}};
    const LeaseId one{1, 1};
    const LeaseId two{1, 2};
};

TEST_F(ShardServerTest, AppliesWhatCameInTheOrderOfTheFirstServer) {
    shard.on_message(worker, part_of(one, 6, 1));
    shard.on_message(worker, part_of(two, 6, 2));
    EXPECT_EQ(table.store().value(6), 0);
    shard.on_message(first, apply(two));
    EXPECT_EQ(table.store().value(6), 2);
    shard.on_message(first, apply(one));
    EXPECT_EQ(table.store().value(6), 1);
    EXPECT_EQ(table.store().visits()[6], 2U);
    EXPECT_EQ(shard.version(), 2U);
    EXPECT_EQ(shard.applied(), 2);
    EXPECT_EQ(shard.waiting(), 0U);
}

TEST_F(ShardServerTest, CountsAPartThatComesTwiceOnce) {
    shard.on_message(worker, part_of(one, 6, 1));
    shard.on_message(worker, part_of(one, 6, 1));
    const auto letters = shard.take_letters();
    ASSERT_EQ(letters.size(), 2U);
    EXPECT_EQ(letters[0].peer, first);
    EXPECT_EQ(unpack_leases(letters[0].bytes), std::vector{one});
    EXPECT_TRUE(unpack_leases(letters[1].bytes).empty());
    shard.on_message(first, apply(one));
    EXPECT_EQ(table.store().visits()[6], 1U);
}

TEST_F(ShardServerTest, AnswersAPullOnceItHasThatVersion) {
    shard.on_message(worker, pack(Pull{1}));
    shard.on_message(worker, part_of(one, 6, 1));
    static_cast<void>(shard.take_letters());
    shard.on_message(first, apply(one));
    const auto letters = shard.take_letters();
    ASSERT_EQ(letters.size(), 1U);
    EXPECT_EQ(letters[0].peer, worker);
    const auto news = unpack_news(letters[0].bytes);
    EXPECT_EQ(news.cells, std::vector<std::uint32_t>{6});
    EXPECT_EQ(news.version, 1U);
    EXPECT_TRUE(shard.news_for(worker).cells.empty());
}

TEST_F(ShardServerTest, HasNothingOfLeasesThatDoNotCount) {
    shard.on_message(worker, part_of(one, 6, 1));
    shard.on_message(first, pack(MessageKind::forget, std::vector{one}));
    EXPECT_EQ(shard.waiting(), 0U);
    EXPECT_THROW(shard.on_message(first, apply(one)), AssertionError);
    EXPECT_EQ(table.store().value(6), 0);
}

TEST_F(ShardServerTest, RefusesDamagedParts) {
    EXPECT_THROW(shard.on_message(worker, part_of(one, 600, 1)), InputError);
    const auto lacks_losses =
        pack(std::vector<LeasePart>{{one, encode({{6}, {1}, {1}}, Width::f64), {}}});
    EXPECT_THROW(shard.on_message(worker, lacks_losses), InputError);
}

TEST(Part, StatesAreDividedAmongServers) {
    for (const int servers : {1, 2, 3, 64}) {
        std::vector<int> states(static_cast<std::size_t>(servers));
        for (std::int32_t s = 0; s < 64'000; ++s) {
            ++states.at(static_cast<std::size_t>(Part::server_of(s, servers)));
        }
        for (const int count : states) {
            EXPECT_NEAR(count, 64'000.0 / servers, 0.15 * 64'000 / servers);
        }
    }
}

TEST(Part, APushIsDividedAndLosesNothing) {
    const TableShape shape{2, 300, 2};
    Delta whole;
    LeaseResult result;
    for (std::uint32_t cell = 0; cell < 1200; cell += 3) {
        whole.add(cell, cell + 0.25, cell % 5);
        result.losses.push_back(cell);
    }
    result.delta = encode(whole, Width::f32);
    Push push{1, {result}};
    const auto others = take_parts(push, shape, 3);
    ASSERT_EQ(others.size(), 2U);
    std::size_t cells = 0;
    const auto look = [&](int server, std::span<const std::byte> bytes, const auto& losses) {
        const Delta delta = decode(bytes, shape.cells());
        EXPECT_EQ(losses, delta.cells);
        for (std::size_t i = 0; i < delta.size(); ++i) {
            EXPECT_EQ(Part::server_of(shape.state_of(delta.cells[i]), 3), server);
            EXPECT_EQ(delta.changes[i], delta.cells[i] + 0.25);
            EXPECT_EQ(delta.visits[i], delta.cells[i] % 5);
        }
        cells += delta.size();
    };
    look(0, push.results[0].delta, push.results[0].losses);
    look(1, others[0][0].delta, others[0][0].losses);
    look(2, others[1][0].delta, others[1][0].losses);
    EXPECT_EQ(cells, whole.size());
}

}  // namespace
}  // namespace lockstep::rl
