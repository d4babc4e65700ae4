"""Games of PettingZoo: quality against the exact values of TicTacToe, masks, determinism."""

import sys
import unittest
from functools import lru_cache

import numpy as np
from pettingzoo.classic import tictactoe_v3

import lockstep
from lockstep import rl

del sys.argv[1:]
_lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def observation(board, player):
    planes = [np.array([cell == who for cell in board], np.int8).reshape(3, 3)
              for who in (player, 3 - player)]
    return np.stack(planes, axis=2)


def value_against_random(env, table, first):
    """Exact mean return of the greedy policy against even draws, by the whole tree of the game."""
    me = 1 if first else 2

    def move(board):
        row = env.row_of(observation(board, me))
        legal = np.array([cell == 0 for cell in board])
        values = table.values[row] if row >= 0 else np.zeros(9)
        return int(np.where(legal, values, -np.inf).argmax())

    @lru_cache(maxsize=None)
    def worth(board, player):
        for line in _lines:
            if board[line[0]] and len({board[c] for c in line}) == 1:
                return 1.0 if board[line[0]] == me else -1.0
        free = [c for c in range(9) if board[c] == 0]
        if not free:
            return 0.0
        moves = [move(board)] if player == me else free
        return sum(worth(board[:c] + (player,) + board[c + 1:], 3 - player) for c in moves) / len(moves)
    return worth((0,) * 9, 1)


class GamesTest(unittest.TestCase):
    def test_the_board_is_built_as_the_game_shows_it(self):
        game = tictactoe_v3.env()
        game.reset()
        board = [0] * 9
        for player, cell in ((1, 1), (2, 3), (1, 8)):
            game.step(cell)
            board[cell] = player
            seen = game.last()[0]["observation"]
            self.assertTrue(np.array_equal(seen, observation(board, 3 - player)))

    def test_against_random_it_learns_as_much_as_the_native_game(self):
        options = {"steps": 60_000, "discount_factor": 1.0, "epsilon": 0.3}
        env = rl.make(tictactoe_v3.env(), against="random")
        table = env.train(**options).q_table
        mean = (value_against_random(env, table, True) + value_against_random(env, table, False)) / 2
        native = rl.make("tictactoe")
        exact = rl.evaluate(native, native.train(mode="serial", **options), gamma=1)
        self.assertAlmostEqual(exact.optimum, 0.959829696, 8)
        self.assertLessEqual(mean, exact.optimum + 1e-9)
        self.assertGreater(mean, exact.value - 0.03)
        self.assertTrue((table.visits[~table.legal] == 0).all())

    def test_self_play_beats_random_players_and_repeats_itself(self):
        options = {"steps": 20_000, "discount_factor": 1.0, "epsilon": 0.3}
        env = rl.make(tictactoe_v3.env())
        training = env.train(**options)
        again = rl.make(tictactoe_v3.env()).train(**options)
        self.assertEqual(training.digest, again.digest)
        self.assertEqual(training.summary["transitions"], 20_000)
        # A random player against itself has +0.297 first and -0.297 second, 0 in the mean.
        played = env.evaluate(training, episodes=400)
        self.assertGreater(played.mean - played.half_width, 0.3)

    def test_an_encoder_joins_observations(self):
        env = rl.make(tictactoe_v3.env(), encoder=lambda board: int(board.sum()))
        env.train(steps=500)
        self.assertLessEqual(env.states, 10)
        small = rl.make(tictactoe_v3.env(), max_states=5)
        with self.assertRaisesRegex(lockstep.InputError, "more than 5 observations"):
            small.train(steps=500)
        with self.assertRaisesRegex(lockstep.InputError, "against is 'nobody'"):
            rl.make(tictactoe_v3.env(), against="nobody")


if __name__ == "__main__":
    unittest.main(verbosity=2)
