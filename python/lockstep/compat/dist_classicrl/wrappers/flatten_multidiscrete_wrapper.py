"""MultiDiscrete spaces as numbers."""

import gymnasium

from lockstep.compat.dist_classicrl.utils import (compute_radix, decode_to_multi_discrete,
                                                  encode_multi_discrete)


class FlattenMultiDiscreteObservationsWrapper(gymnasium.ObservationWrapper):
    """Observations as numbers: the whole space, or the part "observation" of a Dict."""

    def __init__(self, env):
        super().__init__(env)
        space = env.observation_space
        self._is_dict = isinstance(space, gymnasium.spaces.Dict)
        self._radix = compute_radix((space["observation"] if self._is_dict else space).nvec)
        sizes = (space["observation"] if self._is_dict else space).nvec
        flat = gymnasium.spaces.Discrete(int(self._radix[0]) * int(sizes[0]))
        self.observation_space = (gymnasium.spaces.Dict(dict(space.spaces) | {"observation": flat})
                                  if self._is_dict else flat)

    def observation(self, observation):
        """The code of an observation."""
        if self._is_dict:
            return dict(observation) | {
                "observation": encode_multi_discrete(observation["observation"], self._radix)}
        return encode_multi_discrete(observation, self._radix)


class FlattenMultiDiscreteActionsWrapper(gymnasium.ActionWrapper):
    """Actions as numbers."""

    def __init__(self, env):
        super().__init__(env)
        self._sizes = env.action_space.nvec
        self._radix = compute_radix(self._sizes)
        self.action_space = gymnasium.spaces.Discrete(int(self._radix[0]) * int(self._sizes[0]))

    def action(self, action):
        """The actions that a code stands for."""
        return decode_to_multi_discrete(self._sizes, action, self._radix)
