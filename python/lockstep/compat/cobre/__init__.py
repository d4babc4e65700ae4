"""The API of cobre-python 0.18 over Lockstep: ``import lockstep.compat.cobre as cobre``."""

import lockstep
from lockstep.compat.cobre import errors, io, model, results, run, schema
from lockstep.compat.cobre._checkpoint import write_policy_checkpoint
from lockstep.compat.cobre._study import Policy, Study

__all__ = ["Policy", "Study", "errors", "io", "model", "results", "run", "schema", "version_info",
           "write_policy_checkpoint"]

__version__ = "0.18.0"  # whose API this is


def version_info() -> dict:
    """Cobre's keys; `lockstep` is what calculates."""
    import platform

    return {"version": __version__, "lockstep": lockstep.__version__, "build": "release", "comm": "local",
            "solver": "lockstep", "arch": f"{platform.machine()}-{platform.system().lower()}", "zstd": "enabled"}
