#include "lockstep/rl/environments/inventory.hpp"

#include <string>

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "support/optimal_values.hpp"

namespace lockstep::rl {
namespace {

using test::array;
using test::integer;
using test::member;
using test::number;

TEST(InventoryTest, OptimalValuesAndOrdersAreThePublishedOnes) {
    const io::Json golden = test::rl_data("golden.json");
    const io::Json& published = member(golden, {"inventory"});
    const Model model = *Inventory().model();
    const test::ValueIteration oracle(model, number(member(published, {"gamma"})));
    const auto values = oracle.optimal();
    for (const auto& [stock, value] : *member(published, {"V"}).if_object()) {
        EXPECT_NEAR(values[static_cast<std::size_t>(std::stoi(stock))], number(value), 1e-9);
    }
    for (int s = 0; s <= 20; ++s) {
        int best = 0;
        for (int a = 1; a <= 20 - s; ++a) {
            best = oracle.worth(s, a, values) > oracle.worth(s, best, values) ? a : best;
        }
        EXPECT_EQ(best, integer(array(member(published, {"order"}))[at(s)])) << "stock " << s;
    }
}

TEST(InventoryTest, OrdersOnlyWhatFits) {
    const Inventory rules({.capacity = 5});
    EXPECT_EQ(rules.mask(5), 0b1U);
    EXPECT_EQ(rules.mask(3), 0b111U);
    EXPECT_EQ(rules.mask(0), 0b111111U);
}

TEST(InventoryTest, NamesTheOptionThatIsWrong) {
    EXPECT_THROW(static_cast<void>(Inventory({.capacity = 64})), InputError);
    EXPECT_THROW(static_cast<void>(Inventory({.first_stock = 21})), InputError);
    EXPECT_THROW(static_cast<void>(Inventory({.order_cost = std::nan("")})), InputError);
}

}  // namespace
}  // namespace lockstep::rl
