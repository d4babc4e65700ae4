"""Learning in environments that are stepped many at a time."""

from __future__ import annotations

import time

import numpy as np

from lockstep import _core
from lockstep.rl._learner import Learner
from lockstep.rl._results import refuse
from lockstep.rl._spaces import describe, rows_of


class Batches:
    """Transitions of a vector environment as Gymnasium's three ways of resetting leave them.

    next_step  the step after an end resets and is none to learn from
    same_step  the state that ended an episode is in info["final_obs"]
    disabled   we reset what has ended
    """

    def __init__(self, env, autoreset: str, name: str):
        self.env, self.autoreset, self.name = env, autoreset, name
        self.space = describe(env.single_observation_space, "single_observation_space")
        self.encoder = _core.rl.Space(self.space)

    def reset(self, seed):
        result = self.env.reset(seed=seed)
        if not isinstance(result, tuple) or len(result) != 2:
            self._refuse("reset() must return the two of (observations, infos)")
        self.over = np.zeros(self.env.num_envs, bool)
        self.rows = self._encoded(result[0], "reset()")
        return self.rows

    def step(self, actions):
        """(successors, rewards, terminated, truncated, which are transitions: None all)."""
        result = self.env.step(actions)
        if not isinstance(result, tuple) or len(result) != 5:
            self._refuse("step() must return the five of (observations, rewards, terminations, "
                         "truncations, infos)")
        observations, rewards, terminated, truncated, info = result
        rewards = self._array(rewards, np.float64, "rewards")
        terminated = self._flags(terminated, "terminations")
        truncated = self._flags(truncated, "truncations")
        rows = successors = self._encoded(observations, "step()")
        ended = terminated | truncated
        counted = None
        if self.autoreset == "next_step":
            counted = ~self.over if self.over.any() else None
            self.over = ended if counted is None else ended & counted
        elif ended.any():
            rows, successors = self._restarted(rows, ended, info)
        self.rows = rows
        return successors, rewards, terminated, truncated, counted

    def _restarted(self, rows, ended, info):
        if self.autoreset == "disabled":
            observations, _ = self.env.reset(options={"reset_mask": ended})
            return self._encoded(observations, "reset()"), rows
        final = info.get("final_obs", info.get("final_observation"))
        if final is None:
            self._refuse('with autoreset in the same step info["final_obs"] must hold the last '
                         "observations of episodes that ended")
        successors = rows.copy()
        for copy in np.flatnonzero(ended):
            point = ({key: values[copy] for key, values in final.items()}
                     if isinstance(final, dict) else final[copy])
            successors[copy] = self.encoder.number_of(point)
            if successors[copy] < 0:
                self._refuse(f"final_obs[{copy}] is {point!r}, which is not in "
                             "single_observation_space")
        return rows, successors

    def _encoded(self, observations, origin):
        rows = rows_of(self.space, observations)
        if rows.shape != (self.env.num_envs,):
            self._refuse(f"{origin} returned {len(rows)} observations for {self.env.num_envs} copies")
        if (rows < 0).any():
            self._refuse(f"{origin} returned an observation of copy {int((rows < 0).argmax())} that "
                         "is not in single_observation_space")
        return rows

    def _array(self, values, dtype, name):
        values = np.asarray(values)
        if values.shape != (self.env.num_envs,) or values.dtype.kind not in "fiub":
            self._refuse(f"{name} must be an array of {self.env.num_envs} numbers")
        return np.ascontiguousarray(values, dtype)

    def _flags(self, values, name):
        values = np.asarray(values)
        if values.shape != (self.env.num_envs,) or values.dtype != bool:
            self._refuse(f"{name} is an array of {values.dtype} with the shape {values.shape}, must "
                         f"be of {self.env.num_envs} bools")
        return np.ascontiguousarray(values)

    def _refuse(self, text):
        refuse(f"{self.name} breaks a rule of Gymnasium: {text}")


def learn(batches: Batches, actions, steps: int, options: dict, on_progress):
    """A learner after exactly so many transitions, and what happened."""
    count = batches.env.num_envs
    learner = Learner(batches.encoder.size, len(actions), **options)
    points = np.array(actions)
    plain = points.ndim == 1 and np.array_equal(points, np.arange(len(points)))
    chosen = np.empty(count, np.int64)
    paid, episodes, total = np.zeros(count), 0, 0.0
    began = told = time.perf_counter()
    rows = batches.reset(int(options.get("seed", 0)))
    while learner.transitions < steps:
        learner.choose(rows, out=chosen)
        successors, rewards, terminated, truncated, counted = batches.step(
            chosen if plain else points[chosen])
        arrays = (rows, chosen, rewards, successors, terminated, truncated)
        if counted is not None:
            arrays = tuple(each[counted] for each in arrays)
        left = steps - learner.transitions
        learner.learn(*(each[:left] for each in arrays) if left < len(arrays[0]) else arrays)
        paid += rewards if counted is None else np.where(counted, rewards, 0)
        ended = terminated | truncated
        if ended.any():
            episodes += int(ended.sum())
            total += float(paid[ended].sum())
            paid[ended] = 0
        rows = batches.rows
        if on_progress is not None and time.perf_counter() - told > 1:
            told = time.perf_counter()
            on_progress({"phase": "training", "step": "transition", "done": learner.transitions,
                         "total": steps, "seconds": told - began})
    seconds = time.perf_counter() - began
    return learner, {"transitions": learner.transitions, "episodes": episodes, "seconds": seconds,
                     "steps_per_second": learner.transitions / seconds,
                     "return_mean": total / episodes if episodes else None,
                     "td_error": learner.td_error}
