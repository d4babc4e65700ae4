#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr const char* file = "constraints/generic_constraints.json";
constexpr const char* parameters_file = "constraints/generic_parameters.json";
constexpr const char* bounds_file = "constraints/generic_constraint_bounds.parquet";

const std::string at_constraint = "constraints/generic_constraints.json:1 (constraint 5): ";
const std::string at_row = "constraints/generic_constraint_bounds.parquet (row 1): ";

using Names = std::vector<std::pair<std::string, std::string>>;

/// "expressions" of the file.
std::string named(const Names& names) {
    io::Json out = io::Json::array();
    for (const auto& [name, expression] : names) {
        io::Json entry = io::Json::object();
        entry.set("name", name);
        entry.set("expression", expression);
        out.push(std::move(entry));
    }
    return io::to_text(out);
}

std::string document(const std::string& expression, const std::string& expressions) {
    return R"({"expressions": )" + expressions + R"(, "constraints": [{"id": 5, "name": "c",)" +
           R"("expression": ")" + expression + R"(", "slack": {"enabled": false}}]})";
}

/// d03 (two hydros, one thermal, three stages of one block) with one constraint and its bound rows.
class GenericTest : public testing::Test {
protected:
    using Bound = std::optional<double>;

    GenericTest() : copy_("d03-two-hydro-cascade") { bound(0, {}, {}, 10); }

    void constrain(const std::string& expression, const std::string& expressions = "[]") {
        copy_.write_text(file, document(expression, expressions));
    }
    void parameters(const std::string& entries) {
        copy_.write_text(parameters_file, R"({"scalar_parameters": [)" + entries + "]}");
    }
    void bound(int stage, std::optional<int> block, Bound lower, Bound upper) {
        copy_.write(bounds_file,
                    {ints("constraint_id", {5}),
                     ints("stage_id", {stage}),
                     optional_ints("block_id", {block}),
                     optional_reals("bound_lower", {lower}),
                     optional_reals("bound_upper", {upper})});
    }
    /// Two rows of the first stage; no block: the whole stage.
    void bound_twice(std::optional<int> second_block,
                     std::array<Bound, 2> lower,
                     std::array<Bound, 2> upper) {
        copy_.write(bounds_file,
                    {ints("constraint_id", {5, 5}),
                     ints("stage_id", {0, 0}),
                     optional_ints("block_id", {std::nullopt, second_block}),
                     optional_reals("bound_lower", {lower[0], lower[1]}),
                     optional_reals("bound_upper", {upper[0], upper[1]})});
    }
    sddp::GenericConstraint read() {
        const Case out = copy_.read();
        EXPECT_THAT(copy_.errors(), IsEmpty());
        return out.study.system.constraints.at(0);
    }

    CaseCopy copy_;
};

TEST_F(GenericTest, MergesLikeTermsAndDropsZeros) {
    constrain("thermal_generation(0) + 2 * thermal_generation(0) + bus_excess(0) - bus_excess(0)");

    const auto rows = read().rows;

    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].terms.size(), 1U);
    EXPECT_EQ(rows[0].terms[0].coefficient, 3);
    EXPECT_EQ(rows[0].upper, 10);
    EXPECT_EQ(rows[0].lower, -infinity);
}

TEST_F(GenericTest, PutsStocksIntoOneRowOfTheStage) {
    constrain("hydro_storage_final(1) - hydro_storage_initial(1)");

    const auto rows = read().rows;

    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].block, -1);
}

TEST_F(GenericTest, MovesTheDeadVolumeToTheBounds) {
    copy_.set("system/hydros.json", "hydros.0.reservoir.min_storage_hm3", 4.0);
    constrain("2 * hydro_useful_volume_final(0)");

    const auto rows = read().rows;

    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].terms[0].quantity, sddp::Quantity::hydro_storage_final);
    EXPECT_EQ(rows[0].upper, 10 + 2 * 4);
}

TEST_F(GenericTest, MovesConstantsOfARelationToTheBounds) {
    constrain("2 * thermal_generation(0) + 3 >= 43");
    bound(1, {}, {}, {});

    const auto rows = read().rows;

    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].stage, 1);
    EXPECT_EQ(rows[0].lower, 40);
    EXPECT_EQ(rows[0].upper, infinity);
}

