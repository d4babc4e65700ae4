"""What a worker in another process does with tasks, and what comes back."""

from __future__ import annotations

import pickle
import traceback

from lockstep._launch import portable


def call(function, arguments, keywords, number):
    """(value, error) of a call, the error with its traceback as text."""
    try:
        return function(*arguments, **keywords), None
    except Exception as error:
        error.add_note(f"in task {number}:\n{traceback.format_exc()}")
        return None, error


def pack(tasks, dumps) -> bytes:
    """A job of one function. Raises TypeError at what another process cannot take."""
    calls = [(task.arguments, task.keywords, task.number) for task in tasks]
    try:
        return dumps((tasks[0].function, calls))
    except Exception as error:
        raise TypeError(f"a worker process cannot take {tasks[0].function!r}, or its arguments: {error}") from None


def run(payload: bytes, dumps=pickle.dumps) -> bytes:
    """In the worker: outcomes of a job."""
    try:
        function, calls = pickle.loads(payload)
    except Exception as error:
        error.add_note(f"in a worker, which cannot take its tasks:\n{traceback.format_exc()}")
        return pickle.dumps(portable(error))
    return _packed([call(function, *each) for each in calls], dumps)


def _packed(outcomes, dumps):
    try:
        data = dumps(outcomes)
        if any(error is not None for _, error in outcomes):
            pickle.loads(data)
        return data
    except Exception:
        return dumps([_one(value, error, dumps) for value, error in outcomes])


def _one(value, error, dumps):
    if error is not None:
        notes = getattr(error, "__notes__", [])
        error = portable(error)
        error.__notes__ = list(notes)
        return None, error
    try:
        dumps(value)
        return value, None
    except Exception as problem:
        return None, TypeError(f"the result of a task cannot travel: {problem}")


def outcomes(data: bytes, tasks):
    """In the farm's process."""
    found = pickle.loads(data)
    return [(None, found)] * len(tasks) if isinstance(found, BaseException) else found
