#include "rl/server/shared_table.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/garnet.hpp"
#include "lockstep/rl/learn/world_of.hpp"

namespace lockstep::rl {
namespace {

// 300 states of two actions: state s has cells 2s and 2s + 1.
class SharedTableTest : public testing::Test {
protected:
    std::unique_ptr<World> world = make_world_of(Garnet({300, 2, 3, 1}));
    LearnOptions options;
    TableStore table{*world, options};
    SharedTable shared{table};
    runtime::ThreadTeam threads{1};
};

TEST_F(SharedTableTest, ComposesAPushWithWhatItFinds) {
    table.store().set_value(6, 10);
    table.store().visits()[6] = 4;
    shared.compose({{6, 7}, {3, 1}, {2, 1}}, std::vector<double>{0.5, 0}, 1);
    EXPECT_EQ(table.store().value(6), 8);  // 0.5 · 10 + 3
    EXPECT_EQ(table.store().visits()[6], 6U);
    EXPECT_EQ(table.store().value(7), 1);
    shared.compose({{6}, {0}, {1}}, std::vector<double>{0}, 0.25);
    EXPECT_EQ(table.store().value(6), 6);  // a quarter of the way to 0
    EXPECT_EQ(shared.version(), 2U);
}

TEST_F(SharedTableTest, TellsCellsThatAreNewer) {
    EXPECT_TRUE(shared.newer_than(0).cells.empty());
    shared.compose({{6, 400}, {1, 2}, {1, 1}}, std::vector<double>{0, 0}, 1);
    shared.compose({{401}, {5}, {1}}, std::vector<double>{0}, 1);
    const News both = shared.newer_than(0);
    EXPECT_EQ(both.cells, (std::vector<std::uint32_t>{6, 400, 401}));
    EXPECT_EQ(both.values, (std::vector<double>{1, 2, 5}));
    EXPECT_EQ(both.visits, (std::vector<std::uint32_t>{1, 1, 1}));
    EXPECT_EQ(both.version, 2U);
    EXPECT_EQ(shared.newer_than(1).cells, std::vector<std::uint32_t>{401});
    EXPECT_TRUE(shared.newer_than(2).cells.empty());
    shared.renew();
    EXPECT_EQ(shared.newer_than(2).cells.size(), 600U);
}

// Cells 0 to 3: changed by the reader alone, by both (twice), by another one, and a part of a step.
TEST_F(SharedTableTest, LeavesOutWhatOnlyItsReaderHasChanged) {
    constexpr std::uint32_t reader = 5;
    SharedTable known{table, {}, true};
    const auto change = [&](std::uint32_t cell, std::uint32_t author, double share = 1) {
        known.compose({{cell}, {1}, {1}}, std::vector<double>{0}, share, author);
    };
    change(9, reader);
    change(0, reader);
    change(1, reader);
    change(1, 6);
    change(1, reader);
    change(2, 6);
    change(3, reader, 0.5);
    EXPECT_EQ(known.newer_than(1, reader).cells, (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_EQ(known.newer_than(4, reader).cells, (std::vector<std::uint32_t>{2, 3}));
    EXPECT_EQ(known.newer_than(1, 6).cells, (std::vector<std::uint32_t>{0, 1, 3}));
    EXPECT_EQ(known.newer_than(1).cells, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    known.renew();
    EXPECT_EQ(known.newer_than(known.version() - 1, reader).cells.size(), 600U);
}

TEST_F(SharedTableTest, ACopyThatTakesTheNewsIsEqual) {
    TableStore copy(*world, options);
    shared.compose({{6, 400, 599}, {1, 2, 3}, {1, 1, 9}}, std::vector<double>{0, 0, 0}, 1);
    take_news(shared.newer_than(0), copy);
    EXPECT_EQ(digest_of(copy.table()), digest_of(table.table()));
}

TEST_F(SharedTableTest, RefusesCellsOfAnotherTable) {
    EXPECT_THROW(take_news({1, {600}, {0}, {0}, Width::f64}, table), InputError);
}

TEST_F(SharedTableTest, CombinesARound) {
    const Delta first{{6, 8}, {1, 2}, {3, 4}};
    const Delta second{{8}, {4}, {1}};
    const Combiner mean(Combine::average, options.learning_rate, 3);
    const std::vector<const Delta*> deltas{&first, &second, nullptr};
    shared.combine(deltas, mean, threads);
    EXPECT_NEAR(table.store().value(6), 1.0 / 3, 1e-15);
    EXPECT_EQ(table.store().value(8), 2);
    EXPECT_EQ(table.store().visits()[8], 5U);
    EXPECT_EQ(shared.newer_than(0).cells, (std::vector<std::uint32_t>{6, 8}));
}

}  // namespace
}  // namespace lockstep::rl
