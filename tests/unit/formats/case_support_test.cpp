#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_fixture.hpp"

namespace lockstep::formats::cobre::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

/// One feature that is refused: a key of d19 (two hydros with lags) is set to a JSON value.
struct Feature {
    const char* file;
    const char* path;
    const char* value;
    const char* error;  ///< after "[NotSupported] "
};

void PrintTo(const Feature& feature, std::ostream* out) {
    *out << feature.file << " " << feature.path << " = " << feature.value;
}

class UnsupportedFeatureTest : public testing::TestWithParam<Feature> {};

TEST_P(UnsupportedFeatureTest, IsRefusedByName) {
    CaseCopy copy("d19-multi-hydro-par");
    copy.set(GetParam().file, GetParam().path, io::parse_json(GetParam().value, "test"));

    EXPECT_THAT(copy.errors(), ElementsAre("[NotSupported] " + std::string(GetParam().error)));
}

constexpr Feature refused[] = {
    {"stages.json",
     "policy_graph.transitions",
     R"([{"source_id": 0, "target_id": 2, "probability": 1}])",
     "stages.json:6 (transition from stage 0): not supported yet: a transition to stage 2, which "
     "is "
     "not the next stage"},
    {"stages.json",
     "stages.1.sampling_method",
     R"("selective")",
     "stages.json:39 (stage 1): not supported yet: the sampling method \"selective\""},
};

INSTANTIATE_TEST_SUITE_P(All, UnsupportedFeatureTest, testing::ValuesIn(refused));

class GraphMistakeTest : public testing::TestWithParam<Feature> {};

TEST_P(GraphMistakeTest, IsToldByName) {
    CaseCopy copy("node-tree");
    copy.set(GetParam().file, GetParam().path, io::parse_json(GetParam().value, "test"));

    EXPECT_THAT(copy.errors(), Contains(HasSubstr(GetParam().error)));
}

constexpr Feature graph_mistakes[] = {
    {"stages.json", "policy_graph.nodes", "[]", "stage 0): no node is of this stage"},
    {"stages.json", "policy_graph.nodes.1.id", "0", "node 0): node id is used twice"},
    {"stages.json", "policy_graph.nodes.1.stage_id", "7", "stage 7 does not exist"},
    {"stages.json", "policy_graph.nodes.1.stage_id", "0", "2 nodes are of the first stage"},
    {"stages.json", "policy_graph.transitions.0.target_id", "99", "node 99 does not exist"},
    {"stages.json", "policy_graph.transitions.0.target_id", "3", "which is not of the next stage"},
    {"stages.json", "policy_graph.transitions.0.target_id", "2", "has two transitions to node 2"},
    {"stages.json", "policy_graph.transitions.0.probability", "0.4", "probabilities sum to 1.1"},
    {"stages.json",
     "policy_graph.transitions.2.annual_discount_rate_override",
     "0.1",
     "is not allowed between nodes"},
    {"stages.json", "policy_graph.transitions", "[]", "no transition leaves it"},
    {"stages.json", "policy_graph.transitions", "[]", "above 0 leads to it"},
    {"config.json",
     "training.selection",
     R"({"method": "sampled", "forward_passes": 1})",
     "the rule \"gap\" needs the selection method \"enumerated\""},
    {"config.json",
     "training.stopping_rules",
     R"([{"type": "iteration_limit", "limit": 9}, {"type": "gap"}])",
     "needs \"tolerance\" or \"relative_tolerance\""},
};

INSTANTIATE_TEST_SUITE_P(All, GraphMistakeTest, testing::ValuesIn(graph_mistakes));

TEST(EnumerationTest, NeedsNodes) {
    CaseCopy copy("d19-multi-hydro-par");
    copy.set(
        "config.json", "training.selection", io::parse_json(R"({"method": "enumerated"})", ""));
    EXPECT_THAT(copy.errors(), ElementsAre(HasSubstr("needs nodes in stages.json")));
}

TEST(EmptyFilesTest, AreFineWhenTheySayNothing) {
    CaseCopy copy("d19-multi-hydro-par");
    copy.write_text("system/pumping_stations.json", R"({"pumping_stations": []})");
    copy.write_text("system/energy_contracts.json", R"({"contracts": []})");
    copy.write_text("system/non_controllable_sources.json", R"({"non_controllable_sources": []})");
    copy.write_text("scenarios/load_factors.json", R"({"load_factors": []})");
    copy.write_text("constraints/generic_constraints.json", R"({"constraints": []})");
    copy.write_text("constraints/generic_parameters.json", R"({"scalar_parameters": []})");
    copy.write("constraints/contract_bounds.parquet",
               {ints("contract_id", {}), ints("stage_id", {})});

    EXPECT_THAT(copy.errors(), IsEmpty());
}

