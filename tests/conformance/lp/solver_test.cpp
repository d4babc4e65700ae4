#include "lockstep/lp/solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "conformance/lp/kkt.hpp"
#include "conformance/lp/random_lp.hpp"
#include "conformance/lp/solvers.hpp"

namespace lockstep::lp::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

class SolverTest : public ::testing::TestWithParam<SolverKind> {
protected:
    Status solve(const Model& model) {
        solver_->load(model);
        return solver_->solve();
    }

    std::unique_ptr<Solver> solver_ = make_solver(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Solvers, SolverTest, ::testing::ValuesIn(built_solvers()), solver_name);

/// maximise 3x + 5y with x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6), row prices 0, 3/2, 1
/// [Hillier, Lieberman: Introduction to Operations Research, Wyndor Glass].
Model wyndor() {
    ModelBuilder builder;
    const int doors = builder.add_column(-3.0, 0.0, infinity);
    const int windows = builder.add_column(-5.0, 0.0, infinity);
    const int first = builder.add_row(-infinity, 4.0);
    const int second = builder.add_row(-infinity, 12.0);
    const int third = builder.add_row(-infinity, 18.0);
    builder.add_entry(first, doors, 1.0);
    builder.add_entry(second, windows, 2.0);
    builder.add_entry(third, doors, 3.0);
    builder.add_entry(third, windows, 2.0);
    return builder.build();
}

/// minimise 2x + 3y, x + y >= 4, x + 3y >= 6, x, y >= 0: 9 at (3, 1), duals 3/2 and 1/2.
Model diet() {
    ModelBuilder builder;
    builder.add_column(2.0, 0.0, infinity);
    builder.add_column(3.0, 0.0, infinity);
    builder.add_row(4.0, infinity);
    builder.add_row(6.0, infinity);
    builder.add_entry(0, 0, 1.0);
    builder.add_entry(0, 1, 1.0);
    builder.add_entry(1, 0, 1.0);
    builder.add_entry(1, 1, 3.0);
    return builder.build();
}

/// minimise cost · x over one column and one row x.
Model single(double cost, double lower, double upper, double row_lower, double row_upper) {
    ModelBuilder builder;
    builder.add_column(cost, lower, upper);
    builder.add_row(row_lower, row_upper);
    builder.add_entry(0, 0, 1.0);
    return builder.build();
}

TEST_P(SolverTest, CountsAttemptsAfterTheFirst) {
    EXPECT_EQ(solver_->retries(), 0);
    EXPECT_EQ(solve(wyndor()), Status::optimal);
    EXPECT_EQ(solver_->retries(), 0);
    Model none = diet();
    none.column_upper = {1.0, 1.0};
    EXPECT_EQ(solve(none), Status::infeasible);  // reported only after a second solve
    EXPECT_GE(solver_->retries(), 1);
    EXPECT_LE(solver_->retries(), most_retries);
    EXPECT_EQ(solve(wyndor()), Status::optimal);
    EXPECT_EQ(solver_->retries(), 0);
}

TEST_P(SolverTest, SolvesATextbookMaximum) {
    ASSERT_EQ(solve(wyndor()), Status::optimal);

    EXPECT_NEAR(solver_->objective(), -36.0, 1e-9);
    EXPECT_THAT(solver_->primal(), ElementsAre(DoubleNear(2.0, 1e-9), DoubleNear(6.0, 1e-9)));
    EXPECT_THAT(solver_->row_activity(),
                ElementsAre(DoubleNear(2.0, 1e-9), DoubleNear(12.0, 1e-9), DoubleNear(18.0, 1e-9)));
}

TEST_P(SolverTest, GivesUpperRowsNegativeDuals) {
    ASSERT_EQ(solve(wyndor()), Status::optimal);

    EXPECT_THAT(solver_->dual(),
                ElementsAre(DoubleNear(0.0, 1e-9), DoubleNear(-1.5, 1e-9), DoubleNear(-1.0, 1e-9)));
    EXPECT_THAT(solver_->reduced_cost(), ElementsAre(DoubleNear(0.0, 1e-9), DoubleNear(0.0, 1e-9)));
}

TEST_P(SolverTest, GivesLowerRowsPositiveDuals) {
    ASSERT_EQ(solve(diet()), Status::optimal);

    EXPECT_NEAR(solver_->objective(), 9.0, 1e-9);
    EXPECT_THAT(solver_->dual(), ElementsAre(DoubleNear(1.5, 1e-9), DoubleNear(0.5, 1e-9)));
}

TEST_P(SolverTest, GivesReducedCostsAtBounds) {
    Model model = diet();
    model.column_upper[0] = 1.0;  // x is wanted but short: y = 3

    ASSERT_EQ(solve(model), Status::optimal);

    EXPECT_NEAR(solver_->objective(), 11.0, 1e-9);
    EXPECT_NEAR(solver_->reduced_cost()[0], -1.0, 1e-9);
    EXPECT_NEAR(solver_->dual()[0], 3.0, 1e-9);
}

TEST_P(SolverTest, GivesDualsThatAreDifferenceQuotients) {
    Model model = make_known_lp({.rows = 12, .columns = 25, .degeneracy = 1000}, 5).model;
    test::Dice dice(5);
    for (std::size_t row = 0; row < model.row_lower.size(); ++row) {  // away from ties
        model.row_lower[row] -= dice.uniform(0.1, 1.0);
        model.row_upper[row] += dice.uniform(0.1, 1.0);
    }
    ASSERT_EQ(solve(model), Status::optimal);
    const double base = solver_->objective();
    const std::vector<double> dual(solver_->dual().begin(), solver_->dual().end());
    EXPECT_GT(std::ranges::count_if(dual, [](double y) { return std::abs(y) > 0.1; }), 4);
    constexpr double step = 1e-4;

    for (std::size_t row = 0; row < dual.size(); ++row) {
        Model moved = model;
        (dual[row] > 0.0 ? moved.row_lower : moved.row_upper)[row] += step;
        ASSERT_EQ(solve(moved), Status::optimal);
        EXPECT_NEAR((solver_->objective() - base) / step, dual[row], 1e-5) << row;
    }
}

TEST_P(SolverTest, ReportsInfeasibleModels) {
    Model model = diet();
    model.column_upper = {1.0, 1.0};

    EXPECT_EQ(solve(model), Status::infeasible);
}

TEST_P(SolverTest, ReportsUnboundedModels) {
    Model model = diet();
    model.cost = {-1.0, 0.0};

    EXPECT_EQ(solve(model), Status::unbounded);
}

TEST_P(SolverTest, ReportsCrossedColumnBoundsAsInfeasible) {
    EXPECT_EQ(solve(single(1.0, 2.0, 1.0, -infinity, infinity)), Status::infeasible);
}

TEST_P(SolverTest, ReportsCrossedRowBoundsAsInfeasible) {
    EXPECT_EQ(solve(single(1.0, 0.0, 9.0, 5.0, 4.0)), Status::infeasible);
    solver_->set_row_bounds(0, 4.0, 5.0);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 4.0, 1e-12);
}

