"""Tests tools/check_keys.py on a small made-up tree."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_keys  # noqa: E402  (the path comes first)

READER = """
keys.acts("a.used", n.used);
keys.acts_or_auto(
    "a.idle", n.inner.idle, count);
keys.acts_or("a.word", "jac", n.word, positive);
"""


def faults_of(source):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / check_keys.KEYS).parent.mkdir(parents=True)
        (root / check_keys.KEYS).write_text(READER, encoding="utf-8")
        (root / "src/app.cpp").write_text(source, encoding="utf-8")
        return list(check_keys.faults(root))


class CheckKeysTest(unittest.TestCase):
    def test_accepts_values_that_are_taken(self):
        self.assertEqual([], faults_of("f(c.used, c->idle, &N::word);"))

    def test_names_keys_whose_value_nobody_takes(self):
        found = faults_of("f(c.used, idle);")
        self.assertEqual(
            [
                f"{check_keys.KEYS}: a.idle acts by the table, and nothing takes n.inner.idle",
                f"{check_keys.KEYS}: a.word acts by the table, and nothing takes n.word",
            ],
            found,
        )


if __name__ == "__main__":
    unittest.main()
