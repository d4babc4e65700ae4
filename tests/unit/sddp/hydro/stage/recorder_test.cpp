#include "sddp/hydro/stage/recorder.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"

#include "sddp/hydro/hydro_model.hpp"
#include "support/extensive_form.hpp"
#include "support/random_system.hpp"
#include "support/tiny_problem.hpp"

namespace lockstep::sddp {
namespace {

// Hours in which 1 m³/s is 1 hm³.
constexpr double hours = 1 / hm3_per_m3s_hour;

using Values = std::vector<double>;

/// Solves a stage at a state, without cuts but `pool`'s, and records it.
StageResult record(const Problem& problem,
                   const std::vector<double>& state,
                   const std::vector<double>& noise,
                   const CutPool* pool = nullptr,
                   double discount = 1) {
    const HydroModel model(problem, {});
    StageSolver solver(model, {});
    const std::span<const double> incoming = state;
    const auto decided = at(problem.states().decided);
    solver.begin({0, pool, {}, nullptr, incoming.subspan(decided)});
    HydroOutcome outcome;
    model.realise(0, incoming.subspan(decided), noise, outcome);
    EXPECT_EQ(solver.solve(incoming.first(decided), outcome), lp::Status::optimal);
    return model.record(0, solver, incoming, outcome, discount);
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], 1e-7) << i;
    }
}

/// UP (5 hm³, 3 m³/s of turbine) spills and turbines into DOWN (2 hm³, 0.5 MW/(m³/s)); neither can
/// store. A load of 10 MW has 4 MW of a thermal plant at 10 $/MWh and a deficit at 100 $/MWh.
Problem cascade() {
    auto problem = test::tiny_problem(2, hours);
    test::add_tiny_hydro(problem, 5, 100);
    test::add_tiny_hydro(problem, 2, 100);
    auto& up = problem.system.hydros[0];
    up.downstream = 1;
    up.groups[0].max_turbined_m3s = ByBlock(problem.calendar, 3);
    up.costs[0].spillage = 7;
    up.costs[0].turbined = 2;
    problem.system.hydros[1].productivity = {0.5, 0.5};
    for (auto& plant : problem.system.hydros) {
        plant.max_storage_hm3 = {0, 0};
    }
    problem.system.thermals = {test::tiny_thermal(problem, 10, 4)};
    problem.system.buses[0].mean_load_mw = {10, 10};
    problem.process.inflow.stages[0].base = {1, 0};
    return problem;
}

TEST(RecorderTest, ReadsWaterPowerAndCosts) {
    const auto result = record(cascade(), {5, 2}, {0, 0});

    const auto& hydro = result.hydro;
    expect_near(hydro.storage_initial_hm3, {5, 2});
    expect_near(hydro.storage_final_hm3, {0, 0});
    expect_near(hydro.incremental_inflow_m3s, {1, 0});
    expect_near(hydro.turbined_m3s, {3, 8});
    expect_near(hydro.spillage_m3s, {3, 0});
    expect_near(hydro.arriving_m3s, {0, 6});
    expect_near(hydro.generation_mw, {3, 4});
    expect_near(hydro.spillage_cost, {3 * 7 * hours, 0});
    expect_near(result.thermal_mw, {3});
    expect_near(result.deficit_mw, {0});
    expect_near(result.load_mw, {10});
    expect_near(result.spot_price, {10});
    EXPECT_EQ(result.cell.hydro, (std::vector<int>{0, 1}));
    expect_near(result.cell.generation_mw, {3, 4});

    const auto& cost = result.cost;
    EXPECT_NEAR(cost.thermal, 3 * 10 * hours, 1e-6);
    EXPECT_NEAR(cost.spillage, 3 * 7 * hours, 1e-6);
    EXPECT_NEAR(cost.turbined, 3 * 2 * hours, 1e-6);
    EXPECT_EQ(cost.deficit, 0);
    EXPECT_NEAR(cost.immediate, (30 + 21 + 6) * hours, 1e-6);
    EXPECT_NEAR(cost.future, 0, 1e-6);
}

TEST(RecorderTest, CountsADeficitByWhatItsSegmentsCost) {
    auto problem = cascade();
    problem.system.buses[0].mean_load_mw = {14, 10};
    problem.system.buses[0].deficit = {{2, 100}, {std::numeric_limits<double>::infinity(), 300}};
    const auto result = record(problem, {5, 2}, {0, 0});
    expect_near(result.thermal_mw, {4});
    expect_near(result.deficit_mw, {3});
    expect_near(result.spot_price, {300});
    EXPECT_NEAR(result.cost.deficit, (2 * 100 + 300) * hours, 1e-6);
}

TEST(RecorderTest, KeepsDiscountLagsAndFutureCostApart) {
    auto problem = cascade();
    problem.process.inflow.lags = 1;
    for (auto& stage : problem.process.inflow.stages) {
        stage.lag = {0, 0};
    }
    CutPool pool(problem.states());
    pool.add(1000, Values{0, 0, 10, 0}, 1, 0);
    const auto result = record(problem, {5, 2, 11, 12}, {0, 0}, &pool, 0.25);
    expect_near(result.incoming_lags_m3s, {11, 12});
    EXPECT_EQ(result.cost.discount, 0.25);
    EXPECT_NEAR(result.cost.future, 1000 + 10 * 1, 1e-6);
    EXPECT_NEAR(result.cost.immediate, (30 + 21 + 6) * hours, 1e-6);
}

double sum_of_parts(const CostBreakdown& cost) {
    return cost.thermal + cost.anticipated + cost.contract + cost.deficit + cost.excess +
           cost.exchange + cost.curtailment + cost.spillage + cost.turbined + cost.outflow_below +
           cost.outflow_above + cost.turbined_below + cost.generation_below + cost.evaporation +
           cost.withdrawal + cost.inflow_slack + cost.generic + cost.storage_below +
           cost.filling_below;
}

TEST(RecorderTest, PartsAddUpToTheImmediateCost) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const auto problem = test::random_problem(seed);
        std::vector<double> state;
        for (const auto& hydro : problem.system.hydros) {
            state.push_back(hydro.initial_storage_hm3);
        }
        const auto root = test::study_root(problem);
        state.insert(state.end(), root.transit_hm3.begin(), root.transit_hm3.end());
        state.insert(state.end(), root.committed_mw.begin(), root.committed_mw.end());
        state.insert(state.end(), root.energy_mwh.begin(), root.energy_mwh.end());
        const auto& lags = problem.process.inflow.initial_lags;
        state.insert(state.end(), lags.begin(), lags.end());
        const auto noise = problem.process.tree.noise(0, 0);
        const auto result = record(problem, state, {noise.begin(), noise.end()});
        EXPECT_NEAR(sum_of_parts(result.cost),
                    result.cost.immediate,
                    1e-8 * std::max(1.0, std::abs(result.cost.immediate)))
            << "seed " << seed;
    }
}

}  // namespace
}  // namespace lockstep::sddp
