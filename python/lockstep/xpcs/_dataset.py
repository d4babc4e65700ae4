"""Two-time correlation matrices as Python holds them."""

import json
import os

import numpy

from lockstep import _core
from lockstep.xpcs import _configuration

_usual_gap = 2e6


def _times(t1, t2, n, dt):
    """(dt, first frame) of evenly spaced times."""
    t = numpy.asarray(t1, dtype=float)
    if t.shape != (n,):
        raise ValueError(f"t1 has the shape {t.shape}, must have ({n},), a time for each frame")
    if t2 is not None and not numpy.array_equal(t, numpy.asarray(t2, dtype=float)):
        raise ValueError("t2 differs from t1: both must be the times of the same frames")
    step = (t[-1] - t[0]) / (n - 1) if dt is None else float(dt)
    if not step > 0:
        raise ValueError(f"t1 runs from {t[0]} to {t[-1]} s: times must ascend")
    first = round(float(t[0]) / step) if numpy.isfinite(t[0]) else -1
    off = numpy.abs(t - step * (first + numpy.arange(n)))
    if first < 0 or not off.max() <= 1e-6 * step:
        raise ValueError(f"t1 is not k·dt of whole k from 0 on, with dt = {step} s: frames must be "
                         "evenly spaced")
    return step, first


