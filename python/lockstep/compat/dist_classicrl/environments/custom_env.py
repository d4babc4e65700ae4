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
        pass

    def render(self) -> None:
        pass

    def seed(self, seed=None) -> None:
        self.reset(seed=seed)

    def get_env_info(self) -> dict:
        return {}

    def get_agent_info(self, agent: int) -> dict:
        return {}
