"""SDDP for hydrothermal dispatch, X-ray photon correlation, and reinforcement learning on tables.

Three engines over one parallel runtime. A result is the same, bit for bit, for any number of
threads and ranks, and the same as that of the program ``lockstep``:

>>> import lockstep.sddp
>>> lockstep.sddp.run("mycase", output="out", threads=4)        # doctest: +SKIP

Modules are loaded when they are first used.
"""

import importlib

_modules = ("sddp", "xpcs", "rl", "tables", "comm", "farm", "ray")
_errors = (
    "Error",
    "InputError",
    "UsageError",
    "ModelError",
    "IoError",
    "CommError",
    "BackendError",
    "NotBuiltError",
    "InternalError",
)

__all__ = ["__version__", "Table", "launch", *_modules, *_errors]


def __getattr__(name):
    if name in _modules:
        return importlib.import_module(f"lockstep.{name}")
    if name in _errors:
        return getattr(importlib.import_module("lockstep._core"), name)
    if name == "launch":
        return importlib.import_module("lockstep._launch").launch
    if name == "Table":
        return importlib.import_module("lockstep.tables").Table
    if name == "__version__":
        return importlib.import_module("lockstep._core").version()
    raise AttributeError(f"module 'lockstep' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
