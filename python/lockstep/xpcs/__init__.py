"""X-ray photon correlation: fits and posteriors of two-time correlations."""

from lockstep._calls import Result, documented
from lockstep.xpcs._analyse import analyse as _analyse
from lockstep.xpcs._dataset import Dataset
from lockstep.xpcs._fit import Fit
from lockstep.xpcs._posterior import Posterior
from lockstep.xpcs._simulate import model, simulate

__all__ = ["Dataset", "Fit", "Posterior", "Result", "fit", "model", "run", "sample", "simulate"]


def _posterior(found):
    summary, output, source, draws = found
    return None if draws is None else Posterior(summary, output, source, draws)


class Run(Result):
    """What a run left: `output` and `summary`, `fit`, and `posterior`, which is None where it would
    have taken too long."""

    def __init__(self, found):
        super().__init__(found[1], found[0])
        object.__setattr__(self, "fit", Fit(*found[:3]))
        object.__setattr__(self, "posterior", _posterior(found))


@documented("xpcs.run")
def run(source, *, config=None, mode=None, initial=None, bounds=None, priors=None, on_progress=None,
        **options) -> Run:
    """Fits a measurement and samples its posterior, as ``lockstep xpcs run``.

    Arguments are those of fit() and sample().
    """
    return Run(_analyse("run", source, config, mode, initial, bounds, priors, on_progress, options))


@documented("xpcs.fit")
def fit(source, *, config=None, mode=None, initial=None, bounds=None, on_progress=None,
        **options) -> Fit:
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
def sample(source, *, config=None, mode=None, initial=None, bounds=None, priors=None,
           on_progress=None, **options) -> Posterior:
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
