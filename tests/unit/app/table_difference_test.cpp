#include "app/table_difference.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace lockstep::app {
namespace {

io::Column ids(std::string name, std::vector<std::int32_t> values) {
    return {std::move(name), std::move(values), false, {}};
}

io::Column reals(std::string name, std::vector<double> values) {
    return {std::move(name), std::move(values), false, {}};
}

io::Table sample() {
    return {{ids("stage_id", {0, 0, 1}),
             ids("hydro_id", {1, 2, 1}),
             reals("flow", {1, 2, 3}),
             reals("cost", {10, 20, 30})}};
}

std::vector<double>& values(io::Table& table, std::size_t column) {
    return std::get<std::vector<double>>(table.columns[column].values);
}

TEST(TableDifferenceTest, FindsNoneInEqualTables) {
    EXPECT_FALSE(first_difference(sample(), sample()).has_value());
    EXPECT_FALSE(first_difference({}, {}).has_value());
}

TEST(TableDifferenceTest, TakesTheFirstRowThenTheFirstColumn) {
    auto other = sample();
    values(other, 2)[2] = 4;
    values(other, 3)[1] = 25;

    const auto found = first_difference(sample(), other);

    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->row, 1U);
    EXPECT_EQ(found->column, "cost");
    EXPECT_EQ(found->left, "20");
    EXPECT_EQ(found->right, "25");
    EXPECT_EQ(found->absolute, 5);
    EXPECT_EQ(found->relative, 0.2);
    EXPECT_EQ(row_key(sample(), 1), "stage 0, hydro 2");
}

TEST(TableDifferenceTest, ComparesBits) {
    auto left = sample();
    auto right = sample();
    values(left, 2)[0] = 0.0;
    values(right, 2)[0] = -0.0;
    EXPECT_EQ(first_difference(left, right)->right, "-0");

    values(left, 2)[0] = values(right, 2)[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(first_difference(left, right).has_value());

    values(left, 2)[0] = 0.1;
    values(right, 2)[0] = std::nextafter(0.1, 1);
    EXPECT_EQ(first_difference(left, right)->left, "0.1");
    EXPECT_EQ(first_difference(left, right)->right, "0.10000000000000002");
}

TEST(TableDifferenceTest, LeavesOutWhatIsIgnored) {
    auto other = sample();
    values(other, 3)[0] = 11;
    constexpr std::array<std::string_view, 1> ignored = {"cost"};

    EXPECT_FALSE(first_difference(sample(), other, ignored).has_value());
}

TEST(TableDifferenceTest, TellsMissingRowsAndColumns) {
    auto shorter = sample();
    for (auto& column : shorter.columns) {
        std::visit([](auto& cells) { cells.pop_back(); }, column.values);
    }
    EXPECT_EQ(first_difference(sample(), shorter)->right, "2 rows");
    EXPECT_EQ(first_difference(sample(), shorter)->row, 2U);

    auto narrower = sample();
    narrower.columns.pop_back();
    EXPECT_EQ(first_difference(sample(), narrower)->right, "no column");
    EXPECT_EQ(first_difference(narrower, sample())->left, "no column");

    auto retyped = sample();
    retyped.columns[3] = ids("cost", {10, 20, 30});
    EXPECT_EQ(first_difference(sample(), retyped)->left, "DOUBLE");
    EXPECT_EQ(first_difference(sample(), retyped)->right, "INT32");
}

TEST(TableDifferenceTest, TellsNullsFromValues) {
    auto other = sample();
    other.columns[2].nullable = true;
    other.columns[2].present = {1, 0, 1};

    EXPECT_EQ(first_difference(sample(), other)->left, "2");
    EXPECT_EQ(first_difference(sample(), other)->right, "absent");
    EXPECT_TRUE(std::isnan(first_difference(sample(), other)->absolute));
}

TEST(TableDifferenceTest, FindsThePlaceInAList) {
    const io::Table left{
        {{"slopes", std::vector<std::vector<double>>{{1, 2}, {3, 4, 5}}, false, {}}}};
    auto right = left;
    std::get<std::vector<std::vector<double>>>(right.columns[0].values)[1][2] = 6;
    EXPECT_EQ(first_difference(left, right)->row, 1U);
    EXPECT_EQ(first_difference(left, right)->element, 2U);
    EXPECT_EQ(first_difference(left, right)->right, "6");

    std::get<std::vector<std::vector<double>>>(right.columns[0].values)[0].pop_back();
    EXPECT_EQ(first_difference(left, right)->left, "2 numbers");
    EXPECT_EQ(first_difference(left, right)->right, "1 numbers");
}

}  // namespace
}  // namespace lockstep::app
