#pragma once

#include <gtest/gtest.h>

#include "lockstep/rl/model.hpp"

namespace lockstep::test {

/// Both models have the same outcomes and starts, in the same order, bit for bit.
inline void expect_same_model(const rl::Model& one, const rl::Model& other) {
    ASSERT_EQ(one.states(), other.states());
    ASSERT_EQ(one.actions(), other.actions());
    ASSERT_EQ(one.size(), other.size());
    for (int s = 0; s < one.states(); ++s) {
        for (int a = 0; a < one.actions(); ++a) {
            const auto outcomes = one.outcomes(s, a);
            const auto others = other.outcomes(s, a);
            ASSERT_EQ(outcomes.size(), others.size()) << "state " << s << ", action " << a;
            for (std::size_t i = 0; i < outcomes.size(); ++i) {
                ASSERT_EQ(outcomes[i].probability, others[i].probability);
                ASSERT_EQ(outcomes[i].next, others[i].next);
                ASSERT_EQ(outcomes[i].reward, others[i].reward);
                ASSERT_EQ(outcomes[i].terminated, others[i].terminated);
            }
        }
    }
    ASSERT_EQ(one.starts().size(), other.starts().size());
    for (std::size_t i = 0; i < one.starts().size(); ++i) {
        ASSERT_EQ(one.starts()[i].state, other.starts()[i].state);
        ASSERT_EQ(one.starts()[i].probability, other.starts()[i].probability);
    }
}

}  // namespace lockstep::test
