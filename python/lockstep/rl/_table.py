"""Tables of action values."""

from __future__ import annotations

import os
import pathlib

import numpy as np

from lockstep import _core


def _kept(array, dtype):
    """The array where nobody can write to it, else a copy."""
    array = np.asarray(array)
    if array.dtype != dtype:
        raise TypeError(f"an array of {array.dtype}, must be {np.dtype(dtype)}: astype converts it")
    if array.flags.writeable or not array.flags.c_contiguous:
        array = np.array(array, order="C")
        array.flags.writeable = False
    return array


class QTable:
    """Action values that were learned: an array (states, actions) that NumPy reads without a copy.

    Parameters
    ----------
    values : float64 array (states, actions)
    visits : uint32 array (states, actions), optional
        Updates of each pair.
    legal : bool array (states, actions), optional
        None: all actions are legal.
    """

    __slots__ = ("values", "visits", "legal", "_digest")

    def __init__(self, values, visits=None, legal=None, *, digest: str | None = None):
        self.values = _kept(values, np.float64)
        if self.values.ndim != 2:
            raise ValueError(f"values has {self.values.ndim} dimensions, must have 2")
        if visits is None:
            visits = np.zeros(self.values.shape, np.uint32)
        self.visits = _kept(visits, np.uint32)
        self.legal = None if legal is None else _kept(np.asarray(legal).astype(bool), bool)
        for name in ("visits", "legal"):
            other = getattr(self, name)
            if other is not None and other.shape != self.values.shape:
                raise ValueError(f"{name} has the shape {other.shape}, must have {self.values.shape}")
        self._digest = digest

    @property
    def shape(self) -> tuple[int, int]:
        """(states, actions)"""
        return self.values.shape

    @property
    def digest(self) -> str:
        """Of shape, values and visits: what ``lockstep summary`` prints of a training."""
        if self._digest is None:
            self._digest = _core.rl.digest_of(self.values, self.visits)
        return self._digest

    def greedy(self):
        """The lowest of the best legal actions of each state, int32; -1 where none is legal."""
        if self.legal is None:
            return self.values.argmax(axis=1).astype(np.int32)
        best = np.where(self.legal, self.values, -np.inf).argmax(axis=1)
        return np.where(self.legal.any(axis=1), best, -1).astype(np.int32)

    def save(self, path: str | os.PathLike) -> str:
        """Writes the values as numpy.save does, whole or not at all; adds .npy if it is missing."""
        path = os.fspath(path)
        path = path if path.endswith(".npy") else path + ".npy"
        _core.rl.write_npy(path, self.values)
        return path

    @classmethod
    def load(cls, path: str | os.PathLike) -> QTable:
        """Reads a .npy file (values alone), or the output directory of a training.

        Raises
        ------
        lockstep.IoError
            The file is missing or cannot be read.
        lockstep.InputError
            It is damaged, or no table.
        """
        place = pathlib.Path(path)
        if place.suffix == ".npy":
            return cls(_core.rl.read_npy(str(place)))
        if (place / "training").is_dir():
            place = place / "training"
        return cls._from(_core.rl.read_table(str(place)))

    @classmethod
    def _from(cls, found: dict, legal=None) -> QTable:
        return cls(found["values"], found["visits"], legal, digest=found["digest"])

    def __array__(self, dtype=None, copy=None):
        if dtype is not None and np.dtype(dtype) != self.values.dtype:
            if copy is False:
                raise ValueError(f"values are float64: {np.dtype(dtype)} needs a copy")
            return self.values.astype(dtype)
        return self.values.copy() if copy else self.values

    def __getitem__(self, index):
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other) -> bool:
        if not isinstance(other, QTable):
            return NotImplemented
        same_legal = (self.legal is None) == (other.legal is None) and (
            self.legal is None or np.array_equal(self.legal, other.legal))
        return (same_legal and np.array_equal(self.values, other.values)
                and np.array_equal(self.visits, other.visits))

    __hash__ = None

    def __reduce__(self):
        return QTable, (np.array(self.values), np.array(self.visits), self.legal)

    def __repr__(self) -> str:
        states, actions = self.shape
        return f"QTable({states} states, {actions} actions, {int((self.visits > 0).sum())} pairs visited)"
