"""Environments of any origin behind one face."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from typing import TYPE_CHECKING

import numpy as np

from lockstep import _core
from lockstep._calls import call, given_of, settings_of
from lockstep._progress import listeners
from lockstep.rl import _gymnasium, _spaces, _vector
from lockstep.rl._results import (Evaluation, Solution, Training, raise_signal, refuse,
                                  solution_from, training_from)
from lockstep.rl._table import QTable

if TYPE_CHECKING:
    from typing import Unpack

    from lockstep._options import EnvironmentTrain, RlEvaluate, RlSolve

_model_files = (".json", ".parquet", ".drn")
# What has to be on disk.
_of_files = ("resume", "checkpoint_interval", "checkpoint_frequency", "metrics", "log_interval",
             "backend", "communication_backend", "on_loss", "check_consistency",
             "consistency_interval")
_longest_episode = 100_000


class Environment:
    """Something to learn in, made by lockstep.rl.make.

    name, route      where it comes from, and how it is run: "native", "table", "vector", "step", "game"
    states, actions  sizes of its table
    """

    name: str
    route: str
    states: int
    actions: int

    def train(self, *, output=None, on_progress=None, **options: Unpack[EnvironmentTrain]) -> Training:
        """Learns action values; options are those of ``lockstep rl train``. See lockstep.rl.train."""
        raise NotImplementedError

    def solve(self, **options: Unpack[RlSolve]) -> Solution:
        """Optimal values with proven bounds; options are those of ``lockstep rl solve``."""
        refuse(f"{self.name} is known by its steps alone: solve() needs a table of probabilities; "
               "train() learns from steps")

    def evaluate(self, policy, **options: Unpack[RlEvaluate]) -> Evaluation:
        """What a policy is worth. See lockstep.rl.evaluate."""
        raise NotImplementedError

    def __repr__(self):
        return (f"<lockstep.rl.Environment {self.name}: {self.states} states, {self.actions} actions, "
                f"by route {self.route!r}>")


def _policy(policy, states):
    """One action a state, int32."""
    if isinstance(policy, Training):
        policy = policy.q_table
    if isinstance(policy, QTable):
        policy = policy.greedy()
    policy = np.asarray(policy)
    if policy.ndim == 2:
        policy = policy.argmax(axis=1)
    if policy.dtype.kind not in "iu" or policy.shape != (states,):
        refuse(f"policy must be a QTable, or have an action for each of {states} states, not an array "
               f"of {policy.dtype} with the shape {policy.shape}")
    return np.ascontiguousarray(policy, np.int32)


class ProcessEnvironment(Environment):
    """All in C++: of the registry, of a model file, of a table."""

    def __init__(self, process, route, source=None, settings=None):
        self.process, self.route = process, route
        self._source, self._settings = source, settings or {}
        self.name, self.states, self.actions = process.name, process.states, process.actions
        self.rules = process.rules
        self.legal = process.legal()

    def train(self, *, output=None, on_progress=None, **options):
        if options.pop("set", None):
            refuse("parameters of an environment are given to make()")
        if output is None:
            asked = sorted(set(options).intersection(_of_files))
            if asked:
                refuse(f"{asked[0]} needs files: give output=")
            with listeners(on_progress) as (progress, text):
                found = self.process.learn(given_of("rl.train", options), progress, text)
            return training_from(found, legal=self.legal)
        source = self._source
        if source is None:
            source = pathlib.Path(output) / "model" / f"{self.name}.json"
            source.parent.mkdir(parents=True, exist_ok=True)
            self.process.write_model(str(source))
        options |= {"output": output, "set": self._settings}
        result = call("rl.train", source, options, on_progress)
        return Training(result.output, result.summary)

    def solve(self, **options):
        return solution_from(self.process.solve(given_of("rl.solve", options)))

    def evaluate(self, policy, *, episodes=None, seed=1, **options):
        if episodes:
            return self._played(policy, episodes, seed)
        given = given_of("rl.solve", options)
        found = self.process.evaluate(_policy(policy, self.states), given)
        raise_signal(found)
        value, lower, upper = found["start"] or (None, None, None)
        best = self.process.solve(given)
        raise_signal(best)
        return Evaluation(value, lower, upper, best["start"] and best["start"][0])

    def _played(self, policy, episodes, seed):
        refuse(f"{self.name} is evaluated exactly here: leave episodes out; lockstep.rl.evaluate of "
               "an output directory plays episodes")

    def save_model(self, path):
        """Writes it as a model file: .json, .parquet or .drn."""
        self.process.write_model(os.fspath(path))

    def __reduce__(self):
        if self._source is not None:
            return _named, (self._source, self._settings)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"{self.name}.json"
            self.process.write_model(str(path))
            return _from_text, (self.name, path.read_text())


def _named(source, settings):
    texts = settings_of(settings)
    return ProcessEnvironment(_core.rl.Process(source, texts), "native", source, settings)


def _from_text(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{name}.json"
        path.write_text(text)
        return ProcessEnvironment(_core.rl.Process(str(path), []), "table")


class StepEnvironment(Environment):
    """A scalar environment of Python, stepped from C++. One at a time: mode serial."""

    route = "step"

    def __init__(self, env, name):
        self.env, self.name = env, name
        self._lent, self._limit = _gymnasium.lent(env, name)
        self.states = _core.rl.Space(
            _spaces.describe(env.observation_space, "observation_space")).size
        self.actions = len(_spaces.actions_of(env.action_space))

    def row_of(self, observation) -> int:
        """The row of an observation."""
        description = _spaces.describe(self.env.observation_space, "observation_space")
        return _core.rl.Space(description).number_of(observation)

    def train(self, *, output=None, on_progress=None, **options):
        asked = sorted(set(options).intersection((*_of_files, "load_model", "set")))
        if asked:
            refuse(f"{asked[0]} is not for environments that are stepped in Python")
        if options.setdefault("mode", "serial") != "serial":
            refuse(f"mode is {options['mode']!r}: an environment that is stepped in Python is one, "
                   "and is learned in mode serial")
        with listeners(on_progress) as (progress, text):
            found = _core.rl.learn_by_steps(self._lent, self._limit, given_of("rl.train", options),
                                            "" if output is None else os.fspath(output), progress, text)
        return training_from(found, None if output is None else os.fspath(output))

    def evaluate(self, policy, *, episodes=1000, seed=1, longest=_longest_episode):
        returns, lengths, cut = _core.rl.play(
            self._lent, self._limit, _policy(policy, self.states), episodes, seed, longest)
        return _sampled(returns, lengths, int(cut.sum()))


def _sampled(returns, lengths, cut):
    spread = returns.std(ddof=1) if len(returns) > 1 else 0.0
    return Evaluation(mean=float(returns.mean()), half_width=float(1.96 * spread / len(returns) ** 0.5),
                      returns=returns, lengths=lengths, cut=cut)


class VectorEnvironment(Environment):
    """An environment that is stepped many copies at a time."""

    route = "vector"

    def __init__(self, env, name, autoreset=None):
        self.env, self.name = env, name
        mode = autoreset or (env.metadata or {}).get("autoreset_mode") or "next_step"
        self.autoreset = _mode_name(mode)
        self._batches = _vector.Batches(env, self.autoreset, name)
        self.states = self._batches.encoder.size
        self._points = _spaces.actions_of(env.single_action_space)
        self.actions = len(self._points)

    def train(self, *, steps=1_000_000, output=None, on_progress=None, **options):
        allowed = {"algorithm", "discount_factor", "gamma", "learning_rate", "exploration", "epsilon",
                   "random_ties", "initial_value", "seed", "duplicates"}
        asked = sorted(set(options) - allowed)
        if asked:
            refuse(f"{asked[0]} is not for environments that are stepped in batches: "
                   f"{', '.join(sorted(allowed))} are")
        if int(steps) < 1:
            refuse(f"steps is {steps}: must be a whole number from 1 up")
        with listeners(on_progress) as (progress, _):
            learner, summary = _vector.learn(
                self._batches, self._points, int(steps), options, progress)
        table = learner.q_table
        summary |= {"environment": self.name, "options": options, "digest": table.digest}
        if output is not None:
            table.save(pathlib.Path(output) / "training" / "q_table.npy")
            path = pathlib.Path(output) / "training" / "summary.json"
            _core.rl.write_text(str(path), json.dumps(summary, indent=1))
            output = os.fspath(output)
        return Training(output, summary, table)

    def evaluate(self, policy, *, episodes=1000, seed=1, longest=_longest_episode):
        actions = _policy(policy, self.states)
        points = np.array(self._points)
        count = self.env.num_envs
        # As many of each copy, lest short episodes count more.
        wanted = np.full(count, -(-episodes // count))
        paid, length = np.zeros(count), np.zeros(count, np.int64)
        returns, lengths, cut = [], [], 0
        rows = self._batches.reset(seed)
        while wanted.any():
            _, rewards, terminated, truncated, counted = self._batches.step(points[actions[rows]])
            live = np.ones(count, bool) if counted is None else counted
            paid[live] += rewards[live]
            length[live] += 1
            if length.max() >= longest:
                refuse(f"an episode of {self.name} has not ended after {longest} steps")
            for copy in np.flatnonzero((terminated | truncated) & live):
                if wanted[copy]:
                    wanted[copy] -= 1
                    returns.append(paid[copy])
                    lengths.append(length[copy])
                    cut += int(not terminated[copy])
                paid[copy] = length[copy] = 0
            rows = self._batches.rows
        return _sampled(np.array(returns), np.array(lengths), cut)


def _mode_name(mode):
    name = str(getattr(mode, "name", mode)).lower().replace("-", "_")
    name = {"nextstep": "next_step", "samestep": "same_step"}.get(name, name)
    if name not in ("next_step", "same_step", "disabled"):
        refuse(f"autoreset is {mode!r}: must be next_step, same_step or disabled")
    return name


def is_own(source) -> bool:
    """Whether a name is of the registry, or of a file."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    text = os.fspath(source)
    names = _core.rl.environments()
    known = {name.lower() for name in names} | {a.lower() for each in names.values() for a in each}
    return text.lower() in known or text.endswith((*_model_files, ".yaml", ".yml"))