TEST(SupportedOptionTest, ReadsTheOrderOfBlocks) {
    CaseCopy copy("d22-per-block-min-outflow");
    copy.set("stages.json", "stages.0.block_mode", "chronological");

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_TRUE(read.study.calendar.stages[0].is_chronological);
    EXPECT_FALSE(read.study.calendar.stages[1].is_chronological);
    EXPECT_EQ(read.study.calendar.stages[0].periods(), 3);
    EXPECT_EQ(read.study.calendar.stages[1].periods(), 1);
}

TEST(SupportedOptionTest, AcceptsWhatChangesNoResult) {
    CaseCopy copy("d19-multi-hydro-par");
    copy.set(
        "config.json",
        "training.parallelism",
        io::parse_json(R"({"backward_scheduler": {"method": "by_node", "block_size": 3}})", "t"));
    copy.set("config.json",
             "training.solver",
             io::parse_json(R"({"forward": {"primal_feasibility_tolerance": 1e-8, "presolve": "on"},
                                "backward": {"primal_feasibility_tolerance": 1e-8},
                                "retry_max_attempts": 3, "retry_time_budget_seconds": 1.5})",
                            "t"));
    copy.set(
        "config.json",
        "simulation.solver",
        io::parse_json(R"({"dual_feasibility_tolerance": 1e-7, "use_warm_start": false})", "t"));
    copy.set("config.json", "modeling.cost_scale_factor", 1000.0);
    copy.set("config.json",
             "policy",
             io::parse_json(R"({"path": "cuts", "checkpointing":
                                {"enabled": true, "initial_iteration": 3, "interval_iterations": 7}})",
                            "t"));

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(read.facts.config.train.tolerances.primal_tolerance, 1e-8);
    EXPECT_EQ(read.facts.config.train.tolerances.dual_tolerance, 1e-9);
    EXPECT_FALSE(read.facts.config.train.forward.has_value());
    EXPECT_EQ(read.facts.config.simulate.tolerances.dual_tolerance, 1e-7);
    EXPECT_TRUE(read.facts.config.train.speed.warm_start);
    EXPECT_FALSE(read.facts.config.simulate.speed.warm_start);
    EXPECT_EQ(read.facts.config.policy_path, "cuts");
    EXPECT_EQ(read.facts.config.train.checkpoint_first, 3);
    EXPECT_EQ(read.facts.config.train.checkpoint_iterations, 7);
}

TEST(CaseSupportTest, TakesWaysToTrain) {
    CaseCopy copy("d19-multi-hydro-par");
    copy.set("config.json", "training.multi_cut", true);
    copy.set("config.json",
             "upper_bound_evaluation",
             io::parse_json(R"({"enabled": true, "interval_iterations": 4,
                                "lipschitz": {"fallback_value": 50, "scale_factor": 2}})",
                            "test"));
    const auto config = copy.read().facts.config;
    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_TRUE(config.train.speed.multi_cut);
    EXPECT_TRUE(config.simulate.speed.multi_cut);
    EXPECT_EQ(config.train.inner.every, 4);
    EXPECT_EQ(config.train.inner.first, 4);
    EXPECT_DOUBLE_EQ(config.train.inner.fallback_price, 100);
    EXPECT_EQ(config.train.policy_cost.every, 0);

    copy.set("config.json",
             "upper_bound_evaluation",
             io::parse_json(R"({"enabled": true, "method": "importance_sampling", "num_paths": 7,
                                "initial_iteration": 5})",
                            "test"));
    const auto sampled = copy.read().facts.config.train;
    EXPECT_EQ(sampled.inner.every, 0);
    EXPECT_EQ(sampled.policy_cost.every, 10);
    EXPECT_EQ(sampled.policy_cost.first, 5);
    EXPECT_EQ(sampled.policy_cost.paths, 7);
}

TEST(CaseSupportTest, TakesStagesInACircle) {
    CaseCopy copy("d25-discount-rate");
    copy.set("stages.json", "policy_graph.type", "cyclic");
    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[BusinessRuleViolation] stages.json (policy_graph): type \"cyclic\" needs "
                    "one transition from the last stage to an earlier one: found 0"));

    copy.set("stages.json",
             "policy_graph.transitions",
             io::parse_json(R"([{"source_id": 0, "target_id": 1, "probability": 1},
                                {"source_id": 1, "target_id": 0, "probability": 1}])",
                            "test"));
    copy.set("config.json", "simulation.num_cycles", 5);
    const auto read = copy.read();
    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(read.study.graph.back_to, 0);
    EXPECT_EQ(read.facts.config.simulate.cycles, 5);

    copy.set("stages.json", "policy_graph.annual_discount_rate", 0);
    EXPECT_THAT(
        copy.errors(),
        ElementsAre("[BusinessRuleViolation] stages.json (policy_graph): type \"cyclic\" needs "
                    "an annual_discount_rate above 0: costs for ever have no sum without"));
}

