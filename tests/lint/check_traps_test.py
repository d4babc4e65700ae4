"""Tests tools/check_traps.py on small made-up trees."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_traps  # noqa: E402  (the path comes first)


def faults_of(rows, count):
    """Faults of a page of rows, beside one test in C++ and one in Python."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs/xpcs").mkdir(parents=True)
        (root / check_traps.PAGE).write_text("".join(f"| {number} | what | how | {tests} |\n" for number, tests in rows), encoding="utf-8")
        (root / "tests").mkdir()
        (root / "tests/fit_test.cpp").write_text("TEST_P(Fit,\n       Ends) {\n}\n", encoding="utf-8")
        (root / "tests/peer_test.py").write_text("class PeerTest(X):\n    def test_agrees(self):\n        pass\n", encoding="utf-8")
        check_traps.COUNT = count
        return list(check_traps.faults(root))


class CheckTrapsTest(unittest.TestCase):
    def test_accepts_tests_in_both_languages(self):
        self.assertEqual([], faults_of([(2, "`PeerTest.test_agrees`"), (1, "`Fit.Ends`, `PeerTest.test_agrees`")], 2))

    def test_counts_traps(self):
        found = faults_of([(1, "`Fit.Ends`"), (1, "`Fit.Ends`")], 2)
        self.assertEqual(["docs/xpcs/traps.md: trap 1 stands 2 times", "docs/xpcs/traps.md: trap 2 stands 0 times"], found)

    def test_names_tests_that_are_not_there(self):
        found = faults_of([(1, "none"), (2, "`Fit.Begins`")], 2)
        self.assertEqual(["docs/xpcs/traps.md: trap 1 names no test", "docs/xpcs/traps.md: trap 2: there is no test Fit.Begins"], found)


if __name__ == "__main__":
    unittest.main()
