"""A farm: one queue, a thread for each worker that hands it job after job."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Iterable, Iterator

from lockstep import _core
from lockstep.farm._tasks import Batch, Future, Queue, Task, TaskCrashed, WorkerLost


def whole(value, name):
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _core.InputError(f"{name} is {value!r}, must be a whole number, 1 or more")
    return value


class TaskFarm:
    """Runs independent tasks on workers: in any order, on any of them, with results by number.

    A task is a pure function of its arguments, so that its result does not tell who ran it. A
    worker that dies costs its task an attempt, never the farm. Made by lockstep.farm.Farm().
    """

    #: Tasks that are handed over together where nothing else is said; None: by their number.
    _chunk: int | None = 1

    def __init__(self, backend: str, n_workers: int, retries_of_failed: int, retries_of_crashed: int):
        self.backend = backend
        self._n_workers = whole(n_workers, "n_workers")
        self._retries = {"failed": retries_of_failed, "crashed": retries_of_crashed}
        for kind, count in self._retries.items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise _core.InputError(f"retries_of_{kind} is {count!r}, must be a whole number, 0 or more")
        self._queue = Queue()
        self._numbers = itertools.count()
        self._threads = []
        self._workers = {}

    @property
    def n_workers(self) -> int:
        """How many tasks are run at once."""
        return self._n_workers

    def submit(self, function: Callable, /, *args, **kwargs) -> Future:
        """Queues one call."""
        task = Task(next(self._numbers), function, args, kwargs)
        self._add([([task], 0.0)])
        return Future(self, task)

    def map(self, function: Callable, items: Iterable, cost=None, *, chunk: int | None = None,
            errors: str = "raise") -> list:
        """Results of function(item) in the order of items.

        cost: a number for each item, or a function of an item, in any unit; the costly begin first
        chunk: items that are handed to a worker together; None: found out
        errors: "raise" the error of the lowest item that has one, after all before it have ended and
            with those after it cancelled; or "return" errors in the place of results
        """
        if errors not in ("raise", "return"):
            raise _core.InputError(f"errors is {errors!r}, must be 'raise' or 'return'")
        futures, batch = self._spread(function, items, cost, chunk)
        try:
            if errors == "return":
                return [error if (error := each.exception()) is not None else each.result() for each in futures]
            return self._results(futures, batch)
        except BaseException:
            self._cancel(futures)
            raise

    def map_unordered(self, function: Callable, items: Iterable, cost=None, *,
                      chunk: int | None = None) -> Iterator[tuple[int, object]]:
        """(number, result) of each item as they come. An error is raised when it comes; it, and
        whoever stops to ask for more, cancels what has not begun."""
        futures, batch = self._spread(function, items, cost, chunk)

        def results():
            try:
                for _ in futures:
                    self._wait(lambda: batch.ended, None)
                    each = futures[batch.ended.popleft().number]
                    yield each.number, each.result()
            finally:
                self._cancel(futures)

        return results()

    def shutdown(self, wait: bool = True) -> None:
        """Ends the workers: after all tasks, or (wait=False) without those that have not begun, at
        once where workers can be killed. Later calls do nothing."""
        self._queue.close(drop=not wait)
        if not wait:
            for worker, tasks in list(self._workers.values()):
                for task in tasks:
                    self._queue.cancel(task, "was running when its farm was shut down", running=True)
                worker.kill()
        for thread in self._threads:
            thread.join()
        self._end()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.shutdown(wait=kind is None)

    def __repr__(self):
        return f"<lockstep.farm: {self.n_workers} workers, {self.backend}>"

    # What backends give.

    def _make_worker(self, index):
        """With run(payload, tasks), kill() and close()."""
        raise NotImplementedError

    def _pack(self, tasks):
        """What a worker takes of tasks of one function. Raises TypeError at who asked for it."""
        return None

    def _end(self):
        """After all workers have ended."""

    # Queueing.

    def _add(self, jobs):
        self._queue.add([(tasks, cost, self._pack(tasks)) for tasks, cost in jobs])
        self._start()

    def _start(self):
        if not self._threads:
            self._threads = [
                threading.Thread(target=self._serve, args=(index,), name=f"lockstep.farm-{index}", daemon=True)
                for index in range(self._n_workers)
            ]
            for thread in self._threads:
                thread.start()

    def _spread(self, function, items, cost, chunk):
        items = list(items)
        batch = Batch()
        tasks = [Task(number, function, (item,), {}, batch) for number, item in enumerate(items)]
        costs = _costs(items, cost)
        if chunk is None:
            chunk = self._chunk if cost is None else 1
        if chunk is None:
            chunk = min(256, -(-len(tasks) // (8 * self._n_workers))) or 1
        whole(chunk, "chunk")
        starts = range(0, len(tasks), chunk)
        self._add([(tasks[begin:begin + chunk], sum(costs[begin:begin + chunk])) for begin in starts])
        return [Future(self, task) for task in tasks], batch

    def _results(self, futures, batch):
        results, failed = [], math.inf
        for each in futures:
            while not each.done():
                self._wait(lambda each=each: each.done() or batch.first_error < failed, None)
                if batch.first_error < failed:
                    failed = batch.first_error
                    self._cancel(futures[failed + 1:])
            results.append(each.result())
        return results

    def _cancel(self, futures):
        for each in futures:
            each.cancel()

    def _wait(self, is_over, timeout):
        return self._queue.wait(is_over, timeout)

    # A worker's thread.

    def _serve(self, index):
        worker = None
        while (job := self._queue.take()) is not None:
            tasks, payload = job
            try:
                if worker is None:
                    worker = self._make_worker(index)
                self._workers[index] = worker, tasks
                if self._queue.is_closed and all(task.state == "cancelled" for task in tasks):
                    continue
                outcomes = worker.run(payload if payload is not None else self._pack(tasks), tasks)
            except WorkerLost as loss:
                worker = None
                self._lost(tasks, loss)
            except BaseException as error:  # the backend's own; no worker will do better
                self._queue.end([(task, None, error) for task in tasks])
            else:
                self._ended([(task, *outcome) for task, outcome in zip(tasks, outcomes, strict=True)])
        if worker is not None:
            worker.close()

    def _ended(self, outcomes):
        again = [task for task, _, error in outcomes
                 if error is not None and task.attempts <= self._retries["failed"] and task.state == "running"]
        self._queue.end([outcome for outcome in outcomes if outcome[0] not in again])
        self._queue.again(again)

    def _lost(self, tasks, loss):
        again = [task for task in tasks if task.attempts <= self._retries["crashed"] and task.state == "running"]
        self._queue.end([(task, None, _crash(task, loss)) for task in tasks if task not in again])
        self._queue.again(again)


def _crash(task, loss):
    times = "once" if task.attempts == 1 else f"{task.attempts} times"
    return TaskCrashed(f"task {task.number} was tried {times}: {loss}")


def _costs(items, cost):
    if cost is None:
        return [0.0] * len(items)
    costs = [float(cost(item)) for item in items] if callable(cost) else [float(each) for each in cost]
    if len(costs) != len(items):
        raise _core.InputError(f"cost has {len(costs)} numbers, items has {len(items)}")
    return costs
