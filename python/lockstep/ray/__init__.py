"""Task lists on a Ray cluster: parameter studies, sweeps, many measurements.

Results do not tell where they were computed: they are those of a sequential farm, bit for bit.

>>> from lockstep import ray
>>> with ray.farm(n_workers=4, folder="out") as farm:                             # doctest: +SKIP
...     results = ray.sddp_study("mycase", [{"training.scenario_source.seed": s} for s in range(8)], output="out", farm=farm)
"""

from __future__ import annotations

from lockstep._studies import rl_sweep, sddp_study, xpcs_datasets
from lockstep.farm import TaskFarm

__all__ = ["farm", "rl_sweep", "sddp_study", "xpcs_datasets"]


def farm(n_workers: int | None = None, address: str | None = None, *, folder=None, cpus_per_worker: float = 1,
         retries_of_failed: int = 0, retries_of_crashed: int = 1) -> TaskFarm:
    """A farm whose workers are actors of a Ray cluster.

    n_workers: None: as many as the cluster has cores for
    address: of a running cluster, ``"host:port"``; None: the one that this process, or RAY_ADDRESS,
        is of, else one that is started on this machine and ends with the farm
    folder: of the run: a cluster that is started here writes to its subfolder ``ray``; where names
        there are too long for sockets, and without a folder, to the system's temporary one, removed
        at the end, which a warning tells

    Raises CommError (a ConnectionError) if there is no cluster, or it is gone; NotBuiltError without
    Ray.
    """
    from lockstep.farm._farm import whole
    from lockstep.ray._farm import RayFarm

    if n_workers is not None:
        whole(n_workers, "n_workers")
    return RayFarm(n_workers, address, folder, cpus_per_worker, (retries_of_failed, retries_of_crashed))
