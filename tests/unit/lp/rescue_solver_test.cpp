#include "lp/rescue_solver.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Highs.h>
#include <gtest/gtest.h>

#include "lockstep/lp/solver.hpp"

#include "support/places.hpp"
#include "unit/lp/highs_model.hpp"

namespace lockstep::lp {
namespace {

struct Known {
    Model model;
    double optimum = 0.0;
};

void read_into(Highs& highs, const std::string& name) {
    highs.setOptionValue("output_flag", false);
    highs.setOptionValue("small_matrix_value", 1e-12);  // of cheap water beside dear penalties
    EXPECT_EQ(highs.readModel(test::source_dir() / "tests/unit/lp/data" / name), HighsStatus::kOk);
}

Model read(const std::string& name) {
    Highs highs;
    read_into(highs, name);
    return model_of(highs);
}

// HiGHS's own presolve, scaling and perturbation: all that ours leave off.
Known read_model(const std::string& name) {
    Highs highs;
    read_into(highs, name);
    highs.run();
    EXPECT_EQ(highs.getModelStatus(), HighsModelStatus::kOptimal);
    return {model_of(highs), highs.getInfo().objective_function_value};
}

/// minimise cost · x, 1 <= entry · x <= upper, x >= 0.
Model single(double cost, double entry, double upper) {
    ModelBuilder builder;
    builder.add_column(cost, 0.0, infinity);
    builder.add_row(1.0, upper);
    builder.add_entry(0, 0, entry);
    return builder.build();
}

class RescueSolverTest : public ::testing::TestWithParam<SolverKind> {
protected:
    void SetUp() override {
        if (!is_built(GetParam())) {
            GTEST_SKIP() << "not built";
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Solvers,
                         RescueSolverTest,
                         ::testing::Values(SolverKind::clp, SolverKind::highs),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

// Stage LPs with penalties of 1e6 to 3e9, on which Clp alone has no answer (data/README.md).
TEST_P(RescueSolverTest, DecidesModelsOnWhichClpAloneGivesUp) {
    for (const auto* name : {"clp-gives-up-1.mps", "clp-gives-up-2.mps", "clp-gives-up-3.mps"}) {
        const auto known = read_model(name);
        const auto solver = make_solver(GetParam());

        solver->load(known.model);

        ASSERT_EQ(solver->solve(), Status::optimal) << name;
        EXPECT_NEAR(solver->objective(), known.optimum, 1e-6 * std::abs(known.optimum)) << name;
        EXPECT_LE(solver->retries(), most_retries);

        // And again from where it ended.
        ASSERT_EQ(solver->solve(), Status::optimal) << name;
        EXPECT_NEAR(solver->objective(), known.optimum, 1e-6 * std::abs(known.optimum)) << name;
    }
}

// Every cost meets a bound, so that no direction lowers the objective for ever; with such sizes
// both solvers say unbounded all the same.
TEST_P(RescueSolverTest, CallsNoModelUnboundedThatIsBoundedBelow) {
    for (const auto* name : {"never-unbounded-1.mps", "never-unbounded-2.mps"}) {
        const auto model = read(name);
        ASSERT_TRUE(detail::is_bounded_below(model));
        const auto solver = make_solver(GetParam());

        solver->load(model);

        EXPECT_NE(solver->solve(), Status::unbounded) << name;
    }
    EXPECT_FALSE(detail::is_bounded_below(single(-1.0, 1.0, 2.0)));
    EXPECT_TRUE(detail::is_bounded_below(single(0.0, 1.0, infinity)));
}

// Clp ends the program by an assertion on some of these, HiGHS calls others optimal.
TEST_P(RescueSolverTest, NumbersOfNoUseHaveNoAnswer) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const auto solver = make_solver(GetParam());
    for (const double bad : {1e300, -1e300, 1e20, infinity, nan}) {
        solver->load(single(bad, 1.0, 2.0));
        EXPECT_EQ(solver->solve(), Status::numerical_failure) << bad;
        solver->load(single(1.0, bad, 2.0));
        EXPECT_EQ(solver->solve(), Status::numerical_failure) << bad;
    }
    solver->load(single(1.0, 1.0, nan));
    EXPECT_EQ(solver->solve(), Status::numerical_failure);

    solver->load(single(1.0, 1.0, 2.0));
    EXPECT_EQ(solver->solve(), Status::optimal);
    EXPECT_DOUBLE_EQ(solver->objective(), 1.0);
}

TEST_P(RescueSolverTest, GoesOnWhenANumberOfNoUseIsReplaced) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const auto solver = make_solver(GetParam());
    solver->load(single(1.0, 1.0, 2.0));
    solver->set_row_bounds(0, nan, 2.0);
    EXPECT_EQ(solver->solve(), Status::numerical_failure);
    solver->set_row_bounds(0, 1.5, 2.0);
    ASSERT_EQ(solver->solve(), Status::optimal);
    EXPECT_DOUBLE_EQ(solver->objective(), 1.5);

    solver->set_cost(0, 1e300);
    EXPECT_EQ(solver->solve(), Status::numerical_failure);
    solver->set_cost(0, 2.0);
    RowBlock rows;
    rows.add(1.75, infinity, std::vector<int>{0}, std::vector<double>{1.0});
    solver->add_rows(rows);
    ASSERT_EQ(solver->solve(), Status::optimal);
    EXPECT_DOUBLE_EQ(solver->objective(), 3.5);
    solver->delete_rows_from(1);
    ASSERT_EQ(solver->solve(), Status::optimal);
    EXPECT_DOUBLE_EQ(solver->objective(), 3.0);
}

}  // namespace
}  // namespace lockstep::lp
