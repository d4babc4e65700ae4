#include "lockstep/rl/environments/three_way_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

constexpr int most_states = 1 << 23;
constexpr std::size_t most_rewards = 256;

}  // namespace

ThreeWayTable::ThreeWayTable(int states, int actions, const Probabilities& probabilities)
    : states_(states),
      actions_(actions),
      probabilities_(probabilities),
      first_(probabilities[0]),
      second_(probabilities[0] + probabilities[1]) {
    if (states > most_states) {
        throw InputError(fmt::format("{} states: must be at most {}", states, most_states));
    }
    rows_.assign(at(states) * at(actions), Row{});
}

ThreeWayTable::Row& ThreeWayTable::row(int s, int a) {
    return rows_[at(s) * at(actions_) + at(a)];
}

ThreeWayTable::Packed ThreeWayTable::packed(const Way& way) {
    if (!std::isfinite(way.reward)) {
        throw InputError(fmt::format("reward {}: must be finite", way.reward));
    }
    const auto found = std::find(rewards_.begin(), rewards_.end(), way.reward);
    const auto number = static_cast<std::size_t>(found - rewards_.begin());
    if (found == rewards_.end()) {
        rewards_.push_back(way.reward);
    }
    if (rewards_.size() > most_rewards) {
        throw InputError(fmt::format("more than {} different rewards", most_rewards));
    }
    return static_cast<Packed>(way.next) << 9U | static_cast<Packed>(number) << 1U |
           static_cast<Packed>(way.terminated);
}

void ThreeWayTable::set_only(int s, int a, const Way& way) {
    const Packed only = packed(way);
    row(s, a) = {only, only, only, 1};
}

void ThreeWayTable::set_three(int s, int a, const std::array<Way, 3>& ways) {
    row(s, a) = {packed(ways[0]), packed(ways[1]), packed(ways[2]), 3};
    chance_ = true;
}

void ThreeWayTable::add_to(ModelBuilder& builder) const {
    for (std::size_t pair = 0; pair < rows_.size(); ++pair) {
        const Row& row = rows_[pair];
        for (std::size_t i = 0; i < row[3]; ++i) {
            const double probability = row[3] == 1 ? 1.0 : probabilities_[i];
            const Step step = unpacked(row[i]);
            if (probability > 0) {
                builder.add(static_cast<int>(pair) / actions_,
                            static_cast<int>(pair) % actions_,
                            {probability, step.next, step.reward, step.terminated});
            }
        }
    }
}

}  // namespace lockstep::rl
