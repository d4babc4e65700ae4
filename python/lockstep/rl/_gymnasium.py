"""Environments of Gymnasium: their tables, their batches, their steps."""

from __future__ import annotations

import numpy as np

from lockstep import _core
from lockstep.rl._results import refuse

# They change neither what a step does nor what it returns, but for the time limit.
_passive = {"PassiveEnvChecker", "OrderEnforcing", "TimeLimit", "RecordEpisodeStatistics"}
# What the driver of steps does itself.
_spared = {"PassiveEnvChecker", "OrderEnforcing", "TimeLimit"}


def gymnasium():
    """The module."""
    try:
        import gymnasium as module
    except ImportError as missing:
        raise ImportError("environments of Gymnasium need it: pip install gymnasium") from missing
    return module


def _is_own(wrapper, names) -> bool:
    kind = type(wrapper)
    return kind.__name__ in names and kind.__module__.startswith("gymnasium.")


def peeled(env, names):
    """The environment below its outermost wrappers of these names, and their time limit (0: none)."""
    limit = 0
    while _is_own(env, names):
        if type(env).__name__ == "TimeLimit":
            own = int(env._max_episode_steps)
            limit = min(limit, own) if limit else own
        env = env.env
    return env, limit


def published_table(env):
    """(P, starts, time limit) where the table says all that a step does, else None."""
    inner, limit = peeled(env, _passive)
    table = getattr(inner, "P", None)
    if inner is not inner.unwrapped or not isinstance(table, dict) or not table:
        return None
    if getattr(inner, "fickle_passenger", False):  # hidden from the table of Taxi
        return None
    if not _counts_from_zero(inner) or not _agrees(inner, table):
        return None
    return table, getattr(inner, "initial_state_distrib", None), limit


def _counts_from_zero(env) -> bool:
    spaces = (env.observation_space, env.action_space)
    return all(type(s).__name__ == "Discrete" and int(s.start) == 0 for s in spaces)


def _agrees(env, table, steps: int = 200) -> bool:
    """Whether some steps do what the table says: a subclass may have changed the one alone."""
    state, _ = env.reset(seed=0)
    actions = int(env.action_space.n)
    for number in range(steps):
        action = number * 7 // 3 % actions
        if action not in table[int(state)]:
            return False
        following, reward, terminated, truncated, _ = env.step(action)
        outcomes = table[int(state)][action]
        if not any(int(o[1]) == following and o[2] == reward and bool(o[3]) == terminated
                   for o in outcomes):
            return False
        state = env.reset()[0] if terminated or truncated else following
    return True


def columns_of(table):
    """States, actions and the outcomes of a dict of dicts of (p, next, reward, terminated)."""
    states = len(table)
    if sorted(table) != list(range(states)):
        refuse(f"P must have the states 0 to {states - 1} as keys, in any order")
    actions = 1 + max((int(a) for row in table.values() for a in row), default=-1)
    rows = []
    for s in range(states):
        for a in sorted(table[s]):
            for outcome in table[s][a]:
                if len(outcome) != 4:
                    refuse(f"P[{s}][{a}] has an outcome {outcome!r}, must be the four of "
                           "(probability, next state, reward, terminated)")
                if outcome[0] > 0:
                    rows.append((s, a, *outcome))
    if not rows:
        refuse("P has no outcome")
    s, a, p, following, reward, terminated = zip(*rows)
    columns = (np.array(s, np.int64), np.array(a, np.int64), np.array(p, np.float64),
               np.array(following, np.int64), np.array(reward, np.float64),
               np.array(terminated, bool))
    return states, actions, columns


def columns_of_arrays(transitions, rewards, terminal):
    """The same of arrays: transitions (states, actions, states), rewards (states, actions[, states])."""
    transitions = np.asarray(transitions, np.float64)
    if transitions.ndim != 3 or transitions.shape[0] != transitions.shape[2]:
        refuse(f"transitions has the shape {transitions.shape}, must have (states, actions, states); "
               "numpy.moveaxis(t, 0, 1) makes it of (actions, states, states)")
    states, actions, _ = transitions.shape
    rewards = np.asarray(rewards, np.float64)
    if rewards.shape == (states, actions):
        rewards = np.broadcast_to(rewards[:, :, None], transitions.shape)
    if rewards.shape != transitions.shape:
        refuse(f"rewards has the shape {rewards.shape}, must have {(states, actions)} or "
               f"{transitions.shape}")
    if not (np.isfinite(transitions).all() and (transitions >= 0).all()):
        refuse("transitions must be probabilities: a number is negative or not finite")
    s, a, following = np.nonzero(transitions)
    ends = np.zeros(states, bool)
    ends[list(terminal)] = True
    columns = (s.astype(np.int64), a.astype(np.int64), np.ascontiguousarray(transitions[s, a, following]),
               following.astype(np.int64), np.ascontiguousarray(rewards[s, a, following]),
               np.ascontiguousarray(ends[following]))
    return states, actions, columns


def starts_of(start, states: int):
    """Probabilities of the starts, float64 (states): of one state, of an array, or none."""
    if start is None:
        return np.zeros(0)
    if np.ndim(start) == 0:
        chosen = np.zeros(states)
        if not 0 <= int(start) < states:
            refuse(f"start is {start}, must be a state from 0 to {states - 1}")
        chosen[int(start)] = 1
        return chosen
    start = np.ascontiguousarray(start, np.float64)
    if start.shape != (states,):
        refuse(f"start has the shape {start.shape}, must be a state or have ({states},)")
    return start


def lent(env, name: str):
    """(what _core.rl steps, time limit) of a scalar environment."""
    from lockstep.rl._spaces import actions_of, describe
    inner, limit = peeled(env, _spared)
    observations = describe(env.observation_space, "observation_space")
    actions = actions_of(env.action_space)
    return _core.rl.lend(name, inner.step, inner.reset, actions, observations, np.bool_), limit
