"""Mixed radix, the first component counting most."""

import numpy as np


def compute_radix(nvec):
    """What each component counts, int64: (6561, 2187, ..., 3, 1) of nine cells of three."""
    sizes = [int(size) for size in nvec]
    radix, product = [], 1
    for size in reversed(sizes):
        radix.append(product)
        product *= size
    if product > 2**63 - 1:
        raise ValueError(f"a space of {product} points has no 64-bit numbers")
    return np.array(radix[::-1], np.int64)


def encode_multi_discrete(multi_discrete, radix) -> int:
    """The number of a point."""
    return int(np.dot(np.asarray(multi_discrete, np.int64), radix))


def encode_multi_discretes(multi_discretes, radix):
    """The numbers of points, one a row."""
    return np.asarray(multi_discretes, np.int64) @ radix


def decode_to_multi_discrete(nvec, value, radix):
    """The point that has a number."""
    return (value // radix) % np.asarray(nvec)


def _make_dummy_vec_env(n_envs, env_class, env_kwargs=None):
    from lockstep.compat.dist_classicrl.wrappers.dummy_vec_wrapper import DummyVecWrapper
    return DummyVecWrapper([env_class(**(env_kwargs or {})) for _ in range(n_envs)])
