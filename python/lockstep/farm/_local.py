"""Workers of this process and of this machine."""

from __future__ import annotations

import os
import pickle
import signal
from multiprocessing import get_context
from multiprocessing.connection import wait

from lockstep import _core
from lockstep.farm import _remote
from lockstep.farm._farm import TaskFarm
from lockstep.farm._tasks import WorkerLost


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


class _Here:
    """Runs tasks in the calling thread."""

    def run(self, _, tasks):
        return [_remote.call(task.function, task.arguments, task.keywords, task.number) for task in tasks]

    def kill(self):
        """Threads cannot be killed: what runs ends by itself."""

    def close(self):
        """Nothing is held."""


class ThreadFarm(TaskFarm):
    """Threads of this process."""

    def _make_worker(self, index):
        return _Here()


class SequentialFarm(TaskFarm):
    """In the thread of whoever waits, one after the other: what the others must equal."""

    def _start(self):
        """Nobody works until somebody waits."""

    def _wait(self, is_over, timeout):
        while not is_over():
            if (job := self._queue.take(wait=False)) is None:
                return is_over()
            tasks = job[0]
            self._ended([(task, *outcome) for task, outcome in zip(tasks, _Here().run(None, tasks), strict=True)])
        return True

    def shutdown(self, wait=True):
        if wait:
            self._wait(lambda: False, None)
        super().shutdown(wait)


class _Process:
    """A process of this machine, new by spawn."""

    def __init__(self, threads):
        context = get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, os.getpid(), threads), daemon=True)
        try:
            self._process.start()
        finally:
            theirs.close()
        try:
            self._line.recv_bytes()
        except EOFError:
            self.close()
            raise _core.BackendError(
                f"a worker process {_end_of(self._process)} before its first task; a script that makes a farm of"
                " processes does so under if __name__ == '__main__'") from None

    def run(self, payload, tasks):
        try:
            self._line.send_bytes(payload)
            wait([self._line, self._process.sentinel])
            return _remote.outcomes(self._line.recv_bytes(), tasks)
        except (EOFError, OSError):
            self.close()
            raise WorkerLost(f"its worker process {_end_of(self._process)}") from None

    def kill(self):
        self._process.kill()

    def close(self):
        self._line.close()
        self._process.join()


def _end_of(process):
    process.join()
    code = process.exitcode
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


class ProcessFarm(TaskFarm):
    """Processes of this machine, which live for many tasks."""

    _chunk = None

    def _make_worker(self, index):
        return _Process(max(1, cores() // self.n_workers))

    def _pack(self, tasks):
        return _remote.pack(tasks, pickle.dumps)


def _serve(line, parent, threads):
    """A worker process: runs what its farm sends until that hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for the farm's process to obey
    _core.comm.end_with(parent)
    alone(threads)
    line.send_bytes(b"ready")
    while True:
        try:
            payload = line.recv_bytes()
        except EOFError:
            return
        line.send_bytes(_remote.run(payload))


def alone(threads):
    """Workers are no ranks, and share the cores of their machine."""
    os.environ["LOCKSTEP_COMM_BACKEND"] = "local"
    if threads is not None:
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))
