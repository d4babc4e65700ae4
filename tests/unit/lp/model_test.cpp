#include "lockstep/lp/model.hpp"

#include <array>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::lp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ModelBuilderTest : public ::testing::Test {
protected:
    ModelBuilderTest() {
        for (int column = 0; column < 3; ++column) {
            builder_.add_column(column, -1.0, infinity);
        }
        builder_.add_row(-infinity, 2.0);
        builder_.add_row(3.0, 3.0);
    }

    ModelBuilder builder_;
};

TEST_F(ModelBuilderTest, NumbersColumnsAndRowsInOrderOfArrival) {
    EXPECT_EQ(builder_.add_column(0.0, 0.0, 1.0), 3);
    EXPECT_EQ(builder_.add_row(0.0, 1.0), 2);
    EXPECT_EQ(builder_.columns(), 4);
    EXPECT_EQ(builder_.rows(), 3);
}

TEST_F(ModelBuilderTest, KeepsCostsAndBounds) {
    const Model model = builder_.build();

    EXPECT_THAT(model.cost, ElementsAre(0.0, 1.0, 2.0));
    EXPECT_THAT(model.column_lower, ElementsAre(-1.0, -1.0, -1.0));
    EXPECT_THAT(model.column_upper, ElementsAre(infinity, infinity, infinity));
    EXPECT_THAT(model.row_lower, ElementsAre(-infinity, 3.0));
    EXPECT_THAT(model.row_upper, ElementsAre(2.0, 3.0));
}

TEST_F(ModelBuilderTest, SortsEntriesByColumnThenRow) {
    builder_.add_entry(1, 2, 5.0);
    builder_.add_entry(0, 2, 4.0);
    builder_.add_entry(1, 0, 2.0);
    builder_.add_entry(0, 0, 1.0);

    const Model model = builder_.build();

    EXPECT_THAT(model.column_start, ElementsAre(0, 2, 2, 4));
    EXPECT_THAT(model.row_index, ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(model.value, ElementsAre(1.0, 2.0, 4.0, 5.0));
}

TEST_F(ModelBuilderTest, SumsRepeatedEntriesInOrderOfArrival) {
    builder_.add_entry(0, 1, 1e16);
    builder_.add_entry(1, 1, 7.0);
    builder_.add_entry(0, 1, 1.0);  // lost beside 1e16; it would survive in another order
    builder_.add_entry(0, 1, -1e16);
    builder_.add_entry(0, 1, 3.0);

    const Model model = builder_.build();

    EXPECT_THAT(model.row_index, ElementsAre(0, 1));
    EXPECT_THAT(model.value, ElementsAre(3.0, 7.0));
}

TEST_F(ModelBuilderTest, DropsZeros) {
    builder_.add_entry(0, 0, 0.0);
    builder_.add_entry(1, 1, 2.5);
    builder_.add_entry(1, 1, -2.5);

    const Model model = builder_.build();

    EXPECT_THAT(model.column_start, ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(model.value, IsEmpty());
}

TEST_F(ModelBuilderTest, BuildsTwiceAndGoesOn) {
    builder_.add_entry(0, 0, 1.0);
    EXPECT_THAT(builder_.build().value, ElementsAre(1.0));

    builder_.add_entry(0, 0, 1.0);
    EXPECT_THAT(builder_.build().value, ElementsAre(2.0));
}

TEST_F(ModelBuilderTest, RefusesEntriesOutsideTheMatrix) {
    for (const auto& [row, column] : {std::pair{2, 0}, {0, 3}, {-1, 0}, {0, -1}}) {
        try {
            builder_.add_entry(row, column, 1.0);
            FAIL() << "accepted entry " << row << ", " << column;
        } catch (const AssertionError& error) {
            EXPECT_THAT(error.what(), HasSubstr("lies outside 2 rows x 3 columns"));
        }
    }
}

TEST(ModelTest, IsEmptyAtFirst) {
    const Model model = ModelBuilder().build();

    EXPECT_EQ(model.columns(), 0);
    EXPECT_EQ(model.rows(), 0);
    EXPECT_THAT(model.column_start, ElementsAre(0));
}

TEST_F(ModelBuilderTest, AddsAModelBehindWhatItHas) {
    builder_.add_entry(1, 2, 7);
    const Model one = builder_.build();
    builder_.add(one);
    const Model two = builder_.build();
    EXPECT_EQ(two.columns(), 6);
    EXPECT_THAT(two.cost, ElementsAre(0, 1, 2, 0, 1, 2));
    EXPECT_THAT(two.row_lower, ElementsAre(-infinity, 3, -infinity, 3));
    EXPECT_THAT(two.row_upper, ElementsAre(2, 3, 2, 3));
    EXPECT_THAT(two.column_start, ElementsAre(0, 0, 0, 1, 1, 1, 2));
    EXPECT_THAT(two.row_index, ElementsAre(1, 3));
    EXPECT_THAT(two.value, ElementsAre(7, 7));
}

TEST(RowBlockTest, StoresRowsOneAfterTheOther) {
    RowBlock block;
    EXPECT_EQ(block.rows(), 0);
    block.add(1.0, 2.0, std::array{0, 3}, std::array{10.0, 20.0});
    block.add(-infinity, 5.0, {}, {});
    block.add(0.0, infinity, std::array{2}, std::array{30.0});

    EXPECT_EQ(block.rows(), 3);
    EXPECT_THAT(block.lower, ElementsAre(1.0, -infinity, 0.0));
    EXPECT_THAT(block.upper, ElementsAre(2.0, 5.0, infinity));
    EXPECT_THAT(block.start, ElementsAre(0, 2, 2, 3));
    EXPECT_THAT(block.column, ElementsAre(0, 3, 2));
    EXPECT_THAT(block.value, ElementsAre(10.0, 20.0, 30.0));
}

TEST(RowBlockTest, CanBeUsedAgainAfterClear) {
    RowBlock block;
    block.add(1.0, 2.0, std::array{0}, std::array{10.0});
    block.clear();
    EXPECT_EQ(block.rows(), 0);
    block.add(3.0, 4.0, std::array{1}, std::array{11.0});

    EXPECT_THAT(block.start, ElementsAre(0, 1));
    EXPECT_THAT(block.column, ElementsAre(1));
}

TEST(RowBlockTest, RefusesColumnsWithoutValues) {
    RowBlock block;
    EXPECT_THROW(block.add(0.0, 1.0, std::array{0, 1}, std::array{1.0}), AssertionError);
}

}  // namespace
}  // namespace lockstep::lp
