"""Tests of the comparison of tools/peer, on results made by hand."""

import copy
import unittest

import tool  # noqa: F401  (the path comes first)

import compare
import generator
from programs import Outcome, lockstep_status


def a_case(openings=2):
    """Two stages, nothing random but the number of openings."""
    case = generator.make(1, 0, ["losses"])
    del case.stages[2:]
    for stage in case.stages:
        stage["num_openings"] = openings
    case.documents.pop("system/non_controllable_sources.json", None)
    return case


def a_result(case):
    """Two scenarios with one plant and one bus."""
    stages = [stage["id"] for stage in case.stages]
    return {
        "bounds": [50.0, 90.0, 100.0, 100.0, 100.0, 100.0, 100.0], "upper": [100.0], "curtailment_constant": 0.0,
        "stochastic": {"noise_openings": {(t, o, 0): {"value": 0.1 * t + o} for t in range(2) for o in range(2)}},
        "simulation": {
            "costs": {(s, t): {"immediate_cost": 60.0, "future_cost": 40.0, "discount_factor": 1.0}
                      for s in range(2) for t in stages},
            "hydros": {(s, t, 0, 0): {"incremental_inflow_m3s": 10.0 + s, "turbined_m3s": 5.0}
                       for s in range(2) for t in stages},
            "buses": {(s, t, 0, 0): {"load_mw": 30.0, "deficit_mw": 0.0} for s in range(2) for t in stages},
        }}


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.case = a_case()
        self.ours = a_result(self.case)
        self.theirs = copy.deepcopy(self.ours)
        self.first = self.case.stages[0]["id"]

    def kinds(self, case=None):
        return [d.kind for d in compare.compare_results(case or self.case, self.ours, self.theirs)]

    def test_equal_results_have_no_difference(self):
        self.assertEqual([], self.kinds())

    def test_finds_another_opening(self):
        self.theirs["stochastic"]["noise_openings"][1, 0, 0]["value"] += 1e-5
        self.assertEqual(["openings"], self.kinds())

    def test_finds_a_missing_row(self):
        del self.theirs["stochastic"]["noise_openings"][1, 1, 0]
        self.assertEqual(["openings"], self.kinds())

    def test_finds_another_inflow_and_another_load(self):
        self.theirs["simulation"]["hydros"][1, self.first, 0, 0]["incremental_inflow_m3s"] = 11.001
        self.assertEqual(["inflows"], self.kinds())
        self.theirs = copy.deepcopy(self.ours)
        self.theirs["simulation"]["buses"][0, self.first, 0, 0]["load_mw"] = 31.0
        self.assertEqual(["inflows"], self.kinds())

    def test_bounds_may_differ_by_a_millionth(self):
        self.theirs["bounds"][-1] *= 1 + 0.9e-6
        self.assertEqual([], self.kinds())
        self.theirs["bounds"][-1] = 100.0 * (1 + 2e-6)
        self.assertEqual(["bound"], self.kinds())

    def test_the_credit_of_sources_is_taken_out(self):
        self.ours["curtailment_constant"] = 7.0
        self.theirs["bounds"][-1] -= 7.0
        for scenario in range(2):
            self.theirs["simulation"]["costs"][scenario, self.first]["future_cost"] -= 7.0
        self.assertEqual([], self.kinds())

    def test_finds_another_value_of_the_first_stage(self):
        self.theirs["simulation"]["costs"][0, self.first]["future_cost"] += 1.0
        self.assertEqual(["value"], self.kinds())

    def test_another_vertex_is_told_as_a_decision(self):
        self.theirs["simulation"]["hydros"][0, self.first, 0, 0]["turbined_m3s"] = 6.0
        self.assertEqual(["decisions"], self.kinds())

    def test_costs_count_only_without_noise(self):
        last = self.case.stages[-1]["id"]
        self.theirs["simulation"]["costs"][0, last]["immediate_cost"] += 1.0
        self.assertEqual([], self.kinds())
        self.assertEqual(["costs"], self.kinds(a_case(openings=1)))

    def test_not_a_number_is_a_difference(self):
        self.theirs["bounds"][-1] = float("nan")
        self.assertIn("bound", self.kinds())

    def test_statuses_that_agree_are_equal_whatever_their_words(self):
        self.assertIsNone(compare.compare_outcomes(Outcome("invalid", "a"), Outcome("invalid", "b")))
        self.assertEqual("status", compare.compare_outcomes(Outcome("ok"), Outcome("invalid", "b")).kind)

    def test_bounds_that_rise_get_more_iterations(self):
        differences = [compare.Difference("bound", "", 1, 2)]
        self.assertFalse(compare.may_settle(differences, (self.ours, self.theirs)))
        self.theirs["bounds"] = [50.0, 60.0, 70.0, 80.0, 90.0, 95.0]
        self.assertTrue(compare.may_settle(differences, (self.ours, self.theirs)))
        self.assertFalse(compare.may_settle([*differences, compare.Difference("inflows", "", 1, 2)],
                                            (self.ours, self.theirs)))

    def test_values_at_noise_that_training_does_not_know_are_not_compared(self):
        self.case.config["simulation"]["scenario_source"] = {"seed": 1, "load": {"scheme": "out_of_sample"}}
        self.theirs["simulation"]["costs"][0, self.first]["future_cost"] += 1.0
        self.assertEqual([], self.kinds())


class StatusTest(unittest.TestCase):
    def test_tells_what_exit_code_65_is_about(self):
        self.assertEqual("invalid", lockstep_status(65, "  [InvalidValue] stages.json: no"))
        self.assertEqual("unsupported", lockstep_status(65, "  [NotSupported] config.json: not supported yet: x"))
        self.assertEqual("infeasible", lockstep_status(65, "stage 2 has no solution"))

    def test_a_signal_is_a_crash(self):
        self.assertEqual("crash", lockstep_status(-6, ""))
        self.assertEqual("crash", lockstep_status(70, ""))


if __name__ == "__main__":
    unittest.main()
