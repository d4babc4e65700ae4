"""Tests of the minimiser of tools/peer, with a bench that runs nothing."""

import unittest

import tool  # noqa: F401  (the path comes first)

import generator
import minimise
from compare import Difference
from programs import Outcome


class FakeBench:
    """Differs as long as there are thermals; finds a case without buses or stages wrong."""

    def __init__(self):
        self.runs = 0

    def differences(self, case):
        self.runs += 1
        outcomes = (Outcome("ok"), Outcome("ok"))
        try:
            is_whole = bool(case.buses and case.thermals and case.penalties["bus"]["deficit_segments"] and len(case.stages) > 1
                            and all("id" in stage for stage in case.stages + case.buses + case.thermals))
        except KeyError:
            is_whole = False
        result = {"curtailment_constant": 0.0, "simulation": {}}
        return outcomes, (result, result), [Difference("bound", "final", 1.0, 2.0)] if is_whole else []


class MinimiseTest(unittest.TestCase):
    def test_keeps_what_the_difference_needs_and_little_else(self):
        case = generator.make(1, 3, ["cascade", "network", "load noise"])
        small, found = minimise.shrink(FakeBench(), case, lambda text: None)
        self.assertEqual("bound", found.kind)
        self.assertEqual(1, len(small.thermals))
        self.assertEqual([], small.hydros)
        self.assertEqual({}, small.tables)

    def test_leaves_nothing_that_speaks_of_a_lost_plant(self):
        case = generator.make(1, 3, ["cascade"])
        number = case.hydros[0]["id"]
        small = minimise.without_entity(case, "hydro_id", number)
        self.assertNotIn(number, [row.get("hydro_id") for rows in small.tables.values() for row in rows])
        self.assertNotIn(number, [hydro["downstream_id"] for hydro in small.hydros])
        self.assertNotIn(number, [entry["hydro_id"] for entry in small.initial["storage"]])

    def test_a_case_that_does_not_differ_is_not_shrunk(self):
        case = generator.make(1, 3)
        case.thermals.clear()
        with self.assertRaises(SystemExit):
            minimise.shrink(FakeBench(), case, lambda text: None)


if __name__ == "__main__":
    unittest.main()