class Dataset:
    """Two-time matrices of one wavevector at several angles. Nobody changes them.

    Parameters
    ----------
    c2 : array (angles, n, n) of float64, C-contiguous
        Full and symmetric, or upper triangles with the diagonal. Copied; not converted.
    phi : sequence of angles [degrees], in (-180, 180] and ascending; one angle: 0
    q : wavevector [1/Å]
    dt : time between frames [s]
    t1, t2 : times of the frames [s], instead of `dt`; whole multiples of it, from 0 on
    gap : between stator and rotor [Å]; of no effect without flow
    nan : "refuse", or "mask": pairs of frames that are NaN do not count

    Fits leave a frame at t = 0 out, as the program does.

    Raises TypeError for arrays that would have to be converted, ValueError (InputError) for what no
    measurement can be.
    """

    def __init__(self, c2, phi=None, *, q, dt=None, t1=None, t2=None, gap=_usual_gap, nan="refuse"):
        if nan not in ("refuse", "mask"):
            raise ValueError(f"nan is {nan!r}: must be 'refuse' or 'mask'")
        shape = getattr(c2, "shape", ())
        first = 0
        if t1 is not None and len(shape) == 3 and shape[1] > 1:
            dt, first = _times(t1, t2, shape[1], dt)
        if dt is None:
            raise TypeError("Dataset needs dt, the time between frames [s], or t1, their times")
        angles = [0.0] if phi is None else [float(each) for each in phi]
        if any(b < a for a, b in zip(angles, angles[1:])):
            raise ValueError("phi must ascend; order = numpy.argsort(phi, kind='stable') sorts "
                             "phi[order] and c2[order]")
        self._matrices = _core.xpcs.Matrices.from_array(
            c2, angles, float(q), float(gap), float(dt), first, nan == "mask")

    @classmethod
    def _of(cls, matrices):
        made = cls.__new__(cls)
        made._matrices = matrices
        return made

    @classmethod
    def load(cls, source, *, q=None, dt=None, gap=None, frames=(1, -1), phi=None, dataset=None,
             axis=None, baseline=None) -> "Dataset":
        """Reads a data file, or what a configuration names.

        Parameters
        ----------
        source : a configuration in homodyne's layout (.yaml, .yml, .json, or a dict), or a data
            file: HDF5 of the Advanced Photon Source (old and new), NeXus or pyCHX, homodyne's
            .npz, .npy
        q, dt, gap : wavevector [1/Å], time between frames [s], gap [Å], of a data file; an .npz may
            say them itself
        frames : first and last of a data file, from 1; -1: the last there is
        phi, dataset, axis, baseline : of plain arrays, as lockstep.data of a configuration has them
        """
        if isinstance(source, dict):
            return cls._of(_core.xpcs.Matrices.from_text(_configuration.text_of(source),
                                                         "config.json"))
        if _configuration.is_configuration(source):
            return cls._of(_core.xpcs.Matrices.from_file(os.fspath(source), ""))
        said = _said_by(source)
        q, dt, gap = (said.get(key) if value is None else value
                      for key, value in (("q", q), ("dt", dt), ("gap", gap)))
        for name, value in (("q", q), ("dt", dt)):
            if value is None:
                raise TypeError(f"{os.fspath(source)} needs {name}: "
                                + ("the wavevector that is read [1/Å]" if name == "q" else
                                   "the time between frames [s]"))
        made = _configuration.of_file(source, q=q, dt=dt, gap=gap or _usual_gap, frames=frames,
                                      phi=phi, dataset=dataset, axis=axis, baseline=baseline)
        return cls.load(made)

    def save(self, path) -> None:
        """Writes a file that the program and homodyne read: .npz (with dt and gap), or HDF5 (.h5)
        in the older layout of the Advanced Photon Source."""
        self._matrices.save(os.fspath(path))

    @property
    def c2(self):
        """(angles, n, n), symmetric, read-only; made at first use, then kept."""
        return self._matrices.c2

    @property
    def pairs(self):
        """(angles, m(m-1)/2) pairs i < j of the m frames that are fitted, row by row: what the
        program holds, read-only, without a copy."""
        return self._matrices.pairs

    @property
    def phi(self):
        """(angles) [degrees]"""
        return self._matrices.phi

    @property
    def t(self):
        """(n) times of the frames [s]"""
        times = self.dt * (self._matrices.first_frame + numpy.arange(self.frames))
        times.flags.writeable = False
        return times

    t1 = t2 = t

    @property
    def q(self) -> float:
        """Wavevector [1/Å]"""
        return self._matrices.q

    @property
    def dt(self) -> float:
        """Time between frames [s]"""
        return self._matrices.dt

    @property
    def gap(self) -> float:
        """Between stator and rotor [Å]"""
        return self._matrices.gap

    @property
    def frames(self) -> int:
        """Frames of an angle."""
        return self._matrices.frames

    @property
    def angles(self) -> int:
        """How many angles there are."""
        return len(self._matrices.phi)

    @property
    def notes(self) -> list:
        """What was decided while reading."""
        return self._matrices.notes

    def __repr__(self):
        phi = self.phi
        return (f"Dataset({self.angles} angle{'s' * (len(phi) > 1)} from {phi[0]:g} to {phi[-1]:g}°,"
                f" {self.frames} frames of {self.dt:g} s, q = {self.q:g} 1/Å)")

    def __reduce__(self):
        place = (self.q, self.gap, self.dt, self._matrices.first_frame)
        return _restored, (self.c2, self.phi, place)


def _restored(c2, phi, place):
    q, gap, dt, first = place
    return Dataset._of(_core.xpcs.Matrices.from_array(
        numpy.ascontiguousarray(c2), phi.tolist(), q, gap, dt, first, True))


def _said_by(path):
    """q, dt and gap of an .npz in homodyne's layout."""
    if os.path.splitext(os.fspath(path))[1] != ".npz" or not os.path.exists(path):
        return {}
    with numpy.load(path) as file:
        if "c2_exp" not in file or "t1" not in file:
            return {}
        meta = json.loads(str(file["cache_metadata_json"])) if "cache_metadata_json" in file else {}
        t = file["t1"]
        said = {"q": meta.get("config_wavevector_q", float(file["wavevector_q_list"][0])),
                "dt": meta.get("dt", float(t[-1] - t[0]) / (len(t) - 1)),
                "gap": meta.get("stator_rotor_gap")}
    return said
