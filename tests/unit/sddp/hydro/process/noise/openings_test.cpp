#include "sddp/hydro/process/noise/openings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/subject.hpp"

#include "support/places.hpp"
#include "unit/sddp/hydro/process/process_fixtures.hpp"

namespace lockstep::sddp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NoiseCorrelation independent(const Calendar& calendar, int hydros) {
    Problems problems;
    return {calendar, {hydros, {}, {}}, std::nullopt, CorrelationSource::given, problems};
}

OpeningTree draw(const Calendar& calendar, int hydros, std::uint64_t seed = 42) {
    Problems problems;
    OpeningTree tree =
        draw_openings(calendar, hydros, seed, independent(calendar, hydros), {}, problems);
    EXPECT_FALSE(problems.has_errors()) << listing(problems);
    return tree;
}

Calendar with_method(Calendar calendar, Sampling method) {
    for (Stage& stage : calendar.stages) {
        stage.sampling = method;
    }
    return calendar;
}

double normal_cdf(double x) {
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

/// Which of `strata` equal parts of (0, 1) each opening of an entity falls into.
std::vector<int> strata(const OpeningTree& tree, int stage, int entity, int strata) {
    std::vector<int> result;
    for (int i = 0; i < tree.count[at(stage)]; ++i) {
        const double u = normal_cdf(tree.noise(stage, i)[at(entity)]);
        result.push_back(static_cast<int>(u * strata));
    }
    std::ranges::sort(result);
    return result;
}

std::vector<int> each_once(int count) {
    std::vector<int> result;
    for (int i = 0; i < count; ++i) {
        result.push_back(i);
    }
    return result;
}

// Expected: trees that Cobre 0.18.0 wrote (data/README.md), bit for bit.
TEST(OpeningsTest, SaaTreesHaveTheBitsOfCobre) {
    std::map<std::string, std::vector<std::vector<double>>> cases;
    std::ifstream file(test::source_dir() /
                       "tests/unit/sddp/hydro/process/data/opening_noises.txt");
    std::string name;
    std::vector<double> row(4);
    while (file >> name >> row[0] >> row[1] >> row[2] >> row[3]) {
        cases[name].push_back(row);
    }
    ASSERT_EQ(cases.size(), 7U);
    for (const auto& [title, rows] : cases) {
        const auto largest = [&list = rows](std::size_t column) {
            double result = 0;
            for (const std::vector<double>& each : list) {
                result = std::max(result, each[column]);
            }
            return static_cast<int>(result);
        };
        const int entities = largest(2) + 1;
        const OpeningTree tree =
            draw(monthly_calendar(2024, 1, largest(0) + 1, largest(1) + 1), entities);
        for (const std::vector<double>& each : rows) {
            const auto noise = tree.noise(static_cast<int>(each[0]), static_cast<int>(each[1]));
            EXPECT_EQ(noise[static_cast<std::size_t>(each[2])], each[3]) << title;
        }
    }
}

TEST(OpeningsTest, StageIdsDecideTheNoiseOfAStage) {
    const Calendar whole = monthly_calendar(2024, 1, 3, 4);
    Calendar rest = whole;
    rest.stages.erase(rest.stages.begin());

    EXPECT_EQ(draw(whole, 2).values[1], draw(rest, 2).values[0]);
    EXPECT_NE(draw(whole, 2, 43).values[0], draw(whole, 2, 42).values[0]);
}

TEST(OpeningsTest, StagesOfOneSeasonAndYearAreAGroup) {
    Calendar calendar = monthly_calendar(2024, 11, 4);
    calendar.stages[1].season = calendar.stages[0].season;
    calendar.stages[2].season = calendar.stages[0].season;  // next year
    calendar.stages[3].season = -1;

    EXPECT_THAT(noise_groups(calendar), ElementsAre(0, 0, 1, 2));
}

TEST(OpeningsTest, StagesWithoutSeasonNeverShare) {
    Calendar calendar = monthly_calendar(2024, 1, 3);
    for (Stage& stage : calendar.stages) {
        stage.season = -1;
    }

    EXPECT_THAT(noise_groups(calendar), ElementsAre(0, 1, 2));
}

// d19 of the 0.5.1 examples: three months that all carry season 0 see one draw.
TEST(OpeningsTest, AGroupRepeatsThePreviousOpenings) {
    Calendar calendar = monthly_calendar(2024, 1, 3, 5);
    for (Stage& stage : calendar.stages) {
        stage.season = 0;
    }
    calendar.stages[2].openings = 3;

    const OpeningTree tree = draw(calendar, 2);

    EXPECT_EQ(tree.values[1], tree.values[0]);
    EXPECT_TRUE(std::equal(tree.values[2].begin(), tree.values[2].end(), tree.values[0].begin()));
    EXPECT_EQ(tree.values[2].size(), 6U);
}

// Runs of Cobre 0.18.0 show the zeros.
TEST(OpeningsTest, MoreOpeningsThanTheGroupHasAreWithoutNoise) {
    Calendar calendar = monthly_calendar(2024, 1, 2, 3);
    calendar.stages[1].season = 0;
    calendar.stages[1].openings = 4;
    Problems problems;

    const OpeningTree tree = draw_openings(calendar, 1, 42, independent(calendar, 1), {}, problems);

    EXPECT_TRUE(std::equal(tree.values[0].begin(), tree.values[0].end(), tree.values[1].begin()));
    EXPECT_EQ(tree.noise(1, 3)[0], 0);
    ASSERT_EQ(problems.all().size(), 1U);
    EXPECT_EQ(problems.all()[0].kind, ProblemKind::model_quality);
    EXPECT_EQ(problems.all()[0].entity, "stage 1");
    EXPECT_THAT(problems.all()[0].message, HasSubstr("4 openings"));
}

TEST(OpeningsTest, LatinHypercubeHasOneOpeningInEachStratum) {
    const OpeningTree tree = draw(with_method(monthly_calendar(2024, 1, 2, 20), Sampling::lhs), 5);

    for (int stage = 0; stage < 2; ++stage) {
        for (int entity = 0; entity < 5; ++entity) {
            EXPECT_EQ(strata(tree, stage, entity, 20), each_once(20));
        }
    }
    EXPECT_NE(tree.values[0], tree.values[1]);
}

TEST(OpeningsTest, SobolHasOneOpeningInEachStratum) {
    const OpeningTree tree =
        draw(with_method(monthly_calendar(2024, 1, 1, 64), Sampling::sobol), 160);

    for (int entity = 0; entity < 160; ++entity) {
        EXPECT_EQ(strata(tree, 0, entity, 64), each_once(64)) << entity;
    }
}

TEST(OpeningsTest, HaltonHasOneOpeningInEachStratumAndNoneAtTheEnds) {
    const OpeningTree tree =
        draw(with_method(monthly_calendar(2024, 1, 1, 7), Sampling::halton), 4);

    EXPECT_EQ(strata(tree, 0, 3, 7), each_once(7)) << "base 7";
    for (const double value : tree.values[0]) {
        EXPECT_LT(std::abs(value), 4);
    }
}

TEST(OpeningsTest, ReportsMoreDimensionsThanSobolHas) {
    const Calendar calendar = with_method(monthly_calendar(2024, 1, 1, 2), Sampling::sobol);
    Problems problems;

    draw_openings(calendar, 1001, 42, independent(calendar, 1001), {}, problems);

    ASSERT_EQ(problems.all().size(), 1U);
    EXPECT_EQ(problems.all()[0].kind, ProblemKind::not_supported);
    EXPECT_THAT(problems.all()[0].message, HasSubstr("1001 dimensions"));
}

TEST(OpeningsTest, OpeningsAreCorrelatedByTheStagesProfile) {
    const Calendar calendar = monthly_calendar(2024, 1, 1, 50);
    CorrelationModel model{{{"default", {{NoiseClass::inflow, {0, 1}, {1, 1, 1, 1}}}}}, {}};
    Problems problems;
    const NoiseCorrelation correlation(
        calendar, {2, {}, {}}, model, CorrelationSource::given, problems);

    const OpeningTree tree = draw_openings(calendar, 2, 42, correlation, {}, problems);

    for (int i = 0; i < 50; ++i) {
        EXPECT_NEAR(tree.noise(0, i)[0], tree.noise(0, i)[1], 1e-14);
    }
}

// --- explicit trees ------------------------------------------------------------------------------

std::vector<OpeningValue> full_rows() {
    std::vector<OpeningValue> rows;
    for (int stage = 0; stage < 2; ++stage) {
        for (int opening = 0; opening < 2; ++opening) {
            for (int entity = 0; entity < 3; ++entity) {
                rows.push_back({stage, opening, entity, stage * 100.0 + opening * 10 + entity});
            }
        }
    }
    std::ranges::reverse(rows);
    return rows;
}

TEST(OpeningsTest, RowsOfAFileMayComeInAnyOrder) {
    Problems problems;

    const OpeningTree tree =
        read_openings(monthly_calendar(2024, 1, 2, 2), 3, full_rows(), problems);

    EXPECT_TRUE(problems.all().empty()) << listing(problems);
    EXPECT_THAT(tree.noise(1, 1), ElementsAre(110, 111, 112));
    EXPECT_THAT(tree.noise(0, 1), ElementsAre(10, 11, 12));
}

Problem only_problem(const std::vector<OpeningValue>& rows) {
    Problems problems;
    read_openings(monthly_calendar(2024, 1, 2, 2), 3, rows, problems);
    EXPECT_EQ(problems.all().size(), 1U) << listing(problems);
    return problems.all().empty() ? Problem{} : problems.all().front();
}

TEST(OpeningsTest, ReportsAMissingRow) {
    std::vector<OpeningValue> rows = full_rows();
    std::erase_if(rows, [](const OpeningValue& row) { return row.value == 112; });

    const Problem problem = only_problem(rows);

    EXPECT_EQ(problem.kind, ProblemKind::dimension_mismatch);
    EXPECT_EQ(problem.file, subject::openings);
    EXPECT_EQ(problem.entity, "stage 1");
    EXPECT_THAT(problem.message, HasSubstr("the first is opening 1, entity 2"));
}

TEST(OpeningsTest, ReportsARowThatIsGivenTwice) {
    std::vector<OpeningValue> rows = full_rows();
    rows.push_back({0, 1, 2, 5});

    EXPECT_EQ(only_problem(rows).kind, ProblemKind::duplicate_id);
}

TEST(OpeningsTest, ReportsRowsOutsideTheTree) {
    for (const OpeningValue& stray :
         {OpeningValue{2, 0, 0, 1}, {-1, 0, 0, 1}, {0, 2, 0, 1}, {0, 0, 3, 1}, {0, 0, -1, 1}}) {
        std::vector<OpeningValue> rows = full_rows();
        rows.push_back(stray);

        EXPECT_EQ(only_problem(rows).kind, ProblemKind::dimension_mismatch);
    }
}

}  // namespace
}  // namespace lockstep::sddp
