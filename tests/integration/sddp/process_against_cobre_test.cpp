#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/sddp/process.hpp"

#include "sddp/hydro/process/realisation.hpp"
#include "support/places.hpp"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::filesystem::path folder_of(const std::string& name) {
    return test::source_dir() / "tests" / "cases" / "process" / name;
}

struct Built {
    formats::cobre::Case input;
    sddp::Problem problem;
    Problems problems;
};

Built build(const std::string& name, const std::vector<formats::Setting>& settings = {}) {
    Built built;
    built.input = formats::cobre::read_case(folder_of(name), settings, built.problems);
    built.problem = {built.input.study.calendar, built.input.study.system, {}};
    if (!built.problems.has_errors()) {
        Problems found;
        built.problem.process = build_process(
            built.input.study.calendar, built.input.study.system, built.input.study.process, found);
        formats::cobre::add_located(found, built.problems);
    }
    return built;
}

// --- values --------------------------------------------------------------------------------------

/// (scenario, stage index, id of an entity) -> value
using Values = std::map<std::tuple<int, int, int>, double>;

struct Drawn {
    Values inflow_m3s;
    Values load_mw;
    Values available_mw;
};

template <typename Entities>
void note(const Entities& entities,
          const std::vector<double>& values,
          int scenario,
          int stage,
          Values& out) {
    const std::size_t width = values.size() / std::max<std::size_t>(entities.size(), 1);
    for (std::size_t i = 0; i < entities.size(); ++i) {
        out[{scenario, stage, entities[i].id}] = values[i * width];  // the first block
    }
}

/// What the simulation of a case draws, without solving it.
Drawn draw(const Built& built) {
    const sddp::Problem& problem = built.problem;
    const int scenarios = built.input.facts.config.simulate.scenarios;
    std::vector<double> noise(at(problem.process.layout.size()));
    Drawn drawn;
    sddp::Realisation realisation;
    for (int scenario = 0; scenario < scenarios; ++scenario) {
        std::vector<double> lags = problem.process.inflow.initial_lags;
        std::vector<double> next = lags;
        for (int t = 0; t < problem.stage_count(); ++t) {
            problem.process.simulation->draw(0, scenario, scenarios, t, noise);
            realise(problem, t, lags, noise, realisation);
            note(problem.system.hydros, realisation.inflow, scenario, t, drawn.inflow_m3s);
            note(problem.system.buses, realisation.load, scenario, t, drawn.load_mw);
            note(problem.system.sources, realisation.available, scenario, t, drawn.available_mw);
            sddp::shift_lags(lags, realisation.inflow, next);
            std::swap(lags, next);
        }
    }
    return drawn;
}

void expect_values(const io::Json& expected, const char* key, const Values& found) {
    const io::Json* rows = expected.find(key);
    if (rows == nullptr) {
        return;
    }
    for (const io::Json& row : *rows->if_array()) {
        const auto number = [&](std::size_t i) {
            return row.if_array()->at(i).if_number().value();
        };
        const auto whole = [&](std::size_t i) { return static_cast<int>(number(i)); };
        const auto cell = found.find({whole(0), whole(1), whole(2)});
        ASSERT_NE(cell, found.end()) << key << ", line " << row.line();
        EXPECT_NEAR(cell->second, number(3), 1e-6) << key << ", line " << row.line();
    }
}

class ProcessAgainstCobreTest : public testing::TestWithParam<std::string> {};

// Values of a simulation by Cobre 0.18.0, beside each case: tests/cases/process/README.md.
TEST_P(ProcessAgainstCobreTest, DrawsTheSameValues) {
    const Built built = build(GetParam());
    ASSERT_NO_THROW(built.problems.throw_if_errors(GetParam()));
    const io::Json expected = io::read_json(folder_of(GetParam()) / "expected.json");

    const Drawn drawn = draw(built);

    expect_values(expected, "inflow_m3s", drawn.inflow_m3s);
    expect_values(expected, "load_mw", drawn.load_mw);
    expect_values(expected, "available_mw", drawn.available_mw);
}

