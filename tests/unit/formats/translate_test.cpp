#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/convert.hpp"

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* told =
    "[ModelQuality] config.json: a case of Cobre 0.5, translated while "
    "reading: lockstep sddp convert writes it in the 0.18 format";

/// A writable copy of a case of 0.5.
class TranslateTest : public testing::Test {
protected:
    void use(const std::string& name) { copy_.emplace("../../tests/cases/cobre-0.5/" + name); }
    CaseCopy& copy() { return *copy_; }
    Case read() {
        Case out = copy_->read();
        EXPECT_THAT(copy_->errors(), IsEmpty());
        return out;
    }

    std::optional<CaseCopy> copy_;
};

TEST_F(TranslateTest, WarnsOnce) {
    use("d02-single-hydro");

    read();

    EXPECT_THAT(copy().warnings(), ElementsAre(told));
}

TEST_F(TranslateTest, GivesPlantsOneGroupAndTheirProductivity) {
    use("d24-productivity-override");

    const Case input = read();
    const auto& hydro = input.study.system.hydros.at(0);

    ASSERT_EQ(hydro.groups.size(), 1U);
    EXPECT_EQ(hydro.groups[0].max_turbined_m3s(0, 0), 50);
    EXPECT_EQ(hydro.productivity[0], 0.8);
    EXPECT_EQ(hydro.productivity[1], 1.2);
}

TEST_F(TranslateTest, TakesTheProductivityOfThePlantWhereNoRangeHasOne) {
    use("d24-productivity-override");
    const std::string range = "production_models.0.stage_ranges.0";
    copy().erase("system/hydro_production_models.json", range, "productivity_override");

    EXPECT_EQ(read().study.system.hydros.at(0).productivity[0], 1.0);
}

TEST_F(TranslateTest, ChargesFlowThroughPlanesOnly) {
    use("d02-single-hydro");
    EXPECT_EQ(read().study.system.hydros.at(0).costs[0].turbined, 0);
    use("d06-fpha-variable-head");
    copy().set("penalties.json", "hydro.fpha_turbined_cost", 0.25);
    EXPECT_EQ(read().study.system.hydros.at(0).costs[0].turbined, 0.25);
    copy().set("system/hydro_production_models.json",
               "production_models.0.stage_ranges.0.end_stage_id",
               0);
    copy().set("system/hydros.json", "hydros.0.generation.model", "constant_productivity");
    copy().set("system/hydros.json", "hydros.0.generation.productivity_mw_per_m3s", 0.5);

    const Case mixed = read();

    const auto& hydro = mixed.study.system.hydros.at(0);
    EXPECT_EQ(hydro.costs[0].turbined, 0.25);
    EXPECT_EQ(hydro.costs[1].turbined, 0);
    EXPECT_EQ(hydro.productivity[1], 0.5);
}

TEST_F(TranslateTest, RescalesEvaporationToTheHoursOfTheMonth) {
    use("d08-evaporation");
    const Case old = read();
    CaseCopy today("d08-evaporation");
    const Case new_case = today.read();
    const auto& stage = old.study.calendar.stages.at(0);

    const double month_hours = 31 * 24;
    EXPECT_NEAR(
        old.study.system.hydros.at(0).evaporation.at(0)->k0,
        new_case.study.system.hydros.at(0).evaporation.at(0)->k0 * month_hours / stage.hours(),
        1e-15);
}

TEST_F(TranslateTest, RefusesToConvertMonthsOfSeveralLengths) {
    use("d08-evaporation");
    copy().set("stages.json", "stages.1.start_date", "2024-01-31");
    copy().set("stages.json", "stages.0.end_date", "2024-01-31");
    copy().set("stages.json", "stages.0.blocks.0.hours", 720.0);

    const Case out = copy().read();
    Problems problems;
    const auto files = convert_case(copy().path(), copy().path() / "new", problems);

    EXPECT_GT(std::abs(out.study.system.hydros.at(0).evaporation.at(0)->k0), 0);
    EXPECT_THAT(files, IsEmpty());
    EXPECT_TRUE(problems.has_errors());
    EXPECT_FALSE(std::filesystem::exists(copy().path() / "new"));
}

