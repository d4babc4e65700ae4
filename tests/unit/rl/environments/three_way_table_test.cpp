#include "lockstep/rl/environments/three_way_table.hpp"

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {
namespace {

// A source of one number, again and again.
struct Fixed {
    double number;
    int drawn = 0;
    double uniform() {
        ++drawn;
        return number;
    }
    std::uint32_t below(std::uint32_t /*count*/) { return 0; }
    std::uint64_t bits() { return 0; }
    void skip() { ++drawn; }
};
static_assert(Draws<Fixed>);

ThreeWayTable a_table() {
    ThreeWayTable table(4, 2, {0.25, 0.5, 0.25});
    table.set_three(0, 0, {{{1, -1, false}, {2, 2.5, false}, {3, -1, true}}});
    table.set_only(0, 1, {3, 7, true});
    return table;
}

TEST(ThreeWayTableTest, TakesTheFirstOutcomeWhoseSumIsAbove) {
    const ThreeWayTable table = a_table();
    const auto step = [&](double number) {
        Fixed draws{number};
        return table.step(0, 0, draws);
    };
    EXPECT_EQ(step(0), (Step{1, -1, false, false}));
    EXPECT_EQ(step(0.2499), (Step{1, -1, false, false}));
    EXPECT_EQ(step(0.25), (Step{2, 2.5, false, false}));
    EXPECT_EQ(step(0.7499), (Step{2, 2.5, false, false}));
    EXPECT_EQ(step(0.75), (Step{3, -1, true, false}));
    EXPECT_EQ(step(1 - 0x1p-53), (Step{3, -1, true, false}));
}

TEST(ThreeWayTableTest, DrawsOneNumberAlsoWhereThereIsNoChoice) {
    Fixed draws{0.9};
    EXPECT_EQ(a_table().step(0, 1, draws), (Step{3, 7, true, false}));
    ThreeWayTable dry(1, 1, {0.25, 0.5, 0.25});
    dry.set_only(0, 0, {0, 1, false});
    dry.step(0, 0, draws);
    EXPECT_EQ(draws.drawn, 2);
}

TEST(ThreeWayTableTest, PairsThatAreNotSetAreIllegal) {
    ThreeWayTable table = a_table();
    table.set_only(1, 1, {3, 0, true});
    table.set_only(2, 1, {3, 0, true});
    ModelBuilder builder(4, 2);
    table.add_to(builder);
    const Model model = builder.build();
    EXPECT_EQ(model.outcomes(0, 0).size(), 3U);
    EXPECT_EQ(model.outcomes(0, 1).size(), 1U);
    EXPECT_FALSE(model.is_legal(1, 0));
}

TEST(ThreeWayTableTest, RefusesWhatItsBitsCannotHold) {
    EXPECT_THROW(ThreeWayTable((1 << 23) + 1, 1, {1, 0, 0}), InputError);
    ThreeWayTable table(1, 300, {1, 0, 0});
    for (int a = 0; a < 256; ++a) {
        table.set_only(0, a, {0, a * 0.5, true});
    }
    table.set_only(0, 256, {0, 3.5, true});
    EXPECT_THROW(table.set_only(0, 257, {0, 1000, true}), InputError);
    Fixed draws{0};
    EXPECT_EQ(table.step(0, 255, draws).reward, 127.5);
}

}  // namespace
}  // namespace lockstep::rl
