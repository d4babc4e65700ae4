"""Learning from batches of transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep import _core
from lockstep._calls import given_of
from lockstep.rl._table import QTable

if TYPE_CHECKING:
    from typing import Unpack

    from lockstep._options import LearnerOptions


class Learner(_core.rl.BatchLearner):
    """Chooses actions and learns from transitions, a batch a call, whoever steps the environments.

    Parameters
    ----------
    states, actions : int
        At most 64 actions.
    values : float64 array (states, actions), optional
        To learn in, without a copy; None: an array of its own.
    **options
        Of lockstep.rl.train: algorithm (q_learning, expected_sarsa), discount_factor,
        learning_rate, exploration, epsilon, random_ties, initial_value, seed, duplicates.

    Arrays of observations and actions are int64, rewards float64, flags bool, all C-contiguous;
    nothing is converted. Copy i draws from a stream of its own.
    """

    def __init__(self, states: int, actions: int, *, values=None, **options: Unpack[LearnerOptions]):
        super().__init__(states, actions, given_of("rl.train", {"mode": "vector"} | options), values)

    @property
    def q_table(self) -> QTable:
        """What was learned so far: a copy that stays as it is."""
        return QTable._from(self._table())
