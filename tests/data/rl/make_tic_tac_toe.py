#!/usr/bin/env python3
"""Plays TicTacToe of dist_classicrl 0.1.17, a game a seed, and writes what it answers.

usage: make_tic_tac_toe.py > tic_tac_toe.json
(pip download --no-deps --ignore-requires-python dist_classicrl==0.1.17, unpack; pip install gymnasium==1.4.0;
PYTHONPATH=.../dist_classicrl/environments)
"""

import json

import numpy as np
from tiktaktoe_mod import TicTacToeEnv

GAMES = 60


def code(observation):
    """The cells as a number of base 3, the first one most significant."""
    return int("".join(str(int(cell)) for cell in observation["observation"]), 3)


def play(seed):
    """One game of random moves: the first state, then [action, state, reward, terminated] a move."""
    env = TicTacToeEnv()
    rng = np.random.default_rng(10_000 + seed)
    seen = env.reset(seed=seed)[0]
    first, moves, over = code(seen), [], False
    while not over:
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        seen, reward, over, _, _ = env.step(action)
        moves.append([action, code(seen), float(reward), int(over)])
    return {"seed": seed, "first": first, "moves": moves}


def main():
    """Prints one JSON document, a game a line."""
    games = (json.dumps(play(seed), separators=(",", ":")) for seed in range(GAMES))
    print('{"games": [\n' + ",\n".join(games) + "\n]}")


main()
