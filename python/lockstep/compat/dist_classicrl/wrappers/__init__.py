"""Wrappers of environments."""

from lockstep.compat.dist_classicrl.wrappers.dummy_vec_wrapper import DummyVecWrapper
from lockstep.compat.dist_classicrl.wrappers.flatten_multidiscrete_wrapper import (
    FlattenMultiDiscreteActionsWrapper, FlattenMultiDiscreteObservationsWrapper)

__all__ = ["DummyVecWrapper", "FlattenMultiDiscreteActionsWrapper",
           "FlattenMultiDiscreteObservationsWrapper"]
