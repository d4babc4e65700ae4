"""Tests tools/check_citations.py on small made-up trees."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_citations  # noqa: E402  (the path comes first)


def faults_of(references, source, theory=None, page="sddp-theory.md", engine="sddp"):
    """Faults of a tree with one source file."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "docs/references.bib").write_text(references, encoding="utf-8")
        if theory is not None:
            (root / "docs" / page).parent.mkdir(exist_ok=True)
            (root / "docs" / page).write_text(theory, encoding="utf-8")
        (root / "src" / engine).mkdir(parents=True)
        (root / "src" / engine / "cut.cpp").write_text(source, encoding="utf-8")
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

    def test_accepts_equations_that_sources_name(self):
        theory = "    a = b   (1)\n    b = c   (2)\n    c = d   (3)\nsee (7) of the book\n"
        self.assertEqual([], faults_of("", "// Equations (1)\n// to (3).\n", theory))
        self.assertEqual([], faults_of("", "// Equation (2).\n/// equations (1) and (3)\n", theory))

    def test_finds_equations_that_are_not_there_or_named_nowhere(self):
        self.assertEqual(
            [
                "src/sddp/cut.cpp: equation (4) is not in docs/sddp-theory.md",
                "docs/sddp-theory.md: no source names equation (1)",
            ],
            faults_of("", "// Equation (4)\n", "    a = b   (1)\n"),
        )

    def test_a_theory_may_lie_in_the_folder_of_its_engine(self):
        self.assertEqual(
            ["docs/xpcs/theory.md: no source names equation (1)"],
            faults_of("", "", "    a = b   (1)\n", "xpcs/theory.md", "xpcs"),
        )

    def test_leaves_indices_alone(self):
        self.assertEqual([], faults_of("", "a[Index2000] = b[i]; // [stages]\n"))


if __name__ == "__main__":
    unittest.main()
