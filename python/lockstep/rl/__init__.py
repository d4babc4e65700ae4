"""Reinforcement learning on tables.

>>> import lockstep.rl
>>> env = lockstep.rl.make("FrozenLake-v1")                   # doctest: +SKIP
>>> training = lockstep.rl.train(env, steps=1e6)              # doctest: +SKIP
>>> lockstep.rl.evaluate(env, training.q_table).value         # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from lockstep._calls import Result, call, documented
from lockstep.rl._environments import Environment, is_own, make
from lockstep.rl._learner import Learner
from lockstep.rl._results import Evaluation, Solution, Training
from lockstep.rl._table import QTable

if TYPE_CHECKING:
    from typing import Unpack

    from lockstep._options import RlEvaluate, RlSolve, RlTrain

__all__ = ["Environment", "Evaluation", "Learner", "QTable", "Result", "Solution", "Training",
           "evaluate", "make", "solve", "train"]


def _is_for_the_program(environment) -> bool:
    """Names and files are the program's; names that it does not know may be Gymnasium's."""
    if not isinstance(environment, (str, os.PathLike)):
        return False
    from lockstep.rl._environments import _registered
    return is_own(environment) or not _registered(os.fspath(environment))


@documented("rl.train")
def train(environment, *, on_progress: Callable[[dict], object] | bool | None = None,
          **options: Unpack[RlTrain]) -> Training:
    """Learns action values by play, as ``lockstep rl train``.

    `environment` is a name, a model file or a configuration file: then the result is written into
    `output`, as the program does. Or it is what make() returns or takes: then nothing is written
    unless `output` is given. `set` takes a dict of a named environment's parameters.
    """
    if _is_for_the_program(environment):
        result = call("rl.train", environment, options, on_progress)
        return Training(result.output, result.summary)
    if not isinstance(environment, Environment):
        environment = make(environment)
    return environment.train(on_progress=on_progress, **options)


@documented("rl.solve")
def solve(environment, *, on_progress: Callable[[dict], object] | bool | None = None,
          **options: Unpack[RlSolve]) -> Result | Solution:
    """Optimal values with proven bounds, as ``lockstep rl solve``.

    Of a name or a model file a Result, with what the program writes; of what make() returns or
    takes a Solution, with nothing written.
    """
    if _is_for_the_program(environment):
        return call("rl.solve", environment, options, on_progress)
    if not isinstance(environment, Environment):
        environment = make(environment)
    return environment.solve(**options)


@documented("rl.evaluate")
def evaluate(environment, policy=None, **options: Unpack[RlEvaluate]) -> Evaluation | dict:
    """What a policy is worth: exactly where the probabilities are known, else by episodes.

    Parameters
    ----------
    environment
        What make() returns or takes; or a Training with an output, or its directory, which is
        judged as ``lockstep rl evaluate`` does, with its options; then the result is a dict.
    policy : QTable, Training, or int array (states)
        Of a table the greedy policy.
    **options
        gamma, horizon, tolerance ... of lockstep.rl.solve where it is exact; episodes (1000),
        seed (1), longest (100000 steps) where episodes are played.
    """
    if policy is None:
        place = environment.output if isinstance(environment, Training) else environment
        if not isinstance(place, (str, os.PathLike)):
            raise TypeError("evaluate() needs a policy, or a training with an output directory")
        return call("rl.evaluate", place, options, None).summary
    if not isinstance(environment, Environment):
        environment = make(environment)
    return environment.evaluate(policy, **options)
