"""Lists of runs, on any farm."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Unpack

    from lockstep._options import RlOfList, SddpOfList, XpcsOfList


def _run(job):
    """A run by one worker, which is no rank."""
    use_case, source, output, options = job
    from lockstep import _calls

    return _calls.call(use_case, source, {**options, "output": output, "comm": "local"}, None)


@contextlib.contextmanager
def _farm(given, folder):
    if given is not None:
        yield given
        return
    from lockstep.ray import farm

    with farm(folder=folder) as made:
        yield made


def _runs(jobs, farm, output, cost=None):
    with _farm(farm, output) as workers:
        return workers.map(_run, jobs, cost=cost, chunk=1)


def _place(output, number):
    return str(Path(output).resolve() / f"{number:04d}")


def sddp_study(case, overrides: Iterable[Mapping], *, output, farm=None, **options: Unpack[SddpOfList]) -> list:
    """A run of lockstep.sddp.run for each set of overrides of config.json.

    case: directory, which all machines of the cluster see
    overrides: dicts as `set` takes them
    output: directory of the study; run k writes to its subfolder ``%04d``
    farm: any of lockstep.farm; None: a Ray cluster of this machine while the study lasts
    options: of lockstep.sddp.run, for all runs

    Returns the results by number. Raises the error of the lowest run that has one.
    """
    case = str(Path(case).resolve())
    jobs = [("sddp.run", case, _place(output, k), {**options, "set": dict(each)})
            for k, each in enumerate(overrides)]
    return _runs(jobs, farm, output)


def grid_of(grid) -> list[dict]:
    """The points of a grid: the last name varies fastest."""
    if isinstance(grid, Mapping):
        return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    return [dict(point) for point in grid]


def rl_sweep(environment, grid, *, output, farm=None,
             **options: Unpack[RlOfList]) -> list[tuple[dict, object]]:
    """A run of lockstep.rl.train for each point of a grid of its options.

    environment: a name or a file, as lockstep.rl.train takes it
    grid: dict of an option's name to its values, all combinations of which are run; or the points
    output, farm, options: as for sddp_study()

    Returns (point, result) in the order of points.
    """
    if os.path.exists(environment):
        environment = str(Path(environment).resolve())
    points = grid_of(grid)
    jobs = [("rl.train", environment, _place(output, k), {**options, **point}) for k, point in enumerate(points)]
    return list(zip(points, _runs(jobs, farm, output), strict=True))


def xpcs_datasets(configs: Iterable, *, output, work: str = "run", farm=None,
                  **options: Unpack[XpcsOfList]) -> list:
    """Analyses measurements: lockstep.xpcs.run, fit or sample of each configuration file.

    output, farm, options: as for sddp_study().
    """
    if work not in ("run", "fit", "sample"):
        from lockstep import InputError

        raise InputError(f"work is {work!r}, must be 'run', 'fit' or 'sample'")
    paths = [str(Path(each).resolve()) for each in configs]
    jobs = [(f"xpcs.{work}", path, _place(output, k), options) for k, path in enumerate(paths)]
    return _runs(jobs, farm, output)