INSTANTIATE_TEST_SUITE_P(Cobre,
                         ProcessAgainstCobreTest,
                         testing::Values("ar-rows-before-study",
                                         "fit-annual-months-before",
                                         "fit-annual-order0",
                                         "fit-annual-refused",
                                         "fit-contribution-lags",
                                         "fit-correlation-months",
                                         "fit-declared-months",
                                         "fit-magnitude",
                                         "fit-phi-one",
                                         "noise-order-load",
                                         "noise-order-ncs",
                                         "residual-short-study"),
                         [](const auto& each) {
                             std::string name = each.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

// --- what is told --------------------------------------------------------------------------------

std::vector<std::string> told(const Problems& problems) {
    std::vector<std::string> lines;
    for (const Problem& problem : problems.all()) {
        lines.push_back(to_string(problem));
    }
    return lines;
}

TEST(ProcessOfRecordTest, AFitAtTheUnitRootRunsWithAWarning) {
    EXPECT_THAT(
        told(build("fit-phi-one").problems),
        Contains(AllOf(HasSubstr("[ModelQuality] scenarios/inflow_history.parquet (hydro 0)"),
                       HasSubstr("at or beyond the unit root: April"))));
}

TEST(ProcessOfRecordTest, CoefficientsWithoutStatisticsBeforeTheStudyAreTold) {
    const Built built = build("residual-no-rows-before");

    EXPECT_THAT(told(built.problems),
                Contains(AllOf(HasSubstr("(hydro 0, stage 0)"),
                               HasSubstr("no row for the season at lag 1"))));
    EXPECT_EQ(built.problem.process.inflow.stages[0].lag[0], 0);
}

TEST(ProcessOfRecordTest, ImpossibleCorrelationsAreRefused) {
    const Built built = build("correlation-impossible");

    EXPECT_EQ(built.problems.error_count(), 1U);
    EXPECT_THAT(told(built.problems),
                Contains(AllOf(HasSubstr("[InvalidValue] scenarios/correlation.json"),
                               HasSubstr("no data can have these correlations together"))));
}

TEST(ProcessOfRecordTest, AProcessThatLeavesItsStatisticsIsTold) {
    const Built built = build("par-tiny-std-before-start");

    EXPECT_FALSE(built.problems.has_errors());
    EXPECT_THAT(told(built.problems),
                Contains(AllOf(HasSubstr("inflow model"), HasSubstr("the process has the mean"))));
}

// The mean and deviation of every month, taken from the record here.
void expect_moments_of_the_record(const Built& built) {
    std::map<std::pair<int, unsigned>, std::vector<double>> months;  // (hydro, month)
    for (const auto& window : *built.input.study.process.history) {
        const std::chrono::year_month_day day(window.start);
        months[{window.hydro, static_cast<unsigned>(day.month())}].push_back(window.value_m3s);
    }
    int checked = 0;
    for (const auto& row : *built.problem.process.resolved.statistics) {
        const auto stage =
            std::ranges::find(built.problem.calendar.stages, row.stage_id, &sddp::Stage::id);
        if (stage == built.problem.calendar.stages.end()) {
            continue;
        }
        const std::chrono::year_month_day day(stage->start);
        const auto& values = months.at({row.hydro, static_cast<unsigned>(day.month())});
        double mean = 0;
        double squares = 0;
        for (const double value : values) {
            mean += value / static_cast<double>(values.size());
            squares += value * value / static_cast<double>(values.size());
        }
        EXPECT_NEAR(row.mean_m3s, mean, 1e-9 * (1 + std::abs(mean)));
        EXPECT_NEAR(row.std_m3s, std::sqrt(squares - mean * mean), 1e-6 * (1 + std::abs(mean)));
        EXPECT_GT(row.std_m3s, 0);
        ++checked;
    }
    EXPECT_GE(checked, 12);
}

TEST(ProcessOfRecordTest, SmallRiversKeepTheMomentsOfTheirRecord) {
    expect_moments_of_the_record(build("history-small-river"));
}

TEST(ProcessOfRecordTest, NegativeValuesCountInTheMoments) {
    expect_moments_of_the_record(build("history-neg"));
}

TEST(ProcessOfRecordTest, RoundedMomentsAreACompatSwitch) {
    const Built ours = build("history-small-river");
    const Built rounded = build("history-small-river", {{"compat.rounded_moments", "true"}});

    const auto constants = [](const Built& built) {
        return std::ranges::count_if(*built.problem.process.resolved.statistics,
                                     [](const auto& row) { return row.std_m3s == 0; });
    };
    EXPECT_EQ(constants(ours), 0);
    EXPECT_GT(constants(rounded), 0);
    EXPECT_THAT(told(rounded.problems), Contains(HasSubstr("the process has the mean")));
}

}  // namespace
}  // namespace lockstep
