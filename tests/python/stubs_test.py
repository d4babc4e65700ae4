"""Type checkers know what Python calls: right programs pass, each mistake is found, no name is missing."""

import ast
import importlib
import inspect
import pathlib
import pkgutil
import re
import sys
import tempfile
import unittest

from mypy import api

import lockstep
from lockstep import _core

del sys.argv[1:]
package = pathlib.Path(lockstep.__file__).parent

# The package's own bodies are not what is checked, nor what it imports.
settings = f"""
[mypy]
mypy_path = {package.parent}
strict = True
disallow_untyped_calls = False
[mypy-lockstep.*]
follow_imports = silent
"""
foreign = ("numpy", "pyarrow", "gymnasium", "pettingzoo", "ray", "arviz", "tqdm", "mpi4py", "matplotlib")

right = """
import pathlib
from typing import Any

import lockstep
from lockstep.sddp import Policy, Study

run = lockstep.sddp.run("case", output=pathlib.Path("out"), threads=2, solver="clp", resume=True,
                        set={"training.tree_seed": 7}, on_progress=print)
output: str = run.output
study = Study("case", threads=1, solver="highs")
training = study.train(on_iteration=lambda report: report["done"] > 3, checkpoint_minutes=2.5)
bound: float = training.policy.lower_bound
price: float = training.policy.evaluate(0, training.policy.initial_state)
intercept, slopes = training.policy.cut_matrix(0)
simulation = study.simulate(training, scenarios=10)
rows: int = len(simulation["hydros"])
policy = Policy("out")
fit = lockstep.xpcs.fit("config.yaml", errors="classical", initial={"D0": 1.0}, fix=["alpha"])
posterior = lockstep.xpcs.sample({"a": 1}, mode="static", n_samples=500, priors={"D0": (1.0, 0.1)})
learned = lockstep.rl.train("FrozenLake", steps=1e6, epsilon=0.1, set={"is_slippery": False})
digest: str = learned.q_table.digest
exact = lockstep.rl.solve("FrozenLake", gamma=0.9, method="value-iteration")
worth = lockstep.rl.evaluate("out", episodes=100)
learner = lockstep.rl.Learner(4, 2, learning_rate="n^-0.65")
count: int = learner.transitions
try:
    table = lockstep.Table.read("x.parquet")
except (lockstep.IoError, lockstep.InputError):
    raise lockstep.Error from None
"""

wrong = """
import lockstep
from lockstep.sddp import Study

lockstep.sddp.run("case", thread=1)  # call-arg
lockstep.sddp.run("case", threads="many")  # arg-type
lockstep.sddp.run("case", solver="cplex")  # arg-type
lockstep.sddp.run(7)  # arg-type
lockstep.sddp.run("case", True)  # misc
lockstep.sddp.simulate("case", checkpoint_every=1)  # call-arg
Study("case", checkpoint_every=1)  # call-arg
Study("case").train(set={})  # call-arg
Study("case").trian()  # attr-defined
lockstep.xpcs.fit("config.yaml", errors="bayes")  # arg-type
lockstep.xpcs.fit("config.yaml", n_samples=3)  # call-arg
lockstep.xpcs.fit("config.yaml", initial=5)  # arg-type
lockstep.rl.train("FrozenLake", steps="some")  # arg-type
lockstep.rl.train("FrozenLake", seed=1.5)  # arg-type
lockstep.rl.train("FrozenLake", exact_values="maybe")  # arg-type
lockstep.rl.solve("FrozenLake", gama=0.9)  # call-arg
lockstep.rl.Learner(4, 2, epsilno=0.1)  # call-arg
lockstep.nothing  # attr-defined
lockstep._core.sddp.Policy("path")  # call-overload
lockstep._core.options(3)  # arg-type
"""

values = {"flag": "True", "off_switch": "False", "boolean": "True", "whole": "3", "real": "2", "text": "'x'",
          "place": "pathlib.Path('x')", "pair": "{'a': 1}", "number": "[1.5]"}


