#!/usr/bin/env python3
"""Plays Gymnasium 1.4.0 with given seeds and actions, and writes what it answers.

usage: make_gymnasium.py > gymnasium.json      (pip install gymnasium==1.4.0 numpy)
"""

import json

import gymnasium as gym
import numpy as np
from gymnasium.envs.toy_text.frozen_lake import generate_random_map
from gymnasium.vector import AutoresetMode, SyncVectorEnv

STEPS = 250
VECTOR_CALLS = 60

CASES = (
    ("FrozenLake-v1", {}, 42),
    ("FrozenLake-v1", {"is_slippery": False}, 0),
    ("FrozenLake-v1", {"success_rate": 0.7, "reward_schedule": [5, -2, -0.25]}, 3),
    ("FrozenLake-v1", {"desc": ["FSFG", "SFHF", "FFFF"]}, 9),
    ("FrozenLake8x8-v1", {}, 1),
    ("CliffWalking-v1", {}, 5),
    ("CliffWalkingSlippery-v1", {}, 7),
    ("Taxi-v4", {}, 42),
    ("Taxi-v4", {"is_rainy": True}, 2),
    ("Taxi-v4", {"is_rainy": True, "rainy_probability": 0.5}, 2**31 + 5),
    ("Taxi-v4", {"fickle_passenger": True, "fickle_probability": 0.9}, 11),
    ("Blackjack-v1", {}, 42),
    ("Blackjack-v1", {"sab": False, "natural": True}, 2**40 + 3),
    ("Blackjack-v1", {"sab": False}, 8),
)

VECTOR_CASES = (("FrozenLake-v1", 4, 100), ("Blackjack-v1", 3, 17))

LAKES = ((8, 0.8, 0), (8, 0.8, 123), (4, 0.5, 7), (5, 0.35, 1), (12, 0.7, 99))


def plain(value):
    """A number or a list of numbers."""
    return [int(part) for part in value] if isinstance(value, tuple) else int(value)


def dropping_passengers(env, rng):
    """An action for Taxi that often picks up and drops off where that is possible."""
    mask = env.unwrapped.action_mask(env.unwrapped.s)
    return int(rng.choice(np.flatnonzero(mask))) if rng.random() < 0.9 else int(rng.integers(6))


def play(name, options, seed):
    """What comes of STEPS random actions; a reset follows each end."""
    env = gym.make(name, **options)
    rng = np.random.default_rng(1000 + seed % 1000)
    rows = [plain(env.reset(seed=seed)[0])]
    actions = []
    for _ in range(STEPS):
        is_taxi = name.startswith("Taxi")
        action = dropping_passengers(env, rng) if is_taxi else int(rng.integers(env.action_space.n))
        state, reward, terminated, truncated, _ = env.step(action)
        actions.append(action)
        rows.append([plain(state), float(reward), int(terminated), int(truncated)])
        if terminated or truncated:
            rows.append(plain(env.reset()[0]))
    return {"env": name, "options": options, "seed": seed, "actions": actions, "rows": rows}


def states_of(observations, copies):
    """A row of observations a copy."""
    if isinstance(observations, tuple):
        return [[int(part[i]) for part in observations] for i in range(copies)]
    return [int(state) for state in observations]


def play_vector(name, copies, seed, mode):
    """What copies of an environment answer to VECTOR_CALLS calls."""
    make = [lambda: gym.make(name)] * copies
    env = SyncVectorEnv(make, autoreset_mode=mode)
    rng = np.random.default_rng(seed)
    rows = [states_of(env.reset(seed=seed)[0], copies)]
    actions = []
    for _ in range(VECTOR_CALLS):
        action = rng.integers(env.single_action_space.n, size=copies)
        actions.append([int(a) for a in action])
        states, rewards, terminated, truncated, _ = env.step(action)
        rows.append([states_of(states, copies), [float(r) for r in rewards],
                     [int(t) for t in terminated], [int(t) for t in truncated]])
        if mode == AutoresetMode.DISABLED and (terminated | truncated).any():
            which = terminated | truncated
            rows.append(states_of(env.reset(options={"reset_mask": which})[0], copies))
    return {"env": name, "copies": copies, "seed": seed, "autoreset": mode.value,
            "actions": actions, "rows": rows}


def draws(seed):
    """A mixture of draws: bounds, 0 for a uniform number, and what came."""
    rng = np.random.default_rng(seed)
    bounds = [int(b) for b in np.random.default_rng(5).choice([0, 0, 1, 2, 3, 9, 13, 2**31 + 1], 200)]
    return {"seed": seed, "bounds": bounds,
            "values": [rng.random() if b == 0 else int(rng.integers(b)) for b in bounds]}


def main():
    """Prints one JSON document, a case a line."""
    lakes = [{"size": s, "frozen": p, "seed": k, "map": generate_random_map(s, p, k)}
             for s, p, k in LAKES]
    parts = {
        "episodes": [play(*case) for case in CASES],
        "vectors": [play_vector(*case, mode) for case in VECTOR_CASES for mode in AutoresetMode],
        "lakes": lakes,
        "draws": [draws(seed) for seed in (0, 1, 42, 2**31, 2**32 + 7, 2**62 + 12345)],
    }
    print("{")
    for i, (name, rows) in enumerate(parts.items()):
        body = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        print(f'"{name}": [\n{body}\n]' + ("," if i + 1 < len(parts) else ""))
    print("}")


main()