def _registered(name) -> bool:
    try:
        import gymnasium
    except ImportError:
        return False
    return name.split(":")[-1] in gymnasium.registry or ":" in name


def make(environment, rewards=None, *, num_envs=None, route=None, start=None, terminal=(),
         gamma=None, time_limit=None, name=None, autoreset=None, **parameters) -> Environment:
    """An environment to learn in, of whatever origin, by the fastest route there is.

    Parameters
    ----------
    environment
        A name of ``lockstep rl list`` or a model file; an id or an object of Gymnasium; a game of
        PettingZoo (AEC); a table P[s][a] = [(probability, next, reward, terminated), ...]; an array
        of probabilities (states, actions, states), with `rewards`.
    rewards : array (states, actions) or (states, actions, states)
    num_envs : int, optional
        Copies, of an id of Gymnasium whose environment is vectorised by itself.
    route : {"table", "vector", "step"}, optional
        Of environments of Gymnasium; None: the first of these that there is.
    start : int or float64 array (states), optional
        Where episodes of a table begin.
    terminal : list of int
        States of arrays that end an episode.
    gamma, time_limit : optional
        Discount of a step, and steps after which an episode is cut, of tables.
    autoreset : {"next_step", "same_step", "disabled"}, optional
        Of vector environments; None: as their metadata say.
    **parameters
        Of the environment, as ``is_slippery=False``.
    """
    if is_own(environment) and route is None:
        return _named(os.fspath(environment), parameters)
    if isinstance(environment, dict):
        columns = _gymnasium.columns_of(environment)
        return _of_table(*columns, start, gamma, time_limit, name or "P")
    if isinstance(environment, np.ndarray):
        if rewards is None:
            refuse("an array of probabilities needs rewards")
        columns = _gymnasium.columns_of_arrays(environment, rewards, terminal)
        return _of_table(*columns, start, gamma, time_limit, name or "arrays")
    if hasattr(environment, "agent_iter"):
        from lockstep.rl._games import GameEnvironment
        return GameEnvironment(environment, **parameters)
    return _of_gymnasium(environment, num_envs, route, gamma, name, autoreset, parameters)


