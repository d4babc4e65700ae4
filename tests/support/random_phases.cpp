#include "support/random_phases.hpp"

#include <limits>

#include "lockstep/base/index.hpp"

namespace lockstep::test {
namespace {

using sddp::HydroPhase;

class PhaseWriter {
public:
    PhaseWriter(sddp::Problem& problem, Dice& dice) : problem_(problem), dice_(dice) {}

    void write() {
        for (auto& plant : problem_.system.hydros) {
            for (auto& costs : plant.costs) {
                costs.storage_below = dice_.uniform(1, 2000);
                costs.filling_below = dice_.uniform(1, 3000);
            }
            const bool changes = dice_.chance(0.2);
            if (changes) {
                choose_phases(plant);
            }
            if (changes || dice_.chance(0.15)) {
                soften(plant);
            }
            for (int t = 0; t < problem_.stage_count(); ++t) {
                switch_off(plant, t);
            }
        }
    }

private:
    // Not built, filling, operating, not built any more, each at most once and in this order.
    void choose_phases(sddp::Hydro& plant) {
        int step = dice_.integer(0, 2);
        for (int t = 0; t < problem_.stage_count(); ++t) {
            const HydroPhase steps[] = {HydroPhase::not_built,
                                        HydroPhase::filling,
                                        HydroPhase::operating,
                                        HydroPhase::not_built};
            plant.phases.push_back(steps[step]);
            step += step < 3 && dice_.chance(0.6) ? 1 : 0;
        }
    }

    void soften(sddp::Hydro& plant) {
        for (int t = 0; t < problem_.stage_count(); ++t) {
            const auto top = plant.max_storage_hm3[at(t)];
            plant.storage_target_hm3.push_back(
                plant.is_built(t) && dice_.chance(0.7) ? dice_.uniform(0, 0.6 * top) : 0);
            for (auto& plane : plant.planes[at(t)]) {  // still above zero without water
                plane.intercept += plane.volume * plant.min_storage_hm3[at(t)] / 2;
            }
            plant.min_storage_hm3[at(t)] = 0;
        }
    }

    void switch_off(sddp::Hydro& plant, int t) {
        if (plant.phase(t) == HydroPhase::operating) {
            return;
        }
        const int blocks = static_cast<int>(problem_.calendar.stages[at(t)].blocks.size());
        for (int k = 0; k < blocks; ++k) {
            plant.max_turbined_m3s(t, k) = plant.max_generation_mw(t, k) = 0;
            plant.min_diversion_m3s(t, k) = plant.max_diversion_m3s(t, k) = 0;
            for (auto& group : plant.groups) {
                group.min_turbined_m3s(t, k) = group.max_turbined_m3s(t, k) = 0;
                group.min_generation_mw(t, k) = group.max_generation_mw(t, k) = 0;
            }
            if (!plant.is_built(t)) {
                plant.min_spillage_m3s(t, k) = plant.max_spillage_m3s(t, k) = 0;
                plant.min_outflow_m3s(t, k) = 0;
                plant.max_outflow_m3s(t, k) = std::numeric_limits<double>::infinity();
            }
        }
        if (!plant.is_built(t)) {
            plant.evaporation[at(t)].reset();
        }
    }

    sddp::Problem& problem_;
    Dice& dice_;
};

}  // namespace

void add_random_phases(sddp::Problem& problem, Dice& dice) {
    PhaseWriter(problem, dice).write();
}

}  // namespace lockstep::test