TEST_F(GenericTest, AddsTheBoundOfARowToARelation) {
    constrain("thermal_generation(0) >= 40");
    bound(1, {}, 2, 50);

    const auto rows = read().rows;

    EXPECT_EQ(rows[0].lower, 42);
    EXPECT_EQ(rows[0].upper, 50);
}

TEST_F(GenericTest, KeepsTheRowOfTheStageBesideThatOfABlock) {
    constrain("thermal_generation(0)");
    bound_twice(0, {{{}, {}}}, {{10, 15}});

    const auto rows = read().rows;

    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].block, 0);
    EXPECT_EQ(rows[0].upper, 10);
    EXPECT_EQ(rows[1].block, 0);
    EXPECT_EQ(rows[1].upper, 15);
}

TEST_F(GenericTest, TakesTheTwoBoundsOfACellFromTwoRows) {
    constrain("thermal_generation(0)");
    bound_twice({}, {{{}, 4}}, {{10, {}}});

    EXPECT_EQ(read().rows.size(), 2U);

    bound_twice({}, {{{}, 4}}, {{10, 12}});
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[DuplicateId] constraints/generic_constraint_bounds.parquet (row 2): "
                            "gives bound_upper of the same cell as row 1"));
}

TEST_F(GenericTest, ReplacesNamedExpressions) {
    constrain("2 * @both - thermal_generation(0)",
              named({{"both", "@one + hydro_outflow(0)"}, {"one", "thermal_generation(0)"}}));

    const auto rows = read().rows;

    ASSERT_EQ(rows[0].terms.size(), 2U);
    EXPECT_EQ(rows[0].terms[0].quantity, sddp::Quantity::hydro_outflow);
    EXPECT_EQ(rows[0].terms[0].coefficient, 2);
    EXPECT_EQ(rows[0].terms[1].coefficient, 1);
}

TEST_F(GenericTest, SplitsExchangesIntoBothDirections) {
    CaseCopy two_buses("d04-transmission");
    two_buses.write_text(file, document("line_exchange(source_bus=1, target_bus=0)", "[]"));
    two_buses.write(
        bounds_file,
        {ints("constraint_id", {5}), ints("stage_id", {0}), optional_reals("bound_upper", {1})});

    const Case out = two_buses.read();

    EXPECT_THAT(two_buses.errors(), IsEmpty());
    const auto& terms = out.study.system.constraints.at(0).rows.at(0).terms;
    ASSERT_EQ(terms.size(), 2U);
    EXPECT_EQ(terms[0].quantity, sddp::Quantity::line_direct);
    EXPECT_EQ(terms[0].coefficient, -1);
    EXPECT_EQ(terms[1].quantity, sddp::Quantity::line_reverse);
    EXPECT_EQ(terms[1].coefficient, 1);
}

TEST_F(GenericTest, SaysWhatIsWrongWithAnExpression) {
    constrain("hydro_turbined(7) + bus_excess(3)");
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidReference] " + at_constraint + "hydro 7 does not exist",
                            "[InvalidReference] " + at_constraint + "bus 3 does not exist"));
    constrain("bus_excess(0) + 0 * bus_excess(3)");
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidReference] " + at_constraint + "bus 3 does not exist"));
    constrain("bus_excess(");
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[ParseError] " + at_constraint +
                            "expression \"bus_excess(\": character 12: expected an id (0, 1, 2 …), "
                            "found the end"));
    constrain("bus_excess(0, 4)");
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidReference] " + at_row +
                            "block 4 does not exist: stage 0 has 1 blocks, numbered from 0"));
    constrain("hydro_turbined(0, bus=9)");
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidReference] " + at_constraint + "bus 9 does not exist"));
    constrain("line_exchange(source_bus=0, target_bus=0)");
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidReference] " + at_constraint + "no line joins buses 0 and 0"));
}

