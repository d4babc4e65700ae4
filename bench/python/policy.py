"""What it costs to price states by a policy of cases/sddp/4ree. Prints a Markdown table.

    PYTHONPATH=build/release/python .venv/bin/python bench/python/policy.py
"""

import argparse
import pathlib
import time
import timeit

import numpy as np

from lockstep import sddp

case = pathlib.Path(__file__).resolve().parents[2] / "cases/sddp/4ree"


def best(statement, names, rounds, count):
    """Nanoseconds of process time of a statement."""
    timer = timeit.Timer(statement, timer=time.process_time, globals=names)
    return min(timer.repeat(rounds, count)) / count * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=16, help="of the training [16]")
    parser.add_argument("--rounds", type=int, default=9, help="the best of so many counts [9]")
    given = parser.parse_args()
    rules = {"training.stopping_rules": [{"type": "iteration_limit", "limit": given.iterations}]}
    policy = sddp.Study(case, config_overrides=rules, threads=1).train().policy
    stage, state = policy.stages[0], policy.initial_state
    names = {"policy": policy, "stage": stage, "state": state, "states": np.tile(state, (1000, 1))}
    cuts = len(policy.cut_matrix(stage)[0])
    print("| what | time | goal | Cobre 0.18 as the issue has it |\n| --- | --- | --- | --- |")
    one = best("policy.evaluate(stage, state)", names, given.rounds, 100_000)
    print(f"| `evaluate` of {len(state)} numbers, {cuts} cuts | {one:.0f} ns | ≤ 300 ns with 4 | 290 ns |")
    many = best("policy.evaluate(stage, states)", names, given.rounds, 200) / 1000
    print(f"| `evaluate` of 1,000 states, each | {many:.0f} ns | | |")
    view = best("policy.cut_matrix(stage)", names, given.rounds, 100_000)
    print(f"| `cut_matrix` | {view:.0f} ns | ≤ 1 µs | 8.3 µs |")


if __name__ == "__main__":
    main()
