"""Environments that are stepped one after the other."""

import numpy as np


def _stacked(observations):
    if isinstance(observations[0], dict):
        return {key: _stacked([each[key] for each in observations]) for key in observations[0]}
    return np.array(observations)


class DummyVecWrapper:
    """A vector environment of copies, reset in the step that ends an episode: the last observation is
    in infos["final_obs"]. Copy i has the seed `seed` + i.
    """

    metadata = {"autoreset_mode": "same_step"}

    def __init__(self, envs):
        self.envs = [env() if callable(env) and not hasattr(env, "step") else env for env in envs]
        self.num_envs = len(self.envs)
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space, self.action_space = self.single_observation_space, self.single_action_space

    def reset(self, *, seed=None, options=None):
        """(observations, infos) of all copies."""
        observations = [env.reset(seed=None if seed is None else seed + i)[0]
                        for i, env in enumerate(self.envs)]
        return _stacked(observations), {}

    def step(self, actions):
        """A step of each copy; those that end are reset, with `final_obs` in the infos."""
        observations, rewards, terminated, truncated = [], [], [], []
        final = np.full(self.num_envs, None, object)
        for copy, (env, action) in enumerate(zip(self.envs, actions, strict=True)):
            observation, reward, over, cut, _ = env.step(int(action))
            if over or cut:
                final[copy] = observation
                observation, _ = env.reset()
            observations.append(observation)
            rewards.append(reward)
            terminated.append(over)
            truncated.append(cut)
        ended = np.array(terminated) | np.array(truncated)
        infos = {"final_obs": final, "_final_obs": ended} if ended.any() else {}
        return (_stacked(observations), np.array(rewards, float), np.array(terminated, bool),
                np.array(truncated, bool), infos)

    def close(self) -> None:
        """Closes all copies."""
        for env in self.envs:
            env.close()
