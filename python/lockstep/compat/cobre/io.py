"""Cases: read and checked."""

import os
import pathlib

from lockstep import _core
from lockstep._calls import settings_of
from lockstep.compat.cobre.errors import CaseIoError, ValidationError, _raises_cobre
from lockstep.compat.cobre.model import System

__all__ = ["load_case", "validate"]


def _require_directory(path):
    if not pathlib.Path(path).is_dir():
        raise CaseIoError(f"case directory does not exist: {os.fspath(path)}")


@_raises_cobre("case")
def load_case(path) -> System:
    """What a case is of.

    Raises
    ------
    CaseIoError, ValidationError
    """
    _require_directory(path)
    errors = validate(path)["errors"]
    if errors:
        raise ValidationError("\n".join(f"[{each['kind']}] {each['file']}: {each['message']}" for each in errors))
    return System(path)


def validate(path, config_overrides=None, *, output_dir=None) -> dict:
    """{"valid", "errors", "warnings"}; every mistake has kind, message, file and entity.

    `output_dir` changes nothing: a case is checked without what earlier runs left.
    """
    try:
        _require_directory(path)
        problems, _ = _core.sddp.validate(os.fspath(path), settings_of(config_overrides))
    except OSError as error:
        return {"valid": False, "errors": [{"kind": "IoError", "message": str(error)}], "warnings": []}
    lists = {"error": [], "warning": []}
    for each in problems:
        lists[each["severity"]].append(
            {"kind": each["kind"], "message": each["message"], "file": each["file"], "entity": each["entity"] or None})
    return {"valid": not lists["error"], "errors": lists["error"], "warnings": lists["warning"]}
