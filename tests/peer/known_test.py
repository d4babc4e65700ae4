"""Tests of the rules for known differences of tools/peer."""

import unittest

import tool  # noqa: F401  (the path comes first)

import bounds
import known
from case import Case
from compare import KINDS, Difference, distance
from programs import Outcome

COEFFICIENTS = "scenarios/inflow_ar_coefficients.parquet"
ANNUAL = "scenarios/inflow_annual_component.parquet"
NOTHING = ({"curtailment_constant": 0.0, "simulation": {}}, {"simulation": {}})


def a_case(**documents):
    case = Case({
        "penalties.json": {"bus": {"deficit_segments": [{"depth_mw": None, "cost": 500.0}]}},
        "stages.json": {"stages": [{"id": 0}, {"id": 1}]},
        "config.json": {"modeling": {"inflow_non_negativity": {"method": "none"}}},
        "system/buses.json": {"buses": [{"id": 0}, {"id": 1}]}})
    case.documents.update({path: document for path, document in documents.items()})
    return case


def constraint(text):
    return {"constraints/generic_constraints.json": {"constraints": [{"id": 0, "expression": text}]}}


def with_memory(case, *numbers):
    """Stages of these numbers, with two openings and statistics of a plant for each."""
    case.documents["stages.json"]["stages"] = [
        {"id": number, "num_openings": 2, "state_variables": {"storage": True, "inflow_lags": True}} for number in numbers]
    case.tables["scenarios/inflow_seasonal_stats.parquet"] = [
        {"hydro_id": 0, "stage_id": number, "std_m3s": 1.0} for number in (-3, -2, -1, *numbers)]
    return case


def name_of(case, kind, outcomes=(Outcome("ok"), Outcome("ok")), results=(None, None), ours=1.0, theirs=2.0):
    difference = Difference(kind, "", ours, theirs, distance(ours, theirs))
    rule = known.find(known.Seen(case, difference, [difference], outcomes, results))
    return rule.name if rule else None


