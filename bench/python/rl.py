"""CPU time of lockstep.rl: steps a second by each route, nanoseconds a transition by batches, calls.

    PYTHONPATH=build/release/python .venv/bin/python bench/python/rl.py

Best of seven, process time, one thread.
"""

import subprocess
import sys
import time

import gymnasium as gym
import numpy as np

from lockstep import rl


def best(work, repetitions=7):
    def once():
        began = time.process_time()
        work()
        return time.process_time() - began
    return min(once() for _ in range(repetitions))


def bare_step(name, count=50_000):
    env = gym.make(name).unwrapped
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(env.action_space.n, size=count).tolist()
    step, reset = env.step, env.reset

    def work():
        for action in actions:
            _, _, over, cut, _ = step(action)
            if over or cut:
                reset()
    return best(work) / count


def scalar_route(name, count=50_000):
    env = rl.make(name, route="step")
    return best(lambda: env.train(steps=count, epsilon=1.0)) / count


def batch(size, count=200_000):
    learner = rl.Learner(16, 4)
    rng = np.random.default_rng(0)
    observations, following = (rng.integers(16, size=size) for _ in range(2))
    rewards, ends = np.zeros(size), np.zeros(size, bool)
    out = np.empty(size, np.int64)

    def work():
        for _ in range(count // size):
            learner.choose(observations, out=out)
            learner.learn(observations, out, rewards, following, ends, ends)
    return best(work) / (count // size * size)


def imported(*modules):
    words = [sys.executable, "-c", "import time; t = time.perf_counter(); import " + ", ".join(modules)
             + "; print(time.perf_counter() - t)"]
    return min(float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
               for _ in range(5))


def main():
    for name in ("FrozenLake-v1", "CliffWalking-v1", "Taxi-v4", "Blackjack-v1"):
        bare, ours = bare_step(name), scalar_route(name)
        print(f"{name}: bare step {bare * 1e6:.2f} us, learned by steps {ours * 1e6:.2f} us "
              f"({1 / ours:,.0f} steps/s), ratio {ours / bare:.2f}")
    for size in (1, 16, 128, 1024, 8192):
        print(f"batch of {size}: {batch(size) * 1e9:.1f} ns a transition")
    for name in ("FrozenLake-v1", "Taxi-v4"):
        table = rl.make(gym.make(name))
        taken = best(lambda: table.train(steps=5_000_000, mode="serial", threads=1, exact_values="never"))
        print(f"{name} by its table: {5_000_000 / taken:,.0f} steps/s")
        print(f"{name}: making it of P {best(lambda: rl.make(gym.make(name))) * 1e3:.2f} ms")
    learner = rl.Learner(16, 4)
    calls = best(lambda: [learner.transitions for _ in range(100_000)]) / 100_000
    print(f"a property: {calls * 1e9:.0f} ns")
    table = learner.q_table
    views = best(lambda: [np.asarray(table) for _ in range(100_000)]) / 100_000
    print(f"numpy.asarray of a QTable: {views * 1e9:.0f} ns")
    print(f"import lockstep.rl: {imported('lockstep.rl') * 1e3:.1f} ms, of which NumPy "
          f"{imported('numpy') * 1e3:.1f} ms; import lockstep: {imported('lockstep') * 1e3:.2f} ms")


main()
