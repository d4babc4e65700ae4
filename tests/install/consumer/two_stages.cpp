// A problem made by hand: two months of 720 h, 100 MW of load, a reservoir that holds 100 MW·months
// (259.2 hm³) and starts full, a thermal plant of 60 MW at 10 $/MWh, deficit at 100 $/MWh. In the
// second month 0 or 100 m³/s flow in, one as likely as the other.
//
// Keeping x MW·months costs 10x now (x <= 60). A dry second month costs 10(100 - x) for x >= 40 and
// 600 + 100(40 - x) below; a wet one nothing. 10x + half of that is least at x = 40: 700 $/MWh·MW,
// over 720 h 504,000 $.

#include <chrono>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <span>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/sddp/train.hpp"

namespace {

using namespace lockstep;
using sddp::ByBlock;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double reservoir_hm3 = 259.2;

// The dry month in odd trajectories, the wet one in even ones.
class InTurn : public sddp::TrajectorySampler {
public:
    void draw(int iteration, int, int, int, std::span<double> noise) const override {
        noise[0] = iteration % 2 == 1 ? -1 : 1;
    }
};

sddp::Calendar two_months() {
    using namespace std::chrono;
    sddp::Calendar calendar;
    sddp::Stage stage;
    stage.start = sys_days{2030y / January / 1};
    stage.end = stage.start + days{30};
    stage.blocks = {{"flat", 720}};
    calendar.stages.push_back(stage);
    stage.id = 1;
    stage.start = stage.end;
    stage.end += days{30};
    stage.openings = 2;
    calendar.stages.push_back(stage);
    return calendar;
}

sddp::Bus make_bus(const sddp::Calendar& calendar) {
    sddp::Bus bus;
    bus.name = "town";
    bus.deficit = {{infinity, 100}};
    bus.excess_cost = ByBlock(calendar, 0);
    bus.mean_load_mw = {100, 100};
    bus.load_std_mw = {0, 0};
    bus.load_factor = ByBlock(calendar, 1);
    return bus;
}

sddp::Thermal make_thermal(const sddp::Calendar& calendar) {
    sddp::Thermal thermal;
    thermal.name = "gas";
    thermal.bus = 0;
    thermal.cost = {10, 10};
    thermal.min_mw = ByBlock(calendar, 0);
    thermal.max_mw = ByBlock(calendar, 60);
    return thermal;
}

sddp::Hydro make_hydro(const sddp::Calendar& calendar) {
    const ByBlock none(calendar, 0);
    const ByBlock large(calendar, 1000);
    sddp::Hydro plant;
    plant.name = "lake";
    plant.entity_max_storage_hm3 = plant.initial_storage_hm3 = reservoir_hm3;
    plant.min_storage_hm3 = {0, 0};
    plant.max_storage_hm3 = {reservoir_hm3, reservoir_hm3};
    plant.max_turbined_m3s = plant.max_generation_mw = large;
    plant.min_outflow_m3s = plant.min_spillage_m3s = plant.min_diversion_m3s = none;
    plant.max_outflow_m3s = plant.max_spillage_m3s = ByBlock(calendar, infinity);
    plant.max_diversion_m3s = none;
    plant.withdrawal_m3s = {0, 0};
    plant.productivity = plant.equivalent_productivity = {1, 1};
    plant.planes.resize(2);
    plant.evaporation.resize(2);
    plant.costs.resize(2);
    plant.groups = {{0, "G1", 0, 1000, none, large, none, large}};
    return plant;
}

// Inflow of month t: base + scale·η, η = ±1.
sddp::Process make_process() {
    sddp::Process process;
    process.inflow.hydros = process.layout.hydros = 1;
    process.inflow.stages = {{{0}, {0}, {}, {0}}, {{50}, {50}, {}, {0}}};
    process.tree = {1, {1, 2}, {{0}, {-1, 1}}};
    process.training = process.simulation = std::make_shared<InTurn>();
    return process;
}

sddp::Problem make_problem() {
    sddp::Problem problem;
    problem.calendar = two_months();
    problem.system.buses = {make_bus(problem.calendar)};
    problem.system.thermals = {make_thermal(problem.calendar)};
    problem.system.hydros = {make_hydro(problem.calendar)};
    problem.process = make_process();
    return problem;
}

double bound_of(const sddp::Problem& problem) {
    sddp::TrainOptions options;
    options.solver = lp::SolverKind::highs;
    options.stopping = {{sddp::StoppingRule::Kind::iteration_limit, 10}};
    const auto alone = comm::make_local();
    runtime::ThreadTeam threads(2);
    runtime::Team team{*alone, threads};
    sddp::Observer silent;
    return sddp::train(problem, options, team, silent).lower_bound;
}

}  // namespace

int main() try {
    std::cout.precision(12);
    std::cout << "bound " << bound_of(make_problem()) << '\n';
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
