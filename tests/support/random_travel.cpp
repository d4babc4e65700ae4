#include "support/random_travel.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

namespace lockstep::test {
namespace {

bool is_chronological(const sddp::Problem& problem) {
    return std::any_of(problem.calendar.stages.begin(),
                       problem.calendar.stages.end(),
                       [](const sddp::Stage& stage) { return stage.periods() > 1; });
}

// Any shares that add up to one at most will do: the rest arrives after the study.
void give_shares(sddp::Problem& problem, sddp::Hydro& plant, Dice& dice) {
    auto& below = problem.system.hydros[at(plant.downstream)];
    const bool comes_at_once = dice.chance(0.6);
    std::size_t longest = 0;
    for (int t = 0; t < problem.stage_count(); ++t) {
        double left = 1;
        std::vector<double> shares{comes_at_once ? dice.uniform(0, 0.8) : 0};
        const int later = std::min(dice.integer(0, 2), problem.stage_count() - 1 - t);
        left -= shares[0];
        for (int i = 0; i < later; ++i) {
            shares.push_back(left * dice.uniform(0.3, 1));
            left -= shares.back();
        }
        longest = std::max(longest, shares.size() - 1);
        plant.arrival_shares.push_back(shares);
    }
    below.initial_transit_hm3.resize(std::max(below.initial_transit_hm3.size(), longest));
    for (auto& volume : below.initial_transit_hm3) {
        volume += dice.chance(0.7) ? dice.uniform(0, 20) : 0;
    }
}

}  // namespace

void add_random_travel(sddp::Problem& problem, Dice& dice) {
    for (auto& plant : problem.system.hydros) {
        if (!is_chronological(problem) && plant.downstream >= 0 && dice.chance(0.45)) {
            give_shares(problem, plant, dice);
        }
    }
}

}  // namespace lockstep::test
