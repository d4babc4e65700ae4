"""Finite spaces of Gymnasium as rows of a table."""

from __future__ import annotations

import itertools

import numpy as np

from lockstep import _core
from lockstep.rl._results import refuse

most_actions = 64


def describe(space, what: str):
    """What _core.rl.Space is made of."""
    kind = type(space).__name__
    if kind == "Discrete":
        return ("discrete", int(space.n), int(getattr(space, "start", 0)))
    if kind == "MultiDiscrete":
        sizes = np.asarray(space.nvec).ravel()
        starts = np.asarray(getattr(space, "start", np.zeros_like(sizes))).ravel()
        return ("array", sizes.tolist(), starts.tolist())
    if kind == "MultiBinary":
        count = int(np.prod(space.n))
        return ("array", [2] * count, [0] * count)
    if kind == "Tuple":
        return ("tuple", [describe(part, what) for part in space.spaces])
    if kind == "Dict":
        parts = space.spaces
        return ("dict", list(parts), [describe(part, what) for part in parts.values()])
    refuse(f"{what} is {space}, which has infinitely many points or is not counted: a table takes "
           "Discrete, MultiDiscrete, MultiBinary, and Tuple or Dict of them; an "
           "ObservationWrapper can divide a Box into cells")


def points(description):
    """All points in the order of their numbers."""
    kind = description[0]
    if kind == "discrete":
        return list(range(description[2], description[2] + description[1]))
    if kind == "array":
        ranges = [range(start, start + size) for size, start in zip(*description[1:])]
        return [np.array(point, np.int64) for point in itertools.product(*ranges)]
    parts = itertools.product(*(points(part) for part in description[-1]))
    if kind == "tuple":
        return list(parts)
    return [dict(zip(description[1], part)) for part in parts]


def actions_of(space):
    """What step() takes, by number of the action."""
    description = describe(space, "action_space")
    size = _core.rl.Space(description).size
    if size > most_actions:
        refuse(f"action_space {space} has {size} actions: a learner takes at most {most_actions}")
    return points(description)


def rows_of(description, batch):
    """Rows of a batch of points, int64 (copies), as vector environments return them."""
    kind = description[0]
    if kind == "discrete":
        rows = np.asarray(batch).astype(np.int64, copy=False) - description[2]
        outside = (rows < 0) | (rows >= description[1])
        return np.where(outside, -1, rows) if outside.any() else np.ascontiguousarray(rows)
    if kind == "array":
        values = np.asarray(batch).astype(np.int64, copy=False)
        columns = values.reshape(len(values), -1).T - np.array(description[2])[:, None]
        return _joined(columns, description[1])
    keys = description[1] if kind == "dict" else range(len(description[1]))
    parts = description[-1]
    columns = [rows_of(part, batch[key]) for key, part in zip(keys, parts)]
    return _joined(columns, [_core.rl.Space(part).size for part in parts])


def _joined(columns, sizes):
    rows = np.zeros(len(columns[0]), np.int64)
    outside = np.zeros(len(rows), bool)
    for column, size in zip(columns, sizes):
        outside |= (column < 0) | (column >= size)
        rows = rows * size + column
    return np.where(outside, -1, rows)
