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
#include <sys/stat.h>

#include "lockstep/base/error.hpp"

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
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
    copy.set("system/hydros.json", "hydros.1.unit_groups.0.bus_id", 8);
    copy.set("system/thermals.json", "thermals.0.bus_id", 9);
    const std::vector<std::string> found = {
        "[InvalidReference] system/thermals.json:3 (thermal 0): bus 9 does not exist",
        "[InvalidReference] system/hydros.json:56 (hydro 1): bus 8 does not exist",
        "[InvalidReference] system/hydros.json:3 (hydro 0): hydro 77 does not exist"};

    const auto errors = copy.errors();

    ASSERT_THAT(errors, SizeIs(4));
    EXPECT_EQ(std::vector(errors.begin() + 1, errors.end()), found);
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

// What is there and may not or cannot be opened is not missing.
TEST(CaseFilesTest, TellsWhatCannotBeReadFromWhatIsMissing) {
    CaseCopy copy("d02-single-hydro");
    std::filesystem::remove(copy.path() / "stages.json");
    std::filesystem::remove(copy.path() / "penalties.json");
    std::filesystem::create_symlink("penalties.json", copy.path() / "penalties.json");

    const auto errors = copy.errors();

    ASSERT_THAT(errors, SizeIs(2));
    EXPECT_THAT(errors[0], StartsWith("[FileUnreadable] penalties.json: "));
    EXPECT_THAT(errors[0], testing::EndsWith("Too many levels of symbolic links"));
    EXPECT_EQ(errors[1], "[FileNotFound] stages.json: required file is missing");
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
    EXPECT_THAT(errors[1], StartsWith("[FileUnreadable] penalties.json"));
    EXPECT_THAT(errors[2], StartsWith("[ParseError] scenarios/load_seasonal_stats.parquet"));
    EXPECT_THAT(errors[3], StartsWith("[FileUnreadable] scenarios/load_factors.json"));
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
               {{"bus_id", std::vector<std::int64_t>{std::int64_t{1} << 40}, false, {}},
                ints("stage_id", {0}),
                {"mean_mw", std::vector<std::string>{"80"}, false, {}}});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[SchemaViolation] scenarios/load_seasonal_stats.parquet (row 1, column "
                    "bus_id): expected INT32, found 1099511627776 in a column of type INT64",
                    "[SchemaViolation] scenarios/load_seasonal_stats.parquet (column mean_mw): "
                    "expected DOUBLE, found STRING",
                    "[SchemaViolation] scenarios/load_seasonal_stats.parquet (column std_mw): "
                    "missing column of type DOUBLE"));
}

TEST(CaseTablesTest, ReadsNumbersOfAnyTypeThatHoldsThem) {
    CaseCopy copy("d02-single-hydro");
    const Case before = copy.read();
    io::Table table = io::read_parquet(copy.path() / "scenarios/load_seasonal_stats.parquet");
    const std::size_t rows = table.rows();
    for (io::Column& column : table.columns) {
        if (const auto* ids = std::get_if<std::vector<std::int32_t>>(&column.values)) {
            column.values = column.name == "bus_id"
                                ? io::Column::Values(std::vector<double>(ids->begin(), ids->end()))
                                : std::vector<std::int64_t>(ids->begin(), ids->end());
        } else if (column.name == "std_mw") {
            column.values = std::vector<std::int64_t>(rows, 0);
        }
    }
    copy.write("scenarios/load_seasonal_stats.parquet", table.columns);

    const Case after = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(after.study.system.buses[0].mean_load_mw[1],
              before.study.system.buses[0].mean_load_mw[1]);
    EXPECT_GT(after.study.system.buses[0].mean_load_mw[1], 0);
}

TEST(CaseTablesTest, RefusesNumbersThatAnotherTypeChanges) {
    CaseCopy copy("d22-per-block-min-outflow");
    copy.write("constraints/thermal_bounds.parquet",
               {reals("thermal_id", {0, 0.5}),
                ints("stage_id", {0, 0}),
                {"block_id", std::vector<std::uint64_t>{0, std::uint64_t{1} << 63}, false, {}},
                {"max_generation_mw",
                 std::vector<std::int64_t>{1, (std::int64_t{1} << 53) + 2},
                 false,
                 {}}});

    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[SchemaViolation] constraints/thermal_bounds.parquet (row 2, column "
                    "thermal_id): expected INT32, found 0.5 in a column of type DOUBLE",
                    "[SchemaViolation] constraints/thermal_bounds.parquet (row 2, column "
                    "block_id): expected INT32, found 9223372036854775808 in a column of type "
                    "UINT64",
                    "[SchemaViolation] constraints/thermal_bounds.parquet (row 2, column "
                    "max_generation_mw): expected DOUBLE, found 9007199254740994 in a column of "
                    "type INT64"));
}

