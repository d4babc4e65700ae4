"""The face of an environment of several agents."""

from abc import ABC, abstractmethod


class DistClassicRLEnv(ABC):
    """An environment of `num_agents` agents that are stepped together."""

    num_agents: int

    @abstractmethod
    def step(self, actions):
        """(observations, rewards, terminated, truncated, infos), arrays of an entry an agent."""

    @abstractmethod
    def reset(self, *, seed=None, options=None):
        """(observations, infos)"""

    def close(self) -> None:
        """Nothing, unless overridden."""

    def render(self) -> None:
        """Nothing, unless overridden."""

    def seed(self, seed=None) -> None:
        """A reset by a seed."""
        self.reset(seed=seed)

    def get_env_info(self) -> dict:
        """Facts of the environment; none, unless overridden."""
        return {}

    def get_agent_info(self, agent: int) -> dict:
        """Facts of an agent; none, unless overridden."""
        return {}
