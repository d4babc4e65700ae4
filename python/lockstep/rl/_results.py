"""What training, solving and evaluating return."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from lockstep import _core
from lockstep._calls import Result, pass_on
from lockstep.rl._table import QTable


@dataclass(frozen=True)
class Training(Result):
    """What a training left.

    output   directory with what the program would have written; None: nothing was written
    summary  what ``lockstep summary --json`` prints of it
    q_table  the table, a QTable
    digest   of the table
    """

    table: QTable | None = field(default=None, repr=False)

    @property
    def q_table(self) -> QTable:
        """The table; read from `output` when it is first asked for."""
        if self.table is None:
            object.__setattr__(self, "table", QTable.load(self.output))
        return self.table

    @property
    def digest(self) -> str:
        """Fingerprint of the table, that of the program."""
        return self.summary["digest"]


@dataclass(frozen=True)
class Solution:
    """Values of states with proven bounds, and a policy that has them.

    value, lower, upper  float64 arrays (states)
    policy               int32 array (states); -1: no legal action
    start                (value, lower, upper), mean over the starts; None: there are none
    ending, sweeps, half_width, digest  as ``lockstep rl solve`` tells them
    """

    value: object = field(repr=False)
    lower: object = field(repr=False)
    upper: object = field(repr=False)
    policy: object = field(repr=False)
    start: tuple | None
    ending: str
    sweeps: int
    half_width: float
    digest: str


@dataclass(frozen=True)
class Evaluation:
    """What a policy is worth: exactly, or by episodes that were played.

    value, lower, upper  at the start, discounted, with proven bounds; None: not known
    optimum              the best there is; None: not known
    mean, half_width     of undiscounted returns, with a 95 % confidence interval; None: none played
    returns, lengths     of each episode
    cut                  episodes that did not end by themselves
    """

    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    optimum: float | None = None
    mean: float | None = None
    half_width: float | None = None
    returns: object = field(default=None, repr=False)
    lengths: object = field(default=None, repr=False)
    cut: int = 0


def raise_signal(found: dict) -> None:
    """Ctrl-C is raised once the work has ended in order."""
    pass_on(found.pop("signal", 0))


def training_from(found: dict, output=None, legal=None) -> Training:
    raise_signal(found)
    return Training(output, json.loads(found["summary"]), QTable._from(found, legal))


def solution_from(found: dict) -> Solution:
    raise_signal(found)
    return Solution(**found)


def refuse(text: str):
    raise _core.InputError(text)
