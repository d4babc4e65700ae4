"""Tasks, the queue from which idle workers are served, and futures."""

from __future__ import annotations

import collections
import heapq
import itertools
import math
import threading

from lockstep import _core


class TaskError(_core.Error):
    """A task has no result: it was cancelled, or whoever ran it ended."""


class TaskCrashed(TaskError):
    """The worker that ran a task ended, as often as the task may be tried."""


class TaskCancelled(TaskError):
    """A task was cancelled before it began, or its farm was shut down."""


class WorkerLost(Exception):
    """Of a backend: the worker ended under its tasks; another one is to take over."""


class Task:
    """A call, and what has become of it."""

    __slots__ = ("arguments", "attempts", "batch", "error", "function", "keywords", "number", "state", "value")

    def __init__(self, number, function, arguments, keywords, batch=None):
        self.batch = batch
        self.number, self.function, self.arguments, self.keywords = number, function, arguments, keywords
        self.state, self.attempts, self.value, self.error = "waiting", 0, None, None


class Batch:
    """What has become of the tasks of one map: those that have ended, in this order."""

    def __init__(self):
        self.ended = collections.deque()
        self.first_error = math.inf  # the lowest number

    def note(self, task):
        self.ended.append(task)
        if task.error is not None:
            self.first_error = min(self.first_error, task.number)


class Queue:
    """Jobs, each of one or more tasks: the costly first, else the lowest number."""

    def __init__(self):
        self.changed = threading.Condition()
        self.is_closed = False
        self.failure = None  # makes the error that ends every task
        self._running = set()
        self._jobs = []
        self._order = itertools.count()

    def add(self, jobs):
        """(tasks, cost, payload) of each job, all before the first begins."""
        with self.changed:
            if self.is_closed:
                raise RuntimeError("the farm was shut down")
            if self.failure:
                raise self.failure()
            for tasks, cost, payload in jobs:
                heapq.heappush(self._jobs, (-cost, next(self._order), tasks, payload))
            self.changed.notify_all()

    def take(self, wait=True):
        """Tasks that are to run now, and the payload of the job; None when there are none left."""
        with self.changed:
            while True:
                while self._jobs:
                    _, _, tasks, payload = heapq.heappop(self._jobs)
                    tasks_left = [task for task in tasks if task.state == "waiting"]
                    for task in tasks_left:
                        task.state = "running"
                        task.attempts += 1
                    if tasks_left:
                        self._running.update(tasks_left)
                        return tasks_left, payload if len(tasks_left) == len(tasks) else None
                if self.is_closed or not wait:
                    return None
                self.changed.wait()

    def again(self, tasks):
        """Each task for itself, before all others."""
        with self.changed:
            for task in tasks:
                self._running.discard(task)
                task.state = "waiting"
                heapq.heappush(self._jobs, (-float("inf"), next(self._order), [task], None))
            self.changed.notify_all()

    def end(self, outcomes):
        """(task, value, error) of tasks that have ended."""
        with self.changed:
            for task, value, error in outcomes:
                self._running.discard(task)
                if task.state in ("waiting", "running"):
                    task.state, task.value, task.error = "done", value, error
                    if task.batch:
                        task.batch.note(task)
            self.changed.notify_all()

    def cancel(self, task, why="was cancelled before it began", running=False):
        with self.changed:
            if task.state != "waiting" and not (running and task.state == "running"):
                return False
            task.state = "cancelled"
            task.error = TaskCancelled(f"task {task.number} {why}")
            if task.batch:
                task.batch.note(task)
            self.changed.notify_all()
            return True

    def fail(self, make_error):
        """Ends all tasks, and those that are added later, by an error."""
        with self.changed:
            self.failure = make_error
            left = [task for job in self._jobs for task in job[2]]
            self.end([(task, None, make_error()) for task in [*left, *self._running]])

    def close(self, drop):
        """No task is added any more. drop: those that have not begun are cancelled."""
        with self.changed:
            self.is_closed = True
            jobs = self._jobs if drop else []
            for task in [task for job in jobs for task in job[2]]:
                self.cancel(task, "had not begun when its farm was shut down")
            self.changed.notify_all()

    def wait(self, is_over, timeout):
        with self.changed:
            return self.changed.wait_for(is_over, timeout)


class Future:
    """A result that will come."""

    def __init__(self, farm, task):
        self._farm, self._task = farm, task

    @property
    def number(self) -> int:
        """Of the task, counting those of its farm or map from 0."""
        return self._task.number

    @property
    def attempts(self) -> int:
        """How often the task has begun."""
        return self._task.attempts

    def done(self) -> bool:
        """Whether the task has ended, however it did."""
        return self._task.state in ("done", "cancelled")

    def cancelled(self) -> bool:
        """Whether it was cancelled before it began."""
        return self._task.state == "cancelled"

    def cancel(self) -> bool:
        """Cancels a task that has not begun; whether it did."""
        return self._farm._queue.cancel(self._task)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the task's end, at most `timeout` seconds; whether it has ended."""
        return self._farm._wait(self.done, timeout)

    def exception(self, timeout: float | None = None):
        """What the task raised; None if it has a result. Raises TimeoutError."""
        if not self.wait(timeout):
            raise TimeoutError(f"task {self.number} has not ended within {timeout} s")
        return self._task.error

    def result(self, timeout: float | None = None):
        """What the task returned. Raises what it raised, with the worker's traceback in a note.

        Raises TaskCrashed, TaskCancelled, or TimeoutError.
        """
        error = self.exception(timeout)
        if error is not None:
            raise error
        return self._task.value

    def __repr__(self):
        return f"<lockstep.farm.Future: task {self.number}, {self._task.state}>"