TEST_P(SolverTest, StopsAtTheIterationLimit) {
    SolverOptions options;
    options.iteration_limit = 1;
    const auto impatient = make_solver(GetParam(), options);
    impatient->load(make_known_lp({.rows = 30, .columns = 60}, 3).model);

    EXPECT_EQ(impatient->solve(), Status::iteration_limit);
}

TEST_P(SolverTest, TakesTheNearerEndOfARangedRow) {
    ASSERT_EQ(solve(single(1.0, -infinity, infinity, 2.0, 5.0)), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 2.0, 1e-12);
    EXPECT_NEAR(solver_->dual()[0], 1.0, 1e-12);

    ASSERT_EQ(solve(single(-1.0, -infinity, infinity, 2.0, 5.0)), Status::optimal);
    EXPECT_NEAR(solver_->objective(), -5.0, 1e-12);
    EXPECT_NEAR(solver_->dual()[0], -1.0, 1e-12);
}

TEST_P(SolverTest, HoldsFixedColumns) {
    ModelBuilder builder;
    builder.add_column(1.0, 0.0, infinity);
    builder.add_column(-7.0, 3.0, 3.0);
    builder.add_row(10.0, 10.0);
    builder.add_entry(0, 0, 1.0);
    builder.add_entry(0, 1, 1.0);

    ASSERT_EQ(solve(builder.build()), Status::optimal);

    EXPECT_NEAR(solver_->objective(), 7.0 - 21.0, 1e-12);
    EXPECT_NEAR(solver_->reduced_cost()[1], -8.0, 1e-12);
}

TEST_P(SolverTest, LeavesAFreeColumnWithoutCostAtZero) {
    ASSERT_EQ(solve(single(0.0, -infinity, infinity, -infinity, infinity)), Status::optimal);
    EXPECT_DOUBLE_EQ(solver_->primal()[0], 0.0);
}

