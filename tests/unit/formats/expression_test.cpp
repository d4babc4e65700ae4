#include "formats/cobre/read/expression.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "lockstep/base/error.hpp"

namespace lockstep::formats::cobre {
namespace {

std::string failure(std::string_view text) {
    try {
        parse_expression(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(ExpressionTest, ReadsOneVariable) {
    const Expression one = parse_expression("thermal_generation(3)");

    ASSERT_EQ(one.terms.size(), 1U);
    EXPECT_EQ(one.terms[0].coefficient, 1);
    EXPECT_EQ(one.terms[0].variable.kind, VariableKind::thermal_generation);
    EXPECT_EQ(one.terms[0].variable.entity, 3);
    EXPECT_EQ(one.terms[0].variable.block, -1);
    EXPECT_EQ(one.relation, Relation::none);
}

TEST(ExpressionTest, ReadsSignsAndNumbers) {
    const Expression sum =
        parse_expression("-2.5*hydro_turbined(1, 2) + line_direct(0)-1e-3 * bus_deficit(4)");

    ASSERT_EQ(sum.terms.size(), 3U);
    EXPECT_EQ(sum.terms[0].coefficient, -2.5);
    EXPECT_EQ(sum.terms[0].variable.block, 2);
    EXPECT_EQ(sum.terms[1].coefficient, 1);
    EXPECT_EQ(sum.terms[2].coefficient, -1e-3);
}

TEST(ExpressionTest, FoldsARelationToItsLeftSide) {
    const Expression folded = parse_expression(
        "2 * (thermal_generation(1) - 0.5 * hydro_spillage(0)) + 3 <= 43 - thermal_generation(2)");

    ASSERT_EQ(folded.terms.size(), 3U);
    EXPECT_EQ(folded.terms[0].coefficient, 2);
    EXPECT_EQ(folded.terms[1].coefficient, -1);
    EXPECT_EQ(folded.terms[2].coefficient, 1);
    EXPECT_EQ(folded.constant, -40);
    EXPECT_EQ(folded.relation, Relation::at_most);
}

TEST(ExpressionTest, ReadsAllRelations) {
    EXPECT_EQ(parse_expression("bus_excess(0) >= 1").relation, Relation::at_least);
    EXPECT_EQ(parse_expression("bus_excess(0) == 1").relation, Relation::equal);
}

TEST(ExpressionTest, ReadsReferencesAndParameters) {
    const Expression named = parse_expression("-3 * @river + @limit * hydro_outflow(0) >= @floor");

    ASSERT_EQ(named.references.size(), 2U);
    EXPECT_EQ(named.references[0].name, "river");
    EXPECT_EQ(named.references[0].coefficient, -3);
    EXPECT_EQ(named.references[1].name, "floor");
    EXPECT_EQ(named.references[1].coefficient, -1);
    ASSERT_EQ(named.terms.size(), 1U);
    EXPECT_EQ(named.terms[0].parameter, "limit");
}

TEST(ExpressionTest, ReadsKeyedArguments) {
    const Expression keyed = parse_expression(
        "hydro_generation(7, 1, bus=2) + line_exchange(source_bus=3, target_bus = 4)");

    EXPECT_EQ(keyed.terms[0].variable.bus, 2);
    EXPECT_EQ(keyed.terms[0].variable.block, 1);
    EXPECT_EQ(keyed.terms[1].variable.entity, -1);
    EXPECT_EQ(keyed.terms[1].variable.bus, 3);
    EXPECT_EQ(keyed.terms[1].variable.target_bus, 4);
}

TEST(ExpressionTest, SaysWhereAndWhatIsWrong) {
    EXPECT_EQ(failure(""), "character 1: expected a number, a variable, @ or (, found the end");
    EXPECT_EQ(failure("thermal_generation(0) thermal_generation(1)"),
              "character 23: expected +, -, <=, >=, == or the end, found 't'");
    EXPECT_EQ(failure("thermal_generatoin(0)"),
              "character 1: there is no variable \"thermal_generatoin\"; did you mean "
              "\"thermal_generation\"?");
    EXPECT_EQ(failure("thermal_generation"),
              "character 19: expected ( after the variable, found the end");
    EXPECT_EQ(failure("thermal_generation(-1)"),
              "character 20: expected an id (0, 1, 2 …), found '-'");
    EXPECT_EQ(failure("thermal_generation(99999999999)"),
              "character 20: expected an id (0, 1, 2 …), found '9'");
    EXPECT_EQ(failure("hydro_storage(1, 2)"), "character 18: hydro_storage takes no block");
    EXPECT_EQ(failure("hydro_turbined(1, 2, 3)"),
              "character 22: hydro_turbined has too many arguments");
    EXPECT_EQ(failure("hydro_outflow(1, bus=2)"),
              "character 18: hydro_outflow takes no argument \"bus\"");
    EXPECT_EQ(failure("hydro_turbined(1, bus=2, bus=3)"), "character 26: \"bus\" is given twice");
    EXPECT_EQ(failure("hydro_turbined(bus=2)"), "character 1: hydro_turbined needs an id");
    EXPECT_EQ(failure("line_exchange(source_bus=1)"),
              "character 1: line_exchange takes a line, or source_bus= and target_bus=");
    EXPECT_EQ(failure("bus_excess(0) + 3"),
              "character 17: a number that stands alone needs a relation (<=, >= or ==)");
    EXPECT_EQ(failure("bus_excess(0) <= 1 <= 2"),
              "character 20: expected +, - or the end, found '<'");
    EXPECT_EQ(failure("bus_excess(0) - -1 <= 1"),
              "character 17: expected a number, a variable, @ or (, found '-'");
    EXPECT_EQ(failure("(bus_excess(0)"), "character 15: expected +, - or ), found the end");
    EXPECT_EQ(failure("1e999 * bus_excess(0)"), "character 1: expected a number, found '1'");
    EXPECT_EQ(failure("1e200 * (1e200 * bus_excess(0))"),
              "character 1: a coefficient is too large");
    EXPECT_EQ(failure("@ * bus_excess(0)"), "character 3: expected a name after @, found '*'");
    EXPECT_EQ(failure(std::string_view("bus_excess(0)\0", 14)),
              "character 14: expected +, -, <=, >=, == or the end, found byte 0x00");
}

TEST(ExpressionTest, RefusesGroupsThatNestTooDeep) {
    const std::string deep(100000, '(');
    EXPECT_EQ(failure(deep), "character 65: groups nest deeper than 64");
}

/// Variables that a text may hold, with small ids.
rc::Gen<Variable> any_variable() {
    return rc::gen::exec([] {
        Variable out;
        out.kind = *rc::gen::element(VariableKind::hydro_turbined,
                                     VariableKind::thermal_generation,
                                     VariableKind::line_direct,
                                     VariableKind::bus_deficit,
                                     VariableKind::hydro_generation,
                                     VariableKind::line_exchange);
        out.entity = *rc::gen::inRange(0, 1000);
        out.block = *rc::gen::inRange(-1, 5);
        if (out.kind == VariableKind::hydro_turbined) {
            out.bus = *rc::gen::inRange(-1, 5);
        }
        return out;
    });
}

std::string text_of(const Variable& variable) {
    std::string text = fmt::format("{}({}", to_string(variable.kind), variable.entity);
    text += variable.block < 0 ? "" : fmt::format(", {}", variable.block);
    text += variable.bus < 0 ? "" : fmt::format(", bus={}", variable.bus);
    return text + ")";
}

RC_GTEST_PROP(ExpressionPropertyTest, ReadsBackWhatIsWritten, ()) {
    const auto count = *rc::gen::inRange(1, 20);
    std::vector<Term> terms;
    std::string text;
    for (int i = 0; i < count; ++i) {
        // a short decimal, so that the text holds exactly this number
        const double coefficient = *rc::gen::inRange(-1000, 1000) / 8.0;
        const Variable variable = *any_variable();
        terms.push_back({coefficient, variable});
        text += coefficient < 0 ? " - " : i > 0 ? " + " : "";
        text +=
            fmt::format("{} * {}", coefficient < 0 ? -coefficient : coefficient, text_of(variable));
    }

    const Expression read = parse_expression(text);

    RC_ASSERT(read.terms.size() == terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
        RC_ASSERT(read.terms[i].coefficient == terms[i].coefficient);
        RC_ASSERT(read.terms[i].variable == terms[i].variable);
    }
}

RC_GTEST_PROP(ExpressionPropertyTest, NeverDoesMoreThanThrowInputErrors, ()) {
    const std::string alphabet = "ab_(),=<>*+-.@0129e \t";
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
    try {
        parse_expression(text);
    } catch (const InputError&) {
        RC_SUCCEED("refused");
    }
}

}  // namespace
}  // namespace lockstep::formats::cobre
