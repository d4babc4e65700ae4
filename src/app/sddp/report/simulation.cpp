#include "app/sddp/report/fan.hpp"
#include "app/sddp/report/parts.hpp"

namespace lockstep::app {

void add_simulation(io::Page& page,
                    const formats::cobre::Results& results,
                    const formats::cobre::SimulationSummary& simulation) {
    const auto axis = axis_of(simulation);
    add_costs(page, simulation, axis);
    add_hydros(page, results, simulation, axis);
    add_system(page, simulation, axis);
    add_deficits(page, simulation, axis);
}

}  // namespace lockstep::app