TEST_P(SolverTest, SolvesModelsWithEmptyRowsAndColumns) {
    ModelBuilder builder;
    builder.add_column(1.0, 0.0, infinity);
    builder.add_column(2.0, -1.0, 4.0);   // empty, rests at its lower bound
    builder.add_column(-3.0, -1.0, 4.0);  // empty, rests at its upper bound
    builder.add_row(5.0, infinity);
    builder.add_row(-1.0, 1.0);  // empty, feasible
    builder.add_entry(0, 0, 2.0);

    ASSERT_EQ(solve(builder.build()), Status::optimal);

    EXPECT_NEAR(solver_->objective(), 2.5 - 2.0 - 12.0, 1e-12);
    EXPECT_NEAR(solver_->row_activity()[1], 0.0, 1e-12);
}

TEST_P(SolverTest, ReportsAnEmptyRowThatNothingCanFill) {
    ModelBuilder builder;
    builder.add_column(1.0, 0.0, infinity);
    builder.add_row(1.0, infinity);
    builder.add_row(0.0, infinity);
    builder.add_entry(1, 0, 1.0);

    EXPECT_EQ(solve(builder.build()), Status::infeasible);
}

TEST_P(SolverTest, SolvesModelsWithoutRows) {
    ModelBuilder builder;
    builder.add_column(2.0, -1.0, 4.0);
    builder.add_column(-3.0, -1.0, 4.0);

    ASSERT_EQ(solve(builder.build()), Status::optimal);

    EXPECT_NEAR(solver_->objective(), -14.0, 1e-12);
    EXPECT_THAT(solver_->primal(), ElementsAre(-1.0, 4.0));
    EXPECT_THAT(solver_->reduced_cost(), ElementsAre(2.0, -3.0));
    EXPECT_TRUE(solver_->dual().empty());
}

TEST_P(SolverTest, SolvesModelsWithoutEntries) {
    ModelBuilder builder;
    builder.add_column(2.0, -1.0, 4.0);
    builder.add_row(-1.0, 1.0);

    ASSERT_EQ(solve(builder.build()), Status::optimal);

    EXPECT_NEAR(solver_->objective(), -2.0, 1e-12);
    EXPECT_THAT(solver_->reduced_cost(), ElementsAre(2.0));
    EXPECT_THAT(solver_->dual(), ElementsAre(0.0));
}

TEST_P(SolverTest, SolvesModelsWithDuplicateRows) {
    Model model = diet();
    RowBlock twin;
    twin.add(4.0, infinity, std::array{0, 1}, std::array{1.0, 1.0});
    solver_->load(model);
    solver_->add_rows(twin);

    ASSERT_EQ(solver_->solve(), Status::optimal);

    EXPECT_NEAR(solver_->objective(), 9.0, 1e-9);
    EXPECT_NEAR(solver_->dual()[0] + solver_->dual()[2], 1.5, 1e-9);
}

TEST_P(SolverTest, SolvesDegenerateModels) {
    const KnownLp known =
        make_known_lp({.rows = 30, .columns = 50, .entries_per_column = 2, .degeneracy = 1}, 11);

    ASSERT_EQ(solve(known.model), Status::optimal);

    EXPECT_NEAR(solver_->objective(), known.optimum, 1e-9 * (1.0 + std::abs(known.optimum)));
    EXPECT_LT(kkt_errors(known.model, *solver_).largest(), 1e-8);
}

TEST_P(SolverTest, NeedsNoPivotWhenNothingChanged) {
    ASSERT_EQ(solve(make_known_lp({.rows = 30, .columns = 60}, 1).model), Status::optimal);
    EXPECT_GT(solver_->iterations(), 0);

    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_EQ(solver_->iterations(), 0);
}

TEST_P(SolverTest, NeedsNoPivotFromItsOwnBasis) {
    const KnownLp known = make_known_lp({.rows = 30, .columns = 60}, 1);
    ASSERT_EQ(solve(known.model), Status::optimal);
    Basis basis;
    solver_->get_basis(basis);
    EXPECT_EQ(std::ranges::count(basis.column, VariableStatus::basic) +
                  std::ranges::count(basis.row, VariableStatus::basic),
              30);

    const auto other = make_solver(GetParam());
    other->load(known.model);
    other->set_basis(basis);
    ASSERT_EQ(other->solve(), Status::optimal);

    EXPECT_EQ(other->iterations(), 0);
    EXPECT_NEAR(other->objective(), known.optimum, 1e-9 * (1.0 + std::abs(known.optimum)));
}

