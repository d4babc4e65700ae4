#include "sddp/passes/runs/option_checks.hpp"

#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/sddp/train.hpp"

#include "support/random_system.hpp"

namespace lockstep::sddp {
namespace {

TrainOptions options() {
    TrainOptions options;
    options.stopping = {{StoppingRule::Kind::iteration_limit, 1, 0, 0}};
    return options;
}

TEST(OptionChecksTest, CutsOfSingleOutcomesNeedLinearRiskMeasures) {
    auto problem = test::random_problem(0);
    auto apart = options();
    apart.speed.multi_cut = true;
    EXPECT_NO_THROW(require_fit(problem, apart));

    problem.calendar.stages[0].risk = {};
    problem.calendar.stages[0].risk.entropic = 0.5;
    problem.calendar.stages[0].risk.gamma = 1e-6;
    EXPECT_THROW(require_fit(problem, apart), InputError);
    EXPECT_NO_THROW(require_fit(problem, options()));
}

TEST(OptionChecksTest, OnlyNodesOfOneOutcomeAreEnumerated) {
    auto enumerated = options();
    enumerated.enumerated = true;
    EXPECT_THROW(require_fit(test::random_problem(0), enumerated), InputError);
}

}  // namespace
}  // namespace lockstep::sddp
