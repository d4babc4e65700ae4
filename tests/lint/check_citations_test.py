"""Tests tools/check_citations.py on small made-up trees."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_citations  # noqa: E402  (the path comes first)


def faults_of(references, source):
    """Faults of a tree with one source file."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "docs/references.bib").write_text(references, encoding="utf-8")
        (root / "src/sddp").mkdir(parents=True)
        (root / "src/sddp/cut.cpp").write_text(source, encoding="utf-8")
        return list(check_citations.faults(root))


class CheckCitationsTest(unittest.TestCase):
    def test_accepts_what_the_bibliography_holds(self):
        self.assertEqual([], faults_of("@book{Knuth1997, year={1997}}\n", "// as in [Knuth1997], section 3\n"))

    def test_names_file_line_and_key(self):
        self.assertEqual(
            ["src/sddp/cut.cpp:2: [Knuth1997] is not in docs/references.bib"],
            faults_of("@book{Knuth1973, year={1973}}\n", "// a cut\n// [Knuth1997]\n"),
        )

    def test_finds_a_key_that_stands_twice(self):
        entry = "@book{Knuth1997, year={1997}}\n"
        self.assertEqual(["docs/references.bib: Knuth1997 stands 2 times"], faults_of(2 * entry, ""))

    def test_leaves_indices_alone(self):
        self.assertEqual([], faults_of("", "a[Index2000] = b[i]; // [stages]\n"))


if __name__ == "__main__":
    unittest.main()
