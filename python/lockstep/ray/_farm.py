"""A farm whose workers are actors of a Ray cluster."""

from __future__ import annotations

import os

from lockstep import _core
from lockstep.farm import _remote
from lockstep.farm._farm import TaskFarm
from lockstep.farm._local import alone
from lockstep.farm._tasks import WorkerLost
from lockstep.ray._cluster import Cluster, ray_module


class _Served:
    """In the worker: an actor that runs jobs."""

    def __init__(self):
        alone(None)

    def process(self):
        return os.getpid()

    def run(self, payload):
        from ray import cloudpickle

        return _remote.run(payload, cloudpickle.dumps)


class _Actor:
    def __init__(self, cluster, options):
        self._ray, self._cluster = ray_module(), cluster
        self._actor = self._ray.remote(max_restarts=0, **options)(_Served).remote()
        self._run = self._actor.run

    def run(self, payload, tasks):
        errors = self._ray.exceptions
        try:
            return _remote.outcomes(self._ray.get(self._run.remote(payload)), tasks)
        except errors.RayActorError:
            if not self._cluster.is_there():
                raise self._cluster.gone() from None
            raise WorkerLost("its Ray worker ended") from None
        except errors.RayError as error:
            if not self._cluster.is_there():
                raise self._cluster.gone() from None
            raise _core.BackendError(f"Ray: {str(error).strip().splitlines()[0]}") from None

    def kill(self):
        if not self._cluster.is_lost:
            self._ray.kill(self._actor)

    close = kill


class RayFarm(TaskFarm):
    """Actors of a Ray cluster."""

    _chunk = None

    def __init__(self, n_workers, address, folder, cpus_per_worker, retries):
        self._cluster = Cluster(address, folder, n_workers)
        self._options = {"num_cpus": cpus_per_worker}
        if n_workers is None:
            cpus = self._cluster._ray.cluster_resources().get("CPU", 1)
            n_workers = max(1, int(cpus / cpus_per_worker))
        super().__init__("ray", n_workers, *retries)
        self._cluster.watch(self._fail)

    @property
    def address(self) -> str:
        """Of the cluster."""
        return self._cluster.address

    def _make_worker(self, index):
        if self._cluster.is_lost:
            raise self._cluster.gone()
        return _Actor(self._cluster, self._options)

    def _pack(self, tasks):
        from ray import cloudpickle

        return _remote.pack(tasks, cloudpickle.dumps)

    def _fail(self):
        """Ends all tasks: their workers do not come back, nor do calls that wait for them."""
        self._queue.fail(self._cluster.gone)

    def shutdown(self, wait=True):
        if self._cluster.is_lost:  # whose calls never return
            self._queue.close(drop=True)
            self._threads = []
        super().shutdown(wait)

    def _end(self):
        self._cluster.end()
