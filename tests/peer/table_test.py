"""Tests of the table of tools/peer."""

import unittest

import tool  # noqa: F401  (the path comes first)

import generator  # noqa: F401  (registers the features)
import table
from campaign import Verdict


class TableTest(unittest.TestCase):
    def test_counts_by_feature_and_in_all(self):
        by_feature, total = table.count([
            Verdict("1-0", ["par", "blocks"]), Verdict("1-1", ["par"], "differs"), Verdict("1-2", [], "refused")])
        self.assertEqual((2, 1, 1), tuple(by_feature["par"][name] for name in ("cases", "equal", "differs")))
        self.assertEqual(1, by_feature[table.NO_FEATURE]["refused"])
        self.assertEqual(3, total["cases"])

    def test_names_the_cases_that_differ(self):
        text = table.text([Verdict("1-1", ["par"], "differs", differences=[{"kind": "bound"}])])
        self.assertIn("1-1: bound (par)", text)

    def test_rules_come_with_their_reason(self):
        text = table.text([Verdict("1-1", ["par"], "explained", rule="halton point 0")])
        self.assertIn("8.21", text)

    def test_all_lines_of_a_table_are_as_wide(self):
        lines = table.markdown(("a", "b"), [("x", 1), ("long name", 100)]).splitlines()
        self.assertEqual(1, len({len(line) for line in lines}))


if __name__ == "__main__":
    unittest.main()
