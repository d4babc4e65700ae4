"""Hydrothermal dispatch by stochastic dual dynamic programming."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from lockstep._calls import Result, call, documented
from lockstep.sddp.policies import Policy, WaterValue
from lockstep.sddp.studies import Problem, Simulation, Study, Training

if TYPE_CHECKING:
    from typing import Unpack

    from lockstep._options import SddpRun, SddpSimulate

__all__ = ["Policy", "Problem", "Result", "Simulation", "Study", "Training", "WaterValue", "run", "simulate"]


@documented("sddp.run")
def run(case: str | os.PathLike[str], *, on_progress: Callable[[dict], object] | bool | None = None,
        **options: Unpack[SddpRun]) -> Result:
    """Trains a policy for a case directory and simulates it, as its config.json says.

    The files are those of ``lockstep sddp run``, bit for bit. `set` takes a dict of values of
    config.json. `on_progress` is called with a dict after every step; what it raises ends the run.
    """
    return call("sddp.run", case, options, on_progress)


@documented("sddp.simulate")
def simulate(case: str | os.PathLike[str], *, on_progress: Callable[[dict], object] | bool | None = None,
             **options: Unpack[SddpSimulate]) -> Result:
    """Simulates a case under a policy on disk, as ``lockstep sddp simulate``."""
    return call("sddp.simulate", case, options, on_progress)
