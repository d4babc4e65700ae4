"""Hydrothermal dispatch by stochastic dual dynamic programming."""

from lockstep._calls import Result, call, documented
from lockstep.sddp.policies import Policy, WaterValue
from lockstep.sddp.studies import Problem, Simulation, Study, Training

__all__ = ["Policy", "Problem", "Result", "Simulation", "Study", "Training", "WaterValue", "run", "simulate"]


@documented("sddp.run")
def run(case, *, on_progress=None, **options):
    """Trains a policy for a case directory and simulates it, as its config.json says.

    The files are those of ``lockstep sddp run``, bit for bit. `set` takes a dict of values of
    config.json. `on_progress` is called with a dict after every step; what it raises ends the run.
    """
    return call("sddp.run", case, options, on_progress)


@documented("sddp.simulate")
def simulate(case, *, on_progress=None, **options):
    """Simulates a case under a policy on disk, as ``lockstep sddp simulate``."""
    return call("sddp.simulate", case, options, on_progress)
