#include <string>

#include <Highs.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep::lp
