"""A bandit whose second arm pays."""

import gymnasium


class RiggedTwoArmedBanditEnv(gymnasium.Env):
    """One state, two actions; the reward is the action; over after `episode_len` steps."""

    def __init__(self, episode_len: int = 10):
        self.action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.spaces.Discrete(1)
        self.episode_len, self._steps = episode_len, 0

    def reset(self, *, seed=None, options=None):
        """(0, {})"""
        super().reset(seed=seed)
        self._steps = 0
        return 0, {}

    def step(self, action):
        """(0, reward, terminated, False, {})"""
        self._steps += 1
        return 0, float(action), self._steps >= self.episode_len, False, {}
