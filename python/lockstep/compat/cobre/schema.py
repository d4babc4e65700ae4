"""JSON Schemas of the files of a case."""

import os

from lockstep import _core
from lockstep.compat.cobre.errors import _raises_cobre

__all__ = ["export"]


@_raises_cobre("output")
def export(output_dir=".") -> int:
    """Writes a JSON Schema of each file of a case.

    Returns how many: more than Cobre's 18, since Parquet tables have theirs too.
    """
    return len(_core.sddp.export_schemas(os.fspath(output_dir)))
