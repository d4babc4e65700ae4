"""Draws of a posterior as an object."""

import importlib
import os
from types import MappingProxyType

import numpy

from lockstep.xpcs._fit import Fit


def _fixed(array):
    array.flags.writeable = False
    return array


def _arviz():
    """ArviZ, or the part of ArviZ 1.x that holds its data."""
    for name in ("arviz", "arviz_base"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise ImportError("ArviZ is not installed: pip install arviz")


def _is_new(arviz):
    """Whether its from_dict takes groups: since 1.0, and in the parts that it is made of."""
    return arviz.__name__ == "arviz_base" or int(arviz.__version__.split(".")[0]) >= 1


class Posterior:
    """Draws of the posterior of a measurement. Pickles by content.

    values       (chains, draws, names) of float64, read-only; 1 chain where draws are independent
    names        physical parameters, sigma where it was not known, contrasts and offsets
    log_density  (chains, draws)
    fit          what the sampling began from
    output       directory with the program's files; empty: none was asked for
    summary      all that is known of it, as ``lockstep summary --json`` prints it
    """

    def __init__(self, summary, output, source, draws):
        self.summary = summary
        self.output = output
        self.fit = Fit(summary, output, source)
        self.names = list(draws["names"])
        self.values = draws["values"]
        self.log_density = draws["log_density"]
        self._statistics = dict(draws["statistics"])

    @property
    def _record(self):
        return self.summary["posterior"]

    @property
    def draws(self) -> MappingProxyType:
        """{name: (chains, draws)}, read-only views of `values`"""
        return MappingProxyType({name: self.values[:, :, k] for k, name in enumerate(self.names)})

    def __getitem__(self, name):
        return self.draws[name]

    @property
    def sample_stats(self) -> dict:
        """{name: (chains, draws)}: lp, and of chains energy, acceptance_rate, n_steps, tree_depth,
        diverging, step_size, under the names that ArviZ has for them"""
        stats = {"lp": self.log_density, **self._statistics}
        if "diverging" in stats:
            stats["diverging"] = stats["diverging"].view(bool)
        return stats

    @property
    def method(self) -> str:
        """ "importance", "chains" or "shards" """
        return self._record["method"]

    @property
    def digest(self) -> str:
        """Of the draws: the program's."""
        return self._record["digest"]

    def _column(self, key):
        return {each["name"]: each[key] for each in self._record["quantities"]}

    @property
    def mean(self) -> dict:
        """Means of the draws by name."""
        return self._column("mean")

    @property
    def sd(self) -> dict:
        """Standard deviations of the draws by name."""
        return self._column("sd")

    @property
    def diagnostics(self) -> dict:
        """r_hat (None of independent draws), ess_bulk, ess_tail and mcse by name; divergences,
        acceptance and e_bfmi of chains; pareto_k and effective_size of importance"""
        record = self._record
        by_name = {"r_hat": "rhat", "ess_bulk": "ess_bulk", "ess_tail": "ess_tail", "mcse": "mcse"}
        whole = ("divergences", "acceptance", "e_bfmi", "pareto_k", "effective_size")
        return {**{name: self._column(key) for name, key in by_name.items()},
                **{key: record[key] for key in whole}}

    def to_arviz(self):
        """InferenceData of ArviZ 0.x, or the DataTree of ArviZ 1.x."""
        arviz = _arviz()
        groups = {"posterior": dict(self.draws), "sample_stats": self.sample_stats}
        return arviz.from_dict(groups) if _is_new(arviz) else arviz.from_dict(**groups)

    def save(self, path) -> None:
        """Writes draws: .npz (NumPy alone), or .nc, netCDF that ArviZ opens (needs ArviZ)."""
        path = os.fspath(path)
        if path.endswith(".npz"):
            numpy.savez(path, samples=self.values, param_names=self.names, **self.sample_stats)
        elif path.endswith(".nc"):
            self.to_arviz().to_netcdf(path)
        else:
            raise ValueError(f"{path} has to end in .npz or .nc")

    def plot_trace(self, names=None):
        """A matplotlib figure: marginal density and draws in order of each parameter."""
        from lockstep.xpcs import _plots

        return _plots.trace(self, names)

    def plot_pair(self, names=None):
        """A matplotlib figure: each pair of parameters."""
        from lockstep.xpcs import _plots

        return _plots.pair(self, names)

    def __repr__(self):
        chains, draws, _ = self.values.shape
        return (f"Posterior({chains} chain{'s' * (chains > 1)} of {draws} draws of "
                f"{len(self.names)} quantities by {self.method})")

    def __setstate__(self, state):
        self.__dict__.update(state)
        for array in (self.values, self.log_density, *self._statistics.values()):
            _fixed(array)
