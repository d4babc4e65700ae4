#include "sddp/stage/stage_solver.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sddp/hydro/hydro_model.hpp"
#include "support/random_system.hpp"
#include "support/tiny_problem.hpp"

namespace lockstep::sddp {
namespace {

// Hours in which 1 m³/s is 1 hm³, and what a MW of deficit costs over them: also the worth of 1
// hm³.
constexpr double hours = 1 / hm3_per_m3s_hour;
constexpr double unit = 100 * hours;

/// One plant of 1 MW/(m³/s) that holds 5 of 100 hm³, a load of 10 MW, two stages.
Problem one_plant() {
    auto problem = test::tiny_problem(2, hours);
    test::add_tiny_hydro(problem, 5, 100);
    problem.system.hydros[0].name = "DAM";
    problem.system.buses[0].mean_load_mw = {10, 10};
    return problem;
}

/// … whose inflow is 1 + 0.5·4 + 0.25·8 + 10·η = 5 + 10·η.
Problem plant_with_memory() {
    auto problem = one_plant();
    problem.process.inflow.lags = 2;
    problem.process.inflow.initial_lags = {4, 8};
    for (auto& stage : problem.process.inflow.stages) {
        stage.base = {1};
        stage.scale = {10};
        stage.lag = {0.5, 0.25};
    }
    return problem;
}

/// Lets a test say between what the inflows of the first stage lie.
class ModelOfMeans : public HydroModel {
public:
    using HydroModel::HydroModel;
    void set_means(std::vector<Interval> means) { inflow_means_.assign(1, std::move(means)); }
};

/// Solves the first stage of a problem at its initial state.
class FirstStage {
public:
    explicit FirstStage(Problem problem, SolverSetup setup = {})
        : problem_(std::move(problem)),
          model_(problem_, setup.speed),
          pool(problem_.states()),
          solver(model_, setup) {
        storage = model_.initial_state();
        storage.resize(static_cast<std::size_t>(problem_.states().decided));
    }

    void add_cut(double intercept, const std::vector<double>& slopes) {
        pool.add(intercept, slopes, 1, pool.size());
    }
    lp::Status solve(double noise = 0) {
        const auto& lags = problem_.process.inflow.initial_lags;
        solver.begin({0, &pool, working_set, basis, lags, bounding});
        return again(noise);
    }
    lp::Status again(double noise = 0) {
        const std::vector<double> noises(static_cast<std::size_t>(problem_.process.layout.size()),
                                         noise);
        model_.realise(0, problem_.process.inflow.initial_lags, noises, outcome);
        return solver.solve(storage, outcome);
    }
    void set_means(std::vector<Interval> means) { model_.set_means(std::move(means)); }
    std::vector<double> slopes() {
        std::vector<double> result(static_cast<std::size_t>(problem_.state_size()));
        solver.gradient(result);
        return result;
    }

private:
    Problem problem_;
    ModelOfMeans model_;

public:
    CutPool pool;
    StageSolver solver;
    std::vector<double> storage;
    std::vector<int> working_set;
    const StoredBasis* basis = nullptr;
    const CutPool* bounding = nullptr;
    HydroOutcome outcome;
};

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], 1e-9 * unit) << i;
    }
}

TEST(StageSolverTest, UsesTheWaterWhereNothingComesAfter) {
    FirstStage stage(one_plant());
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    EXPECT_NEAR(stage.solver.objective(), 5 * unit, 1e-9 * unit);
    EXPECT_NEAR(stage.solver.future_cost(), 0, 1e-9 * unit);
    expect_near(stage.slopes(), {-unit});
}

TEST(StageSolverTest, KeepsTheWaterWhereACutValuesItMore) {
    FirstStage stage(one_plant());
    stage.add_cut(16 * unit, {-2 * unit});
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    EXPECT_NEAR(stage.solver.objective(), 16 * unit, 1e-9 * unit);
    EXPECT_NEAR(stage.solver.future_cost(), 6 * unit, 1e-9 * unit);
    std::vector<double> outgoing(1);
    stage.solver.outgoing(outgoing);
    EXPECT_NEAR(outgoing[0], 5, 1e-9);
    expect_near(stage.slopes(), {-2 * unit});
}

