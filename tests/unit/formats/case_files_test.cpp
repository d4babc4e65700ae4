#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST(CaseFilesTest, NamesMissingFilesTogether) {
    CaseCopy copy("d02-single-hydro");
    std::filesystem::remove(copy.path() / "stages.json");
    std::filesystem::remove(copy.path() / "system/lines.json");

    EXPECT_THAT(copy.errors(),
                ElementsAre("[FileNotFound] stages.json: required file is missing",
                            "[FileNotFound] system/lines.json: required file is missing"));
    EXPECT_THROW(copy.problems().throw_if_errors("case"), IoError);
}

TEST(CaseFilesTest, FindsUnknownReferencesBesideErrorsOfOtherFiles) {
    CaseCopy copy("d03-two-hydro-cascade");
    std::filesystem::remove(copy.path() / "penalties.json");
    copy.set("system/hydros.json", "hydros.0.downstream_id", 77);
    copy.set("system/thermals.json", "thermals.0.bus_id", 9);

    const auto errors = copy.errors();

    ASSERT_THAT(errors, SizeIs(3));
    EXPECT_THAT(errors[1], testing::HasSubstr("bus 9 does not exist"));
    EXPECT_THAT(errors[2], testing::HasSubstr("hydro 77 does not exist"));
}

TEST(CaseFilesTest, WarnsOfACaseWithoutLoadsOrInflows) {
    CaseCopy copy("d02-single-hydro");
    std::filesystem::remove(copy.path() / "scenarios/load_seasonal_stats.parquet");
    std::filesystem::remove(copy.path() / "scenarios/inflow_seasonal_stats.parquet");

    const auto warnings = copy.warnings();

    EXPECT_THAT(warnings, testing::Contains(testing::HasSubstr("no bus has a load")));
    EXPECT_THAT(warnings, testing::Contains(testing::HasSubstr("(hydro 0): no inflow statistics")));
}

TEST(CaseFilesTest, WarnsOfADeficitThatIsCheaperThanAThermal) {
    CaseCopy copy("d02-single-hydro");
    copy.set("system/thermals.json", "thermals.0.cost_per_mwh", 5000.0);

    EXPECT_THAT(copy.warnings(),
                testing::Contains(testing::HasSubstr("load is shed before it runs")));
    EXPECT_THAT(CaseCopy("d02-single-hydro").warnings(), IsEmpty());
}

TEST(CaseFilesTest, NamesTheLineOfASyntaxError) {
    CaseCopy copy("d02-single-hydro");
    copy.write_text("system/buses.json", "{\n  \"buses\": [,]\n}\n");

    const auto errors = copy.errors();

    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_THAT(errors[0], StartsWith("[ParseError] system/buses.json:2: "));
}

TEST(CaseFilesTest, ReportsDirectoriesAndEmptyFilesInPlaceOfFiles) {
    CaseCopy copy("d02-single-hydro");
    std::filesystem::remove(copy.path() / "penalties.json");
    std::filesystem::create_directory(copy.path() / "penalties.json");
    copy.write_text("config.json", "");
    copy.write_text("scenarios/load_seasonal_stats.parquet", "");
    std::filesystem::create_directory(copy.path() / "scenarios/load_factors.json");

    const auto errors = copy.errors();

    ASSERT_THAT(errors, SizeIs(4));
    EXPECT_THAT(errors[0], StartsWith("[ParseError] config.json"));
    EXPECT_THAT(errors[1], StartsWith("[FileNotFound] penalties.json"));
    EXPECT_THAT(errors[2], StartsWith("[ParseError] scenarios/load_seasonal_stats.parquet"));
    EXPECT_THAT(errors[3], StartsWith("[FileNotFound] scenarios/load_factors.json"));
}

TEST(CaseFilesTest, ReportsATruncatedTableAtEveryLength) {
    CaseCopy copy("d02-single-hydro");
    const std::string name = "scenarios/load_seasonal_stats.parquet";
    const std::string whole = io::read_file(copy.path() / name);
    for (std::size_t size = 0; size < whole.size(); size += 97) {
        std::ofstream(copy.path() / name, std::ios::binary)
            .write(whole.data(), static_cast<std::streamsize>(size));
        EXPECT_THAT(copy.errors(), ElementsAre(StartsWith("[ParseError] " + name))) << size;
    }
}

TEST(CaseFilesTest, WarnsOfFilesThatNobodyReads) {
    CaseCopy copy("d23-bidirectional-withdrawal");
    copy.write_text("constraints/thermal_bound.parquet", "");
    copy.write_text("system/notes.txt", "");

    EXPECT_THAT(
        copy.warnings(),
        ElementsAre("[UnusedEntity] constraints/thermal_bound.parquet: not read; did you mean "
                    "\"constraints/thermal_bounds.parquet\"?",
                    "[UnusedEntity] system/notes.txt: no file of the format has this name; it "
                    "is not read"));
}

TEST(CaseFilesTest, RefusesFilesOfOlderFormats) {
    CaseCopy copy("d02-single-hydro");
    copy.write_text("constraints/exchange_factors.json", "{}");
    copy.write_text("system/scalar_parameters.json", "{}");

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[BusinessRuleViolation] constraints/exchange_factors.json: file of an "
                    "older format: give MW in rows with block_id of "
                    "constraints/line_bounds.parquet",
                    "[BusinessRuleViolation] system/scalar_parameters.json: file of an older "
                    "format: it is constraints/generic_parameters.json"));
}