// It would be lost where the last stage goes on with an earlier one.
TEST(CaseSupportTest, RefusesWhatIsOnItsWayInACircle) {
    CaseCopy copy("d25-discount-rate");
    copy.set("stages.json", "policy_graph.type", "cyclic");
    copy.set("stages.json",
             "policy_graph.transitions",
             io::parse_json(R"([{"source_id": 0, "target_id": 1, "probability": 1},
                                {"source_id": 1, "target_id": 0, "probability": 1}])",
                            "test"));
    copy.set("config.json", "policy", io::parse_json(R"({"boundary": {"path": "after"}})", "test"));
    copy.set("system/hydros.json", "hydros.0.travel_time_hours", 100);
    copy.set("system/thermals.json",
             "thermals.0.anticipated_config",
             io::parse_json(R"({"lead_time_hours": 700})", "test"));
    const auto errors = copy.errors();
    const char* circle = "in a policy graph of type \"cyclic\"";
    EXPECT_THAT(errors,
                IsSupersetOf({AllOf(HasSubstr("config.json (policy.boundary)"), HasSubstr(circle)),
                              AllOf(HasSubstr("\"travel_time_hours\""), HasSubstr(circle)),
                              AllOf(HasSubstr("\"anticipated_config\""), HasSubstr(circle))}));
}

// Tolerances are in the case's unit of costs.
TEST(CaseSupportTest, TakesCutSelection) {
    using Method = sddp::CutSelection::Method;
    CaseCopy copy("d19-multi-hydro-par");
    copy.set("config.json", "modeling.cost_scale_factor", 1000);
    copy.set("config.json",
             "training.cut_selection",
             io::parse_json(R"({"selection": {"method": "lml1", "tie_tolerance": 1e-3,
                                              "check_frequency": 7},
                                "max_active_per_stage": 100, "row_activity_tolerance": 1e-8})",
                            "test"));
    const auto train = copy.read().facts.config.train;
    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(train.selection.method, Method::lml1);
    EXPECT_DOUBLE_EQ(train.selection.tolerance, 1);
    EXPECT_EQ(train.selection.every, 7);
    EXPECT_EQ(train.selection.most_selected, 100);
    EXPECT_EQ(train.speed.activity, 1e-8);

    copy.set("config.json",
             "training.cut_selection",
             io::parse_json(R"({"selection": {"method": "domination",
                                              "domination_tolerance": 0.5}})",
                            "test"));
    EXPECT_EQ(copy.read().facts.config.train.selection.method, Method::level1);
    EXPECT_DOUBLE_EQ(copy.read().facts.config.train.selection.tolerance, 500);

    copy.set("config.json",
             "training.cut_selection",
             io::parse_json(R"({"selection": {"method": "dynamic", "seed_window": 3,
                                              "max_added_per_round": 2, "start_iteration": 4,
                                              "violation_tolerance": 1e-6,
                                              "candidate_recency": 9}})",
                            "test"));
    const auto dynamic = copy.read().facts.config.train;
    EXPECT_EQ(dynamic.selection.method, Method::recent);
    EXPECT_EQ(dynamic.selection.window, 9);
    EXPECT_EQ(dynamic.speed.seed_window, 3);
    EXPECT_EQ(dynamic.speed.cuts_per_round, 2);
    EXPECT_EQ(dynamic.speed.lazy_from, 4);
    EXPECT_DOUBLE_EQ(dynamic.speed.violation, 1e-3);
}

