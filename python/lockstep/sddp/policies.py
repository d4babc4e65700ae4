"""Policies: what a state costs from a stage on, and what its water is worth."""

import os
import pathlib
import tempfile
from collections.abc import Mapping
from typing import NamedTuple

from lockstep import _core
from lockstep._calls import settings_of

__all__ = ["Policy", "WaterValue"]


class WaterValue(NamedTuple):
    """What water of a reservoir is worth at the end of a stage.

    low   what one more hm³ saves [$/hm³]
    high  what the last hm³ saved; the same but at a kink of the cost to go
    """

    hydro_id: int
    name: str
    storage_hm3: float
    low: float
    high: float


def policy_folder(path):
    """The folder of a policy: `path`, or ``policy`` in an output directory."""
    path = pathlib.Path(path)
    for folder in (path, path / "policy"):
        if (folder / "manifest.bin").exists():
            return folder
    return path


class Policy(_core.sddp.Policy):
    """Cuts after each stage of a case: cost to go >= intercept + slopes @ state.

    Made by ``Study.train`` and ``Study.load_policy``, or from disk, of this program or of Cobre:

    path              output directory of a run, or a policy folder
    case              case directory; else as the output tells
    config_overrides  values of config.json by dotted keys

    A state is a float64 array in the order of `states`. `evaluate` gives the number that
    ``lockstep sddp evaluate`` prints, to the last bit. Pickles by content, with the files of its folder.

    Raises
    ------
    lockstep.IoError, lockstep.InputError
    """

    def __init__(
        self,
        path: "str | os.PathLike[str]",
        case: "str | os.PathLike[str] | None" = None,
        config_overrides: "Mapping[str, object] | None" = None,
    ) -> None:
        case = "" if case is None else os.fspath(case)
        super().__init__(os.fspath(path), case, settings_of(config_overrides))
        self._folder = policy_folder(path)
        self._info = _core.sddp.policy_info(os.fspath(self._folder))
        self._place = None

    @classmethod
    def _of(cls, path, case, config_overrides, place):
        """A policy in a folder that lives as long as `place`."""
        policy = cls(path, case, config_overrides)
        policy._place = place
        return policy

    @property
    def path(self) -> str:
        """Folder of its files."""
        return str(self._folder)

    @property
    def iterations(self) -> int:
        """Iterations of the training."""
        return self._info["iterations"]

    @property
    def lower_bound(self) -> float:
        """Of the last iteration [$]."""
        return self._info["lower_bound"]

    @property
    def upper_bound(self) -> "float | None":
        """Of the last iteration [$]."""
        return self._info["upper_bound"]

    @property
    def lower_bounds(self) -> "list[float]":
        """Of each iteration [$]."""
        return self._info["lower_bounds"]

    def state(self, values: "Mapping[str, float]" = {}):
        """A state as before the first stage but for what `values` says, by names of `states`.

        A plant's name alone is its storage.
        """
        if not isinstance(values, Mapping):
            raise TypeError(f"values is {values!r}: must be a dict by names of `states`")
        state, names = self.initial_state, self.states
        for name, value in values.items():
            full = name if name in names else f"storage({name})"
            if full not in names:
                raise KeyError(f"{name!r} is no number of a state: {', '.join(names[:8])} …")
            state[names.index(full)] = value
        return state

    def water_values(self, stage: int, state) -> "list[WaterValue]":
        """What water of each plant is worth at the end of a stage, at a state."""
        return [WaterValue(*each) for each in self._water_values(stage, state)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        return self._content() == other._content()

    __hash__ = None

    def __reduce__(self):
        return _unpickled, (type(self), self._content(), self._info, _files_of(self._folder))

    def __repr__(self) -> str:
        return (
            f"<lockstep.sddp.Policy {len(self.stages)} stages, {len(self.states)} states, "
            f"{self.iterations} iterations, lower bound {self.lower_bound:,.6g} $>"
        )


def _files_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _unpickled(kind, content, info, files):
    policy = kind.__new__(kind)
    _core.sddp.Policy.__init__(policy, content)
    policy._info = info
    policy._place = place = tempfile.TemporaryDirectory(prefix="lockstep-")
    policy._folder = pathlib.Path(place.name)
    for name, data in files.items():
        path = policy._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return policy