TEST_P(SolverTest, ReturnsTheBasisThatItWasGiven) {
    solver_->load(diet());
    Basis given;
    given.column = {VariableStatus::basic, VariableStatus::at_lower};
    given.row = {VariableStatus::at_lower, VariableStatus::basic};
    solver_->set_basis(given);
    Basis returned;
    solver_->get_basis(returned);

    EXPECT_EQ(returned.column, given.column);
    EXPECT_EQ(returned.row, given.row);
}

TEST_P(SolverTest, StartsWithAllRowsBasic) {
    solver_->load(diet());
    Basis basis;
    solver_->get_basis(basis);

    EXPECT_THAT(basis.row, ElementsAre(VariableStatus::basic, VariableStatus::basic));
    EXPECT_THAT(basis.column, ElementsAre(VariableStatus::at_lower, VariableStatus::at_lower));
}

TEST_P(SolverTest, RepairsABasisOfTheWrongSize) {
    const KnownLp known = make_known_lp({.rows = 30, .columns = 60}, 2);
    for (const VariableStatus everything : {VariableStatus::basic,
                                            VariableStatus::at_lower,
                                            VariableStatus::at_upper,
                                            VariableStatus::free_at_zero}) {
        solver_->load(known.model);
        Basis basis;
        basis.column.assign(60, everything);
        basis.row.assign(30, everything);
        solver_->set_basis(basis);

        ASSERT_EQ(solver_->solve(), Status::optimal);
        EXPECT_NEAR(solver_->objective(), known.optimum, 1e-9 * (1.0 + std::abs(known.optimum)));
    }
}

std::ptrdiff_t basic_variables(const Solver& solver) {
    Basis basis;
    solver.get_basis(basis);
    return std::ranges::count(basis.column, VariableStatus::basic) +
           std::ranges::count(basis.row, VariableStatus::basic);
}

// More of them than rows made Clp write beyond its arrays.
TEST_P(SolverTest, HasAsManyBasicVariablesAsRowsWhateverItIsGiven) {
    const KnownLp known = make_known_lp({.rows = 30, .columns = 60}, 2);
    for (const int basic_columns : {0, 10, 29, 31, 60}) {
        for (const VariableStatus slacks : {VariableStatus::basic, VariableStatus::at_lower}) {
            solver_->load(known.model);
            Basis basis;
            basis.column.assign(60, VariableStatus::at_lower);
            std::fill_n(basis.column.begin(), basic_columns, VariableStatus::basic);
            basis.row.assign(30, slacks);
            solver_->set_basis(basis);

            EXPECT_EQ(basic_variables(*solver_), 30) << basic_columns;
            ASSERT_EQ(solver_->solve(), Status::optimal);
            EXPECT_NEAR(
                solver_->objective(), known.optimum, 1e-9 * (1.0 + std::abs(known.optimum)));
        }
    }
}

TEST_P(SolverTest, HasAsManyBasicVariablesAsRowsThatAreLeft) {
    const KnownLp known = make_known_lp({.rows = 30, .columns = 60}, 2);
    for (const int left : {29, 15, 1, 0}) {
        solver_->load(known.model);
        ASSERT_EQ(solver_->solve(), Status::optimal);
        solver_->delete_rows_from(left);

        if (GetParam() == SolverKind::clp) {  // HiGHS has no basis before it solves again
            EXPECT_EQ(basic_variables(*solver_), left);
        }
        EXPECT_NE(solver_->solve(), Status::numerical_failure);
    }
}

TEST_P(SolverTest, RefusesABasisOfAnotherModel) {
    solver_->load(diet());
    Basis basis;
    basis.column.assign(3, VariableStatus::at_lower);
    basis.row.assign(2, VariableStatus::basic);

    EXPECT_THROW(solver_->set_basis(basis), AssertionError);
}

TEST_P(SolverTest, TakesABasisOfAnyStatuses) {
    const KnownLp known = make_known_lp({.rows = 20, .columns = 40}, 2);
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        Dice dice(seed);
        const auto any = [&] { return static_cast<VariableStatus>(dice.integer(0, 3)); };
        Basis basis;
        basis.column.resize(40);
        basis.row.resize(20);
        std::ranges::generate(basis.column, any);
        std::ranges::generate(basis.row, any);
        solver_->load(known.model);
        solver_->set_basis(basis);

        ASSERT_EQ(solver_->solve(), Status::optimal) << seed;
        EXPECT_NEAR(solver_->objective(), known.optimum, 1e-9 * (1.0 + std::abs(known.optimum)));
    }
}

