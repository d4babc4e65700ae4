#include "lockstep/base/matrix_view.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/aligned.hpp"

namespace lockstep {
namespace {

using testing::ElementsAre;

TEST(MatrixViewTest, ReadsRowsAndElementsInRowMajorOrder) {
    std::vector<int> data{1, 2, 3, 4, 5, 6};

    const MatrixView<int> view(data.data(), 2, 3);

    EXPECT_EQ(view.rows(), 2);
    EXPECT_EQ(view.cols(), 3);
    EXPECT_EQ(view(1, 0), 4);
    EXPECT_EQ(view(std::size_t{0}, std::ptrdiff_t{2}), 3);
    EXPECT_THAT(view.row(1), ElementsAre(4, 5, 6));
}

TEST(MatrixViewTest, WritesThroughToTheOwner) {
    std::vector<double> data(6);
    const MatrixView<double> view(data.data(), 3, 2);

    view(2, 1) = 8;
    view.row(0)[0] = 5;

    EXPECT_THAT(data, ElementsAre(5, 0, 0, 0, 0, 8));
}

TEST(MatrixViewTest, SkipsThePaddingOfWideRows) {
    const std::vector<int> data{1, 2, -1, 3, 4, -1};

    const MatrixView<const int> view(data.data(), 2, 2, 3);

    EXPECT_THAT(view.row(0), ElementsAre(1, 2));
    EXPECT_THAT(view.row(1), ElementsAre(3, 4));
    EXPECT_EQ(view(1, 1), 4);
}

TEST(MatrixViewTest, BecomesReadOnlyByItself) {
    std::vector<int> data{1, 2, -1, 3, 4, -1};
    const MatrixView<int> writable(data.data(), 2, 2, 3);

    const MatrixView<const int> view = writable;

    EXPECT_EQ(view.stride(), 3);
    EXPECT_THAT(view.row(1), ElementsAre(3, 4));
}

TEST(MatrixViewTest, IsCopiedAndAssignedAsAView) {
    const std::vector<int> data{1, 2, 3, 4};
    const MatrixView<const int> view(data.data(), 2, 2);

    MatrixView<const int> other = view;
    other = MatrixView<const int>(data.data(), 1, 4);

    EXPECT_EQ(view.rows(), 2);
    EXPECT_THAT(other.row(0), ElementsAre(1, 2, 3, 4));
}

TEST(MatrixViewTest, IsEmptyByDefault) {
    const MatrixView<int> view;

    EXPECT_EQ(view.rows(), 0);
    EXPECT_EQ(view.cols(), 0);
}

TEST(AlignedVectorTest, StartsOnACacheLineAfterEveryGrowth) {
    AlignedVector<double> values;

    for (int i = 0; i < 1000; ++i) {
        values.push_back(i);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % 64, 0U);
    }
    EXPECT_EQ(values[999], 999);
}

TEST(AlignedVectorTest, RefusesImpossibleSizes) {
    AlignedAllocator<double> allocator;

    EXPECT_THROW(static_cast<void>(allocator.allocate(static_cast<std::size_t>(-1) / 4)),
                 std::bad_array_new_length);
}

}  // namespace
}  // namespace lockstep
