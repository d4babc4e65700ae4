"""TicTacToe against even draws."""

import gymnasium
import numpy as np

_lines = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])


class TicTacToeEnv(gymnasium.Env):
    """Cells row by row, 0 empty, 1 X, 2 O; X begins, and a fair coin says who is X.

    Rewards: +1 won, -1 lost, 0 else. An illegal move is an AssertionError.
    """

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(9)
        self.observation_space = gymnasium.spaces.Dict({
            "observation": gymnasium.spaces.MultiDiscrete([3] * 9),
            "action_mask": gymnasium.spaces.MultiDiscrete([2] * 9)})
        self._board, self._mark = np.zeros(9, np.int8), 1

    def reset(self, *, seed=None, options=None):
        """(observation, {}) of an empty board, or one with the other's first X."""
        super().reset(seed=seed)
        self._board[:] = 0
        self._mark = 1 if self.np_random.choice([True, False]) else 2
        if self._mark == 2:
            self._board[self.np_random.choice(range(9))] = 1
        return self._observation(), {}

    def step(self, action):
        """(observation, reward, terminated, False, {}) after our mark and an even draw of the other's."""
        assert self._board[action] == 0, f"cell {action} is not empty"
        self._board[action] = self._mark
        reward = float(self._has_won(self._mark))
        if not reward and (self._board == 0).any():
            self._board[self.np_random.choice(np.flatnonzero(self._board == 0))] = 3 - self._mark
            reward = -float(self._has_won(3 - self._mark))
        return self._observation(), reward, bool(reward or not (self._board == 0).any()), False, {}

    def _has_won(self, mark) -> bool:
        return bool((self._board[_lines] == mark).all(axis=1).any())

    def _observation(self):
        return {"observation": self._board.copy(), "action_mask": (self._board == 0).astype(np.int8)}
