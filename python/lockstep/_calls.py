"""From keywords to options of the library, and from an end of a run to a result."""

import json
import os
import warnings
from dataclasses import dataclass, field

from lockstep import _core


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


def _given(use_case, options):
    records = {}
    for record in _core.options(use_case):
        for name in (record["name"], *record["aliases"]):
            records[name] = record
    given = []
    for name, value in options.items():
        if value is None:
            continue
        if name not in records:
            raise TypeError(f"{use_case} has no option {name!r}: {', '.join(sorted(records))}")
        given += [(name, text) for text in _texts(records[name], value)]
    return given


def call(use_case, source, options, on_progress):
    """Runs a use case. A signal ends it with everything written; Ctrl-C is raised then."""
    summary, output, signal = _core.run(
        use_case,
        os.fspath(source),
        _given(use_case, options),
        on_progress,
        lambda text: warnings.warn(text, stacklevel=4),
    )
    if signal == 2:
        raise KeyboardInterrupt
    return Result(output, json.loads(summary))


def documented(use_case):
    """A decorator that lists the options of a use case in a function's docstring."""

    def decorate(function):
        lines = []
        for record in _core.options(use_case):
            default = f" [{record['default']}]" if record["default"] else ""
            lines.append(f"    {record['name']}: {record['allowed']}\n        {record['about']}{default}")
        function.__doc__ += "\n\nOptions\n-------\n" + "\n".join(lines) + "\n"
        return function

    return decorate
