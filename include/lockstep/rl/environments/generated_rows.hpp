#pragma once

#include <utility>

#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/rows.hpp"

namespace lockstep::rl {

/// The rows of an environment that computes its outcomes: nothing is stored.
template <Generated E>
class GeneratedRows : public RowSource {
public:
    explicit GeneratedRows(E rules) : rules_(std::move(rules)) {}
    [[nodiscard]] int states() const override { return rules_.states(); }
    [[nodiscard]] int actions() const override { return rules_.actions(); }
    void write(int s, RowWriter& writer) const override {
        const ActionMask legal = rules_.mask(s);
        for (int a = 0; a < rules_.actions(); ++a) {
            if ((legal >> static_cast<unsigned>(a) & 1U) != 0) {
                writer.pair(a);
                rules_.outcomes(s, a, [&](const Outcome& outcome) {
                    writer.outcome(
                        outcome.probability, outcome.next, outcome.reward, outcome.terminated);
                });
            }
        }
    }

private:
    E rules_;
};

}  // namespace lockstep::rl
