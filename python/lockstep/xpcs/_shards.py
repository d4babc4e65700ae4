"""Shards of a posterior on a task farm."""

from __future__ import annotations

import contextlib

from lockstep import _core


def run_task(task: bytes) -> bytes:
    """What a worker does."""
    return _core.xpcs.run_shard_task(task)


@contextlib.contextmanager
def farm_of(options):
    """The farm among the options, which leaves them; None where the library has its own for it."""
    from lockstep.farm import TaskFarm

    farm = options.get("farm")
    if farm == "ray":
        from lockstep.ray import farm as cluster

        del options["farm"]
        with cluster(folder=options.get("output")) as made:
            yield made
        return
    if isinstance(farm, TaskFarm):
        yield options.pop("farm")
        return
    yield None