TEST(SupportedOptionTest, SolvesByHighsWhereAProfileHasItsChoices) {
    CaseCopy copy("d01-thermal-dispatch");
    const char* profile = R"({"dual_edge_weight": "steepest_edge", "scale": "solver_scaling",
        "price": "row", "simplex_update_limit": 100, "cost_perturbation": 0.5,
        "refactor_error_tolerance": 1e-7, "factor_pivot_threshold": 0.2,
        "steepest_edge_devex_fallback_threshold": 20})";
    copy.set("config.json", "training.solver", io::Json::object());
    copy.set("config.json", "training.solver.forward", io::parse_json(profile, "t"));
    copy.set("config.json", "training.solver.backward", io::parse_json(profile, "t"));

    const Config config = copy.read().facts.config;

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(config.train.solver, lp::SolverKind::highs);
    EXPECT_EQ(config.simulate.solver, lp::default_solver());
    const lp::HighsProfile& highs = config.train.tolerances.highs;
    EXPECT_EQ(highs.edge_weight, lp::HighsProfile::EdgeWeight::steepest_edge);
    EXPECT_TRUE(highs.scales);
    EXPECT_TRUE(highs.prices_by_rows);
    EXPECT_EQ(highs.update_limit, 100);
    EXPECT_EQ(highs.cost_perturbation, 0.5);
    EXPECT_EQ(highs.pivot_threshold, 0.2);

    copy.set("config.json", "training.solver.forward.factor_pivot_threshold", 0.9);
    copy.set("config.json", "training.solver.backward.factor_pivot_threshold", 0.9);
    EXPECT_THAT(
        copy.errors(),
        testing::ElementsAre("[BusinessRuleViolation] config.json (training.solver.forward): "
                             "factor_pivot_threshold is 0.9 (must be in [0.0008, 0.5])",
                             "[BusinessRuleViolation] config.json (training.solver.backward): "
                             "factor_pivot_threshold is 0.9 (must be in [0.0008, 0.5])"));
}

TEST(SupportedOptionTest, SolvesTheForwardPassAsItsProfileSays) {
    CaseCopy copy("d01-thermal-dispatch");
    copy.set("config.json",
             "training.solver",
             io::parse_json(R"({"forward": {"primal_feasibility_tolerance": 1e-6,
                                            "dual_edge_weight": "dantzig",
                                            "use_warm_start": false}})",
                            "t"));
    const auto train = copy.read().facts.config.train;
    EXPECT_THAT(copy.errors(), IsEmpty());
    ASSERT_TRUE(train.forward.has_value());
    EXPECT_EQ(train.forward->tolerances.primal_tolerance, 1e-6);
    EXPECT_EQ(train.forward->tolerances.highs.edge_weight, lp::HighsProfile::EdgeWeight::dantzig);
    EXPECT_FALSE(train.forward->warm_start);
    EXPECT_EQ(train.tolerances.primal_tolerance, 1e-9);
    EXPECT_TRUE(train.speed.warm_start);
    EXPECT_EQ(train.solver, lp::SolverKind::highs);
}

TEST(SupportedOptionTest, LosesPowerOnLinesWhereAsked) {
    CaseCopy copy("d04-transmission");
    copy.set("system/lines.json", "lines.0.losses_percent", 4.0);
    EXPECT_EQ(copy.read().study.system.lines.at(0).loss_share, 0);

    copy.set("config.json", "modeling", io::parse_json(R"({"line_losses": true})", "t"));
    EXPECT_EQ(copy.read().study.system.lines.at(0).loss_share, 0.04);

    copy.set("system/lines.json", "lines.0.losses_percent", 100.0);
    EXPECT_THAT(copy.errors(),
                ElementsAre(testing::HasSubstr("losses_percent 100 must be below 100 with "
                                               "modeling.line_losses")));
}

TEST(SupportedOptionTest, ReadsStoppingRules) {
    CaseCopy copy("d19-multi-hydro-par");
    copy.set("config.json", "training.stopping_mode", "all");
    copy.set("config.json",
             "training.stopping_rules",
             io::parse_json(R"([{"type": "iteration_limit", "limit": 9},
                                {"type": "time_limit", "seconds": 1.5},
                                {"type": "bound_stalling", "iterations": 4, "tolerance": 0.1}])",
                            "t"));

    const Case read = copy.read();

    using Kind = sddp::StoppingRule::Kind;
    EXPECT_TRUE(read.facts.config.train.stop_when_all);
    ASSERT_EQ(read.facts.config.train.stopping.size(), 3U);
    EXPECT_EQ(read.facts.config.train.stopping[1].kind, Kind::time_limit);
    EXPECT_EQ(read.facts.config.train.stopping[1].seconds, 1.5);
    EXPECT_EQ(read.facts.config.train.stopping[2].kind, Kind::bound_stalling);
    EXPECT_EQ(read.facts.config.train.stopping[2].iterations, 4);
    EXPECT_EQ(read.facts.config.train.stopping[2].tolerance, 0.1);
    EXPECT_EQ(read.facts.config.train.stopping[2].absolute_tolerance, 0);
    EXPECT_EQ(read.facts.config.train.stopping[2].min_iterations, 0);
    EXPECT_EQ(read.facts.config.train.stopping[2].max_gap, std::numeric_limits<double>::infinity());
}

