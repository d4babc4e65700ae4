#include "support/random_deliveries.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

namespace lockstep::test {
namespace {

class DeliveryWriter {
public:
    DeliveryWriter(sddp::Problem& problem, Dice& dice) : problem_(problem), dice_(dice) {}

    void write() {
        for (auto& thermal : problem_.system.thermals) {
            if (dice_.chance(0.3)) {
                decide_ahead(thermal);
            }
        }
    }

private:
    // A number of stages before, or all of two stages at once.
    void decide_ahead(sddp::Thermal& thermal) {
        const int lead = dice_.chance(0.35) ? problem_.stage_count() + 1 : dice_.integer(1, 2);
        const bool goes_on = dice_.chance(0.5);
        const bool in_pairs = dice_.chance(0.6);
        const int last = problem_.stage_count() + (goes_on ? lead : 0);
        for (int stage = dice_.chance(0.8) ? 0 : lead; stage < last; ++stage) {
            const int decided = std::max((in_pairs ? stage / 2 * 2 : stage) - lead, -1);
            if (decided >= problem_.stage_count()) {
                continue;
            }
            thermal.deliveries.push_back(delivery(thermal, stage, decided));
            thermal.commitments = std::max(thermal.commitments, stage - decided);
        }
    }

    sddp::Delivery delivery(sddp::Thermal& thermal, int stage, int decided_in) {
        sddp::Delivery delivery;
        delivery.stage = stage;
        delivery.decided_in = decided_in;
        delivery.min_mw = dice_.chance(0.4) ? dice_.uniform(0, 10) : 0;
        delivery.max_mw = dice_.uniform(10, 60);
        delivery.cost_per_mw = dice_.uniform(10, 150) * 400;
        delivery.committed_mw = dice_.uniform(delivery.min_mw, delivery.max_mw);
        if (stage < problem_.stage_count()) {
            const auto& blocks = problem_.calendar.stages[at(stage)].blocks;
            for (int k = 0; k < static_cast<int>(blocks.size()); ++k) {
                thermal.min_mw(stage, k) = delivery.min_mw;
                thermal.max_mw(stage, k) = delivery.max_mw;
            }
        }
        return delivery;
    }

    sddp::Problem& problem_;
    Dice& dice_;
};

}  // namespace

void add_random_deliveries(sddp::Problem& problem, Dice& dice) {
    DeliveryWriter(problem, dice).write();
}

}  // namespace lockstep::test