TEST_P(SolverTest, WarmStartSavesPivots) {
    KnownLp known = make_known_lp({.rows = 60, .columns = 120}, 4);
    for (std::size_t i = 0; i < known.model.row_lower.size(); ++i) {
        known.model.row_lower[i] -= 5.0;  // room to move without becoming infeasible
    }
    ASSERT_EQ(solve(known.model), Status::optimal);
    const std::int64_t cold = solver_->iterations();

    known.model.row_lower[7] += 0.5;
    solver_->set_row_bounds(7, known.model.row_lower[7], known.model.row_upper[7]);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    const std::int64_t warm = solver_->iterations();
    const double warm_objective = solver_->objective();
    ASSERT_EQ(solve(known.model), Status::optimal);

    EXPECT_LT(2 * warm, cold);
    EXPECT_NEAR(warm_objective, solver_->objective(), 1e-9 * (1.0 + std::abs(warm_objective)));
}

TEST_P(SolverTest, FollowsRowBounds) {
    ASSERT_EQ(solve(diet()), Status::optimal);

    solver_->set_row_bounds(0, 6.0, infinity);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 12.0, 1e-9);  // (6, 0)

    solver_->set_row_bounds(0, std::array{4.0, 12.0}, std::array{infinity, 12.0});
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 12.0, 1e-9);  // (0, 4)
}

TEST_P(SolverTest, FollowsColumnBounds) {
    ASSERT_EQ(solve(diet()), Status::optimal);

    solver_->set_column_bounds(1, 2.0, infinity);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 10.0, 1e-9);  // (2, 2)

    solver_->set_column_bounds(0, std::array{0.0, 0.0}, std::array{0.0, 10.0});
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 12.0, 1e-9);  // (0, 4)
}

TEST_P(SolverTest, FollowsCosts) {
    ASSERT_EQ(solve(diet()), Status::optimal);

    solver_->set_cost(0, 10.0);
    ASSERT_EQ(solver_->solve(), Status::optimal);

    EXPECT_NEAR(solver_->objective(), 12.0, 1e-9);  // (0, 4)
}

TEST_P(SolverTest, FollowsAddedAndDeletedRows) {
    ASSERT_EQ(solve(diet()), Status::optimal);
    RowBlock rows;
    rows.add(-infinity, 2.0, std::array{0}, std::array{1.0});  // x <= 2
    rows.add(3.0, infinity, std::array{1}, std::array{1.0});   // y >= 3

    solver_->add_rows(rows);
    EXPECT_EQ(solver_->rows(), 4);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 11.0, 1e-9);  // (1, 3)

    solver_->delete_rows_from(3);
    EXPECT_EQ(solver_->rows(), 3);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 10.0, 1e-9);  // (2, 2)

    solver_->delete_rows_from(2);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 9.0, 1e-9);
    EXPECT_EQ(solver_->row_activity().size(), 2U);
}

TEST_P(SolverTest, AddsRowsAsBasic) {
    ASSERT_EQ(solve(diet()), Status::optimal);
    RowBlock rows;
    rows.add(0.0, infinity, std::array{0, 1}, std::array{1.0, 1.0});
    solver_->add_rows(rows);
    Basis basis;
    solver_->get_basis(basis);
    EXPECT_EQ(basis.row.back(), VariableStatus::basic);

    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_EQ(solver_->iterations(), 0);
}

TEST_P(SolverTest, IgnoresAnEmptyBlockOfRows) {
    ASSERT_EQ(solve(diet()), Status::optimal);
    solver_->add_rows({});
    solver_->delete_rows_from(2);

    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 9.0, 1e-9);
}

TEST_P(SolverTest, CanDeleteAllRows) {
    ASSERT_EQ(solve(diet()), Status::optimal);
    solver_->delete_rows_from(0);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 0.0, 1e-12);

    RowBlock rows;
    rows.add(4.0, infinity, std::array{0, 1}, std::array{1.0, 1.0});
    solver_->add_rows(rows);
    ASSERT_EQ(solver_->solve(), Status::optimal);
    EXPECT_NEAR(solver_->objective(), 8.0, 1e-9);
}

