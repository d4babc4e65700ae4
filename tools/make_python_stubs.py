"""Writes the types of what Python calls, from a built package itself: make_python_stubs.py FOLDER

FOLDER is where the package lockstep stands. Written into the package, each file whole or not at all:

  _core/*.pyi   classes and functions of the extension, by nanobind
  _options.pyi  keywords of each use case, as a TypedDict made from the table of options
"""

import functools
import keyword
import os
import pathlib
import subprocess
import sys

_types = {
    "flag": "bool",
    "off_switch": "bool",
    "boolean": "bool",
    "whole": "int",
    "real": "float",
    "text": "str | float",
    "place": "str | PathLike[str]",
    "pair": "dict[str, Any]",
    "number": "str | Sequence[float]",
}


def type_of(record):
    """The Python type of an option's values."""
    if record["type"] == "choice":
        return f"Literal[{', '.join(map(repr, record['choices']))}]"
    if record["unit"] == "transitions":  # so many that 1e6 is how they are written
        return "float"
    one = _types[record["type"]]
    return f"{one} | Sequence[str]" if record["is_repeated"] and record["type"] == "text" else one


@functools.cache
def _keywords_of(use_case):
    from lockstep import _core

    found = {}
    for record in _core.options(use_case):
        names = (record["name"], *record["aliases"])
        found |= {name: (type_of(record), record["about"]) for name in names if not keyword.iskeyword(name)}
    return found


_ranks = {"comm": ("object", "ranks of lockstep.comm or mpi4py")}


def any_of(*use_cases, without=(), **more):
    """Keywords of use cases together."""
    found = {}
    for use_case in use_cases:
        found |= _keywords_of(use_case)
    found |= more
    return {name: each for name, each in found.items() if name not in without}


def common_of(first, second, without=(), **more):
    """Keywords that two use cases share."""
    only_first = set(_keywords_of(first)) - set(_keywords_of(second))
    return any_of(first, without={*only_first, *without}, **more)


def typed_dicts():
    """What the functions of the package name in their signatures, by name."""
    longest = {"longest": ("int", "Steps after which an episode is cut.")}
    farm = {"farm": ("lockstep.farm.TaskFarm | str", "Where shards are sampled: 'ray', a farm, or a name of the program's.")}
    return {
        "SddpRun": any_of("sddp.run", **_ranks),
        "SddpSimulate": any_of("sddp.simulate", **_ranks),
        "SddpOfList": any_of("sddp.run", without=("output", "set")),
        "StudyOptions": common_of("sddp.run", "sddp.simulate", without=("output", "threads", "set"), **_ranks),
        "StudyTrain": any_of("sddp.run", without=("set",), **_ranks),
        "StudySimulate": any_of("sddp.simulate", without=("set", "policy", "scenarios"), **_ranks),
        "XpcsRun": any_of("xpcs.run", **farm),
        "XpcsFit": any_of("xpcs.fit"),
        "XpcsSample": any_of("xpcs.sample", **farm),
        "XpcsOfList": any_of("xpcs.run", without=("output", "farm")),
        "RlTrain": any_of("rl.train", **_ranks),
        "RlSolve": any_of("rl.solve", **_ranks),
        "RlEvaluate": any_of("rl.solve", "rl.evaluate", **longest),
        "RlOfList": any_of("rl.train", without=("output",)),
        "EnvironmentTrain": any_of("rl.train", without=("output",), **_ranks),
        "LearnerOptions": any_of("rl.train"),
    }


def text_of(dicts):
    lines = ['"""Keywords of the package, made from the table of options by tools/make_python_stubs.py."""',
             "", "from collections.abc import Sequence", "from os import PathLike",
             "from typing import Any, Literal, TypedDict", "", "import lockstep.farm"]
    for name, keywords in dicts.items():
        lines += ["", f"class {name}(TypedDict, total=False):"]
        for each, (kind, about) in sorted(keywords.items()):
            lines += [f"    {each}: {kind} | None", f"    {about!r}"]
    return "\n".join(lines) + "\n"


def main(folder):
    package = pathlib.Path(folder, "lockstep").resolve()
    sys.path.insert(0, str(package.parent))
    made = package / "_options.pyi.new"
    made.write_text(text_of(typed_dicts()), encoding="utf-8")
    os.replace(made, package / "_options.pyi")
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-r", "-P", "-i", package.parent,
                    "-m", "lockstep._core", "-O", package], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
