#!/usr/bin/env python3
"""Checks that docs/xpcs/traps.md has each of the 36 traps once, and that every test that it names exists.

usage: check_traps.py [ROOT]      prints each fault and exits with 1 if there is any
"""

import re

import report_faults

PAGE = "docs/xpcs/traps.md"
COUNT = 36
ROW = re.compile(r"^\| (\d+) \|.*\| ([^|]*) \|$", re.MULTILINE)
NAME = re.compile(r"`(\w+)\.(\w+)`")
CPP_TEST = re.compile(r"\bTEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)")
PYTHON_CLASS = re.compile(r"^class (\w+)|^    def (test_\w+)", re.MULTILINE)


def tests_of(root):
    """(suite, name) of every test below tests/."""
    found = set()
    for path in sorted((root / "tests").rglob("*_test.cpp")):
        found.update(CPP_TEST.findall(path.read_text(encoding="utf-8")))
    for path in sorted((root / "tests").rglob("*_test.py")):
        suite = None
        for name, test in PYTHON_CLASS.findall(path.read_text(encoding="utf-8")):
            suite = name or suite
            if test:
                found.add((suite, test))
    return found


def faults(root):
    """Yields one line of text for each trap that is missing or repeated, has no test, or one that is not there."""
    rows = ROW.findall((root / PAGE).read_text(encoding="utf-8"))
    numbers = [int(number) for number, _ in rows]
    for trap in range(1, COUNT + 1):
        if numbers.count(trap) != 1:
            yield f"{PAGE}: trap {trap} stands {numbers.count(trap)} times"
    known = tests_of(root)
    for number, tests in rows:
        named = NAME.findall(tests)
        if not named:
            yield f"{PAGE}: trap {number} names no test"
        for suite, name in named:
            if (suite, name) not in known:
                yield f"{PAGE}: trap {number}: there is no test {suite}.{name}"


if __name__ == "__main__":
    report_faults.run(faults)