TEST(StageSolverTest, DiscountsTheFutureCost) {
    auto problem = one_plant();
    problem.calendar.stages[0].annual_discount_rate = 0.5;
    const auto discount = problem.calendar.stages[0].discount_factor();
    FirstStage stage(std::move(problem));
    stage.add_cut(40 * unit, {-4 * unit});
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    EXPECT_NEAR(stage.solver.future_cost(), discount * 20 * unit, 1e-9 * unit);
    EXPECT_NEAR(stage.solver.objective(), (10 + discount * 20) * unit, 1e-9 * unit);
    expect_near(stage.slopes(), {-4 * discount * unit});
}

// θ >= 30 - 2·v - z + 0.5·a, with z = 5, a = 4 and v = 5 + 5; a hm³ of inflow is worth 2 + 1.
TEST(StageSolverTest, CarriesDualsThroughTheLags) {
    FirstStage stage(plant_with_memory());
    stage.add_cut(30 * unit, {-2 * unit, -unit, 0.5 * unit});
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    EXPECT_NEAR(stage.solver.objective(), 17 * unit, 1e-9 * unit);
    expect_near(stage.slopes(), {-2 * unit, (-1.5 + 0.5) * unit, -0.75 * unit});
}

// The inflow of -1 is 0; it may be from -4 to 6, where the secant is 0.6·f + 2.4. The bounding cut
// is 1 lower and falls by half as much with the inflow: a hm³ of it is worth 2 + 0.5.
TEST(StageSolverTest, BoundsTheCostByTheSecantOfATruncatedInflow) {
    auto problem = plant_with_memory();
    problem.process.non_negativity = NonNegativity::truncation;
    FirstStage stage(problem);
    stage.add_cut(30 * unit, {-2 * unit, -unit, 0.5 * unit});
    CutPool bounding(problem.states());
    bounding.add(29 * unit, std::vector<double>{-2 * unit, -0.5 * unit, 0.5 * unit}, 1, 0);
    stage.bounding = &bounding;
    stage.set_means({{2, 12}});
    ASSERT_EQ(stage.solve(-0.6), lp::Status::optimal);
    EXPECT_NEAR(stage.solver.objective(), 32 * unit, 1e-9 * unit);
    expect_near(stage.slopes(), {-2 * unit, (-1.5 + 0.5) * unit, -0.75 * unit});
    std::vector<double> slopes(2);
    EXPECT_NEAR(stage.solver.bound(stage.outcome, slopes),
                (32 - 1 - 2.5 * (2.4 - 0.6)) * unit,
                1e-9 * unit);
    expect_near(slopes, {(-2.5 * 0.6 * 0.5 + 0.5) * unit, -2.5 * 0.6 * 0.25 * unit});
}

/// Tangents of u·(v - 40)²/20 at 0, 2, 4, … 38.
void add_tangents(FirstStage& stage) {
    for (int v = 0; v < 40; v += 2) {
        stage.add_cut(unit * ((v - 40.0) * (v - 40.0) / 20 - v * (v - 40.0) / 10),
                      {unit * (v - 40.0) / 10});
    }
}

TEST(StageSolverTest, LazyCutsLeadToTheOptimumOfAllCuts) {
    FirstStage lazy(one_plant());
    SolverSetup setup;
    setup.speed.lazy_cuts = false;
    FirstStage full(one_plant(), setup);
    for (auto* stage : {&lazy, &full}) {
        stage->storage = {35};
        add_tangents(*stage);
    }
    lazy.working_set = {3};
    ASSERT_EQ(lazy.solve(), lp::Status::optimal);
    ASSERT_EQ(full.solve(), lp::Status::optimal);
    EXPECT_EQ(full.solver.resident_cuts(), 20);
    EXPECT_LT(lazy.solver.resident_cuts(), 15);
    EXPECT_NEAR(lazy.solver.objective(), full.solver.objective(), 1e-9 * unit);
    expect_near(lazy.slopes(), full.slopes());
}

