"""X-ray photon correlation: fits and posteriors of two-time correlations."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from lockstep._calls import Result, documented
from lockstep.xpcs._analyse import analyse as _analyse
from lockstep.xpcs._dataset import Dataset
from lockstep.xpcs._fit import Fit
from lockstep.xpcs._posterior import Posterior
from lockstep.xpcs._simulate import model, simulate

if TYPE_CHECKING:
    from typing import Unpack

    from lockstep._options import XpcsFit, XpcsRun, XpcsSample

_Source = Dataset | str | os.PathLike[str] | dict
_Configuration = str | os.PathLike[str] | dict | None
_Mode = Literal["static", "laminar_flow"] | None
_Bounds = Mapping[str, tuple[float, float]] | None
_Priors = Mapping[str, Literal["uniform"] | tuple[float, float] | tuple[str, float, float]] | None
_Listener = Callable[[dict], object] | bool | None

__all__ = ["Dataset", "Fit", "Posterior", "Result", "fit", "model", "run", "sample", "simulate"]


def _posterior(found):
    summary, output, source, draws = found
    return None if draws is None else Posterior(summary, output, source, draws)


class Run(Result):
    """What a run left: `output` and `summary`, `fit`, and `posterior`, which is None where it would
    have taken too long."""

    fit: Fit
    posterior: Posterior | None

    def __init__(self, found):
        super().__init__(found[1], found[0])
        object.__setattr__(self, "fit", Fit(*found[:3]))
        object.__setattr__(self, "posterior", _posterior(found))


@documented("xpcs.run")
def run(source: _Source, *, config: _Configuration = None, mode: _Mode = None,
        initial: Mapping[str, float] | None = None, bounds: _Bounds = None, priors: _Priors = None,
        on_progress: _Listener = None, **options: Unpack[XpcsRun]) -> Run:
    """Fits a measurement and samples its posterior, as ``lockstep xpcs run``.

    Arguments are those of fit() and sample().
    """
    return Run(_analyse("run", source, config, mode, initial, bounds, priors, on_progress, options))


@documented("xpcs.fit")
def fit(source: _Source, *, config: _Configuration = None, mode: _Mode = None,
        initial: Mapping[str, float] | None = None, bounds: _Bounds = None,
        on_progress: _Listener = None, **options: Unpack[XpcsFit]) -> Fit:
    """Least squares with error bars, as ``lockstep xpcs fit``, with the same bits.

    Parameters
    ----------
    source : a Dataset, or a configuration in homodyne's layout: a path, or a dict
    config : with a Dataset, a configuration (path or dict) for all but the data
    mode : "static" or "laminar_flow"
    initial : {"D0": …}, start values
    bounds : {"D0": (least, most)}, with a Dataset
    on_progress : called with a dict after every step; what it raises ends the fit

    Of a path the program's files are written into `output`; of a Dataset or a dict only where
    `output` is given.
    """
    return Fit(*_analyse("fit", source, config, mode, initial, bounds, None, on_progress,
                         options)[:3])


@documented("xpcs.sample")
def sample(source: _Source, *, config: _Configuration = None, mode: _Mode = None,
           initial: Mapping[str, float] | None = None, bounds: _Bounds = None, priors: _Priors = None,
           on_progress: _Listener = None, **options: Unpack[XpcsSample]) -> Posterior:
    """The posterior around a fit, as ``lockstep xpcs sample``, with the same bits.

    Arguments are those of fit(), and

    priors : {"D0": (mean, sd)}, a normal one within the bounds; "uniform"; or (type, mean, sd)

    Raises BackendError where it would take longer than `time_limit`.
    """
    found = _posterior(_analyse("sample", source, config, mode, initial, bounds, priors, on_progress,
                                options))
    if found is None:
        from lockstep import BackendError

        raise BackendError("the posterior would take longer than time_limit allows: a longer one, "
                           "or threads, draw it, and shards=K draws shards of the data")
    return found