TEST_F(TranslateTest, RefusesKeysOfBothFormats) {
    use("d02-single-hydro");
    copy().set("stages.json", "stages.0.num_openings", 3);
    copy().set("penalties.json", "hydro.turbined_cost", 0.1);

    EXPECT_THAT(copy().errors(),
                testing::Contains(HasSubstr("the case has keys of two formats: \"num_openings\" is "
                                            "of Cobre 0.18")));
    EXPECT_THAT(copy().errors(), testing::Contains(HasSubstr("penalties.json:")));
    CaseCopy today("d02-single-hydro");
    today.set("config.json", "training.forward_passes", 2);
    EXPECT_THAT(today.errors(),
                testing::Contains(HasSubstr("the case has keys of two formats: \"selection\"")));
}

TEST_F(TranslateTest, PassesOverUnknownKeys) {
    use("d02-single-hydro");
    copy().set("config.json", "training.cut_formulation", "multi");
    copy().set("system/hydros.json", "hydros.0.colour", "blue");

    EXPECT_THAT(copy().errors(), IsEmpty());
}

TEST_F(TranslateTest, WarnsOfGreedyCvarAndOtherRatios) {
    use("d02-single-hydro");
    copy().set("stages.json",
               "stages.0.risk_measure",
               io::parse_json(R"({"cvar": {"alpha": 0.5, "lambda": 0.5}})", "test"));
    EXPECT_THAT(copy().warnings(), testing::Contains(HasSubstr("CVaR is exact")));

    use("d16-par1-lag-shift");
    EXPECT_FALSE(read().facts.declared_ratios.empty());
}

TEST_F(TranslateTest, ConvertsWithoutWhatIsNotNeeded) {
    use("d24-productivity-override");
    Problems problems;
    const auto files = convert_case(copy().path(), copy().path() / "new", problems);

    EXPECT_FALSE(files.empty());
    EXPECT_THAT(problems.all(), IsEmpty());
    io::Json models = io::read_json(copy().path() / "new" / "system/hydro_production_models.json");
    EXPECT_EQ(find(models, "$schema"), nullptr);
    EXPECT_EQ(find(models, "production_models.0.stage_ranges")->if_array()->size(), 2U);
}

TEST_F(TranslateTest, TellsWhatHadNoEffect) {
    use("d02-single-hydro");
    copy().set("stages.json", "stages.0.block_mode", "chronological");

    EXPECT_THAT(copy().warnings(),
                ElementsAre(std::string(told) +
                            "; 0.5 read without effect what acts now: chronological blocks"));
}

TEST_F(TranslateTest, TurnsExchangeFactorsIntoCapacities) {
    use("d04-transmission");
    copy().write_text("constraints/exchange_factors.json",
                      R"({"exchange_factors": [{"line_id": 0, "stage_id": 1, "block_factors":
                          [{"block_id": 0, "direct_factor": 0.5, "reverse_factor": 2}]}]})");

    const Case out = read();

    const auto& line = out.study.system.lines.at(0);
    EXPECT_EQ(line.direct_mw(1, 0), line.direct_mw(0, 0) * 0.5);
    EXPECT_EQ(line.reverse_mw(1, 0), line.reverse_mw(0, 0) * 2);
}

TEST_F(TranslateTest, GivesBoundsTheSenseOfTheirConstraint) {
    use("d13-generic-constraint");

    const auto row = read().study.system.constraints.at(0).rows.at(0);

    EXPECT_EQ(row.upper, 10);
    EXPECT_EQ(row.lower, -std::numeric_limits<double>::infinity());
}

TEST_F(TranslateTest, WritesNothingWhereThereIsSomething) {
    use("d02-single-hydro");
    Problems problems;
    EXPECT_THROW(convert_case(copy().path(), copy().path(), problems), InputError);
    CaseCopy today("d02-single-hydro");
    EXPECT_THROW(convert_case(today.path(), today.path() / "new", problems), InputError);
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