TEST_F(GenericTest, ReadsContractsByTheirDirection) {
    copy_.write_text("system/energy_contracts.json",
                     R"({"contracts": [{"id": 3, "name": "X", "bus_id": 0, "type": "export",
                         "operational_start_date": "2000-01-01", "price_per_mwh": -10,
                         "limits": {"min_mw": 0, "max_mw": 5}}]})");
    constrain("2 * contract_export(3, 0)");

    const auto rows = read().rows;

    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].terms.size(), 1U);
    EXPECT_EQ(rows[0].terms[0].quantity, sddp::Quantity::contract_power);
    EXPECT_EQ(rows[0].terms[0].coefficient, 2);

    constrain("contract_import(3)");
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidReference] " + at_constraint +
                            "contract 3 is an export: use contract_export"));
    constrain("contract_export(0)");
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidReference] " + at_constraint + "contract 0 does not exist"));
}

TEST_F(GenericTest, AddsFlowAndPowerOfAPumpingStation) {
    copy_.write_text("system/pumping_stations.json",
                     R"({"pumping_stations": [{"id": 2, "name": "P", "bus_id": 0,
                         "operational_start_date": "2000-01-01", "source_hydro_id": 1,
                         "destination_hydro_id": 0, "consumption_mw_per_m3s": 0.5,
                         "flow": {"min_m3s": 0, "max_m3s": 5}}]})");
    constrain("pumping_flow(2) + 3 * pumping_power(2)");

    const auto rows = read().rows;

    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].terms.size(), 1U);
    EXPECT_EQ(rows[0].terms[0].quantity, sddp::Quantity::pumping_flow);
    EXPECT_EQ(rows[0].terms[0].coefficient, 2.5);
}

TEST_F(GenericTest, KnowsStoragesOfBlocksOnlyWhereTheyFollowEachOther) {
    constrain("hydro_storage_final(0, 1) - hydro_storage_initial(0, 1)");
    const auto blocks = io::parse_json(R"([{"id": 0, "name": "A", "hours": 300},
                                           {"id": 1, "name": "B", "hours": 430}])",
                                       "t");
    copy_.set("stages.json", "stages.0.blocks", blocks);
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidValue] " + at_row +
                            "the storage of block 1 in stage 0, whose blocks are parallel: they "
                            "have one storage at the end"));

    copy_.set("stages.json", "stages.0.block_mode", "chronological");
    const auto rows = read().rows;
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].terms.size(), 2U);
    EXPECT_EQ(rows[0].terms[0].block, 1);
}

TEST_F(GenericTest, TakesParametersAsFactorsAndConstants) {
    parameters(R"({"id": 0, "name": "share", "kind": "constant", "value": 0.5},
                  {"id": 1, "name": "floor", "kind": "per_stage",
                   "values": [[0, 45], [1, 48], [2, 35]]})");
    constrain("2 * (@share * thermal_generation(0) - @both) >= 3 * @floor - 1",
              named({{"both", "@share * bus_excess(0) + bus_excess(0)"}}));
    bound(1, {}, {}, {});

    const auto rows = read().rows;

    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].lower, 3 * 48 - 1);
    ASSERT_EQ(rows[0].terms.size(), 2U);
    EXPECT_EQ(rows[0].terms[0].quantity, sddp::Quantity::thermal_generation);
    EXPECT_EQ(rows[0].terms[0].coefficient, 1);
    EXPECT_EQ(rows[0].terms[1].quantity, sddp::Quantity::bus_excess);
    EXPECT_EQ(rows[0].terms[1].coefficient, -3);
}

TEST_F(GenericTest, TakesParametersByBlockAndSeason) {
    CaseCopy blocks("d22-per-block-min-outflow");
    blocks.write_text(file, document("@peak * thermal_generation(0) <= @month", "[]"));
    blocks.write_text(parameters_file,
                      R"({"scalar_parameters": [{"id": 0, "name": "peak", "kind":
                          "per_stage_block", "block_values": [[0, 0, 1], [0, 1, 2], [0, 2, 4]]},
                          {"id": 1, "name": "month", "kind": "seasonal", "values": [[0, 7]]}]})");
    blocks.set("stages.json", "stages.0.season_id", 0);
    blocks.write(bounds_file, {ints("constraint_id", {5}), ints("stage_id", {0})});

    const Case out = blocks.read();

    EXPECT_THAT(blocks.errors(), IsEmpty());
    const auto& rows = out.study.system.constraints.at(0).rows;
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].terms[0].coefficient, 1);
    EXPECT_EQ(rows[2].terms[0].coefficient, 4);
    EXPECT_EQ(rows[2].upper, 7);
}

