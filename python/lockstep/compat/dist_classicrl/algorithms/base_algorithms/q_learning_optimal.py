"""Tabular Q-learning on a NumPy array; the loops are C++."""

from __future__ import annotations

import os

import numpy as np

from lockstep import _core


def _whole(values):
    return np.ascontiguousarray(values, np.int64).reshape(-1)


def _masks(masks, count):
    return None if masks is None else np.ascontiguousarray(masks).astype(bool).reshape(count, -1)


class OptimalQLearningBase:
    """A table (states, actions) of float64 and the rules that change it.

    Ties of the best actions are drawn, and broken by the lowest with `deterministic`. What is drawn
    depends on the seed, the number of the call and the place in it.
    """

    def __init__(self, state_size, action_size, discount_factor: float = 0.97, seed: int | None = None):
        self.state_size, self.action_size = int(state_size), int(action_size)
        self.discount_factor = float(discount_factor)
        self.q_table = np.zeros((self.state_size, self.action_size))
        self._seed = int.from_bytes(os.urandom(8), "little") if seed is None else int(seed)
        self._calls = 0

    def get_q_value(self, state: int, action: int) -> float:
        """Of one pair."""
        return self.q_table[state, action]

    def get_q_values(self, states, actions):
        """Of pairs (states[i], actions[i]), a new array."""
        return self.q_table[states, actions]

    def get_state_q_values(self, state: int):
        """A row of the table."""
        return self.q_table[state]

    def get_states_q_values(self, states):
        """Rows of the table."""
        return self.q_table[states]

    def get_action_q_values(self, action: int):
        """A column of the table."""
        return self.q_table[:, action]

    def get_actions_q_values(self, actions):
        """Columns of the table."""
        return self.q_table[:, actions]

    def set_q_value(self, state: int, action: int, value: float) -> None:
        """Overwrites the value of a pair."""
        self.q_table[state, action] = value

    def add_q_value(self, state: int, action: int, value: float) -> None:
        """Adds to the value of a pair."""
        self.q_table[state, action] += value

    def add_q_values(self, states, actions, values) -> None:
        """Adds to the values of pairs; of equal pairs all count."""
        np.add.at(self.q_table, (states, actions), values)

    def save(self, filename: str) -> None:
        """Writes the values as .npy, whole or not at all."""
        name = os.fspath(filename)
        _core.rl.write_npy(name if name.endswith(".npy") else name + ".npy", self.q_table)

    def load(self, filename: str) -> None:
        """Reads what save() wrote (dist_classicrl has no such function)."""
        values = np.array(_core.rl.read_npy(os.fspath(filename)))
        if values.shape != self.q_table.shape:
            raise ValueError(f"{filename} has the shape {values.shape}, must have {self.q_table.shape}")
        self.q_table[:] = values

    def choose_actions(self, states, exploration_rate: float = 0.0, deterministic: bool = False,
                       action_masks=None):
        """Actions for states, int64; -1 where none is legal."""
        states = _whole(states)
        out = np.empty(len(states), np.int64)
        _core.rl.plain_choose(self.q_table, states, out, float(exploration_rate), bool(deterministic),
                              self._seed, self._calls, _masks(action_masks, len(states)))
        self._calls += 1
        return out

    def choose_action(self, state: int, exploration_rate: float = 0.0,
                      deterministic: bool = False) -> int:
        """An action for a state; -1: none is legal."""
        return int(self.choose_actions([state], exploration_rate, deterministic)[0])

    def choose_masked_action(self, state: int, action_mask, exploration_rate: float = 0.0,
                             deterministic: bool = False) -> int:
        """An action among those whose mask is 1; -1: there is none."""
        masks = np.asarray(action_mask)[None]
        return int(self.choose_actions([state], exploration_rate, deterministic, masks)[0])

    def choose_masked_actions_vec(self, states, action_masks, exploration_rate: float = 0.0,
                                  deterministic: bool = False):
        """Actions among those whose masks are 1."""
        return self.choose_actions(states, exploration_rate, deterministic, action_masks)

    def choose_actions_iter(self, states, exploration_rate: float = 0.0, deterministic: bool = False,
                            action_masks=None):
        """As choose_actions()."""
        return self.choose_actions(states, exploration_rate, deterministic, action_masks)

    choose_action_vec = choose_action
    choose_masked_action_vec = choose_masked_action
    choose_actions_vec = choose_actions_iter
    choose_actions_vec_iter = choose_actions_iter

    def learn(self, states, actions, rewards, next_states, terminated, lr: float,
              next_action_masks=None) -> None:
        """Updates in the order of the batch, each from what the one before it left."""
        states = _whole(states)
        _core.rl.plain_learn(
            self.q_table, states, _whole(actions),
            np.ascontiguousarray(rewards, np.float64).reshape(-1), _whole(next_states),
            np.ascontiguousarray(terminated).astype(bool).reshape(-1), float(lr),
            self.discount_factor, _masks(next_action_masks, len(states)))

    learn_iter = learn

    def learn_vec(self, states, actions, rewards, next_states, terminated, lr: float,
                  next_action_masks=None) -> None:
        """Updates that all start from the values of before the batch, and add up."""
        before = self.q_table
        self.q_table = before.copy()
        changes = np.empty(len(_whole(states)))
        masks = _masks(next_action_masks, len(changes))
        for i, (s, a, r, following, over) in enumerate(
                zip(_whole(states), _whole(actions), rewards, _whole(next_states), terminated)):
            self.learn([s], [a], [r], [following], [over], lr, None if masks is None else masks[i:i + 1])
            changes[i] = self.q_table[s, a] - before[s, a]
            self.q_table[s, a] = before[s, a]
        self.q_table = before
        self.add_q_values(_whole(states), _whole(actions), changes)

    def single_learn(self, state: int, action: int, reward: float, next_state: int, terminated: bool,
                     lr: float, next_action_mask=None) -> None:
        """An update of one transition."""
        masks = None if next_action_mask is None else np.asarray(next_action_mask)[None]
        self.learn([state], [action], [reward], [next_state], [terminated], lr, masks)
