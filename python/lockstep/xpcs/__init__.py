"""X-ray photon correlation: fits and posteriors of two-time correlations."""

from lockstep._calls import Result, call, documented

__all__ = ["Result", "fit", "run", "sample"]


@documented("xpcs.run")
def run(config, *, on_progress=None, **options):
    """Fits a measurement and samples its posterior, as ``lockstep xpcs run``."""
    return call("xpcs.run", config, options, on_progress)


@documented("xpcs.fit")
def fit(config, *, on_progress=None, **options):
    """Least squares with error bars, as ``lockstep xpcs fit``."""
    return call("xpcs.fit", config, options, on_progress)


@documented("xpcs.sample")
def sample(config, *, on_progress=None, **options):
    """The posterior around a fit, as ``lockstep xpcs sample``."""
    return call("xpcs.sample", config, options, on_progress)
