#include "lockstep/rl/environments/starts.hpp"

namespace lockstep::rl {

Starts::Starts(std::span<const Start> starts) {
    double sum = 0;
    for (const Start& start : starts) {
        states_.push_back(start.state);
        probabilities_.push_back(start.probability);
        sums_.push_back(sum += start.probability);
    }
}

void Starts::add_to(ModelBuilder& builder) const {
    for (std::size_t i = 0; i < states_.size(); ++i) {
        builder.add_start({states_[i], probabilities_[i]});
    }
}

std::vector<Start> even_starts(std::span<const std::int32_t> states) {
    std::vector<Start> starts;
    for (const std::int32_t state : states) {
        starts.push_back({state, 1.0 / static_cast<double>(states.size())});
    }
    return starts;
}

}  // namespace lockstep::rl
