"""Task farms: lists of independent calls, run by threads, processes or a Ray cluster.

>>> from lockstep.farm import Farm
>>> with Farm("threads", 2) as farm:
...     farm.map(abs, [-1, -2])
[1, 2]
"""

from __future__ import annotations

from lockstep.farm._farm import TaskFarm
from lockstep.farm._local import ProcessFarm, SequentialFarm, ThreadFarm, cores
from lockstep.farm._tasks import Future, TaskCancelled, TaskCrashed, TaskError

__all__ = ["Farm", "Future", "TaskCancelled", "TaskCrashed", "TaskError", "TaskFarm"]


def Farm(backend: str = "processes", n_workers: int | None = None, *, retries_of_failed: int = 0,
         retries_of_crashed: int = 1, **options) -> TaskFarm:
    """A farm; use it as a context manager.

    backend: ``"sequential"``, ``"threads"``, ``"processes"`` (by spawn) or ``"ray"``
    n_workers: None: a worker a core
    retries_of_failed, retries_of_crashed: attempts beyond the first of a task that raises, or whose
        worker ends
    options: of lockstep.ray.farm

    Raises InputError for a backend that does not exist, or numbers out of range.
    """
    retries = retries_of_failed, retries_of_crashed
    if backend == "ray":
        from lockstep.ray import farm

        return farm(n_workers, retries_of_failed=retries_of_failed, retries_of_crashed=retries_of_crashed, **options)
    kinds = {"sequential": SequentialFarm, "threads": ThreadFarm, "processes": ProcessFarm}
    if backend not in kinds:
        from lockstep import InputError

        raise InputError(f"backend is {backend!r}, must be 'sequential', 'threads', 'processes' or 'ray'")
    if options:
        raise TypeError(f"a farm of {backend} has no option {sorted(options)[0]!r}")
    if backend == "sequential":
        n_workers = 1 if n_workers is None else n_workers
        if n_workers != 1:
            from lockstep import InputError

            raise InputError(f"n_workers is {n_workers!r}, a sequential farm has 1")
    return kinds[backend](backend, cores() if n_workers is None else n_workers, *retries)
