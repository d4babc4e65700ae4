"""The errors that Cobre raises: each is also what Python calls such an error."""

import contextlib
import functools
import re

import lockstep

__all__ = ["CaseIoError", "CobreError", "InternalError", "OutputError", "PolicyIncompatibleError",
           "SimulationError", "SolverError", "ValidationError"]


class CobreError(Exception):
    """Root of all."""


class ValidationError(CobreError, ValueError):
    """A case or its configuration is wrong."""


class PolicyIncompatibleError(CobreError, ValueError):
    """A policy is of another case."""


class CaseIoError(CobreError, OSError):
    """A file of a case is missing or cannot be read."""


class OutputError(CobreError, OSError):
    """A result cannot be written."""


class SolverError(CobreError, RuntimeError):
    """A stage has no solution; `stage`, `iteration` and `scenario` tell where, or are None."""

    stage = iteration = scenario = None


class SimulationError(CobreError, RuntimeError):
    """A simulation cannot go on."""


class InternalError(CobreError, RuntimeError):
    """A bug, or the environment."""


def _number(word, text):
    found = re.search(rf"\b{word} (\d+)", text)
    return int(found.group(1)) if found else None


def _solver_error(text):
    error = SolverError(text)
    error.stage, error.iteration = _number("stage", text), _number("iteration", text)
    error.scenario = _number("(?:scenario|trajectory)", text)
    return error


def _translated(error, phase):
    text = str(error)
    if isinstance(error, lockstep.ModelError):
        return SimulationError(text) if phase == "simulation" else _solver_error(text)
    if isinstance(error, lockstep.IoError):
        return OutputError(text) if "writ" in text else CaseIoError(text)
    if isinstance(error, (lockstep.InputError, lockstep.UsageError)):
        return (PolicyIncompatibleError if phase in ("policy", "simulation") else ValidationError)(text)
    return InternalError(text)


@contextlib.contextmanager
def _as_cobre(phase="training"):
    """What Lockstep raises in a phase, as Cobre's."""
    try:
        yield
    except lockstep.Error as error:
        raise _translated(error, phase) from error


def _raises_cobre(phase):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args, **keywords):
            with _as_cobre(phase):
                return function(*args, **keywords)

        return inner

    return decorate
