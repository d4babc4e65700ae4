#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/rl/rows.hpp"

#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {

/// Of each state the pair of this number among its own; -1: none. What a policy makes of a process.
class Chosen : public RowSource {
public:
    /// Both must outlive this.
    Chosen(const RowSource& source, const std::vector<std::int32_t>& choice)
        : source_(source), choice_(choice) {}
    [[nodiscard]] int states() const override { return source_.states(); }
    [[nodiscard]] int actions() const override { return source_.actions(); }
    void write(int s, RowWriter& writer) const override {
        if (choice_[at(s)] >= 0) {
            thread_local RowWriter inner;
            const RowBlock rows = source_.block(s, s + 1, inner);
            const std::int64_t pair = rows.pair_first[0] + choice_[at(s)];
            writer.copy(rows, pair, rows.action[pair], rows.reward[pair], {});
        }
    }

private:
    const RowSource& source_;
    const std::vector<std::int32_t>& choice_;
};

/// Actions of a policy as numbers of pairs; -1 in states that have none.
/// @param policy  [states] actions, legal where the state has one
/// @param name  of the policy in messages
/// @throws InputError  its length; names the state and action that is not legal
std::vector<std::int32_t> choice_of(const RowSource& rows,
                                    std::span<const std::int32_t> policy,
                                    std::string_view name);
/// The reverse, on all ranks; a rank knows the pairs of its own states. Collective.
std::vector<std::int32_t> actions_of(const RowSource& rows,
                                     const std::vector<std::int32_t>& choice,
                                     const Workers& workers);

}  // namespace lockstep::rl