TEST(SupportedOptionTest, ReadsWhatLockstepAddsToTheFormat) {
    CaseCopy copy("d19-multi-hydro-par");
    EXPECT_EQ(copy.read().study.process.bound_slopes, sddp::BoundSlopes::secant);
    copy.set("config.json", "modeling.inflow_non_negativity.bound_slopes", "tangent");
    copy.set("config.json",
             "training.stopping_rules",
             io::parse_json(R"([{"type": "iteration_limit", "limit": 9},
                                {"type": "bound_stalling", "iterations": 4, "tolerance": 0.1,
                                 "absolute_tolerance": 50, "min_iterations": 20, "max_gap": 0.02}])",
                            "t"));

    const Case read = copy.read();

    EXPECT_EQ(read.study.process.bound_slopes, sddp::BoundSlopes::tangent);
    EXPECT_EQ(read.facts.config.train.stopping[1].absolute_tolerance, 50);
    EXPECT_EQ(read.facts.config.train.stopping[1].min_iterations, 20);
    EXPECT_EQ(read.facts.config.train.stopping[1].max_gap, 0.02);
}

TEST(SupportedOptionTest, TakesTheDiscountRateOfStageThenTransitionThenCase) {
    CaseCopy copy("d19-multi-hydro-par");
    copy.set(
        "stages.json",
        "policy_graph",
        io::parse_json(R"({"type": "finite_horizon", "annual_discount_rate": 0.1, "transitions": [
                {"source_id": 0, "target_id": 1, "probability": 1,
                 "annual_discount_rate_override": 0.2},
                {"source_id": 1, "target_id": 2, "probability": 1,
                 "annual_discount_rate_override": 0.3}]})",
                       "t"));
    copy.set("stages.json", "stages.1.annual_discount_rate_override", 0.4);

    const Case read = copy.read();

    EXPECT_THAT(copy.errors(), IsEmpty());
    EXPECT_EQ(read.study.calendar.stages[0].annual_discount_rate, 0.2);
    EXPECT_EQ(read.study.calendar.stages[1].annual_discount_rate, 0.4);
    EXPECT_EQ(read.study.calendar.stages[2].annual_discount_rate, 0.1);
}

TEST(SettingsTest, ChangeOneKey) {
    CaseCopy copy("d19-multi-hydro-par");

    const Case read = copy.read({{"training.selection.forward_passes", "8"},
                                 {"training.stopping_rules.0.limit", "3"},
                                 {"simulation.enabled", "true"},
                                 {"policy.path", "elsewhere"},
                                 {"estimation.max_order", "2"}});

    EXPECT_EQ(copy.problems().error_count(), 0U);
    EXPECT_EQ(read.facts.config.train.forward_passes, 8);
    EXPECT_EQ(read.facts.config.train.stopping[0].iterations, 3);
    EXPECT_TRUE(read.facts.config.simulation_enabled);
    EXPECT_EQ(read.facts.config.policy_path, "elsewhere");
    EXPECT_EQ(read.study.process.estimation.max_order, 2);
}

TEST(SettingsTest, SayWhatWasMeant) {
    CaseCopy copy("d19-multi-hydro-par");

    EXPECT_THAT(
        copy.errors({{"training.selection.forward_pases", "8"},
                     {"forward_passes", "8"},
                     {"training.stopping_rules.7.limit", "8"},
                     {"training.enabled.deeper", "8"},
                     {"", "8"},
                     {"zzz", "8"}}),
        ElementsAre(
            "[SchemaViolation] config.json (setting training.selection.forward_pases): "
            "config.json has no such key; did you mean \"training.selection.forward_passes\"?",
            "[SchemaViolation] config.json (setting forward_passes): config.json has no such "
            "key; did you mean \"training.selection.forward_passes\"?",
            "[SchemaViolation] config.json (setting training.stopping_rules.7.limit): "
            "config.json has no value at this place",
            "[SchemaViolation] config.json (setting training.enabled.deeper): config.json has "
            "no such key; did you mean \"training.enabled\"?",
            "[SchemaViolation] config.json (setting ): config.json has no such key",
            "[SchemaViolation] config.json (setting zzz): config.json has no such key"));
}

TEST(SettingsTest, AreCheckedLikeTheFile) {
    CaseCopy copy("d19-multi-hydro-par");

    EXPECT_THAT(copy.errors({{"training.selection.forward_passes", "many"}}),
                ElementsAre("[SchemaViolation] config.json (training.selection.forward_passes): "
                            "expected integer, found string"));
}

}  // namespace
}  // namespace lockstep::formats::cobre::test
