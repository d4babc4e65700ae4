#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/file.hpp"

#include "unit/formats/results_fixture.hpp"

namespace lockstep::formats::cobre {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// One cut after the first stage of a problem, with slopes 1, 2, 3 … by its states.
sddp::Policy counted_policy(const sddp::Problem& problem) {
    sddp::Policy policy;
    policy.stages.resize(2);
    auto& cuts = policy.stages.front();
    std::vector<double> slopes;
    for (int i = 0; i < problem.state_size(); ++i) {
        slopes.push_back(i + 1);
    }
    cuts.slopes = sddp::CutSlopes(problem.states());
    cuts.slopes.reserve(1);
    cuts.slopes.add(slopes);
    cuts.intercept = {1000};
    cuts.iteration = {1};
    cuts.trajectory = {0};
    cuts.active = {1};
    return policy;
}

/// The source has January and February; the study is January.
class BoundaryTest : public testing::Test {
protected:
    BoundaryTest() { study_.calendar.stages.resize(1); }

    /// Stages after the study, from a day on.
    void continue_calendar(int month, int weeks, int days = 7) {
        std::string stages;
        Date start = test::date(2026, static_cast<unsigned>(month), 1);
        for (int week = 0; week < weeks; ++week, start += std::chrono::days(days)) {
            const std::chrono::year_month_day day(start);
            stages += fmt::format(R"({}{{"start_date": "2026-{:02}-{:02}", "duration_hours": {}}})",
                                  week > 0 ? ", " : "",
                                  static_cast<unsigned>(day.month()),
                                  static_cast<unsigned>(day.day()),
                                  24 * days);
        }
        io::write_file(folder_.path() / "case/post_study_stages.json",
                       fmt::format(R"({{"stages": [{}], "thermal_bounds": []}})", stages));
    }

    std::vector<double> slopes(bool is_strict = false) {
        write_policy(folder_.path(), source_, counted_policy(source_), {});
        const auto cuts =
            read_boundary(folder_.path(), is_strict, folder_.path() / "case", study_, problems_);
        EXPECT_EQ(cuts.size(), 1);
        EXPECT_EQ(cuts.intercept.front(), 1000);
        return cuts.slopes.row(0);
    }

    std::string refusal(bool is_strict = false) {
        try {
            slopes(is_strict);
        } catch (const InputError& error) {
            return error.what();
        }
        return "accepted";
    }

    test::Folder folder_;
    sddp::Problem source_ = test::problem();
    sddp::Problem study_ = test::problem();
    Problems problems_;
};

TEST_F(BoundaryTest, FindsStoragesAndLagsByPlant) {
    std::swap(study_.system.hydros[0], study_.system.hydros[1]);

    EXPECT_THAT(slopes(), ElementsAre(2, 1, 4, 3, 6, 5));
    EXPECT_TRUE(problems_.all().empty());
}

TEST_F(BoundaryTest, ALongerDeliveryIsTheMeanOfShorterOnes) {
    source_.system.thermals[0].commitments = 1;  // its slope is 3
    study_.system.thermals[0].commitments = 4;
    continue_calendar(2, 4);

    EXPECT_THAT(slopes(), ElementsAre(1, 2, 0.75, 0.75, 0.75, 0.75, 4, 5, 6, 7));
}

TEST_F(BoundaryTest, AMeanOverADeliveryThatIsKnownInPart) {
    source_.system.thermals[0].commitments = 1;
    study_.system.thermals[0].commitments = 2;
    continue_calendar(2, 2);

    EXPECT_THAT(slopes(), ElementsAre(1, 2, 1.5, 1.5, 4, 5, 6, 7));
}

TEST_F(BoundaryTest, ADeliveryThatIsNotKnownHasNoPrice) {
    source_.system.thermals[0].commitments = 1;
    study_.system.thermals[0].commitments = 1;
    continue_calendar(3, 1);

    EXPECT_THAT(slopes(), ElementsAre(1, 2, 0, 4, 5, 6, 7));
    ASSERT_EQ(problems_.all().size(), 1);
    EXPECT_THAT(problems_.all()[0].message, HasSubstr("the policy prices commitment of thermal"));
}

TEST_F(BoundaryTest, WaterOfAnyWeekIsThatOfItsMonth) {
    source_.system.hydros[0].initial_transit_hm3 = {0};
    study_.system.hydros[0].initial_transit_hm3 = {0, 0};
    continue_calendar(2, 2);

    EXPECT_THAT(slopes(), ElementsAre(1, 2, 3, 3, 4, 5, 6, 7));
}

TEST_F(BoundaryTest, WaterOfAMonthIsDealtToItsWeeks) {
    source_.system.hydros[0].initial_transit_hm3 = {0};
    source_.calendar.stages[1].end = test::date(2026, 2, 8);
    study_.system.hydros[0].initial_transit_hm3 = {0};
    continue_calendar(2, 1, 28);

    EXPECT_THAT(slopes(), ElementsAre(1, 2, 0.75, 4, 5, 6, 7));
}

TEST_F(BoundaryTest, WhatTheStudyDoesNotModelIsToldOrRefused) {
    study_.system.hydros.pop_back();

    EXPECT_THAT(slopes(), ElementsAre(1, 3, 5));
    ASSERT_EQ(problems_.all().size(), 1);
    EXPECT_THAT(problems_.all()[0].message,
                HasSubstr("the policy prices storage of hydro 3, which is no state of the study: "
                          "its price is left out"));
    EXPECT_THAT(refusal(true), HasSubstr("the policy prices storage of hydro 3"));
}

TEST_F(BoundaryTest, WhatThePolicyDoesNotPriceIsRefused) {
    study_.system.batteries.emplace_back();

    EXPECT_THAT(refusal(),
                HasSubstr("energy of battery 0 is a state of the study that the policy does not"));
}

TEST_F(BoundaryTest, AnotherCalendarIsRefused) {
    study_.calendar.stages[0].end += std::chrono::days(1);
    EXPECT_THAT(refusal(), HasSubstr("no stage with cuts ends on 2026-02-02"));

    study_.calendar.stages[0].end -= std::chrono::days(1);
    study_.calendar.stages[0].start += std::chrono::days(1);
    EXPECT_THAT(refusal(),
                HasSubstr("inflow_lag of hydro 5 (lag 1) is of 2026-01-02 in the study, of "
                          "2026-01-01 in the policy"));
}

TEST_F(BoundaryTest, CutsThatAreSwitchedOffPriceNothing) {
    auto policy = counted_policy(source_);
    policy.stages.front().active = {0};
    write_policy(folder_.path(), source_, policy, {});

    EXPECT_EQ(read_boundary(folder_.path(), true, {}, study_, problems_).size(), 0);
}

}  // namespace
}  // namespace lockstep::formats::cobre
