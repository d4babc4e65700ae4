"""SDDP for hydrothermal dispatch, X-ray photon correlation, and reinforcement learning on tables.

Three engines over one parallel runtime. A result is the same, bit for bit, for any number of
threads and ranks, and the same as that of the program ``lockstep``:

>>> import lockstep.sddp
>>> lockstep.sddp.run("mycase", output="out", threads=4)        # doctest: +SKIP

Modules are loaded when they are first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lockstep import comm as comm, farm as farm, ray as ray, rl as rl, sddp as sddp
    from lockstep import tables as tables, xpcs as xpcs
    from lockstep._core import BackendError as BackendError, CommError as CommError, Error as Error
    from lockstep._core import InputError as InputError, InternalError as InternalError
    from lockstep._core import IoError as IoError, ModelError as ModelError
    from lockstep._core import NotBuiltError as NotBuiltError, UsageError as UsageError
    from lockstep._launch import launch as launch
    from lockstep.tables import Table as Table

    __version__: str

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


def _found(name):
    from importlib import import_module

    if name in _modules:
        return import_module(f"lockstep.{name}")
    if name in _errors:
        return getattr(import_module("lockstep._core"), name)
    if name == "launch":
        return import_module("lockstep._launch").launch
    if name == "Table":
        return import_module("lockstep.tables").Table
    if name == "__version__":
        return import_module("lockstep._core").version()
    raise AttributeError(f"module 'lockstep' has no attribute {name!r}")


if not TYPE_CHECKING:  # which would take any name for one of ours
    __getattr__ = _found


def __dir__() -> "list[str]":
    return sorted(__all__)
