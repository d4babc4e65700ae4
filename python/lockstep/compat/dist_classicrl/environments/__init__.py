"""Environments of dist_classicrl."""

from lockstep.compat.dist_classicrl.environments.rigged_two_armed_bandit import RiggedTwoArmedBanditEnv
from lockstep.compat.dist_classicrl.environments.tiktaktoe_mod import TicTacToeEnv

__all__ = ["RiggedTwoArmedBanditEnv", "TicTacToeEnv"]
