"""Several vector environments that share a table."""

from lockstep.compat.dist_classicrl.algorithms.runtime.base_runtime import (BaseRuntime, Episodes,
                                                                            mean_of)

__all__ = ["ParallelQLearning"]


class ParallelQLearning(BaseRuntime):
    """The environments take turns, a vector step each, in this process: the result does not depend
    on how fast any of them is. All steps are made, whatever their number divided by theirs leaves.
    """

    def run_steps(self, steps, env, curr_state_dict):
        kept = curr_state_dict or [None] * len(env)
        workers = [Episodes(each, state) for each, state in zip(env, kept, strict=True)]
        history = []
        for number in range(steps):
            worker = workers[number % len(workers)]
            self._learn(*worker.step(self._choose_actions(worker.states), history))
        return mean_of(history), history, env, [worker.state for worker in workers]
