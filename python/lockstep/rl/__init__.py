"""Reinforcement learning on tables."""

from lockstep._calls import Result, call, documented

__all__ = ["Result", "solve", "train"]


@documented("rl.train")
def train(environment, *, on_progress=None, **options):
    """Learns action values by play, as ``lockstep rl train``.

    `environment` is a name, a model file or a configuration file; `set` takes a dict of the
    environment's parameters.
    """
    return call("rl.train", environment, options, on_progress)


@documented("rl.solve")
def solve(environment, *, on_progress=None, **options):
    """Optimal values with proven bounds, as ``lockstep rl solve``."""
    return call("rl.solve", environment, options, on_progress)
