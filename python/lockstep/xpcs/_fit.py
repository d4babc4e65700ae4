"""A fit as an object."""

import numpy

from lockstep import _core
from lockstep.xpcs import _simulate
from lockstep.xpcs._dataset import Dataset


def _read_only(values):
    array = numpy.array(values, dtype=float)  # None becomes NaN
    array.flags.writeable = False
    return array


class Fit:
    """The least-squares fit of a measurement, with its errors. Pickles by content.

    output   directory with the program's files; empty: none was asked for
    summary  all that is known of it, as ``lockstep summary --json`` prints it
    """

    def __init__(self, summary, output, source):
        self.summary = summary
        self.output = output
        self._source = source

    @property
    def _record(self):
        return self.summary["fit"]

    @property
    def digest(self) -> str:
        """Of values, χ² and covariance: the program's."""
        return self._record["digest"]

    @property
    def mode(self) -> str:
        """ "static" or "laminar_flow" """
        return self._record["mode"]

    @property
    def converged(self) -> bool:
        """Whether the search ended at a minimum."""
        return self._record["converged"]

    @property
    def names(self) -> list:
        """Of what was fitted, in the order of the covariance."""
        return [each["name"] for each in self._record["values"]]

    @property
    def parameters(self) -> dict:
        """Values by name: what was fitted, and what was held."""
        all_of = (*self._record["values"], *self._record["held"])
        return {each["name"]: each["value"] for each in all_of}

    @property
    def physical(self) -> dict:
        """The physical ones of these, in their order."""
        values = self.parameters
        names = _core.xpcs.parameters(self.mode == "laminar_flow")
        return {name: values[name] for name, *_ in names}

    @property
    def uncertainties(self) -> dict:
        """Standard errors of what was fitted; NaN: not determined."""
        nan = float("nan")
        return {each["name"]: nan if each["error"] is None else each["error"]
                for each in self._record["values"]}

    @property
    def covariance(self):
        """(names, names), read-only; NaN: not determined"""
        if "_covariance" not in self.__dict__:
            self._covariance = _read_only(self._record["covariance"])
        return self._covariance

    @property
    def chi_squared(self) -> float:
        """Sum of squared residuals, in units of the noise of each angle; each pair of frames counts once."""
        return self._record["chi_squared"]

    @property
    def reduced_chi_squared(self) -> float:
        """χ² divided by its degrees of freedom."""
        return self.chi_squared / self._record["degrees_of_freedom"]

    @property
    def contrast(self):
        """(angles)"""
        return _read_only([each["contrast"] for each in self._record["angles"]])

    @property
    def offset(self):
        """(angles)"""
        return _read_only([each["offset"] for each in self._record["angles"]])

    @property
    def sigma(self):
        """(angles) standard deviation of a value of c2"""
        return _read_only([each["sigma"] for each in self._record["angles"]])

    @property
    def dataset(self) -> Dataset:
        """What was fitted; of a configuration it is read again at first use."""
        if not isinstance(self._source, Dataset):
            self._source = Dataset._of(_core.xpcs.Matrices.from_file(*self._source))
        return self._source

    @property
    def fitted(self):
        """c2 of the model (angles, n, n), read-only, on the frames of `dataset`; its diagonal has
        no noise of photons. Made at first use."""
        if "_fitted" not in self.__dict__:
            data = self.dataset
            self._fitted = _simulate.model(
                self.physical, phi=data.phi, frames=data.frames, dt=data.dt, q=data.q, gap=data.gap,
                contrast=self.contrast, offset=self.offset,
                first_frame=data._matrices.first_frame, shear_term=self._record["shear_term"])
        return self._fitted

    @property
    def residuals(self):
        """c2 of the data less `fitted` (angles, n, n)"""
        return _read_only(self.dataset.c2 - self.fitted)

    def plot(self, angles=None):
        """A matplotlib figure: data, model and residuals in units of sigma, a column an angle.

        angles : numbers of the angles, at most 6 by default
        """
        from lockstep.xpcs import _plots

        return _plots.fit(self, angles)

    def __repr__(self):
        errors = self.uncertainties
        values = ", ".join(f"{name}={value:.6g}" + (f"±{errors[name]:.2g}" if name in errors else "")
                           for name, value in self.physical.items())
        return f"Fit({values}, reduced χ²={self.reduced_chi_squared:.4g})"

    def __getstate__(self):
        return {"summary": self.summary, "output": self.output, "_source": self._source}
