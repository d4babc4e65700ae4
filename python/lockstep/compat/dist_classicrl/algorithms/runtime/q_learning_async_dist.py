"""Ranks of MPI that step environments for one that learns. Importing it initialises MPI."""

from __future__ import annotations

try:
    from mpi4py import MPI
except ImportError as missing:
    raise ImportError("the distributed runtime needs mpi4py: pip install mpi4py") from missing

from lockstep.compat.dist_classicrl.algorithms.runtime.base_runtime import BaseRuntime, Episodes

comm = MPI.COMM_WORLD
RANK = comm.Get_rank()
NUM_NODES = comm.Get_size()
MASTER_RANK = 0


class DistAsyncQLearning(BaseRuntime):
    """Rank 0 has the table, chooses and learns; the others step, all in rounds, in the order of their
    ranks: so the result does not depend on their speed. Alone, rank 0 steps itself.
    """

    def run_steps(self, steps, env, curr_state_dict):
        history, state = self._learn_steps(steps, env, curr_state_dict)
        return float("nan"), history, env, state

    def train(self, env, steps, val_env, val_every_n_steps, val_steps=None, val_episodes=None,
              curr_state_dict=None, batch_size=32):
        """`steps` are vector steps of all workers together; `val_every_n_steps` transitions.

        `batch_size` is taken and does not count: all that arrives in a round is learned.
        """
        if NUM_NODES == 1:
            return super().train(env, steps, val_env, val_every_n_steps, val_steps, val_episodes)
        if RANK == MASTER_RANK:
            return self._lead(steps, val_env, val_every_n_steps, val_steps, val_episodes)
        history, state = self._follow(env, steps)
        return [], [], env, state

    def _rounds(self, steps):
        """How many workers step in each round."""
        workers = NUM_NODES - 1
        return [min(workers, steps - done) for done in range(0, steps, workers)]

    def _lead(self, steps, val_env, val_every, val_steps, val_episodes):
        history, validations, learned, judged = [], [], 0, 0
        states = comm.gather(None, MASTER_RANK)
        for active in self._rounds(steps):
            actions = [None] * NUM_NODES
            for rank in range(1, active + 1):
                actions[rank] = self._choose_actions(states[rank])
            comm.scatter(actions, MASTER_RANK)
            for rank, found in enumerate(comm.gather(None, MASTER_RANK)):
                if found is not None:
                    transitions, states[rank], returns = found
                    self._learn(*transitions)
                    history.extend(returns)
                    learned += len(transitions[1])
            if (val_steps or val_episodes) and learned // val_every > judged:
                judged = learned // val_every
                validations.append(self._evaluated(val_env, val_steps, val_episodes)[0])
        return history, validations, None, None

    def _follow(self, env, steps):
        episodes, history = Episodes(env, None), []
        comm.gather(episodes.states, MASTER_RANK)
        for _ in self._rounds(steps):
            actions = comm.scatter(None, MASTER_RANK)
            found = None
            if actions is not None:
                returns = []
                found = (episodes.step(actions, returns), episodes.states, returns)
                history.extend(returns)
            comm.gather(found, MASTER_RANK)
        return history, episodes.state
