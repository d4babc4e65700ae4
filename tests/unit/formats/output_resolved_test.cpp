#include "formats/cobre/write/output_resolved.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/io/table.hpp"

#include "case_fixture.hpp"
#include "unit/formats/output_checks.hpp"

namespace lockstep::formats::cobre {
namespace {

using test::CaseCopy;
using testing::ElementsAre;
namespace fs = std::filesystem;

// Values in this file are those that Cobre 0.18.0 (Apache-2.0) wrote when it ran the same case.

struct Constraint {
    const char* expression;
    std::optional<double> lower;
    std::optional<double> upper;
};

void write_resolved(const fs::path& output, const Case& input) {
    sddp::Problem problem;
    problem.calendar = input.study.calendar;
    problem.system = input.study.system;
    out::write_resolved(output, input.facts, problem);
}

fs::path echo_file(const fs::path& output) {
    return output / "generic_constraints/resolved_echo.parquet";
}
fs::path evaporation_file(const fs::path& output) {
    return output / "hydro_models/evaporation_models.parquet";
}

std::string bound(const io::Table& table, const std::string& name, std::size_t row) {
    return table.find(name)->is_present(row) ? fmt::format("{}", test::reals(table, name)[row])
                                             : "-";
}

/// "2.5 * thermal_generation(id=0, block=all) in [-, 10]: cap" for every row.
std::vector<std::string> echo(const fs::path& output) {
    const io::Table table = io::read_parquet(echo_file(output));
    const auto coefficient = test::reals(table, "coefficient");
    const auto variable = test::values<std::string>(table, "variable");
    const auto shape = test::values<std::string>(table, "derived_shape");
    std::vector<std::string> out;
    for (std::size_t row = 0; row < shape.size(); ++row) {
        out.push_back(fmt::format("{} * {} in [{}, {}]: {}",
                                  coefficient[row],
                                  variable[row],
                                  bound(table, "bound_lower", row),
                                  bound(table, "bound_upper", row),
                                  shape[row]));
    }
    return out;
}

/// unit-groups (two buses that one plant feeds, a line, two thermals) with a least storage of
/// 10.1 hm3 and one constraint in the first stage.
std::vector<std::string> echo_of(const Constraint& constraint) {
    CaseCopy copy("unit-groups");
    copy.set("system/hydros.json", "hydros.0.reservoir.min_storage_hm3", 10.1);
    copy.write_text("constraints/generic_constraints.json",
                    fmt::format(R"({{"constraints": [{{"id": 5, "name": "c", "expression": "{}",)"
                                R"("slack": {{"enabled": false}}}}]}})",
                                constraint.expression));
    copy.write("constraints/generic_constraint_bounds.parquet",
               {test::ints("constraint_id", {5}),
                test::ints("stage_id", {0}),
                test::optional_reals("bound_lower", {constraint.lower}),
                test::optional_reals("bound_upper", {constraint.upper})});
    const Case input = copy.read();
    EXPECT_FALSE(copy.problems().has_errors());
    const test::Folder folder;
    write_resolved(folder.path(), input);
    return echo(folder.path());
}

Case read_bundled(const char* name) {
    Problems problems;
    return read_case(test::bundled(name), {}, problems);
}

TEST(OutputResolvedTest, EchoesTheConstraintsOfACase) {
    const test::Folder folder;

    write_resolved(folder.path(), read_bundled("d13-generic-constraint"));

    const fs::path file = echo_file(folder.path());
    EXPECT_THAT(test::schema(file),
                ElementsAre("stage_id INT32",
                            "block_id INT32?",
                            "constraint_id INT32",
                            "constraint_name STRING",
                            "term_index INT32?",
                            "variable_kind STRING?",
                            "variable STRING?",
                            "coefficient DOUBLE?",
                            "bound_lower DOUBLE?",
                            "bound_upper DOUBLE?",
                            "derived_shape STRING",
                            "slack_enabled BOOLEAN",
                            "slack_penalty DOUBLE?"));
    const io::Table table = io::read_parquet(file);
    EXPECT_THAT(test::values<std::int32_t>(table, "stage_id"), ElementsAre(0, 1));
    EXPECT_THAT(test::values<std::int32_t>(table, "block_id"), ElementsAre(0, 0));
    EXPECT_THAT(test::values<std::int32_t>(table, "constraint_id"), ElementsAre(1, 1));
    EXPECT_THAT(test::values<std::string>(table, "constraint_name"),
                ElementsAre("cap_T0", "cap_T0"));
    EXPECT_THAT(test::values<std::int32_t>(table, "term_index"), ElementsAre(0, 0));
    EXPECT_THAT(test::values<std::string>(table, "variable_kind"),
                ElementsAre("thermal_generation", "thermal_generation"));
    EXPECT_THAT(test::reals(table, "slack_penalty"), ElementsAre(5000, 5000));
    EXPECT_THAT(echo(folder.path()),
                ElementsAre("1 * thermal_generation(id=0, block=all) in [-, 10]: cap",
                            "1 * thermal_generation(id=0, block=all) in [-, 10]: cap"));
}

TEST(OutputResolvedTest, ListsTheBoundOfTheStageAndThatOfABlock) {
    const test::Folder folder;

    write_resolved(folder.path(), read_bundled("block-bounds"));

    const io::Table table = io::read_parquet(echo_file(folder.path()));
    EXPECT_THAT(test::values<std::int32_t>(table, "stage_id"), ElementsAre(0, 0, 0, 1, 1, 1));
    EXPECT_THAT(test::values<std::int32_t>(table, "block_id"), ElementsAre(0, 1, 1, 0, 1, 1));
    EXPECT_THAT(test::reals(table, "bound_upper"), ElementsAre(10, 10, 15, 10, 10, 5));
}

TEST(OutputResolvedTest, ListsTermsThatCountNothing) {
    EXPECT_THAT(
        echo_of({"thermal_generation(0) + 0 * (bus_excess(0) + 2 * bus_deficit(0))", {}, 9}),
        ElementsAre("1 * thermal_generation(id=0, block=all) in [-, 9]: cap",
                    "0 * bus_deficit(id=0, block=all) in [-, 9]: cap",
                    "0 * bus_excess(id=0, block=all) in [-, 9]: cap"));
}

TEST(OutputResolvedTest, ListsTermsInTheOrderOfTheFormat) {
    EXPECT_THAT(echo_of({"hydro_generation(0, bus=1) + hydro_turbined(0, bus=0) - "
                         "hydro_spillage(0)",
                         -1,
                         500}),
                ElementsAre("1 * hydro_turbined(id=0, bus=0, block=all) in [-1, 500]: band",
                            "-1 * hydro_spillage(id=0, block=all) in [-1, 500]: band",
                            "1 * hydro_generation(id=0, bus=1, block=all) in [-1, 500]: band"));
    EXPECT_THAT(echo_of({"hydro_storage_final(0) + bus_deficit(0) + hydro_inflow(0) + "
                         "thermal_generation(1, 0) + hydro_storage(0)",
                         0,
                         {}}),
                ElementsAre("1 * hydro_storage(id=0) in [0, -]: floor",
                            "1 * thermal_generation(id=1, block=0) in [0, -]: floor",
                            "1 * bus_deficit(id=0, block=all) in [0, -]: floor",
                            "1 * hydro_inflow(id=0, block=all) in [0, -]: floor",
                            "1 * hydro_storage_final(id=0, block=all) in [0, -]: floor"));
}

TEST(OutputResolvedTest, FoldsConstantsIntoTheBounds) {
    EXPECT_THAT(echo_of({"thermal_generation(0) + 3 + thermal_generation(0) <= "
                         "2 * thermal_generation(1) + 50",
                         {},
                         4}),
                ElementsAre("2 * thermal_generation(id=0, block=all) in [-, 51]: cap",
                            "-2 * thermal_generation(id=1, block=all) in [-, 51]: cap"));
    EXPECT_THAT(echo_of({"hydro_useful_volume_final(0)", 1.3, {}}),
                ElementsAre("1 * hydro_useful_volume_final(id=0, block=all) in [11.4, -]: floor"));
}

TEST(OutputResolvedTest, NamesTheLineBetweenTwoBuses) {
    EXPECT_THAT(echo_of({"line_exchange(source_bus=1, target_bus=0)", 0, 0}),
                ElementsAre("-1 * line_exchange(id=0, block=all) in [0, 0]: equality"));
}

TEST(OutputResolvedTest, WritesEvaporationAsLines) {
    const test::Folder folder;

    write_resolved(folder.path(), read_bundled("d08-evaporation"));

    const fs::path file = evaporation_file(folder.path());
    EXPECT_THAT(test::schema(file),
                ElementsAre("hydro_id INT32",
                            "stage_id INT32?",
                            "intercept_m3s DOUBLE",
                            "volume_slope_m3s_per_hm3 DOUBLE",
                            "reference_volume_hm3 DOUBLE",
                            "source STRING"));
    const io::Table table = io::read_parquet(file);
    EXPECT_THAT(test::values<std::int32_t>(table, "stage_id"), ElementsAre(0, 1));
    EXPECT_THAT(test::reals(table, "intercept_m3s"),
                ElementsAre(testing::DoubleEq(0.018667861409796892),
                            testing::DoubleEq(0.01995530012771392)));
    EXPECT_THAT(test::reals(table, "volume_slope_m3s_per_hm3"),
                ElementsAre(testing::DoubleEq(0.00018667861409796892),
                            testing::DoubleEq(0.00019955300127713922)));
    EXPECT_THAT(test::reals(table, "reference_volume_hm3"), ElementsAre(100, 100));
    EXPECT_THAT(test::values<std::string>(table, "source"),
                ElementsAre("default_midpoint", "default_midpoint"));
}

TEST(OutputResolvedTest, ListsMonthsWithoutEvaporationAndGivenReferences) {
    CaseCopy copy("d08-evaporation");
    io::Json none = io::Json::array();
    io::Json references = io::Json::array();
    for (int month = 0; month < 12; ++month) {
        none.push(0.0);
        references.push(20.0 + month);
    }
    copy.set("system/hydros.json", "hydros.0.evaporation.coefficients_mm", none);
    copy.set("system/hydros.json", "hydros.0.evaporation.reference_volumes_hm3", references);
    const test::Folder folder;

    write_resolved(folder.path(), copy.read());

    const io::Table table = io::read_parquet(evaporation_file(folder.path()));
    EXPECT_THAT(test::reals(table, "intercept_m3s"), ElementsAre(0, 0));
    EXPECT_THAT(test::reals(table, "reference_volume_hm3"), ElementsAre(20, 21));
    EXPECT_THAT(test::values<std::string>(table, "source"),
                ElementsAre("user_supplied", "user_supplied"));
}

TEST(OutputResolvedTest, NamesStagesByTheirDeclaredIds) {
    CaseCopy copy("d08-evaporation");
    copy.set("stages.json", "stages.0.id", 5);
    copy.set("stages.json", "stages.1.id", 9);
    copy.write("scenarios/inflow_seasonal_stats.parquet",
               {test::ints("hydro_id", {0, 0}),
                test::ints("stage_id", {5, 9}),
                test::reals("mean_m3s", {40, 40}),
                test::reals("std_m3s", {0, 0})});
    fs::remove(copy.path() / "scenarios/load_seasonal_stats.parquet");
    copy.write_text("constraints/generic_constraints.json",
                    R"json({"constraints": [{"id": 5, "name": "c", "slack": {"enabled": false},
                        "expression": "thermal_generation(0)"}]})json");
    copy.write("constraints/generic_constraint_bounds.parquet",
               {test::ints("constraint_id", {5, 5}),
                test::ints("stage_id", {5, 9}),
                test::optional_reals("bound_upper", {10, 10})});
    const Case input = copy.read();
    EXPECT_FALSE(copy.problems().has_errors());
    const test::Folder folder;

    write_resolved(folder.path(), input);

    for (const fs::path& file : {echo_file(folder.path()), evaporation_file(folder.path())}) {
        const io::Table table = io::read_parquet(file);
        EXPECT_THAT(test::values<std::int32_t>(table, "stage_id"), ElementsAre(5, 9)) << file;
    }
}

TEST(OutputResolvedTest, RemovesWhatTheCaseNoLongerHas) {
    const test::Folder folder;
    write_resolved(folder.path(), read_bundled("d13-generic-constraint"));
    write_resolved(folder.path(), read_bundled("d08-evaporation"));
    EXPECT_FALSE(fs::exists(echo_file(folder.path())));

    write_resolved(folder.path(), read_bundled("1dtoy"));

    EXPECT_FALSE(fs::exists(evaporation_file(folder.path())));
}

}  // namespace
}  // namespace lockstep::formats::cobre
