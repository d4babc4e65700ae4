#include "support/random_travel.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

namespace lockstep::test {
namespace {

// Any shares that add up to one at most will do: the rest arrives after the study.
void give_shares(sddp::Problem& problem, sddp::Hydro& plant, Dice& dice) {
    auto& below = problem.system.hydros[at(plant.downstream)];
    const bool comes_at_once = dice.chance(0.6);
    int longest = 0;  // in periods after the end of a stage
    const auto& calendar = problem.calendar;
    const int end = calendar.first_period(problem.stage_count());
    for (int t = 0; t < problem.stage_count(); ++t) {
        const int next = calendar.first_period(t + 1);
        for (int p = calendar.first_period(t); p < next; ++p) {
            double left = 1;
            std::vector<double> shares{comes_at_once ? dice.uniform(0, 0.8) : 0};
            const int later = std::min(dice.integer(0, 2), end - 1 - p);
            left -= shares[0];
            for (int i = 0; i < later; ++i) {
                shares.push_back(left * dice.uniform(0.3, 1));
                left -= shares.back();
            }
            longest = std::max(longest, p + 1 + later - next);
            plant.arrival_shares.push_back(shares);
        }
    }
    below.initial_transit_hm3.resize(std::max(below.initial_transit_hm3.size(), at(longest)));
    for (auto& volume : below.initial_transit_hm3) {
        volume += dice.chance(0.7) ? dice.uniform(0, 20) : 0;
    }
}

}  // namespace

void add_random_travel(sddp::Problem& problem, Dice& dice) {
    for (auto& plant : problem.system.hydros) {
        if (plant.downstream >= 0 && dice.chance(0.45)) {
            give_shares(problem, plant, dice);
        }
    }
}

}  // namespace lockstep::test
