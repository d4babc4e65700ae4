"""What a call and an import of the package cost, beside other packages. Prints a Markdown table.

    PYTHONPATH=build/release/python .venv/bin/python bench/python/calls.py
"""

import argparse
import importlib.util
import re
import subprocess
import sys
import time
import timeit

import numpy as np

from lockstep import _core, rl


def best(statement, names, rounds, count=200_000):
    """Nanoseconds of process time of a statement, with the loop around it."""
    timer = timeit.Timer(statement, timer=time.process_time, globals=names)
    return min(timer.repeat(rounds, count)) / count * 1e9


def imported(name, rounds):
    """Milliseconds that importing takes in a fresh process, NumPy and all it needs included."""
    def once():
        told = subprocess.run([sys.executable, "-X", "importtime", "-c", f"import {name}"],
                              capture_output=True, text=True, check=True).stderr
        totals = re.findall(r"\| +(\d+) \|(?: ?)(\S+)$", told, re.MULTILINE)  # those of the outermost alone
        return int(dict((each, total) for total, each in totals)[name.split(".")[0] if "." not in name else name]) / 1e3
    return min(once() for _ in range(rounds))


def rows(rounds):
    for name, goal in (("lockstep", "≤ 5 ms"), ("lockstep._core", ""), ("lockstep.sddp", ""), ("lockstep.rl", ""),
                       ("numpy", ""), ("pyarrow", ""), ("highspy", ""), ("cobre", "")):
        if importlib.util.find_spec(name) is None:
            yield f"import {name}", "not installed", goal
        else:
            yield f"import {name}", f"{imported(name, rounds):.1f} ms", goal
    names = {"f": _core.version, "learner": rl.Learner(16, 4), "a": np.zeros(0), "e": np.zeros(0, np.int64),
             "q": np.zeros((16, 4)), "plain": _core.rl.plain_choose}
    loop = best("pass", names, rounds)
    call = best("f()", names, rounds) - loop
    arrays = best("plain(q, e, e, 0.1, True, 1, 2, None)", names, rounds) - loop
    yield "call without arguments", f"{call:.0f} ns", "≤ 60 ns"
    yield "property", f"{best('learner.transitions', names, rounds) - loop:.0f} ns", ""
    yield "array argument (a third of a call with three)", f"{(arrays - call) / 3:.0f} ns", "≤ 250 ns"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="the best of so many counts [9]")
    print("| what | time | goal |\n| --- | --- | --- |")
    for row in rows(parser.parse_args().rounds):
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
