"""Tests tools/list_skipped.py on results as ctest writes them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def printed(*cases):
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        results.write_text(f"<testsuite>{''.join(cases)}</testsuite>", encoding="utf-8")
        command = [sys.executable, "-B", ROOT / "tools/list_skipped.py", results]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def skipped(name, output, message="SKIP_REGULAR_EXPRESSION_MATCHED"):
    return (
        f'<testcase name="{name}" status="notrun"><skipped message="{message}"/>'
        f"<system-out>{output}</system-out></testcase>"
    )


def google_test(name, reason):
    return skipped(name, f"[ RUN      ] {name}\n/a/b_test.cpp:12: Skipped\n{reason}\n\n[  SKIPPED ] {name} (0 ms)\n")


PASSED = '<testcase name="a.B" status="run"><system-out>skipped: nothing</system-out></testcase>'


class ListSkippedTest(unittest.TestCase):
    def test_says_that_none_was_skipped(self):
        self.assertEqual("No test was skipped.\n", printed(PASSED))

    def test_gives_the_reason_that_a_test_printed(self):
        self.assertEqual(
            "Skipped: 2 tests\n  no chromium: io.Page\n  not installed: slurmd: deploy.slurm\n",
            printed(google_test("io.Page", "no chromium"), PASSED, skipped("deploy.slurm", "skipped: not installed: slurmd\n")),
        )

    def test_groups_by_reason_and_counts(self):
        self.assertEqual(
            "Skipped: 5 tests\n  no network: a, b, c and 2 more\n",
            printed(*(google_test(name, "no network") for name in "abcde")),
        )

    def test_falls_back_on_what_ctest_says(self):
        self.assertEqual("Skipped: 1 test\n  SKIP_RETURN_CODE=77: x\n", printed(skipped("x", "", "SKIP_RETURN_CODE=77")))


if __name__ == "__main__":
    unittest.main()
