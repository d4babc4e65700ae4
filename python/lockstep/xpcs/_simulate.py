"""What a sample with known parameters would show."""

from lockstep import _core
from lockstep.xpcs import _configuration
from lockstep.xpcs._dataset import Dataset


def _flow_of(parameters):
    """(whether there is flow, physical values in order)"""
    mode = "laminar_flow" if len(parameters) > 3 else "static"
    names = _configuration.names_of(mode)
    if set(parameters) != set(names):
        raise ValueError(f"parameters has {', '.join(parameters)}: must have {', '.join(names)}"
                         + ("" if mode == "laminar_flow" else
                            ", or the seven of laminar_flow"))
    return mode == "laminar_flow", [float(parameters[name]) for name in names]


def _each(value, angles, name):
    values = [float(each) for each in value] if hasattr(value, "__iter__") else [float(value)] * angles
    if len(values) != angles:
        raise ValueError(f"{name} has {len(values)} values, must have one or {angles}, one an angle")
    return values


def _shear(shear_term):
    if shear_term not in ("homodyne", "paper"):
        raise ValueError(f"shear_term is {shear_term!r}: must be 'homodyne' or 'paper'")
    return shear_term == "paper"


def model(parameters: dict, *, phi, frames: int, dt: float, q: float, gap: float = 2e6,
          contrast=1.0, offset=0.0, first_frame: int = 0, shear_term: str = "homodyne"):
    """c2 = offset + contrast·g1² without noise, read-only (angles, frames, frames).

    Parameters
    ----------
    parameters : {"D0": …, "alpha": …, "D_offset": …}, of a flow all seven
    phi : angles [degrees], ascending
    dt : [s]; q : [1/Å]; gap : [Å]
    contrast, offset : one, or one an angle; the defaults give g1²
    first_frame : frame k is at (first_frame + k)·dt
    """
    flow, values = _flow_of(parameters)
    angles = [float(each) for each in phi]
    return _core.xpcs.model(
        angles, float(q), float(gap), float(dt), int(frames), int(first_frame), flow,
        _shear(shear_term), values, _each(contrast, len(angles), "contrast"),
        _each(offset, len(angles), "offset"))


def simulate(parameters: dict, *, phi, frames: int, dt: float, q: float, gap: float = 2e6,
             contrast=0.3, offset=1.0, noise: str = "normal", sigma: float = 0.004,
             pixels: int = 10_000, photons: float = float("inf"), seed: int = 42,
             shear_term: str = "homodyne", threads: int = 0) -> Dataset:
    """A measurement of a sample with these parameters; a function of its arguments.

    Parameters
    ----------
    parameters, phi, dt, q, gap, contrast, offset, shear_term : as of model()
    noise : "normal", independent errors of `sigma` in each pair of frames; or "speckle", counted
        photon by photon (`photons` a pixel and frame) on `pixels` pixels
    threads : 0: OMP_NUM_THREADS, or all usable CPUs; of no effect on the numbers
    """
    if noise not in ("normal", "speckle"):
        raise ValueError(f"noise is {noise!r}: must be 'normal' or 'speckle'")
    flow, values = _flow_of(parameters)
    angles = [float(each) for each in phi]
    return Dataset._of(_core.xpcs.Matrices.simulate(
        angles, float(q), float(gap), float(dt), int(frames), flow, _shear(shear_term), values,
        _each(contrast, len(angles), "contrast"), _each(offset, len(angles), "offset"),
        noise == "speckle", float(sigma), int(pixels), float(photons), int(seed), int(threads)))
