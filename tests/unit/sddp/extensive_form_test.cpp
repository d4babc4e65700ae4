#include "support/extensive_form.hpp"

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "support/tiny_problem.hpp"

namespace lockstep {
namespace {

using test::add_tiny_hydro;
using test::extensive_optimum;
using test::tiny_problem;
using test::tiny_thermal;

constexpr auto solver = lp::SolverKind::highs;

// Hours in which 1 m³/s is 1 hm³.
constexpr double water_hours = 1 / sddp::hm3_per_m3s_hour;

// Loads of 10 and 30 MW for 100 h, met by thermal energy at 10 $/MWh: costs of 10,000 and 30,000 $.
sddp::Problem two_outcomes(int stages) {
    auto problem = tiny_problem(stages, 100);
    problem.system.thermals.push_back(tiny_thermal(problem, 10, 1000));
    auto& bus = problem.system.buses[0];
    bus.is_stochastic = true;
    bus.mean_load_mw.assign(static_cast<std::size_t>(stages), 20);
    bus.load_std_mw.assign(static_cast<std::size_t>(stages), 10);
    auto& process = problem.process;
    process.layout.buses = {0};
    process.tree.dimension = 1;
    for (int t = 0; t < stages; ++t) {
        problem.calendar.stages[at(t)].openings = 2;
        process.tree.count[at(t)] = 2;
        process.tree.values[at(t)] = {-1, 1};
    }
    return problem;
}

TEST(ExtensiveFormTest, DispatchesThermalsByMerit) {
    auto problem = tiny_problem(2, 730);
    problem.system.thermals = {tiny_thermal(problem, 5, 15), tiny_thermal(problem, 10, 15)};
    problem.system.buses[0].mean_load_mw = {20, 20};
    EXPECT_NEAR(extensive_optimum(problem, solver), 2 * 730 * (15 * 5 + 5 * 10), 1e-6);
}

TEST(ExtensiveFormTest, ShiftsWaterToWhereThermalsRunOut) {
    auto problem = tiny_problem(2, water_hours);
    problem.system.thermals = {tiny_thermal(problem, 10, 20)};
    add_tiny_hydro(problem, 40, 100);
    for (auto& model : problem.process.inflow.stages) {
        model.base = {10};
    }
    problem.system.buses[0].mean_load_mw = {30, 50};
    // 60 hm³ of water for 80 units of energy, and no more than 20 MW of thermal power in a stage
    EXPECT_NEAR(extensive_optimum(problem, solver), 20 * 10 * water_hours, 1e-6);
    // with room for 20 hm³ the second stage lacks nothing: 20 + 10 water, 20 thermal
    problem.system.hydros[0].max_storage_hm3 = {20, 20};
    EXPECT_NEAR(extensive_optimum(problem, solver), 20 * 10 * water_hours, 1e-6);
    // with room for 15 hm³ five units are not served
    problem.system.hydros[0].max_storage_hm3 = {15, 15};
    EXPECT_NEAR(extensive_optimum(problem, solver), (20 * 10 + 5 * 100) * water_hours, 1e-6);
}

TEST(ExtensiveFormTest, CarriesLagsAlongAPath) {
    auto problem = tiny_problem(2, water_hours);
    add_tiny_hydro(problem, 0, 100);
    auto& inflow = problem.process.inflow;
    inflow.lags = 2;
    inflow.initial_lags = {8, 40};
    for (auto& model : inflow.stages) {
        model.base = {1};
        model.lag = {0.5, 0.25};
    }
    problem.system.buses[0].mean_load_mw = {20, 20};
    // z0 = 1 + 4 + 10 = 15, z1 = 1 + 7.5 + 2 = 10.5
    EXPECT_NEAR(extensive_optimum(problem, solver), (5 + 9.5) * 100 * water_hours, 1e-6);
}

TEST(ExtensiveFormTest, WeighsOutcomes) {
    auto problem = two_outcomes(1);
    EXPECT_NEAR(extensive_optimum(problem, solver), 20'000, 1e-6);
    problem.calendar.stages[0].risk = {0.5, 0.4};
    EXPECT_NEAR(extensive_optimum(problem, solver), 0.6 * 20'000 + 0.4 * 30'000, 1e-6);
    problem.calendar.stages[0].risk = {0.75, 1};
    EXPECT_NEAR(extensive_optimum(problem, solver), (0.5 * 30'000 + 0.25 * 10'000) / 0.75, 1e-6);
}

TEST(ExtensiveFormTest, UsesTheMeasureOfTheStageBefore) {
    auto problem = two_outcomes(2);
    problem.calendar.stages[0].risk = {0.5, 0.4};
    problem.calendar.stages[1].risk = {0.1, 1};
    EXPECT_NEAR(extensive_optimum(problem, solver), 24'000 + 24'000, 1e-6);
}

TEST(ExtensiveFormTest, DiscountsLaterStages) {
    auto problem = two_outcomes(3);
    problem.calendar.stages[0].annual_discount_rate = 0.1;
    problem.calendar.stages[1].annual_discount_rate = 0.3;
    problem.calendar.stages[2].annual_discount_rate = 0.9;
    const double d0 = problem.calendar.stages[0].discount_factor();
    const double d1 = problem.calendar.stages[1].discount_factor();
    EXPECT_NEAR(extensive_optimum(problem, solver), 20'000 * (1 + d0 * (1 + d1)), 1e-6);
    const double later = extensive_optimum(problem, test::TreeRoot{1, {}, {}}, solver);
    EXPECT_NEAR(later, 20'000 * (1 + d1), 1e-6);
}

TEST(ExtensiveFormTest, ChargesCurtailedEnergy) {
    auto problem = tiny_problem(1, 100);
    problem.system.buses[0].mean_load_mw = {20};
    problem.system.buses[0].excess_cost = sddp::ByBlock(problem.calendar, 7);
    sddp::NonControllable source;
    source.bus = 0;
    source.available_mw = {60};
    source.in_service = {1};
    source.factor = sddp::ByBlock(problem.calendar, 0.5);
    source.curtailment_cost = sddp::ByBlock(problem.calendar, 2);
    problem.system.sources = {source};
    EXPECT_NEAR(extensive_optimum(problem, solver), 10 * 2 * 100, 1e-6);
    problem.system.sources[0].allow_curtailment = false;
    EXPECT_NEAR(extensive_optimum(problem, solver), 10 * 7 * 100, 1e-6);
}

TEST(ExtensiveFormTest, LimitsWithdrawalSlacksToTheDemand) {
    auto problem = tiny_problem(1, water_hours);
    add_tiny_hydro(problem, 0, 10);
    auto& plant = problem.system.hydros[0];
    plant.costs[0] = {.spillage = 50, .withdrawal_above = 3, .withdrawal_below = 4};
    plant.withdrawal_m3s = {5};
    EXPECT_NEAR(extensive_optimum(problem, solver), 5 * 4 * water_hours, 1e-6);
    // 12 hm³ too much: more is withdrawn rather than spilled
    problem.process.inflow.stages[0].base = {27};
    plant.productivity = {0};
    plant.costs[0].turbined = 50;
    EXPECT_NEAR(extensive_optimum(problem, solver), 12 * 3 * water_hours, 1e-6);
    // a return flow can be refused, no more
    plant.withdrawal_m3s = {-5};
    EXPECT_NEAR(extensive_optimum(problem, solver), (5 * 3 + 17 * 50) * water_hours, 1e-6);
}

TEST(ExtensiveFormTest, TruncatesNegativeInflows) {
    auto problem = tiny_problem(1, water_hours);
    add_tiny_hydro(problem, 5, 10);
    auto& plant = problem.system.hydros[0];
    plant.min_storage_hm3 = {3};
    plant.costs[0].inflow_slack = 1000;
    problem.system.buses[0].mean_load_mw = {10};
    problem.process.inflow.stages[0].scale = {4};
    problem.process.tree.values[0] = {-1};
    problem.process.non_negativity = sddp::NonNegativity::penalty;
    EXPECT_NEAR(extensive_optimum(problem, solver), (2 * 1000 + 10 * 100) * water_hours, 1e-6);
    problem.process.non_negativity = sddp::NonNegativity::truncation;
    EXPECT_NEAR(extensive_optimum(problem, solver), 8 * 100 * water_hours, 1e-6);
    problem.process.non_negativity = sddp::NonNegativity::none;
    EXPECT_THROW(extensive_optimum(problem, solver), ModelError);
}

TEST(ExtensiveFormTest, LosesTheMeanEvaporation) {
    auto problem = tiny_problem(1, water_hours);
    add_tiny_hydro(problem, 10, 10);
    auto& plant = problem.system.hydros[0];
    plant.evaporation[0] = sddp::Evaporation{1, 0.2, 100};
    plant.costs[0].evaporation_below = 200;
    plant.costs[0].evaporation_above = 200;
    problem.system.buses[0].mean_load_mw = {30};
    // all water is used: Q = 1 + 0.2·(10 + 0)/2 = 2, so 8 units remain
    EXPECT_NEAR(extensive_optimum(problem, solver), 22 * 100 * water_hours, 1e-6);
    plant.evaporation[0]->limit_m3s = 1.5;
    EXPECT_NEAR(extensive_optimum(problem, solver), (21.5 * 100 + 0.5 * 200) * water_hours, 1e-6);
}

TEST(ExtensiveFormTest, ChargesEachSideOfABand) {
    auto problem = tiny_problem(1, 100);
    problem.system.thermals.push_back(tiny_thermal(problem, 10, 1000));
    problem.system.buses[0].mean_load_mw = {30};
    problem.system.buses[0].excess_cost = sddp::ByBlock(problem.calendar, 90);
    sddp::GenericConstraint band;
    band.has_slack = true;
    band.penalty = 2;
    band.rows = {{0, 0, 35, 40, {{1, sddp::Quantity::thermal_generation, 0, -1, -1}}}};
    problem.system.constraints = {band};
    EXPECT_NEAR(extensive_optimum(problem, solver), (30 * 10 + 5 * 2) * 100, 1e-6);
    problem.system.constraints[0].rows[0].lower = 10;
    problem.system.constraints[0].rows[0].upper = 26;
    EXPECT_NEAR(extensive_optimum(problem, solver), (30 * 10 + 4 * 2) * 100, 1e-6);
}

}  // namespace
}  // namespace lockstep