def modules():
    """Names of the public modules, those of other projects' interfaces included."""
    found = ["lockstep"]
    for each in pkgutil.walk_packages([str(package)], "lockstep."):
        if not any(part.startswith("_") for part in each.name.split(".")):
            found.append(each.name)
    return found


class StubsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def said_of(self, text):
        """(line, code, sentence) of each mistake that mypy finds in a program."""
        config, program = self.folder / "mypy.ini", self.folder / "program.py"
        config.write_text(settings + "".join(
            f"[mypy-{name},{name}.*]\nfollow_imports = skip\nignore_missing_imports = True\n" for name in foreign))
        program.write_text(text)
        out, err, code = api.run(["--config-file", str(config), "--cache-dir", str(cache), "--no-error-summary",
                                  str(program)])
        self.assertIn(code, (0, 1), out + err)
        lines = re.findall(r"program\.py:(\d+): error: (.*)  \[([a-z-]+)\]$", out, re.MULTILINE)
        return [(int(line), kind, sentence) for line, sentence, kind in lines]

    def test_right_calls_pass(self):
        self.assertEqual(self.said_of(right), [])

    def test_wrong_calls_are_found(self):
        expected = [(number, line.split("# ")[1]) for number, line in enumerate(wrong.split("\n"), 1) if "# " in line]
        self.assertEqual([(line, kind) for line, kind, _ in self.said_of(wrong)], expected)

    def test_every_option_is_a_keyword_of_its_type(self):
        good, bad = ["import pathlib", "import lockstep"], ["import lockstep"]
        for use_case in _core.use_cases():
            for record in _core.options(use_case):
                value = repr(record["choices"][-1]) if record["type"] == "choice" else values[record["type"]]
                for name in {record["name"], *record["aliases"]} - {"lambda"}:
                    good.append(f"lockstep.{use_case}('x', {name}={value})")
                    good.append(f"lockstep.{use_case}('x', {name}=None)")
                    bad.append(f"lockstep.{use_case}('x', {name}=object())")
        self.assertEqual(self.said_of("\n".join(good)), [])
        found = {line: kind for line, kind, _ in self.said_of("\n".join(bad))}
        self.assertEqual(found, dict.fromkeys(range(2, len(bad) + 1), "arg-type"))

    def test_every_public_name_is_known(self):
        lines = []
        for name in modules():
            names = getattr(importlib.import_module(name), "__all__", [])
            lines += [f"from {name} import {each} as _{len(lines)}_{each}" for each in names]
        for module in (_core, *(getattr(_core, name) for name in ("sddp", "xpcs", "rl", "comm"))):
            for name, value in vars(module).items():
                if name.startswith("__"):
                    continue
                lines.append(f"from {module.__name__} import {name} as _{len(lines)}_{name}")
                if inspect.isclass(value) and not issubclass(value, Exception):
                    imported = lines[-1].split(" as ")[1]
                    lines += [f"{imported}.{each}" for each in vars(value) if not each.startswith("__")]
        self.assertGreater(len(lines), 200)
        found = [(lines[line - 1], sentence) for line, kind, sentence in self.said_of("\n".join(lines))
                 if kind != "no-untyped-call"]
        self.assertEqual(found, [])

    def test_no_function_names_a_keyword_twice(self):
        dicts = {each.name: {field.target.id for field in each.body if isinstance(field, ast.AnnAssign)}
                 for each in ast.parse((package / "_options.pyi").read_text()).body
                 if isinstance(each, ast.ClassDef)}
        used = set()
        for path in package.rglob("*.py"):
            for function in ast.walk(ast.parse(path.read_text())):
                rest = isinstance(function, ast.FunctionDef) and function.args.kwarg
                if rest and rest.annotation and "Unpack" in (text := ast.unparse(rest.annotation)):
                    keywords = dicts[text.removeprefix("Unpack[").removesuffix("]")]
                    used.add(text)
                    own = {each.arg for each in function.args.args + function.args.kwonlyargs}
                    self.assertEqual(own & keywords, set(), f"{path}: {function.name}")
        self.assertEqual(len(used), len(dicts))

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue((package / "py.typed").exists())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        unittest.main(verbosity=2)