TEST_F(GenericTest, ComputesParametersOfPlants) {
    const auto value = [&](const std::string& tag, int hydro) {
        parameters(fmt::format(R"({{"id": 0, "name": "p", "kind": "computed",
                                   "computed_spec": {{"tag": "{}", "hydro_id": {}}}}})",
                               tag,
                               hydro));
        constrain("bus_excess(0) <= @p");
        bound(0, {}, {}, {});
        return read().rows.at(0).upper;
    };
    const Case plain = copy_.read();
    const auto& above = plain.study.system.hydros.at(0);
    const auto& below = plain.study.system.hydros.at(1);
    ASSERT_EQ(above.downstream, 1);
    const double rho_above = above.equivalent_productivity[0];
    const double rho_below = below.equivalent_productivity[0];
    const double range = above.entity_max_storage_hm3 - above.entity_min_storage_hm3;

    EXPECT_EQ(value("equivalent_productivity", 0), rho_above);
    EXPECT_EQ(value("accumulated_productivity", 0), rho_above + rho_below);
    EXPECT_EQ(value("accumulated_productivity", 1), rho_below);
    EXPECT_EQ(value("integrated_accumulated_productivity", 0), rho_above + rho_below);
    EXPECT_EQ(value("min_storage", 0), above.entity_min_storage_hm3);
    EXPECT_EQ(value("max_storage", 0), above.entity_max_storage_hm3);
    EXPECT_EQ(value("reference_volume", 0), above.entity_min_storage_hm3 + 0.65 * range);
    EXPECT_EQ(value("reference_turbine", 0),
              copy_.json("system/hydros.json")
                  .find("hydros")
                  ->if_array()
                  ->front()
                  .find("generation")
                  ->find("max_turbined_m3s")
                  ->if_number());
    EXPECT_DOUBLE_EQ(value("max_stored_energy", 0), range * (rho_above + rho_below) / 0.0036);
}

TEST_F(GenericTest, SaysWhatIsWrongWithParameters) {
    const std::string at_parameter = "constraints/generic_parameters.json:1 (parameter p): ";
    constrain("bus_excess(0) <= @p");
    bound(1, {}, {}, {});
    const auto errors_of = [&](const std::string& rest) {
        parameters(R"({"id": 0, "name": "p", )" + rest + "}");
        return copy_.errors();
    };
    EXPECT_THAT(errors_of(R"("kind": "per_stage", "values": [[1, 3]])"),
                ElementsAre("[InvalidValue] " + at_parameter +
                            "values must name the stages from 0 on without a gap"));
    EXPECT_THAT(errors_of(R"("kind": "per_stage", "values": [[0, 3], [0, 4]])"),
                testing::Contains("[InvalidValue] " + at_parameter +
                                  "values must name each stage once: found 0"));
    EXPECT_THAT(errors_of(R"("kind": "per_stage", "values": [[0, 3]])"),
                ElementsAre("[InvalidReference] " + at_constraint +
                            "the parameter @p has no value in stage 1, block 0"));
    EXPECT_THAT(errors_of(R"("kind": "per_stage_block", "block_values": [[1, 7, 3]])"),
                testing::Contains("[InvalidReference] " + at_parameter +
                                  "block 7 does not exist: stage 1 has 1 blocks, numbered from "
                                  "0"));
    EXPECT_THAT(errors_of(R"("kind": "computed", "computed_spec": {"tag": "min_storage",
                              "hydro_id": 9})"),
                testing::Contains("[InvalidReference] " + at_parameter + "hydro 9 does not exist"));
    EXPECT_THAT(errors_of(R"("kind": "constant")"), ElementsAre(testing::HasSubstr("value")));
    constrain("@q * bus_excess(0) <= @p");
    EXPECT_THAT(errors_of(R"("kind": "constant", "value": 3)"),
                ElementsAre("[InvalidReference] " + at_constraint + "there is no parameter \"q\""));
    constrain("bus_excess(0) + @p");
    EXPECT_THAT(errors_of(R"("kind": "constant", "value": 3)"),
                ElementsAre("[InvalidValue] " + at_constraint +
                            "the parameter @p stands alone: that needs a relation (<=, >= or "
                            "==)"));
    constrain("bus_excess(0) <= @p", named({{"p", "bus_excess(0)"}}));
    EXPECT_THAT(errors_of(R"("kind": "constant", "value": 3)"),
                ElementsAre("[DuplicateId] constraints/generic_constraints.json:1 (expression p): "
                            "the name is that of a parameter, too"));
}

