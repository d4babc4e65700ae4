#include "rl/modes/learning_mode.hpp"

#include <algorithm>

namespace lockstep::rl {

void add_last(const Tally& tally, std::vector<double>& returns) {
    const auto known = std::min<std::int64_t>(tally.episodes, Tally::kept);
    returns.insert(returns.end(), tally.last_returns.begin(), tally.last_returns.begin() + known);
}

}  // namespace lockstep::rl