TEST_P(SolverTest, PricesTinyCosts) {
    // A transport problem whose costs span 13 decades: each demand of 1 takes the cheapest way, and
    // only reduced costs of 1e-7 tell the ways apart.
    ModelBuilder builder;
    double expected = 0.0;
    for (int demand = 0; demand < 14; ++demand) {
        const double cheap = std::pow(10.0, demand - 7);
        builder.add_row(1.0, 1.0);
        for (const double factor : {3.0, 1.0, 2.0}) {
            const int way = builder.add_column(factor * cheap, 0.0, 0.75);
            builder.add_entry(demand, way, 1.0);
        }
        expected += 0.75 * cheap + 0.25 * 2.0 * cheap;
    }
    const Model model = builder.build();

    ASSERT_EQ(solve(model), Status::optimal);

    EXPECT_NEAR(solver_->objective(), expected, 1e-9 * expected);
    for (std::size_t demand = 0; demand < 14; ++demand) {
        EXPECT_NEAR(solver_->primal()[3 * demand + 1], 0.75, 1e-9) << demand;
        EXPECT_NEAR(solver_->primal()[3 * demand], 0.0, 1e-9) << demand;
    }
}

/// What a solve leaves behind, bit by bit.
struct Outcome {
    Status status;
    std::int64_t iterations;
    double objective;
    std::vector<double> numbers;
    Basis basis;

    friend bool operator==(const Outcome& a, const Outcome& b) {
        return a.status == b.status && a.iterations == b.iterations && a.objective == b.objective &&
               a.numbers == b.numbers && a.basis.column == b.basis.column &&
               a.basis.row == b.basis.row;
    }
};

Outcome outcome_of(Solver& solver) {
    Outcome outcome;
    outcome.status = solver.solve();
    outcome.iterations = solver.iterations();
    outcome.objective = solver.objective();
    for (const auto part :
         {solver.primal(), solver.row_activity(), solver.dual(), solver.reduced_cost()}) {
        outcome.numbers.insert(outcome.numbers.end(), part.begin(), part.end());
    }
    solver.get_basis(outcome.basis);
    return outcome;
}

std::vector<Outcome> play(Solver& solver, std::uint32_t seed) {
    Dice dice(seed);
    const KnownLp known =
        make_known_lp({.rows = 20, .columns = 50, .entries_per_column = 3, .degeneracy = 2}, seed);
    std::vector<Outcome> outcomes;
    solver.load(known.model);
    outcomes.push_back(outcome_of(solver));
    const Basis start = outcomes.front().basis;
    for (int step = 0; step < 12; ++step) {
        const auto row = static_cast<std::size_t>(dice.integer(0, 19));
        solver.set_row_bounds(static_cast<int>(row),
                              known.model.row_lower[row] - dice.uniform(0.0, 5.0),
                              known.model.row_upper[row] + dice.uniform(0.0, 5.0));
        solver.set_cost(dice.integer(0, 49), dice.uniform(0.0, 5.0));
        if (step % 4 == 1) {
            RowBlock rows;
            rows.add(-dice.uniform(0.0, 50.0),
                     infinity,
                     std::array{1, 5, 9},
                     std::array{1.0, 2.0, -1.0});
            solver.add_rows(rows);
        }
        if (step % 4 == 3) {
            solver.delete_rows_from(20);
        }
        if (step == 8) {
            solver.set_basis(start);
        }
        outcomes.push_back(outcome_of(solver));
    }
    return outcomes;
}

TEST_P(SolverTest, RepeatsItsBitsAfterLoad) {
    const auto dirty = make_solver(GetParam());
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const auto fresh = make_solver(GetParam());

        const std::vector<Outcome> expected = play(*fresh, seed);
        play(*dirty, seed + 1000);

        EXPECT_EQ(play(*dirty, seed), expected) << "seed " << seed;
    }
}

TEST_P(SolverTest, RepeatsItsBitsBesideOtherThreads) {
    constexpr std::uint32_t threads = 4;
    std::vector<std::vector<Outcome>> found(threads);
    {
        std::vector<std::jthread> team;
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
            team.emplace_back([thread, &found] {
                const auto solver = make_solver(GetParam());
                for (std::uint32_t seed = 0; seed <= thread; ++seed) {
                    found[thread] = play(*solver, seed);
                }
            });
        }
    }
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        EXPECT_EQ(found[thread], play(*solver_, thread)) << "thread " << thread;
    }
}

TEST_P(SolverTest, SaysItsName) {
    EXPECT_EQ(solver_->name(), to_string(GetParam()));
    EXPECT_TRUE(is_built(GetParam()));
}

}  // namespace
}  // namespace lockstep::lp::testing
