"""The package gives what the program gives: same files, same bits, same options."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import lockstep
from lockstep import _core

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
del sys.argv[1:]
sys.path.insert(0, str(source / "tools"))
import make_python_reference  # noqa: E402

brief = {"training.stopping_rules": [{"type": "iteration_limit", "limit": 3}]}


def command(*words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True)


def summary(engine, output):
    return json.loads(command(engine, "summary", output, "--json").stdout)


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        warnings.simplefilter("ignore")

    def test_imports_neither_numpy_nor_the_extension(self):
        loaded = subprocess.run(
            [sys.executable, "-c", "import sys, lockstep; print(sorted(sys.modules))"],
            capture_output=True, text=True, check=True).stdout
        for name in ("'numpy'", "'pyarrow'", "'lockstep._core'"):
            self.assertNotIn(name, loaded)

    def test_tells_the_version_of_the_program(self):
        self.assertIn(lockstep.__version__, command("version").stdout)

    def test_sddp_has_the_digests_of_the_program(self):
        case = source / "cases/sddp/1dtoy"
        ours = lockstep.sddp.run(case, output=self.folder / "ours", threads=2, set=brief)
        rules = "training.stopping_rules=" + json.dumps(brief["training.stopping_rules"])
        command("sddp", "run", case, "-o", self.folder / "theirs", "-q", "--set", rules)
        theirs = summary("sddp", self.folder / "theirs")
        for part in ("training", "simulation"):
            self.assertEqual(ours.summary[part]["digest"], theirs[part]["digest"])
        self.assertEqual(ours.output, str(self.folder / "ours"))

    def test_rl_has_the_digests_of_the_program(self):
        ours = lockstep.rl.train("FrozenLake", steps=100000, output=self.folder / "ours",
                                 set={"is_slippery": False}, random_ties=True)
        command("rl", "train", "FrozenLake", "--steps", 100000, "-o", self.folder / "theirs", "-q",
                "--set", "is_slippery=false")
        self.assertEqual(ours.summary["digest"], summary("rl", self.folder / "theirs")["digest"])
        exact = lockstep.rl.solve("FrozenLake", output=self.folder / "exact")
        command("rl", "solve", "FrozenLake", "-o", self.folder / "solved", "-q")
        self.assertEqual(exact.summary["digest"], summary("rl", self.folder / "solved")["digest"])

    def test_xpcs_has_the_digests_of_the_program(self):
        command("xpcs", "init", self.folder / "first", "--mode", "static")
        config = self.folder / "first/config.yaml"
        ours = lockstep.xpcs.fit(config, output=self.folder / "ours", errors="classical")
        command("xpcs", "fit", config, "-o", self.folder / "theirs", "-q", "--errors", "classical")
        theirs = summary("xpcs", self.folder / "theirs")
        self.assertEqual(ours.summary["fit"]["digest"], theirs["fit"]["digest"])

    def test_every_option_of_the_program_is_a_keyword(self):
        for use_case in _core.use_cases():
            engine, name = use_case.split(".")
            text = command(engine, name, "--help").stdout
            flags = set(re.findall(r"--([a-z0-9-]+)", text.split("Examples")[0]))
            for record in _core.options(use_case):
                flag = record["name"].replace("_", "-")
                flag = "no-" + flag if record["type"] == "off_switch" else flag
                self.assertIn(flag, flags)
                flags -= {flag, *(alias.replace("_", "-") for alias in record["aliases"])}
            self.assertLessEqual(flags, {"help", "quiet", "json", "scenarios", "method"}, use_case)
            function = getattr(getattr(lockstep, engine), name)
            self.assertIn("threads: a whole number from 1 to 4096", function.__doc__)

    def test_progress_comes_step_by_step_and_may_end_a_run(self):
        case = source / "cases/sddp/1dtoy"
        seen = []

        def watch(report):
            seen.append((report["phase"], report["done"]))
            if len(seen) == 2:
                raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            lockstep.sddp.run(case, output=self.folder / "out", on_progress=watch, set=brief)
        self.assertEqual(seen, [("training", 1), ("training", 2)])

    def test_errors_are_of_this_package_and_of_python(self):
        with self.assertRaises(lockstep.IoError) as missing:
            lockstep.sddp.run(self.folder / "nowhere", output=self.folder / "out")
        self.assertIsInstance(missing.exception, OSError)
        self.assertIsInstance(missing.exception, lockstep.Error)
        self.assertIn("nowhere", str(missing.exception))
        with self.assertRaisesRegex(lockstep.InputError, "threads: '0' must be a whole number"):
            lockstep.rl.train("FrozenLake", threads=0)
        with self.assertRaisesRegex(ValueError, "is_slipery"):
            lockstep.rl.train("FrozenLake", output=self.folder / "o", set={"is_slipery": 1})
        with self.assertRaisesRegex(TypeError, "has no option 'thread'"):
            lockstep.rl.train("FrozenLake", thread=1)
        with self.assertRaisesRegex(TypeError, "no value of an option"):
            lockstep.rl.train("FrozenLake", steps=object())

    def test_every_public_name_has_a_docstring(self):
        self.assertEqual(make_python_reference.undocumented(), [])

    def test_the_reference_page_is_made_of_the_docstrings(self):
        made = make_python_reference.reference().split("\n")
        kept = (source / "docs/python/reference.md").read_text(encoding="utf-8").split("\n")
        self.assertEqual(made, kept, "tools/make_python_reference.py writes the page")


if __name__ == "__main__":
    unittest.main(verbosity=2)