TEST(CaseTablesTest, RefusesAListWhereNumbersBelong) {
    CaseCopy copy("d22-per-block-min-outflow");
    copy.write("constraints/thermal_bounds.parquet",
               {ints("thermal_id", {0}),
                ints("stage_id", {0}),
                {"block_id", std::vector<std::vector<double>>{{0}}, false, {}}});

    EXPECT_THAT(copy.errors(),
                ElementsAre("[SchemaViolation] constraints/thermal_bounds.parquet (column "
                            "block_id): expected INT32, found LIST<DOUBLE>"));
}

/// Every number below a value, as dotted paths.
void list_numbers(const io::Json& value, const std::string& path, std::vector<std::string>& out) {
    const auto below = [&](const std::string& key, const io::Json& child) {
        list_numbers(child, path.empty() ? key : path + "." + key, out);
    };
    if (value.if_number()) {
        out.push_back(path);
    } else if (const auto* array = value.if_array()) {
        for (std::size_t i = 0; i < array->size(); ++i) {
            below(std::to_string(i), (*array)[i]);
        }
    } else if (const auto* object = value.if_object()) {
        for (const auto& [key, child] : *object) {
            below(key, child);
        }
    }
}

TEST(CaseBoundsTest, NoNumberOfAJsonFileMayBeAbsurd) {
    for (const char* name : {"d02-single-hydro", "1dtoy", "d06-fpha-variable-head"}) {
        const CaseCopy original(name);
        for (const auto& entry : fs::recursive_directory_iterator(original.path())) {
            const std::string file = fs::relative(entry.path(), original.path()).string();
            if (!file.ends_with(".json") || file.starts_with("expected")) {
                continue;
            }
            std::vector<std::string> places;
            list_numbers(original.json(file), "", places);
            for (const std::string& place : places) {
                for (const double absurd : {1e300, -1e300}) {
                    CaseCopy copy(name);
                    copy.set(file, place, absurd);
                    EXPECT_THAT(copy.errors(), testing::Contains(HasSubstr(file)))
                        << name << " " << place;
                }
            }
        }
    }
}

TEST(CaseBoundsTest, NoRealOfATableMayBeAbsurd) {
    const CaseCopy original("4ree");
    for (const auto& entry : fs::recursive_directory_iterator(original.path())) {
        if (entry.path().extension() != ".parquet") {
            continue;
        }
        const std::string file = fs::relative(entry.path(), original.path()).string();
        const io::Table table = io::read_parquet(entry.path());
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            io::Table changed = table;
            auto* values = std::get_if<std::vector<double>>(&changed.columns[i].values);
            if (values == nullptr || values->empty()) {
                continue;
            }
            values->front() = 1e300;
            CaseCopy copy("4ree");
            copy.write(file, changed.columns);
            EXPECT_THAT(copy.errors(), testing::Contains(HasSubstr("1e+300 is out of range")))
                << file << " " << table.columns[i].name;
        }
    }
}

TEST(CaseBoundsTest, SaysWhatTheUnitAllows) {
    CaseCopy copy("d02-single-hydro");
    copy.set("system/buses.json", "buses.0.deficit_segments.0.cost", 1e300);
    copy.set("system/hydros.json", "hydros.0.generation.max_generation_mw", 1e11);
    copy.set("config.json", "training.selection.forward_passes", 2'000'000'000);

    EXPECT_THAT(
        copy.errors(),
        testing::IsSupersetOf(
            {HasSubstr("buses[0].deficit_segments[0].cost): 1e+300 is out of range: must be "
                       "<= 1000000000000"),
             HasSubstr("hydros[0].generation.max_generation_mw): 100000000000 is out of "
                       "range: must be <= 10000000000"),
             HasSubstr("forward_passes): 2000000000 is out of range: must be in [1, "
                       "1000000]")}));
}

TEST(CaseFilesTest, OnlyRegularFilesAreRead) {
    CaseCopy copy("d02-single-hydro");
    const auto replace = [&](const char* file, const auto& make) {
        fs::remove(copy.path() / file);
        make(copy.path() / file);
    };
    replace("config.json", [](const fs::path& file) { ::mkfifo(file.c_str(), 0600); });
    replace("system/lines.json", [](const fs::path& file) { fs::create_directory(file); });
    replace("scenarios/load_seasonal_stats.parquet",
            [](const fs::path& file) { fs::create_symlink("/dev/zero", file); });

    EXPECT_THAT(
        copy.errors(),
        ElementsAre(
            AllOf(HasSubstr("[FileUnreadable] config.json: "), HasSubstr("it is a pipe")),
            AllOf(HasSubstr("[FileUnreadable] system/lines.json: "), HasSubstr("Is a directory")),
            AllOf(HasSubstr("[FileUnreadable] scenarios/load_seasonal_stats.parquet: "),
                  HasSubstr("it is a device"))));
    EXPECT_THROW(copy.problems().throw_if_errors(""), IoError);
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
    EXPECT_EQ(read.study.system.thermals[0].max_mw(0, 0), 5);
    EXPECT_EQ(read.study.system.thermals[0].max_mw(0, 1), 7);
    EXPECT_EQ(read.study.system.thermals[0].max_mw(0, 2), 5);
    EXPECT_NE(read.study.system.thermals[0].max_mw(1, 1), 7);
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
