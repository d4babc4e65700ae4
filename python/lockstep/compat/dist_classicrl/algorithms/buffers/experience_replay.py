"""A ring of transitions."""

import numpy as np


class ExperienceReplay:
    """The last `capacity` transitions."""

    def __init__(self, capacity: int, seed: int | None = None):
        self.capacity, self._generator, self._kept, self._next = capacity, np.random.default_rng(seed), [], 0

    def push(self, transition) -> None:
        """(state, action, reward, next_state, done); the oldest goes where the ring is full."""
        if len(self._kept) < self.capacity:
            self._kept.append(transition)
        else:
            self._kept[self._next] = transition
        self._next = (self._next + 1) % self.capacity

    def sample(self, batch_size: int):
        """Arrays of states, actions, rewards, next states, ends, drawn without replacement."""
        drawn = self._generator.choice(len(self._kept), batch_size, replace=False)
        s, a, r, following, done = zip(*(self._kept[i] for i in drawn))
        return (np.array(s, np.int64), np.array(a, np.int64), np.array(r, np.float64),
                np.array(following, np.int64), np.array(done, bool))

    def __len__(self) -> int:
        return len(self._kept)
