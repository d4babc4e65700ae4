"""What it costs to price states by a policy of cases/sddp/4ree, beside Cobre where it is installed. Prints a Markdown table.

    PYTHONPATH=build/release/python .venv/bin/python bench/python/policy.py

bench/python/peers runs it beside Cobre.
"""

import argparse
import importlib.util
import pathlib
import tempfile
import time
import timeit

import numpy as np

from lockstep import sddp

case = pathlib.Path(__file__).resolve().parents[2] / "cases/sddp/4ree"


def best(statement, names, rounds, count):
    """Nanoseconds of process time of a statement."""
    timer = timeit.Timer(statement, timer=time.process_time, globals=names)
    return min(timer.repeat(rounds, count)) / count * 1e9


def trained_by_cobre(rules):
    """A policy of the peer, of as many iterations; None: it is not installed."""
    if importlib.util.find_spec("cobre") is None:
        return None
    import cobre

    return cobre.Study(str(case), tempfile.mkdtemp(), threads=1, config_overrides=rules).train()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=16, help="of the training [16]")
    parser.add_argument("--rounds", type=int, default=9, help="the best of so many counts [9]")
    given = parser.parse_args()
    rules = {"training.stopping_rules": [{"type": "iteration_limit", "limit": given.iterations}]}
    policy = sddp.Study(case, config_overrides=rules, threads=1).train().policy
    peer = trained_by_cobre(rules)
    state = policy.initial_state
    ours = {"policy": policy, "stage": policy.stages[0], "state": state, "states": np.tile(state, (1000, 1))}
    theirs = {"policy": peer, "stage": 0, "state": state}

    def cuts(names):
        return f"{len(names['policy'].cut_matrix(names['stage'])[0])} cuts"

    def row(what, statement, goal, count, divisor=1, is_of_both=True):
        found = best(statement, ours, given.rounds, count) / divisor
        other = f"{best(statement, theirs, given.rounds, count):.0f} ns" if peer is not None and is_of_both else ""
        print(f"| {what} | {found:.0f} ns | {goal} | {other} |", flush=True)

    print(f"| states of {len(state)} numbers | {cuts(ours)} | goal | Cobre, {cuts(theirs) if peer is not None else 'not installed'} |")
    print("| --- | --- | --- | --- |")
    row("`evaluate`", "policy.evaluate(stage, state)", "≤ 300 ns with 4", 100_000)
    row("`evaluate` of 1,000 states, each", "policy.evaluate(stage, states)", "", 200, 1000, is_of_both=False)
    row("`cut_matrix`", "policy.cut_matrix(stage)", "≤ 1 µs", 20_000)


if __name__ == "__main__":
    main()
