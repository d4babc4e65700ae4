#pragma once

#include <string>

#include <gtest/gtest.h>

#include "support/rl_data.hpp"
#include "support/value_iteration.hpp"

namespace lockstep::test {

/// The model has the outcomes of a table [state][action][outcome] = [probability, next, reward,
/// terminated], in its order.
inline void expect_table(const rl::Model& model, const io::Json& table) {
    int s = 0;
    for (const io::Json& actions : array(table)) {
        int a = 0;
        for (const io::Json& rows : array(actions)) {
            const auto outcomes = model.outcomes(s, a);
            ASSERT_EQ(outcomes.size(), array(rows).size()) << "state " << s << ", action " << a;
            std::size_t i = 0;
            for (const io::Json& row : array(rows)) {
                EXPECT_EQ(outcomes[i].probability, number(array(row)[0]));
                EXPECT_EQ(outcomes[i].next, integer(array(row)[1]));
                EXPECT_EQ(outcomes[i].reward, number(array(row)[2]));
                EXPECT_EQ(outcomes[i].terminated, *array(row)[3].if_bool());
                ++i;
            }
            ++a;
        }
        EXPECT_EQ(a, model.actions());
        ++s;
    }
    EXPECT_EQ(s, model.states());
}

/// The optimal values of all states are those of optimal.json, of each discount that it lists.
inline void expect_optimal_values(const rl::Model& model, const io::Json& published) {
    int discounts = 0;
    for (const auto& [key, entry] : *published.if_object()) {
        const io::Json* values = entry.if_object() == nullptr ? nullptr : entry.find("V");
        if (values == nullptr) {
            continue;
        }
        ++discounts;
        const auto computed = ValueIteration(model, std::stod(key)).optimal();
        const auto expected = numbers(*values);
        ASSERT_EQ(computed.size(), expected.size());
        for (std::size_t s = 0; s < expected.size(); ++s) {
            EXPECT_NEAR(computed[s], expected[s], 1e-10) << "discount " << key << ", state " << s;
        }
    }
    EXPECT_EQ(discounts, 4);
}

}  // namespace lockstep::test