TEST(CaseTablesTest, NamesExpectedAndFoundTypes) {
    CaseCopy copy("d02-single-hydro");
    copy.write("scenarios/load_seasonal_stats.parquet",
               {{"bus_id", std::vector<std::int64_t>{0}, false, {}},
                ints("stage_id", {0}),
                {"mean_mw", std::vector<std::string>{"80"}, false, {}}});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[SchemaViolation] scenarios/load_seasonal_stats.parquet (column bus_id): "
                    "expected INT32, found INT64",
                    "[SchemaViolation] scenarios/load_seasonal_stats.parquet (column mean_mw): "
                    "expected DOUBLE, found STRING",
                    "[SchemaViolation] scenarios/load_seasonal_stats.parquet (column std_mw): "
                    "missing column of type DOUBLE"));
}

TEST(CaseTablesTest, RefusesNullsNansAndValuesOutOfRange) {
    CaseCopy copy("d02-single-hydro");
    copy.write("scenarios/load_seasonal_stats.parquet",
               {optional_ints("bus_id", {0, std::nullopt}),
                ints("stage_id", {0, 1}),
                reals("mean_mw", {80, std::numeric_limits<double>::quiet_NaN()}),
                reals("std_mw", {-1, std::numeric_limits<double>::infinity()})});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[SchemaViolation] scenarios/load_seasonal_stats.parquet (row 2, column "
                    "bus_id): null where a value is required",
                    "[SchemaViolation] scenarios/load_seasonal_stats.parquet (row 2, column "
                    "mean_mw): nan is out of range: must be a finite number",
                    "[SchemaViolation] scenarios/load_seasonal_stats.parquet (row 1, column "
                    "std_mw): -1 is out of range: must be >= 0",
                    "[SchemaViolation] scenarios/load_seasonal_stats.parquet (row 2, column "
                    "std_mw): inf is out of range: must be >= 0"));
}

TEST(CaseTablesTest, RefusesUnknownIdsAndRepeatedCells) {
    CaseCopy copy("d22-per-block-min-outflow");
    copy.write("constraints/thermal_bounds.parquet",
               {ints("thermal_id", {9, 0, 0, 0, 0}),
                ints("stage_id", {0, 7, 0, 0, 0}),
                optional_ints("block_id", {{}, {}, 3, 1, 1}),
                optional_reals("max_generation_mw", {1, 1, 1, 1, 1})});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[InvalidReference] constraints/thermal_bounds.parquet (row 1): thermal 9 "
                    "does not exist",
                    "[InvalidReference] constraints/thermal_bounds.parquet (row 3): block 3 "
                    "does not exist: stage 0 has 3 blocks, numbered from 0",
                    "[DuplicateId] constraints/thermal_bounds.parquet (row 5): gives the same "
                    "cell as row 4"));
}

TEST(CaseTablesTest, LetsABlockRowBeatAStageRow) {
    CaseCopy copy("d22-per-block-min-outflow");
    copy.write("constraints/thermal_bounds.parquet",
               {ints("thermal_id", {0, 0}),
                ints("stage_id", {0, 0}),
                optional_ints("block_id", {1, {}}),
                optional_reals("max_generation_mw", {7, 5})});

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(read.system.thermals[0].max_mw(0, 0), 5);
    EXPECT_EQ(read.system.thermals[0].max_mw(0, 1), 7);
    EXPECT_EQ(read.system.thermals[0].max_mw(0, 2), 5);
    EXPECT_NE(read.system.thermals[0].max_mw(1, 1), 7);
}

TEST(CaseTablesTest, RefusesStageValuesInBlockRows) {
    CaseCopy copy("d22-per-block-min-outflow");
    copy.write("constraints/thermal_bounds.parquet",
               {ints("thermal_id", {0}),
                ints("stage_id", {0}),
                optional_ints("block_id", {1}),
                optional_reals("cost_per_mwh", {7})});
    copy.write("constraints/hydro_bounds.parquet",
               {ints("hydro_id", {0}),
                ints("stage_id", {0}),
                optional_ints("block_id", {1}),
                optional_reals("min_storage_hm3", {7})});

    EXPECT_THAT(copy.errors(),
                ElementsAre("[BusinessRuleViolation] constraints/thermal_bounds.parquet (row 1): "
                            "cost_per_mwh holds for a whole stage: block_id must be null",
                            "[BusinessRuleViolation] constraints/hydro_bounds.parquet (row 1): "
                            "min_storage_hm3 holds for a whole stage: block_id must be null"));
}

TEST(CaseTablesTest, ReportsAHundredThousandProblemsAtOnce) {
    constexpr std::size_t many = 100000;
    CaseCopy copy("d02-single-hydro");
    std::vector<std::int32_t> ids(many, 77);
    std::vector<std::int32_t> stages(many, 0);
    copy.write("constraints/thermal_bounds.parquet",
               {ints("thermal_id", ids), ints("stage_id", stages)});
    const auto start = std::chrono::steady_clock::now();

    copy.read();

    EXPECT_EQ(copy.problems().error_count(), many);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(CaseTablesTest, ReportsAHundredThousandUnknownKeysAtOnce) {
    constexpr int many = 100000;
    CaseCopy copy("d02-single-hydro");
    std::string text = "{\"lines\": []";
    for (int i = 0; i < many; ++i) {
        text += ",\n\"line" + std::to_string(i) + "\": 0";
    }
    copy.write_text("system/lines.json", text + "}");

    copy.read();

    EXPECT_EQ(copy.problems().error_count(), many);
    EXPECT_EQ(
        to_string(copy.problems().all()[0]),
        "[SchemaViolation] system/lines.json:2: unknown key \"line0\"; did you mean \"lines\"?");
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
