#include "lockstep/sddp/process.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/formats/cobre/case.hpp"

#include "support/extensive_form.hpp"
#include "support/places.hpp"
#include "support/train_run.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::Each;

struct Built {
    formats::cobre::Study input;
    Process process;
};

Built build(const std::string& name) {
    const auto directory = test::source_dir() / "cases" / "sddp" / name;
    Problems problems;
    Built built{formats::cobre::read_case(directory, {}, problems).study, {}};
    problems.throw_if_errors(name);
    built.process =
        build_process(built.input.calendar, built.input.system, built.input.process, problems);
    problems.throw_if_errors(name);
    return built;
}

struct Expectation {
    std::string name;
    std::string path;
    int lags;
    int dimension;
    int openings;
};

void PrintTo(const Expectation& expected, std::ostream* out) {
    *out << expected.name;
}

class ProcessOfCaseTest : public testing::TestWithParam<Expectation> {};

TEST_P(ProcessOfCaseTest, IsComplete) {
    const Expectation& expected = GetParam();

    const Built built = build(expected.name);

    const Process& process = built.process;
    const auto stages = static_cast<std::size_t>(built.input.calendar.stage_count());
    EXPECT_EQ(process.provenance.estimation_path, expected.path);
    EXPECT_EQ(process.inflow.lags, expected.lags);
    EXPECT_EQ(process.tree.dimension, expected.dimension);
    ASSERT_EQ(process.inflow.stages.size(), stages);
    EXPECT_THAT(process.tree.count, Each(expected.openings));
    for (std::size_t t = 0; t < stages; ++t) {
        EXPECT_EQ(process.tree.values[t].size(),
                  static_cast<std::size_t>(expected.openings * expected.dimension));
        EXPECT_THAT(process.inflow.stages[t].scale, Each(::testing::Ge(0)));
    }
}

TEST_P(ProcessOfCaseTest, DrawsFiniteNoiseThatDependsOnTheArgumentsOnly) {
    const Built one = build(GetParam().name);
    const Built two = build(GetParam().name);
    const auto size = static_cast<std::size_t>(GetParam().dimension);
    std::vector<double> noise(size);
    std::vector<double> again(size);

    for (int stage = 0; stage < one.input.calendar.stage_count(); ++stage) {
        one.process.training->draw(3, 1, 4, stage, noise);
        two.process.training->draw(3, 1, 4, stage, again);
        EXPECT_EQ(noise, again);
        EXPECT_TRUE(std::ranges::all_of(noise, [](double x) { return std::isfinite(x); }));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases,
    ProcessOfCaseTest,
    testing::Values(Expectation{"1dtoy", "user_stats_white_noise", 0, 1, 10},
                    Expectation{"4ree", "user_stats_white_noise", 0, 4, 10},
                    Expectation{"d12-par-annual", "full_estimation", 12, 2, 1},
                    Expectation{"d16-par1-lag-shift", "user_provided_no_history", 1, 1, 1},
                    Expectation{"d19-multi-hydro-par", "user_provided_no_history", 2, 2, 1},
                    Expectation{"d26-estimated-par2", "full_estimation", 2, 1, 1},
                    Expectation{"pmo-small", "user_provided_no_history", 6, 151, 5}),
    [](const auto& each) {
        std::string name = each.param.name;
        std::ranges::replace(name, '-', '_');
        return name;
    });

// The tree of d30 has 5^10 paths; with two openings a stage its extensive form can be written.
TEST(ProcessOfCaseTest, MonthsBeforeQuartersTrainToTheExtensiveForm) {
    Problems problems;
    auto input =
        formats::cobre::read_case(
            test::source_dir() / "cases/sddp/d30-multi-resolution-monthly-quarterly", {}, problems)
            .study;
    for (Stage& stage : input.calendar.stages) {
        stage.openings = 2;
    }
    Problem problem{input.calendar, input.system, {}};
    problem.process = build_process(input.calendar, input.system, input.process, problems);
    problems.throw_if_errors("d30");
    TrainOptions options;
    options.forward_passes = 4;

    const auto trained = test::train_alone(problem, test::with_iterations(options, 60));

    const double optimum = test::extensive_optimum(problem, options.solver);
    EXPECT_NEAR(trained.lower_bound, optimum, 1e-7 * optimum);
}

struct Published {
    std::string name;
    double lower_bound;
    double tolerance;
};

void PrintTo(const Published& published, std::ostream* out) {
    *out << published.name;
}

class PublishedProcessTest : public testing::TestWithParam<Published> {};

// Lower bounds that Cobre 0.18.0 asserts for (d12, d28: reaches on) converged cases with few
// openings. They come out only if estimation, residual ratios, lags, noise, correlation and columns
// are all the same. Of d29 the value is that of an extensive form made elsewhere, since Cobre
// assumes that lags shift at every stage, and its bound is none.
TEST_P(PublishedProcessTest, GivesThePublishedOptimum) {
    Built built = build(GetParam().name);
    const Problem problem{built.input.calendar, built.input.system, std::move(built.process)};

    EXPECT_NEAR(test::extensive_optimum(problem, lp::SolverKind::highs),
                GetParam().lower_bound,
                GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    Cobre,
    PublishedProcessTest,
    testing::Values(Published{"d12-par-annual", 16'600'572'264.57, 0.01},
                    Published{"d16-par1-lag-shift", 7'759'078.74999378, 1e-3},
                    Published{"d19-multi-hydro-par", 1'334'568.0135868343, 1e-5},
                    Published{"d28-decomp-weekly-monthly", 684.8652833, 1e-7},
                    Published{"d29-weekly-par-noise-sharing", 688.2623683, 1e-7},
                    Published{"d26-estimated-par2", 50'625'314.97019681, 1e-5}),
    [](const auto& each) { return each.param.name.substr(0, 3); });

}  // namespace
}  // namespace lockstep::sddp
