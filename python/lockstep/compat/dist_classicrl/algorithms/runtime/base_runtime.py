"""Training and evaluation in vector environments."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

__all__ = ["BaseRuntime"]


def _rows_and_masks(states):
    if isinstance(states, dict):
        return states["observation"], states["action_mask"]
    return states, None


def _replaced(states, copies, final):
    """States whose entries of these copies are the last ones of their episodes."""
    if isinstance(states, dict):
        return {key: _replaced(values, copies, [f[key] for f in final]) for key, values in states.items()}
    states = np.array(states)
    for copy, last in zip(copies, final):
        states[copy] = last
    return states


def _chosen(states, which):
    if isinstance(states, dict):
        return {key: values[which] for key, values in states.items()}
    return np.asarray(states)[which]


class Episodes:
    """What the vector environment has been doing: where it stands, and what was paid."""

    def __init__(self, env, state: dict | None):
        self.env = env
        mode = (getattr(env, "metadata", None) or {}).get("autoreset_mode")
        self.resets_next = getattr(mode, "name", mode) in ("NEXT_STEP", "NextStep", "next_step")
        if state is None:
            states, infos = env.reset()
            count = len(_rows_and_masks(states)[0])
            state = {"states": states, "infos": infos, "rewards": np.zeros(count),
                     "episode_rewards": np.zeros(count), "over": np.zeros(count, bool)}
        self.state = state

    @property
    def states(self):
        return self.state["states"]

    def step(self, actions, history: list):
        """(states, actions, rewards, true successors, terminated) of what are transitions."""
        before = self.states
        following, rewards, terminated, truncated, infos = self.env.step(actions)
        rewards, ended = np.asarray(rewards, float), np.asarray(terminated) | np.asarray(truncated)
        successors = following
        final = infos.get("final_obs", infos.get("final_observation")) if isinstance(infos, dict) else None
        if final is not None and ended.any():
            copies = np.flatnonzero(ended)
            last = [{k: v[c] for k, v in final.items()} if isinstance(final, dict) else final[c]
                    for c in copies]
            successors = _replaced(following, copies, last)
        live = ~self.state.get("over", np.zeros(len(ended), bool))
        paid = self.state["episode_rewards"]
        paid += np.where(live, rewards, 0)
        history.extend(float(paid[c]) for c in np.flatnonzero(ended & live))
        paid[ended] = 0
        over = ended & live if self.resets_next else np.zeros(len(ended), bool)
        self.state |= {"states": following, "infos": infos, "rewards": rewards, "over": over}
        found = (before, np.asarray(actions), rewards, successors, np.asarray(terminated))
        return found if live.all() else tuple(_chosen(each, live) for each in found)


class BaseRuntime(ABC):
    """A table, its schedules, and how it is trained."""

    def __init__(self, algorithm, lr_schedule, exploration_rate_schedule):
        self.algorithm = algorithm
        self.lr_schedule = lr_schedule
        self.exploration_rate_schedule = exploration_rate_schedule

    def init_training(self) -> None:
        """Before the first interval: here nothing."""

    @abstractmethod
    def run_steps(self, steps, env, curr_state_dict):
        """(mean return, returns of episodes, env, state); the mean of no episode is nan."""

    def close_training(self) -> None:
        """After the last one: here nothing."""

    def train(self, env, steps, val_env, val_every_n_steps, val_steps=None, val_episodes=None,
              curr_state_dict=None):
        """Trains in intervals with an evaluation after each.

        Returns (returns of episodes, totals of evaluations, env, state).
        """
        if (val_steps is None) == (val_episodes is None):
            raise AssertionError("exactly one of val_steps and val_episodes must be given")
        self.init_training()
        history, validations = [], []
        for done in range(0, steps, val_every_n_steps):
            _, returns, env, curr_state_dict = self.run_steps(
                steps=min(val_every_n_steps, steps - done), env=env, curr_state_dict=curr_state_dict)
            history.extend(returns)
            validations.append(self._evaluated(val_env, val_steps, val_episodes)[0])
        self.close_training()
        return history, validations, env, curr_state_dict

    def _evaluated(self, env, steps, episodes):
        if steps is not None:
            return self.evaluate_steps(env, steps)
        return self.evaluate_episodes(env, episodes)

    def _learn_steps(self, steps, env, state):
        """Vector steps in one environment."""
        episodes, history = Episodes(env, state), []
        for _ in range(steps):
            self._learn(*episodes.step(self._choose_actions(episodes.states), history))
        return history, episodes.state

    def run_single_step(self, env, states, agent_rewards, reward_history):
        """One vector step; (states, infos) after it."""
        count = len(_rows_and_masks(states)[0])
        episodes = Episodes(env, {"states": states, "infos": {}, "rewards": np.zeros(count),
                                  "episode_rewards": agent_rewards, "over": np.zeros(count, bool)})
        self._learn(*episodes.step(self._choose_actions(states), reward_history))
        return episodes.states, episodes.state["infos"]

    def _learn(self, states, actions, rewards, next_states, terminateds):
        rows, _ = _rows_and_masks(states)
        following, masks = _rows_and_masks(next_states)
        self.algorithm.learn(rows, actions, rewards, following, terminateds,
                             self.lr_schedule.get_value(), masks)
        self.lr_schedule.update(len(rows))
        self.exploration_rate_schedule.update(len(rows))

    def _choose_actions(self, states):
        rows, masks = _rows_and_masks(states)
        return self.algorithm.choose_actions(
            rows, exploration_rate=self.exploration_rate_schedule.get_value(), action_masks=masks)

    def _play(self, env, is_enough):
        """Greedy vector steps until so many steps or episodes are enough."""
        states, _ = env.reset(seed=42)
        count = len(_rows_and_masks(states)[0])
        episodes = Episodes(env, {"states": states, "infos": {}, "rewards": np.zeros(count),
                                  "episode_rewards": np.zeros(count), "over": np.zeros(count, bool)})
        history, steps = [], 0
        while not is_enough(steps * count, len(history)):
            rows, masks = _rows_and_masks(episodes.states)
            episodes.step(self.algorithm.choose_actions(
                rows, deterministic=True, action_masks=masks), history)
            steps += 1
        return sum(history), history

    def evaluate_steps(self, env, steps):
        """(sum, list) of the returns of episodes that ended within so many steps of all copies."""
        return self._play(env, lambda done, _: done >= steps)

    def evaluate_episodes(self, env, episodes):
        """The same until so many episodes have ended."""
        return self._play(env, lambda _, ended: ended >= episodes)


def mean_of(history):
    return float(np.mean(history)) if history else float("nan")
