#include "lockstep/sddp/cut_slopes.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/aligned.hpp"

namespace lockstep::sddp {
namespace {

constexpr int decided = 3;

// Slope `i` of cut number `cut`.
double slope(int cut, int i) {
    return 100.0 * cut + i + 1;
}

std::vector<double> slopes_of(int cut, int width) {
    std::vector<double> slopes;
    for (int i = 0; i < width; ++i) {
        slopes.push_back(slope(cut, i));
    }
    return slopes;
}

void add(CutSlopes& slopes, int count) {
    for (int i = 0; i < count; ++i) {
        slopes.add(slopes_of(slopes.size(), slopes.width()));
    }
}

void expect_cuts(const CutSlopes& slopes, int count) {
    ASSERT_EQ(slopes.size(), count);
    for (int cut = 0; cut < count; ++cut) {
        EXPECT_EQ(slopes.row(cut), slopes_of(cut, slopes.width())) << "cut " << cut;
    }
}

class CutSlopesTest : public testing::TestWithParam<StateLayout> {
protected:
    CutSlopes slopes{GetParam()};
};

TEST_P(CutSlopesTest, KeepsCutsOverManyBlocks) {
    for (int block = 0; block < 5; ++block) {
        slopes.attach(slopes.own_block(8));
        add(slopes, block + 3);
    }
    expect_cuts(slopes, 3 + 4 + 5 + 6 + 7);
    ASSERT_EQ(slopes.blocks().size(), 5u);
    EXPECT_EQ(slopes.count(0), 3);
    EXPECT_EQ(slopes.count(4), 7);
    EXPECT_EQ(slopes.blocks()[2].first, 7);
    EXPECT_EQ(slopes.room(), 1);
}

TEST_P(CutSlopesTest, StartsEveryColumnOnACacheLine) {
    add(slopes, 30);
    for (const auto& block : slopes.blocks()) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.values) % 64, 0u);
        EXPECT_EQ(block.room % 8, 0);
    }
}

TEST_P(CutSlopesTest, GoesOnAfterItWasCutShort) {
    for (const int size : {13, 9, 8, 5, 0}) {
        add(slopes, 20 - slopes.size());
        slopes.truncate(size);
        expect_cuts(slopes, size);
    }
    add(slopes, 20);
    expect_cuts(slopes, 20);
}

TEST_P(CutSlopesTest, CopiesShareWhatLiesBeforeThem) {
    add(slopes, 5);
    const auto copy = slopes;
    add(slopes, 30);
    expect_cuts(copy, 5);
    expect_cuts(slopes, 35);
    EXPECT_EQ(copy.blocks().front().values, slopes.blocks().front().values);
}

TEST_P(CutSlopesTest, MovesIntoOneBlock) {
    add(slopes, 21);
    const auto before = slopes;
    slopes.move_to(slopes.own_block(40));
    add(slopes, 19);
    expect_cuts(slopes, 40);
    EXPECT_EQ(slopes.blocks().size(), 1u);
    expect_cuts(before, 21);
}

TEST_P(CutSlopesTest, SeesWhatAnotherRankWrote) {
    constexpr int room = 16;
    const auto memory = std::make_shared<AlignedVector<double>>(slopes.block_size(room));
    auto reader = slopes;
    slopes.attach({memory, memory->data(), memory->data(), room, 0, true});
    reader.attach({memory, memory->data(), nullptr, room, 0, true});

    add(slopes, 11);
    add(reader, 11);

    expect_cuts(reader, 11);
    EXPECT_TRUE(reader.has_shared_blocks());
    EXPECT_FALSE(reader.has_own_blocks());
}

INSTANTIATE_TEST_SUITE_P(Lags,
                         CutSlopesTest,
                         testing::Values(StateLayout{decided, 0, 0},
                                         StateLayout{decided, 3, 0},
                                         StateLayout{decided, 3, 3},
                                         StateLayout{decided, 2, 15}));

TEST(CutSlopesTest, SplitsACutIntoDecidedFreshAndOlder) {
    CutSlopes slopes({2, 2, 4});
    slopes.add(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
    slopes.add(std::vector<double>{-1, -2, -3, -4, -5, -6, -7, -8});
    EXPECT_EQ(slopes.decided(1)[1], -2);
    EXPECT_EQ(slopes.fresh(1)[0], -3);
    EXPECT_EQ(std::vector<double>(slopes.older(1).begin(), slopes.older(1).end()),
              (std::vector<double>{-5, -6, -7, -8}));
    EXPECT_EQ(slopes.rows(),
              (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8}));
}

}  // namespace
}  // namespace lockstep::sddp
