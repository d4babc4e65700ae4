#include "rl/solve/policies/chosen.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {

std::vector<std::int32_t> choice_of(const RowSource& rows,
                                    std::span<const std::int32_t> policy,
                                    std::string_view name) {
    if (policy.size() != at(rows.states())) {
        throw InputError(fmt::format(
            "the length of {} is {}, must be the number of states", name, policy.size()));
    }
    std::vector<std::int32_t> choice;
    choice.reserve(policy.size());
    RowWriter writer;
    for (int s = 0; s < rows.states(); ++s) {
        const RowBlock row = rows.block(s, s + 1, writer);
        const auto* begin = row.action + row.pair_first[0];
        const auto* end = row.action + row.pair_first[1];
        const auto* found = std::find(begin, end, policy[at(s)]);
        if (found == end && begin != end) {
            throw InputError(
                fmt::format("{}: action {} is not legal in state {}", name, policy[at(s)], s));
        }
        choice.push_back(begin == end ? -1 : static_cast<std::int32_t>(found - begin));
    }
    return choice;
}

std::vector<std::int32_t> actions_of(const RowSource& rows,
                                     const std::vector<std::int32_t>& choice,
                                     const Workers& workers) {
    std::vector<std::int32_t> policy(choice.size(), -1);
    RowWriter writer;
    const StateRange own = workers.own(rows.states());
    for (int s = own.begin; s < own.end; ++s) {
        if (choice[at(s)] >= 0) {
            const RowBlock row = rows.block(s, s + 1, writer);
            policy[at(s)] = row.action[row.pair_first[0] + choice[at(s)]];
        }
    }
    workers.share(std::span(policy));
    return policy;
}

}  // namespace lockstep::rl
