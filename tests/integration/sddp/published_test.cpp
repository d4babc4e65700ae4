#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/process.hpp"

#include "support/extensive_form.hpp"
#include "support/places.hpp"

namespace lockstep {
namespace {

constexpr auto solver = lp::SolverKind::highs;

struct PublishedCase {
    std::string name;
    double value;
    double tolerance;
};

void PrintTo(const PublishedCase& published, std::ostream* out) {
    *out << published.name;
}

// Σ cost·available energy; no availability is random in these cases.
double curtailment_charge(const sddp::Problem& problem) {
    double sum = 0;
    for (const auto& source : problem.system.sources) {
        for (int t = 0; t < problem.stage_count(); ++t) {
            const auto i = static_cast<std::size_t>(t);
            const double available = source.is_stochastic
                                         ? source.mean[i] * source.max_generation_mw
                                         : source.available_mw[i];
            const auto& blocks = problem.calendar.stages[i].blocks;
            for (int k = 0; k < static_cast<int>(blocks.size()); ++k) {
                sum += source.curtailment_cost(t, k) * available * source.factor(t, k) *
                       blocks[at(k)].hours;
            }
        }
    }
    return sum;
}

class PublishedOptimumTest : public testing::TestWithParam<PublishedCase> {};

// Lower bounds asserted by the tests of Cobre 0.18.0 for converged deterministic cases, for
// block-bounds found by a run of it; a credit for used energy of non-controllable sources there is
// a charge for curtailed energy here.
TEST_P(PublishedOptimumTest, IsFound) {
    const auto directory = test::source_dir() / "cases" / "sddp" / GetParam().name;
    Problems problems;
    auto input = formats::cobre::read_case(directory, {}, problems).study;
    problems.throw_if_errors(GetParam().name);
    sddp::Problem problem{input.calendar, input.system, {}, input.graph};
    problem.process = build_process(input.calendar, input.system, input.process, problems);
    pin_nodes(input.graph,
              input.calendar,
              input.system,
              input.process.external_inflow,
              problem.process,
              problems);
    problems.throw_if_errors(GetParam().name);
    EXPECT_NEAR(test::extensive_optimum(problem, solver),
                GetParam().value + curtailment_charge(problem),
                GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    Cobre,
    PublishedOptimumTest,
    testing::Values(PublishedCase{"d01-thermal-dispatch", 182'500, 1e-6},
                    PublishedCase{"d02-single-hydro", 23'640'785.0 / 9, 1e-4},
                    PublishedCase{"d03-two-hydro-cascade", 1'391'697.7666666673, 1e-4},
                    PublishedCase{"d04-transmission", 5'264'062'704.0 / 657, 1e-4},
                    PublishedCase{"d05-fpha-constant-head", 23'635'000.0 / 9, 1e-6},
                    PublishedCase{"d06-fpha-variable-head", 732'952'154.0 / 225, 1e-4},
                    PublishedCase{"d07-fpha-computed", 3'657'537.696594757, 1},
                    PublishedCase{"d08-evaporation", 2'628'380.531119177, 1e-4},
                    PublishedCase{"d09-multi-deficit", 80'738'000, 1e-6},
                    PublishedCase{"d10-inflow-nonnegativity", 28'562'500.0 / 9, 1e-4},
                    PublishedCase{"d11-water-withdrawal", 3'930'694'344.0 / 657, 1e-4},
                    PublishedCase{"d13-generic-constraint", 15'330'000, 1e-2},
                    PublishedCase{"d14-block-factors", 176'900, 1e-4},
                    PublishedCase{"d15-non-controllable-source", 437'927, 1e-2},
                    PublishedCase{"d16-par1-lag-shift", 7'759'078.74999378, 1},
                    PublishedCase{"d19-multi-hydro-par", 1'334'568.0135868343, 1},
                    PublishedCase{"d20-operational-violations", 195'744'837.22222224, 1e-2},
                    PublishedCase{"d21-min-outflow-regression", 285'716'271, 1e-2},
                    PublishedCase{"d22-per-block-min-outflow", 140'376'826.55555558, 1e-2},
                    PublishedCase{"d23-bidirectional-withdrawal", 8'795'403.1111, 1e-3},
                    PublishedCase{"d24-productivity-override", 23'950'785.0 / 9, 1e-4},
                    PublishedCase{"d25-discount-rate", 2'612'094.7035435946, 1e-4},
                    PublishedCase{"d27-per-stage-thermal-cost", 10'950'000, 1e-4},
                    PublishedCase{"block-bounds", 17'372'500, 1e-2},
                    PublishedCase{"unit-groups", 9'139'305.0631860, 1e-3},
                    PublishedCase{"contracts", 12'512'814.8966869, 1e-3},
                    PublishedCase{"node-tree", 9'558'200, 1e-3},
                    PublishedCase{"node-tree-cvar", 10'728'360, 1e-3},
                    PublishedCase{"pumping-transfer", 803, 1e-6},
                    PublishedCase{"generic-parameters", 5'110'717.3290438, 1e-3},
                    PublishedCase{"nonzero-stage-fpha-override", 635'225.5908, 1e-3},
                    PublishedCase{"anticipated", 13'946'004.2867690, 1e-3},
                    PublishedCase{"anticipated-2", 15'489'695.1914809, 1e-3},
                    PublishedCase{"anticipated-hours", 15'406'364.1120413, 1e-3},
                    PublishedCase{"chronological-storage", 2'500'000, 1e-3},
                    PublishedCase{"exited-plant-transit", 2'380, 1e-6},
                    PublishedCase{"travel-time-arc", 1'590'269.1556, 1e-3},
                    PublishedCase{"filling", 10'780'775.1111111, 1e-3}),
    [](const auto& entry) {
        auto name = entry.param.name;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

}  // namespace
}  // namespace lockstep
