"""Tests of the generator of tools/peer."""

import datetime
import unittest

import tool  # noqa: F401  (the path comes first)

import generator
from case import column_type
from features import REGISTRY, with_needs

SOME = range(60)


class GeneratorTest(unittest.TestCase):
    def test_makes_the_same_case_again(self):
        for number in SOME:
            self.assertEqual(generator.make(1, number).fingerprint(), generator.make(1, number).fingerprint())

    def test_cases_of_other_numbers_and_seeds_differ(self):
        prints = {generator.make(seed, number).fingerprint() for seed in (1, 2) for number in SOME}
        self.assertEqual(2 * len(SOME), len(prints))

    def test_a_seed_may_be_text_or_number(self):
        self.assertEqual(generator.make(7, 3).fingerprint(), generator.make("7", 3).fingerprint())

    def test_every_feature_is_met_within_two_thousand_cases(self):
        met = set()
        for number in range(2000):
            met.update(generator.make(1, number).features)
            if len(met) == len(REGISTRY):
                break
        self.assertEqual(set(REGISTRY), met)

    def test_only_gives_the_feature_and_what_it_needs(self):
        for name in REGISTRY:
            for number in range(3):
                features = generator.make(1, number, [name]).features
                self.assertLessEqual(set(features), set(with_needs([name])), name)

    def test_needs_come_before(self):
        names = with_needs(["annual component"])
        self.assertLess(names.index("par"), names.index("annual component"))

    def test_stages_follow_each_other(self):
        for number in SOME:
            stages = generator.make(1, number).stages
            for before, stage in zip(stages, stages[1:]):
                self.assertEqual(before["end_date"], stage["start_date"], number)
                self.assertLess(datetime.date.fromisoformat(stage["start_date"]),
                                datetime.date.fromisoformat(stage["end_date"]))

    def test_references_point_at_what_is_there(self):
        for number in SOME:
            case = generator.make(1, number)
            buses = {bus["id"] for bus in case.buses}
            hydros = {hydro["id"] for hydro in case.hydros}
            used = {thermal["bus_id"] for thermal in case.thermals}
            used |= {group["bus_id"] for hydro in case.hydros for group in hydro["unit_groups"]}
            self.assertLessEqual(used, buses)
            self.assertLessEqual({row["hydro_id"] for rows in case.tables.values() for row in rows
                                  if "hydro_id" in row}, hydros)

    def test_column_types_follow_the_names(self):
        self.assertEqual(["int32", "int32", "uint32", "date", "double"], [column_type(name) for name in (
            "hydro_unit_group_id", "lag", "entity_index", "end_date", "mean_m3s")])


if __name__ == "__main__":
    unittest.main()