TEST_F(GenericTest, CountsAllTermsWhereConfigSaysSo) {
    constrain("bus_excess(0) + hydro_withdrawal(0)");
    EXPECT_EQ(read().rows[0].terms.size(), 1U);
    EXPECT_THAT(copy_.warnings(),
                ElementsAre("[ModelQuality] " + at_constraint +
                            "hydro_withdrawal counts as 0, as in Cobre, unless "
                            "modeling.all_constraint_terms of config.json is true"));

    copy_.set("config.json", "modeling.all_constraint_terms", true);

    const auto rows = read().rows;
    ASSERT_EQ(rows[0].terms.size(), 2U);
    EXPECT_EQ(rows[0].terms[1].quantity, sddp::Quantity::hydro_withdrawal);
    EXPECT_THAT(copy_.warnings(), IsEmpty());
}

TEST_F(GenericTest, FindsCyclesAndUnknownNames) {
    constrain("@a", named({{"a", "@b"}, {"b", "@a"}}));
    EXPECT_THAT(
        copy_.errors(),
        ElementsAre("[CycleDetected] constraints/generic_constraints.json:1 (expression a): "
                    "expressions refer to themselves: @a -> @b -> @a"));
    constrain("@rivr", named({{"river", "bus_excess(0)"}}));
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidReference] " + at_constraint +
                            "there is no expression \"rivr\"; did you mean "
                            "\"river\"?"));
}

TEST_F(GenericTest, ExpandsDoublingReferencesWithoutDoublingWork) {
    std::vector<std::pair<std::string, std::string>> names{{"e0", "bus_excess(0)"}};
    for (int i = 1; i < 400; ++i) {
        const std::string before = fmt::format("0.5 * @e{}", i - 1);
        names.emplace_back(fmt::format("e{}", i), before + " + " + before);
    }
    constrain("@e399", named(names));

    EXPECT_EQ(read().rows[0].terms[0].coefficient, 1);
}

TEST_F(GenericTest, EndsAChainThatIsTooDeep) {
    std::vector<std::pair<std::string, std::string>> names;
    for (int i = 0; i < 100000; ++i) {
        names.emplace_back(fmt::format("e{}", i), fmt::format("@e{}", i + 1));
    }
    names.emplace_back("e100000", "bus_excess(0)");
    constrain("@e0", named(names));

    const auto errors = copy_.errors();

    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors[0],
              "[InvalidValue] constraints/generic_constraints.json:1 (expression e500): "
              "expressions refer to each other deeper than 500");
}

TEST_F(GenericTest, ChecksRows) {
    constrain("thermal_generation(0)");
    bound(0, {}, {}, {});
    EXPECT_THAT(
        copy_.errors(),
        ElementsAre("[InvalidValue] " + at_row +
                    "constraint 5 has no relation: bound_lower or bound_upper is required"));
    bound(0, {}, 3, 2);
    EXPECT_THAT(copy_.errors(),
                ElementsAre("[InvalidValue] " + at_row + "lower bound > upper bound: 3 > 2"));
    bound(9, {}, 3, {});
    EXPECT_THAT(copy_.errors(), IsEmpty()) << "a row of a longer study is left out";
    constrain("thermal_generation(0) >= 3");
    copy_.write(bounds_file, {ints("constraint_id", {}), ints("stage_id", {})});
    EXPECT_THAT(
        copy_.errors(),
        ElementsAre("[BusinessRuleViolation] " + at_constraint +
                    "no row of constraints/generic_constraint_bounds.parquet activates this "
                    "constraint"));
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
