"""From keywords to options of the library, and from an end of a run to a result."""

import _thread
import functools
import importlib.util
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from lockstep import _core
from lockstep._progress import listeners

_Function = TypeVar("_Function", bound=Callable[..., object])

# By which the program that this package is can be started for processes that work for a run.
own_command = [sys.executable, "-m", "lockstep"]


# The others are one process, or a farm of them.
_by_ranks = ("sddp.run", "sddp.simulate", "rl.train", "rl.solve")


def _prepare():
    _core.set_own_command(own_command)
    arrow = importlib.util.find_spec("pyarrow")
    if arrow is not None and arrow.submodule_search_locations:
        _core.set_arrow_folder(arrow.submodule_search_locations[0])


_prepare()


@dataclass(frozen=True)
class Result:
    """What a run left.

    output   directory with everything that the program would have written
    summary  what ``lockstep summary --json`` prints of it
    """

    output: str
    summary: dict = field(repr=False)


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"{value!r} is no value of an option: a str, a path, a number or a bool is")


def settings_of(overrides):
    """Values of a configuration by dotted keys, as pairs of texts."""
    pairs = []
    for key, value in (overrides or {}).items():
        if not isinstance(key, str):
            raise TypeError(f"{key!r} is no key of a configuration: a str with dots is")
        pairs.append((key, value if isinstance(value, str) else json.dumps(value)))
    return pairs


def _texts(record, value):
    """One text, or several of an option that may be repeated."""
    if record["type"] == "pair" and isinstance(value, dict):
        return [f"{key}={text}" for key, text in settings_of(value)]
    if record["type"] == "number" and not isinstance(value, str):
        return [",".join(_text(float(each)) for each in value)]
    if record["is_repeated"] and isinstance(value, (list, tuple)):
        return [_text(each) for each in value]
    return [_text(value)]


@functools.cache
def _records_of(use_case):
    """Records of options by every name that they have."""
    return {name: record for record in _core.options(use_case)
            for name in (record["name"], *record["aliases"])}


def given_of(use_case, options):
    records = _records_of(use_case)
    given = []
    for name, value in options.items():
        if value is None:
            continue
        if name not in records:
            raise TypeError(f"{use_case} has no option {name!r}: {', '.join(sorted(records))}")
        given += [(name, text) for text in _texts(records[name], value)]
    return given


def pass_on(ended_by):
    """Does what the signal that ended a run would have done without it."""
    if ended_by == signal.SIGINT:
        if threading.current_thread() is not threading.main_thread():
            _thread.interrupt_main()
        raise KeyboardInterrupt
    if ended_by:
        signal.raise_signal(ended_by)


def call(use_case, source, options, on_progress):
    """Runs a use case. A signal ends it with everything written; Ctrl-C is raised then.

    `comm` among the options: the ranks that run it, as lockstep.comm.connect takes them.
    """
    options = dict(options)
    ranks = options.pop("comm", None)
    if ranks is not None:
        ranks = importlib.import_module("lockstep.comm").connect(ranks).ranks
    given = given_of(use_case, options)
    with listeners(on_progress) as (progress, text):
        summary, output, ended_by = _core.run(
            use_case, os.fspath(source), given, progress, text, ranks)
    pass_on(ended_by)
    return Result(output, json.loads(summary))


def documented(use_case: str) -> Callable[[_Function], _Function]:
    """A decorator that lists the options of a use case in a function's docstring."""

    def decorate(function: _Function) -> _Function:
        lines = []
        for record in _core.options(use_case):
            default = f" [{record['default']}]" if record["default"] else ""
            lines.append(f"    {record['name']}: {record['allowed']}\n        {record['about']}{default}")
        if use_case in _by_ranks:
            lines.append("    comm: ranks of lockstep.comm or mpi4py\n        Who runs it; otherwise the launcher's ranks.")
        function.__doc__ = (function.__doc__ or "") + "\n\nOptions\n-------\n" + "\n".join(lines) + "\n"
        return function

    return decorate