TEST(StageSolverTest, MarksTheCutsThatSupportTheOptimum) {
    FirstStage stage(one_plant());
    stage.add_cut(unit, {0});
    stage.add_cut(16 * unit, {-2 * unit});
    stage.add_cut(2 * unit, {0});
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    std::vector<std::uint64_t> active(1);
    stage.solver.mark_active(active);
    EXPECT_EQ(active[0], 0b010u);
}

TEST(StageSolverTest, AUnitForgetsWhatWasBefore) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto problem = test::random_problem(seed);
        if (problem.stage_count() < 2) {
            continue;
        }
        FirstStage fresh(problem);
        FirstStage used(problem);
        ASSERT_EQ(used.solve(1.5), lp::Status::optimal);
        ASSERT_EQ(used.again(-1.5), lp::Status::optimal);
        ASSERT_EQ(fresh.solve(0.5), lp::Status::optimal);
        ASSERT_EQ(used.solve(0.5), lp::Status::optimal);
        EXPECT_EQ(used.solver.objective(), fresh.solver.objective());
        EXPECT_TRUE(std::ranges::equal(used.solver.primal(), fresh.solver.primal()));
        EXPECT_EQ(used.slopes(), fresh.slopes());
    }
}

TEST(StageSolverTest, AStoredBasisIsOptimalAtOnce) {
    FirstStage stage(one_plant());
    stage.storage = {35};
    add_tangents(stage);
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    const auto objective = stage.solver.objective();
    EXPECT_GT(stage.solver.take_work().pivots, 0);
    StoredBasis basis;
    stage.solver.store_basis(basis);
    EXPECT_FALSE(basis.empty());

    stage.basis = &basis;
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    const auto work = stage.solver.take_work();
    EXPECT_EQ(work.warm_starts, 1);
    EXPECT_EQ(work.solves, 1);
    EXPECT_EQ(work.pivots, 0);
    EXPECT_NEAR(stage.solver.objective(), objective, 1e-9 * unit);
}

TEST(StageSolverTest, CountsWorkSinceTheLastCall) {
    FirstStage stage(one_plant());
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    ASSERT_EQ(stage.again(), lp::Status::optimal);
    const auto work = stage.solver.take_work();
    EXPECT_EQ(work.units, 2);
    EXPECT_EQ(work.solves, 2);
    EXPECT_EQ(work.warm_starts, 0);
    EXPECT_EQ(stage.solver.take_work().units, 0);
}

TEST(StageSolverTest, TellsAnInfeasibleStageAndNamesItsRows) {
    auto problem = one_plant();
    problem.system.hydros[0].min_storage_hm3 = {50, 50};
    FirstStage stage(std::move(problem));
    stage.add_cut(unit, {-unit});
    stage.working_set = {0};
    EXPECT_EQ(stage.solve(), lp::Status::infeasible);
    const auto rows = stage.solver.row_names();
    EXPECT_THAT(rows, testing::Contains("water_balance DAM"));
    EXPECT_EQ(rows.back(), "cut 0");
    const auto model = stage.solver.present_model();
    EXPECT_EQ(static_cast<int>(rows.size()), model.rows());
    EXPECT_EQ(static_cast<int>(stage.solver.column_names().size()), model.columns());
}

TEST(StageSolverTest, ThePresentModelIsWhatWasSolved) {
    FirstStage stage(one_plant());
    stage.storage = {35};
    add_tangents(stage);
    ASSERT_EQ(stage.solve(), lp::Status::optimal);
    const auto other = lp::make_solver(lp::SolverKind::highs);
    other->load(stage.solver.present_model());
    ASSERT_EQ(other->solve(), lp::Status::optimal);
    const auto x = stage.solver.primal();
    double cost = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        cost += stage.solver.present_model().cost[j] * x[j];
    }
    EXPECT_NEAR(other->objective(), cost, 1e-9 * std::abs(cost));
}

}  // namespace
}  // namespace lockstep::sddp
