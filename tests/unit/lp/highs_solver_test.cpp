#include <string>

#include <Highs.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/lp/solver.hpp"

#include "support/places.hpp"
#include "unit/lp/highs_model.hpp"

namespace lockstep::lp {
namespace {

Model read_model(const std::string& path) {
    Highs highs;
    highs.setOptionValue("output_flag", false);
    EXPECT_EQ(highs.readModel(path), HighsStatus::kOk);
    return model_of(highs);
}

// Source of the optimum: Clp, and HiGHS with its own scaling (data/README.md).
TEST(HighsSolverTest, DecidesAModelOnWhichHighsAloneStopsUndecided) {
    const auto model = read_model(test::source_dir() / "tests/unit/lp/data/undecided.mps");
    const auto solver = make_solver(SolverKind::highs);

    solver->load(model);

    EXPECT_EQ(solver->solve(), Status::optimal);
    EXPECT_NEAR(solver->objective(), 27490463.9455, 1e-3);
}

// A walk of its own ends at the same optimum, by another number of pivots.
TEST(HighsSolverTest, WalksAsTheProfileSays) {
    const auto model = read_model(test::source_dir() / "tests/unit/lp/data/undecided.mps");
    SolverOptions options;
    options.primal_tolerance = options.dual_tolerance = 1e-7;
    const auto pivots = [&] {
        const auto solver = make_solver(SolverKind::highs, options);
        solver->load(model);
        EXPECT_EQ(solver->solve(), Status::optimal);
        EXPECT_NEAR(solver->objective(), 27490463.9455, 1);
        return solver->iterations();
    };
    const auto plain = pivots();
    options.highs.edge_weight = HighsProfile::EdgeWeight::dantzig;
    options.highs.scales = true;
    options.highs.prices_by_rows = true;
    options.highs.update_limit = 50;
    options.highs.rebuild_tolerance = 1e-9;
    options.highs.pivot_threshold = 0.3;
    options.highs.devex_threshold = 2;
    EXPECT_NE(pivots(), plain);
}

TEST(HighsSolverTest, RefusesNumbersOfAProfileThatHighsDoesNotTake) {
    SolverOptions options;
    options.highs.pivot_threshold = 0.9;
    EXPECT_THROW(options.validate(), InputError);
    options.highs = {};
    options.highs.update_limit = 0;
    EXPECT_THROW(options.validate(), InputError);
    options.highs = {};
    EXPECT_NO_THROW(options.validate());
}

}  // namespace
}  // namespace lockstep::lp
