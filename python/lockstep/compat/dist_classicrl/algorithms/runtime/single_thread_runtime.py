"""One vector environment."""

from lockstep.compat.dist_classicrl.algorithms.base_algorithms.q_learning_optimal import (
    OptimalQLearningBase)
from lockstep.compat.dist_classicrl.algorithms.runtime.base_runtime import BaseRuntime, mean_of

__all__ = ["OptimalQLearningBase", "SingleThreadQLearning"]


class SingleThreadQLearning(BaseRuntime):
    """One vector environment, a step at a time."""

    def run_steps(self, steps, env, curr_state_dict):
        history, state = self._learn_steps(steps, env, curr_state_dict)
        return mean_of(history), history, env, state