def _of_table(states, actions, columns, start, gamma, time_limit, name):
    process = _core.rl.Process(name, states, actions, columns, _gymnasium.starts_of(start, states),
                               time_limit or None, gamma)
    return ProcessEnvironment(process, "table")


def _of_gymnasium(environment, num_envs, route, gamma, name, autoreset, parameters):
    if route not in (None, "table", "vector", "step"):
        refuse(f"route is {route!r}: must be table, vector or step")
    if isinstance(environment, os.PathLike):
        environment = os.fspath(environment)
    if isinstance(environment, str):
        if not _registered(environment):
            _core.rl.Process(environment, [])  # says what is near it
        gym = _gymnasium.gymnasium()
        name = name or environment
        if num_envs and route != "step" and _has_vector_entry(gym, environment):
            env = gym.make_vec(environment, num_envs, vectorization_mode="vector_entry_point",
                               **parameters)
            return VectorEnvironment(env, name, autoreset)
        environment = gym.make(environment, **parameters)
    name = name or getattr(getattr(environment, "spec", None), "id", None) or type(environment).__name__
    if hasattr(environment, "num_envs") and hasattr(environment, "single_observation_space"):
        return VectorEnvironment(environment, name, autoreset)
    for attribute in ("step", "reset", "observation_space", "action_space"):
        if not hasattr(environment, attribute):
            refuse(f"{environment!r} is no environment: it has no {attribute}")
    table = None if route == "step" else _gymnasium.published_table(environment)
    if table is not None:
        table, starts, limit = table
        return _of_table(*_gymnasium.columns_of(table), starts, gamma, limit, name.replace("/", "-"))
    if route == "table":
        refuse(f"{name} publishes no table P that says all it does")
    return StepEnvironment(environment, name)


def _has_vector_entry(gym, name):
    spec = gym.registry.get(name.split(":")[-1])
    return spec is not None and spec.vector_entry_point is not None
