"""Configurations in homodyne's layout, made of Python's arguments."""

import copy
import json
import os
from collections.abc import Mapping

from lockstep import _core

modes = ("static", "laminar_flow")

# Options of start values, by the parameter that they are of.
_start_options = {
    "D0": "initial_d0",
    "alpha": "initial_alpha",
    "D_offset": "initial_d_offset",
    "gamma_dot_t0": "initial_gamma_dot_t0",
    "beta": "initial_beta",
    "gamma_dot_t_offset": "initial_gamma_dot_offset",
    "phi0": "initial_phi0",
}


def text_of(configuration):
    """A dict as the program reads it."""
    return json.dumps(configuration, default=float)


def is_configuration(path):
    return os.path.splitext(os.fspath(path))[1].lower() in (".yaml", ".yml", ".json")


def names_of(mode):
    """Names of the physical parameters of a mode, in order."""
    if mode not in modes:
        raise ValueError(f"mode is {mode!r}: must be 'static' or 'laminar_flow'")
    return [name for name, *_ in _core.xpcs.parameters(mode == "laminar_flow")]


def mode_option(mode):
    if mode is None:
        return {}
    names_of(mode)
    return {"static_mode" if mode == "static" else mode: True}


def start_options(initial):
    """Start values by name, as options."""
    if initial is not None and not isinstance(initial, Mapping):
        raise TypeError(f"initial is {initial!r}: must be a dict of start values, as {{'D0': 1e4}}")
    options = {}
    for name, value in (initial or {}).items():
        if name not in _start_options:
            raise ValueError(f"initial has {name!r}: must be one of {', '.join(_start_options)}")
        options[_start_options[name]] = float(value)
    return options


def _prior(prior):
    if prior == "uniform":
        return {"type": "Uniform"}
    kind, mean, sd = prior if len(prior) == 3 else ("TruncatedNormal", *prior)
    return {"type": kind, "prior_mu": float(mean), "prior_sigma": float(sd)}


def of_matrices(matrices, given, mode, bounds, priors):
    """The text and the name of what is done to matrices that are in memory.

    given   None, a path, or a dict in homodyne's layout
    bounds  {name: (least, most)}
    priors  {name: "uniform", (mean, sd) or (type, mean, sd)}
    """
    if given is not None and not isinstance(given, dict):
        if bounds or priors:
            raise ValueError("bounds and priors go with a config that is a dict or none: the file "
                             "has them as parameter_space.bounds")
        with open(given, encoding="utf-8") as file:
            return file.read(), os.fspath(given)
    for name, named in (("bounds", bounds), ("priors", priors)):
        if named is not None and not isinstance(named, Mapping):
            raise TypeError(f"{name} is {named!r}: must be a dict by the names of parameters")
    made = copy.deepcopy(given or {})
    made.setdefault("analysis_mode", mode or "static")
    analyzer = made.setdefault("analyzer_parameters", {})
    analyzer["dt"] = matrices.dt
    analyzer["scattering"] = {"wavevector_q": matrices.q}
    analyzer["geometry"] = {"stator_rotor_gap": matrices.gap}
    entries = made.setdefault("parameter_space", {}).setdefault("bounds", [])
    for name in {**(bounds or {}), **(priors or {})}:
        entry = next((each for each in entries if each.get("name") == name), None)
        if entry is None:
            entries.append(entry := {"name": name})
        if name in (bounds or {}):
            entry["min"], entry["max"] = (float(each) for each in bounds[name])
        if name in (priors or {}):
            entry.update(_prior(priors[name]))
    if not entries:
        del made["parameter_space"]["bounds"]
    if not made["parameter_space"]:
        del made["parameter_space"]
    return text_of(made), "config.json"


def of_file(path, *, q, dt, gap, frames, phi, dataset, axis, baseline):
    """The configuration under which a data file is read."""
    path = os.path.abspath(os.fspath(path))
    plain = {"phi": phi, "dataset": dataset, "axis": axis, "baseline": baseline}
    if phi is not None:
        plain["phi"] = [float(each) for each in phi]
    return {
        "analyzer_parameters": {
            "dt": dt,
            "start_frame": frames[0],
            "end_frame": frames[1],
            "scattering": {"wavevector_q": q},
            "geometry": {"stator_rotor_gap": gap},
        },
        "experimental_data": {
            "data_folder_path": os.path.dirname(path),
            "data_file_name": os.path.basename(path),
        },
        "lockstep": {"data": {key: value for key, value in plain.items() if value is not None}},
    }
