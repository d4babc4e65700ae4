#include "support/tiny_problem.hpp"

#include <limits>

namespace lockstep::test {

using sddp::ByBlock;

sddp::Problem tiny_problem(int stages, double hours) {
    sddp::Problem problem;
    const auto count = static_cast<std::size_t>(stages);
    auto day = Date{std::chrono::days{20'000}};
    for (int t = 0; t < stages; ++t) {
        sddp::Stage stage;
        stage.id = t;
        stage.start = day;
        stage.end = day += std::chrono::days{30};
        stage.blocks = {{"B0", hours}};
        problem.calendar.stages.push_back(stage);
    }
    sddp::Bus bus;
    bus.deficit = {{std::numeric_limits<double>::infinity(), 100}};
    bus.excess_cost = sddp::ByBlock(problem.calendar, 0);
    bus.mean_load_mw.assign(count, 0);
    bus.load_std_mw.assign(count, 0);
    bus.load_factor = ByBlock(problem.calendar, 1);
    problem.system.buses.push_back(bus);
    problem.process.inflow.stages.resize(count);
    problem.process.tree.count.assign(count, 1);
    problem.process.tree.values.resize(count);
    return problem;
}

sddp::Thermal tiny_thermal(const sddp::Problem& problem, double cost, double max_mw) {
    sddp::Thermal thermal;
    thermal.bus = 0;
    thermal.cost.assign(problem.calendar.stages.size(), cost);
    thermal.min_mw = ByBlock(problem.calendar, 0);
    thermal.max_mw = ByBlock(problem.calendar, max_mw);
    return thermal;
}

void add_tiny_hydro(sddp::Problem& problem, double storage_hm3, double max_storage_hm3) {
    const auto count = problem.calendar.stages.size();
    const ByBlock none(problem.calendar, 0);
    const ByBlock large(problem.calendar, 1000);
    const ByBlock free(problem.calendar, std::numeric_limits<double>::infinity());
    sddp::Hydro plant;
    plant.entity_max_storage_hm3 = max_storage_hm3;
    plant.min_storage_hm3.assign(count, 0);
    plant.max_storage_hm3.assign(count, max_storage_hm3);
    plant.max_turbined_m3s = plant.max_generation_mw = large;
    plant.min_outflow_m3s = plant.min_spillage_m3s = plant.min_diversion_m3s = none;
    plant.max_outflow_m3s = plant.max_spillage_m3s = free;
    plant.max_diversion_m3s = none;
    plant.withdrawal_m3s.assign(count, 0);
    plant.productivity.assign(count, 1);
    plant.equivalent_productivity.assign(count, 1);
    plant.planes.resize(count);
    plant.evaporation.resize(count);
    plant.costs.resize(count);
    plant.groups.push_back(sddp::UnitGroup{0, "G0", 0, 1000, none, large, none, large});
    plant.initial_storage_hm3 = storage_hm3;
    problem.system.hydros.push_back(plant);

    auto& process = problem.process;
    process.layout.hydros = ++process.inflow.hydros;
    process.tree.dimension = process.layout.size();
    for (std::size_t t = 0; t < count; ++t) {
        auto& model = process.inflow.stages[t];
        for (auto* values : {&model.base, &model.scale, &process.tree.values[t]}) {
            values->push_back(0);
        }
        model.order.push_back(0);
    }
}

}  // namespace lockstep::test