class KnownTest(unittest.TestCase):
    def test_every_rule_has_kinds_that_exist_and_a_reason(self):
        for rule in known.RULES:
            self.assertLessEqual(set(rule.kinds), set(KINDS))
            self.assertGreater(len(rule.reason), 20)
            self.assertIn(rule.whose, ("Cobre", "neither", "Lockstep"))

    def test_a_plain_case_has_no_excuse(self):
        for kind in ("openings", "inflows", "bound"):
            self.assertIsNone(name_of(a_case(), kind, results=({"curtailment_constant": 0.0}, {"simulation": {}})))

    def test_other_decisions_of_the_same_value_are_another_vertex(self):
        self.assertEqual("another vertex", name_of(a_case(), "decisions"))

    def test_deficit_of_a_bus_with_fewer_segments(self):
        case = a_case(**constraint("1 * bus_deficit(0)"))
        results = ({"curtailment_constant": 0.0}, {"simulation": {}})
        self.assertIsNone(name_of(case, "bound", results=results))
        case.buses[1]["deficit_segments"] = [{"depth_mw": 5.0, "cost": 1.0}, {"depth_mw": None, "cost": 2.0}]
        self.assertEqual("free deficit column", name_of(case, "bound", results=results))

    def test_lags_across_a_gap_in_the_numbers(self):
        case = with_memory(a_case(), 0, 4, 5)
        for stage, lag, rule in ((5, 1, None), (5, 2, "numbers leave gaps"), (4, 1, "numbers leave gaps")):
            case.tables[COEFFICIENTS] = [{"hydro_id": 0, "stage_id": stage, "lag": lag}]
            self.assertEqual(rule, name_of(case, "inflows"), f"lag {lag} of stage {stage}")
        case.tables[COEFFICIENTS] = []
        case.tables[ANNUAL] = [{"hydro_id": 0, "stage_id": 5}]
        self.assertEqual("numbers leave gaps", name_of(case, "inflows"))
        self.assertIsNone(name_of(with_memory(case, 3, 4, 5), "inflows"))

    def test_lags_across_a_gap_before_the_study(self):
        case = with_memory(a_case(), 2, 3, 4)
        del case.stages[0]
        case.tables[COEFFICIENTS] = [{"hydro_id": 0, "stage_id": 4, "lag": 2}]
        self.assertIsNone(name_of(case, "bound", results=NOTHING), "2 is the month before 3 where none is declared")
        case.documents["stages.json"]["pre_study_stages"] = [{"id": -1, "start_date": "2024-01-01"}]
        self.assertEqual("numbers leave gaps", name_of(case, "inflows", results=NOTHING))
        fitted = ({"stochastic": {"inflow_ar_coefficients": {(0, 4, 2): {}}}}, {})
        case.tables[COEFFICIENTS] = []
        self.assertEqual("numbers leave gaps", name_of(case, "inflows", results=fitted))
        for words, rule in (("residual_std_ratio is non-finite", "numbers leave gaps"), ("other", None)):
            refused = (Outcome("ok"), Outcome("invalid", words))
            self.assertEqual(rule, name_of(case, "status", refused, results=fitted))

    def test_fitted_rows_of_declared_months_that_only_cobre_refuses(self):
        twice = (Outcome("ok"), Outcome("invalid", "duplicate row for (hydro_id=0, stage_id=-1)"))
        orphaned = (Outcome("ok"), Outcome("invalid", "orphaned AR coefficients for (hydro_id=0, stage_id=-1)"))
        case = with_memory(a_case(), 3, 4)
        case.tables["scenarios/inflow_history.parquet"] = [{"hydro_id": 0}]
        self.assertIsNone(name_of(case, "status", twice), "nothing is declared")
        for number, rule in ((-1, "declared months fitted"), (2, None)):
            case.documents["stages.json"]["pre_study_stages"] = [{"id": number, "start_date": "2024-01-01"}]
            self.assertEqual(rule, name_of(case, "status", twice), f"declared as {number}")
        self.assertEqual("declared months fitted", name_of(case, "status", orphaned))
        case.tables["scenarios/inflow_seasonal_stats.parquet"] = []
        self.assertIsNone(name_of(case, "status", orphaned), "without given statistics")

    def test_a_bound_above_ours_where_inflows_with_memory_are_truncated(self):
        case = with_memory(a_case(), 0, 1)
        case.tables[COEFFICIENTS] = [{"hydro_id": 0, "stage_id": 1, "lag": 1}]

        def name(method="truncation", inflow=0.0, theirs=2.0):
            case.config["modeling"]["inflow_non_negativity"]["method"] = method
            hydros = {(0, 1, 0, 0): {"incremental_inflow_m3s": inflow}}
            results = ({"curtailment_constant": 0.0, "simulation": {"hydros": hydros}}, {"simulation": {}})
            return name_of(case, "bound", results=results, theirs=theirs)

        self.assertEqual("tangent bound", name())
        self.assertIsNone(name("penalty"))
        self.assertIsNone(name(inflow=3.0), "nothing is cut off")
        self.assertIsNone(name(theirs=0.5), "a bound below ours")

    def test_cuts_that_leave_out_lags_that_differ(self):
        case = with_memory(a_case(), 0, 1, 2)
        case.tables[COEFFICIENTS] = [{"hydro_id": 0, "stage_id": 2, "lag": 1}]
        for forgetful, rule in ((0, None), (1, None), (2, "forgotten lags")):
            for place, stage in enumerate(case.stages):
                stage["state_variables"] = {"storage": True, "inflow_lags": place != forgetful}
            self.assertEqual(rule, name_of(case, "bound", results=NOTHING), f"before stage {forgetful}")
        case.stages[1]["num_openings"] = 1
        self.assertIsNone(name_of(case, "bound", results=NOTHING), "all paths have the same lag")

    def test_a_scale_of_costs_beyond_the_tolerances(self):
        results = ({"curtailment_constant": 0.0}, {"simulation": {}})
        case = a_case()
        for factor, theirs, rule in ((1e8, 1 + 1e-5, "costs scaled far"), (1e8, 2.0, None), (1e6, 1 + 1e-5, None),
                                     (1e12, 1.4, "costs scaled far")):
            case.config["modeling"]["cost_scale_factor"] = factor
            self.assertEqual(rule, name_of(case, "bound", results=results, theirs=theirs), f"{factor:g}")

    def test_lags_before_january_where_december_is_not_fitted(self):
        case = a_case(**{"config.json": {"estimation": {"max_order": 4}}})
        case.tables["scenarios/inflow_history.parquet"] = [{"hydro_id": 0}]
        for first, rule in ((6, "lags wrapped"), (8, None), (0, None)):
            for i, stage in enumerate(case.stages):
                stage["season_id"] = first + i
            self.assertEqual(rule, name_of(case, "openings"), f"study from month {first}")

    def test_a_column_twice_only_with_the_panic(self):
        case = a_case(**constraint("hydro_storage(0) + 2 * hydro_storage_final(0)"))
        panic = (Outcome("ok"), Outcome("crash", "cobre_highs_pass_lp failed with status -1"))
        self.assertEqual("column twice", name_of(case, "status", panic))
        self.assertIsNone(name_of(case, "status", (Outcome("ok"), Outcome("crash", "other"))))
        self.assertIsNone(name_of(a_case(**constraint("hydro_storage(0) + hydro_storage(1)")), "status", panic))

    def test_repeats_are_found_by_column(self):
        self.assertEqual(["hydro_outflow(0)"], bounds.without_repeats(["hydro_outflow(0)", "hydro_spillage(0)"]))
        self.assertEqual(2, len(bounds.without_repeats(["line_direct(0)", "line_reverse(0)"])))
        self.assertEqual(1, len(bounds.without_repeats(["line_exchange(0)", "line_reverse(0)"])))
        self.assertEqual(1, len(bounds.without_repeats(["hydro_inflow(1)", "hydro_turbined(0)"])))


if __name__ == "__main__":
    unittest.main()
