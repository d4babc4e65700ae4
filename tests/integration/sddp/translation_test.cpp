#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/convert.hpp"
#include "lockstep/sddp/train.hpp"

#include "support/case_problem.hpp"
#include "support/places.hpp"
#include "support/train_run.hpp"

namespace lockstep {
namespace {

struct OldCase {
    std::string name;
    double value;
    double tolerance;
};

void PrintTo(const OldCase& old, std::ostream* out) {
    *out << old.name;
}

std::filesystem::path old_case(const std::string& name) {
    return test::source_dir() / "tests/cases/cobre-0.5" / name;
}

Digest digest_of(const test::CaseProblem& input) {
    return test::train_alone(input.problem, input.config.train).digest;
}

std::string short_name(const testing::TestParamInfo<OldCase>& entry) {
    return entry.param.name.substr(0, entry.param.name.find('-'));
}

class TranslatedCaseTest : public testing::TestWithParam<OldCase> {
protected:
    TranslatedCaseTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
    }
    ~TranslatedCaseTest() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::filesystem::path folder_;
};

// Lower bounds that the tests of Cobre 0.5.1 assert; where it asserts none (d23, 1dtoy), those of
// an independent reimplementation. Energy of non-controllable sources is a credit there.
TEST_P(TranslatedCaseTest, ReachesTheBoundOfItsTime) {
    const auto input = test::case_problem_at(old_case(GetParam().name));

    const auto result = test::train_alone(input.problem, input.config.train);

    ASSERT_FALSE(result.failure);
    EXPECT_NEAR(result.lower_bound - sddp::curtailment_constant(input.problem),
                GetParam().value,
                GetParam().tolerance);
}

TEST_P(TranslatedCaseTest, ConvertsToACaseOfTheSameResult) {
    Problems problems;
    const auto files =
        formats::cobre::convert_case(old_case(GetParam().name), folder_ / "new", problems);
    ASSERT_FALSE(problems.has_errors());
    EXPECT_GE(files.size(), 8U);

    EXPECT_EQ(digest_of(test::case_problem_at(folder_ / "new")),
              digest_of(test::case_problem_at(old_case(GetParam().name))));
}

INSTANTIATE_TEST_SUITE_P(
    Cobre,
    TranslatedCaseTest,
    testing::Values(OldCase{"d01-thermal-dispatch", 182'500, 1e-6},
                    OldCase{"d02-single-hydro", 23'635'000.0 / 9, 1e-4},
                    OldCase{"d03-two-hydro-cascade", 4'171'000.0 / 3, 1e-4},
                    OldCase{"d04-transmission", 5'263'443'883.0 / 657, 1e-4},
                    OldCase{"d05-fpha-constant-head", 23'635'000.0 / 9, 1e-6},
                    OldCase{"d06-fpha-variable-head", 732'952'154.0 / 225, 1e-4},
                    OldCase{"d08-evaporation", 94'644'561'875.0 / 36'009, 1e-4},
                    OldCase{"d09-multi-deficit", 80'738'000, 1e-6},
                    OldCase{"d10-inflow-nonnegativity", 28'562'500.0 / 9, 1e-4},
                    OldCase{"d11-water-withdrawal", 3'930'320'000.0 / 657, 1e-4},
                    OldCase{"d13-generic-constraint", 15'330'000, 1e-2},
                    OldCase{"d14-block-factors", 176'900, 1e-4},
                    OldCase{"d15-non-controllable-source", 437'927, 1e-2},
                    OldCase{"d16-par1-lag-shift", 7'756'250, 1},
                    OldCase{"d20-operational-violations", 195'744'444.4444, 1e-2},
                    OldCase{"d21-min-outflow-regression", 285'716'111.1111, 1e-2},
                    OldCase{"d22-per-block-min-outflow", 140'376'666.6667, 1e-2},
                    OldCase{"d23-bidirectional-withdrawal", 8'795'111.1111, 1e-2},
                    OldCase{"d24-productivity-override", 23'945'000.0 / 9, 1e-4},
                    OldCase{"d25-discount-rate", 2'611'454.584787283, 1e-4},
                    OldCase{"d26-estimated-par2", 50'607'484.90581006, 1},
                    OldCase{"d27-per-stage-thermal-cost", 10'950'000, 1e-4},
                    OldCase{"1dtoy", 2'605'295.1210092627, 1e-3}),
    short_name);

/// The same case in the 0.18 format, with no cost of turbined flow but through planes.
class SameCaseTest : public testing::TestWithParam<OldCase> {};

TEST_P(SameCaseTest, GivesTheDigestOfTheCaseOfToday) {
    auto today = test::case_problem(GetParam().name);
    for (auto& hydro : today.problem.system.hydros) {
        for (std::size_t t = 0; t < hydro.planes.size(); ++t) {
            sddp::HydroCosts costs = hydro.costs[t];
            costs.turbined = hydro.planes[t].empty() ? 0 : costs.turbined;
            hydro.costs[t] = costs;
        }
    }

    EXPECT_EQ(digest_of(test::case_problem_at(old_case(GetParam().name))), digest_of(today));
}

// d08 has other evaporation (hours of the stage, not of the month).
INSTANTIATE_TEST_SUITE_P(Cobre,
                         SameCaseTest,
                         testing::Values(OldCase{"d01-thermal-dispatch", 0, 0},
                                         OldCase{"d02-single-hydro", 0, 0},
                                         OldCase{"d03-two-hydro-cascade", 0, 0},
                                         OldCase{"d04-transmission", 0, 0},
                                         OldCase{"d05-fpha-constant-head", 0, 0},
                                         OldCase{"d06-fpha-variable-head", 0, 0},
                                         OldCase{"d09-multi-deficit", 0, 0},
                                         OldCase{"d10-inflow-nonnegativity", 0, 0},
                                         OldCase{"d11-water-withdrawal", 0, 0},
                                         OldCase{"d12-par-annual", 0, 0},
                                         OldCase{"d13-generic-constraint", 0, 0},
                                         OldCase{"d14-block-factors", 0, 0},
                                         OldCase{"d15-non-controllable-source", 0, 0},
                                         OldCase{"d16-par1-lag-shift", 0, 0},
                                         OldCase{"d19-multi-hydro-par", 0, 0},
                                         OldCase{"d20-operational-violations", 0, 0},
                                         OldCase{"d21-min-outflow-regression", 0, 0},
                                         OldCase{"d22-per-block-min-outflow", 0, 0},
                                         OldCase{"d23-bidirectional-withdrawal", 0, 0},
                                         OldCase{"d24-productivity-override", 0, 0},
                                         OldCase{"d25-discount-rate", 0, 0},
                                         OldCase{"d26-estimated-par2", 0, 0},
                                         OldCase{"d27-per-stage-thermal-cost", 0, 0},
                                         OldCase{"1dtoy", 0, 0}),
                         short_name);

}  // namespace
}  // namespace lockstep
