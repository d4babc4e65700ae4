"""homodyne's entry points over lockstep: a script changes its import and stays as it is.

    from lockstep.compat.homodyne import ConfigManager, fit_mcmc_jax, fit_nlsq_jax, load_xpcs_data

Signatures, keys and attributes are those of homodyne 2.23, its defects are not: χ² is a sum of
squared residuals, all sizes have one objective, and errors allow for the correlation of neighbours.
What differs call by call is in docs/python/from-homodyne.md.
"""

import copy
import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy

from lockstep import InputError, _core, xpcs
from lockstep.xpcs import _configuration

__all__ = ["CMCResult", "ConfigManager", "OptimizationResult", "fit_mcmc_jax", "fit_nlsq_jax",
           "load_xpcs_data"]

_static_names = ("static", "static_isotropic", "static_anisotropic")


def _mode(name):
    if name in _static_names:
        return "static"
    if name == "laminar_flow":
        return name
    raise InputError(f"analysis_mode is {name!r}: must be static or laminar_flow")


def _parsed(path):
    """A configuration file as a dict."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if os.fspath(path).endswith(".json"):
        return json.loads(text)
    return json.loads(_core.xpcs.json_of_yaml(text, os.fspath(path)))


class ConfigManager:
    """A configuration: `config` is its dict, which may be changed before a fit.

    Parameters
    ----------
    config_file : path of a .yaml or .json file
    config_override : a dict instead of a file
    """

    def __init__(self, config_file="homodyne_config.yaml", config_override=None):
        self.config_file = os.fspath(config_file)
        self.config = copy.deepcopy(config_override) if config_override is not None else (
            _parsed(self.config_file))

    def get_config(self) -> dict:
        """The whole configuration, a dict."""
        return self.config

    def get_analysis_mode(self) -> str:
        """ "static" or "laminar_flow" """
        return _mode(str(self.config.get("analysis_mode", "static")).lower())

    def is_static_mode_enabled(self) -> bool:
        """Whether the sample is at rest."""
        return self.get_analysis_mode() == "static"

    def get_initial_parameters(self, use_midpoint_defaults: bool = True) -> dict:
        """Start values by name; where there are none, the middle of the bounds."""
        section = self.config.get("initial_parameters") or {}
        values = section.get("values")
        if values:
            return dict(zip(section["parameter_names"], map(float, values)))
        names = _configuration.names_of(self.get_analysis_mode())
        bounds = self.get_parameter_bounds(names)
        return {each["name"]: (each["min"] + each["max"]) / 2 for each in bounds} if (
            use_midpoint_defaults) else {}

    def get_parameter_bounds(self, parameter_names=None) -> list:
        """[{"name", "min", "max"}] in the order of the names."""
        table = {name: (low, high) for name, _, _, low, high in _core.xpcs.parameters(True)}
        table.update(contrast=(0.0, 1.0), offset=(0.5, 1.5))
        for each in (self.config.get("parameter_space") or {}).get("bounds") or []:
            low, high = table.get(each["name"], (None, None))
            table[each["name"]] = (each.get("min", low), each.get("max", high))
        names = parameter_names or _configuration.names_of(self.get_analysis_mode())
        return [{"name": name, "min": table[name][0], "max": table[name][1]} for name in names]


def _corrected(c2):
    """The diagonals made of their neighbours, as homodyne's loader has them."""
    c2 = c2.copy()
    n = c2.shape[1]
    if n > 1:
        side = numpy.diagonal(c2, 1, 1, 2)
        diagonal = numpy.empty(c2.shape[:2])
        diagonal[:, 0], diagonal[:, -1] = side[:, 0], side[:, -1]
        diagonal[:, 1:-1] = (side[:, 1:] + side[:, :-1]) / 2
        c2[:, numpy.arange(n), numpy.arange(n)] = diagonal
    return c2


def load_xpcs_data(config_path=None, config_dict=None) -> dict:
    """Data as homodyne gives them: wavevector_q_list, phi_angles_list, t1, t2, c2_exp with its
    diagonals corrected, the first frame included."""
    if (config_path is None) == (config_dict is None):
        raise ValueError("load_xpcs_data takes a config_path or a config_dict")
    source = config_dict if config_path is None else config_path
    data = xpcs.Dataset.load(source)
    return {"wavevector_q_list": numpy.array(data._matrices.q_list),
            "phi_angles_list": numpy.array(data.phi),
            "t1": numpy.array(data.t),
            "t2": numpy.array(data.t),
            "c2_exp": _corrected(data.c2)}


def _line(times):
    """The times of the frames, of a list or of a meshgrid."""
    times = numpy.asarray(times, dtype=float)
    return times if times.ndim == 1 else numpy.unique(times)


def _dataset(c2, phi, t1, q, gap, dt):
    """(dataset with ascending angles, places of the caller's angles in it)"""
    phi = numpy.asarray(phi, dtype=float).ravel()
    turned = -((180 - phi) % 360 - 180)
    order = numpy.argsort(turned, kind="stable")
    c2 = numpy.ascontiguousarray(numpy.asarray(c2, dtype=float)[order])
    data = xpcs.Dataset(c2, turned[order], q=q, dt=dt, t1=_line(t1), gap=gap, nan="mask")
    return data, numpy.argsort(order, kind="stable")


def _gap_of(config):
    analyzer = config.get("analyzer_parameters") or {}
    return float((analyzer.get("geometry") or {}).get("stator_rotor_gap", 2e6))


def _without_data(config):
    """What of a configuration acts on data that are in memory."""
    kept = copy.deepcopy(config)
    for key in ("experimental_data", "phi_filtering", "data_filtering", "output"):
        kept.pop(key, None)
    analyzer = kept.get("analyzer_parameters") or {}
    kept["analyzer_parameters"] = {"dt": analyzer.get("dt")}
    section = kept.get("initial_parameters")
    if section and not section.get("values"):  # homodyne's templates have null there
        for key in ("values", "parameter_names"):
            section.pop(key, None)
    return kept


def _quality(reduced):
    return "good" if reduced < 1.5 else "marginal" if reduced < 3 else "poor"


_device = {"platform": "cpu", "device": "CPU", "adapter": "lockstep", "fallback_occurred": False}


@dataclass
class OptimizationResult:
    """homodyne's result of a fit: contrasts, offsets (one an angle), then the physical values.

    `fit` is lockstep's own result.
    """

    parameters: numpy.ndarray
    uncertainties: numpy.ndarray
    covariance: numpy.ndarray
    chi_squared: float
    reduced_chi_squared: float
    convergence_status: str
    iterations: int
    execution_time: float
    device_info: dict = field(default_factory=lambda: dict(_device))
    recovery_actions: list = field(default_factory=list)
    quality_flag: str = "good"
    streaming_diagnostics: Any = None
    stratification_diagnostics: Any = None
    nlsq_diagnostics: Any = None
    fit: Any = field(default=None, repr=False)

    @property
    def success(self) -> bool:
        """Whether the fit converged."""
        return self.convergence_status == "converged"

    @property
    def message(self) -> str:
        """How the fit ended, in words."""
        return self.fit.summary["fit"]["ending"]


def _expanded(fit, places):
    """(values, covariance) of contrasts and offsets of each angle in the caller's order, then the
    physical parameters; what was held or given has no covariance."""
    names = fit.names
    wanted = []
    for what in ("contrast", "offset"):
        for place in places:
            own = f"{what}_{place}"
            wanted.append(own if own in names else what)
    wanted += list(fit.physical)
    values = numpy.concatenate([fit.contrast[places], fit.offset[places],
                                list(fit.physical.values())])
    rows = [names.index(name) if name in names else None for name in wanted]
    covariance = numpy.zeros((len(wanted), len(wanted)))
    for i, row in enumerate(rows):
        for j, column in enumerate(rows):
            if row is not None and column is not None:
                covariance[i, j] = fit.covariance[row, column]
    return values, covariance


def fit_nlsq_jax(data, config, initial_params=None, per_angle_scaling=True, use_adapter=False,
                 **options) -> OptimizationResult:
    """Least squares of a data dict: keys of load_xpcs_data(), or phi, g2, t1, t2, q, L, dt, sigma.

    `options` are those of lockstep.xpcs.fit(); `use_adapter` says nothing here.
    """
    made = config.get_config() if hasattr(config, "get_config") else config
    c2 = data["c2_exp"] if "c2_exp" in data else data["g2"]
    phi = data["phi_angles_list"] if "phi_angles_list" in data else data["phi"]
    q = data["q"] if "q" in data else numpy.ravel(data["wavevector_q_list"])[0]
    dt = data.get("dt") or (made.get("analyzer_parameters") or {}).get("dt")
    measured, places = _dataset(c2, phi, data["t1"], float(q), float(data.get("L", _gap_of(made))), dt)
    if not per_angle_scaling:
        options.setdefault("scaling", "averaged")
    fit = xpcs.fit(measured, config=_without_data(made), initial=initial_params,
                   mode=_mode(str(made.get("analysis_mode", "static")).lower()), **options)
    values, covariance = _expanded(fit, places)
    record = fit.summary["fit"]
    return OptimizationResult(
        values, numpy.sqrt(numpy.diag(covariance)), covariance, fit.chi_squared,
        fit.reduced_chi_squared, "converged" if fit.converged else "max_iter", record["iterations"],
        record["seconds"], quality_flag=_quality(fit.reduced_chi_squared), fit=fit)


@dataclass
class CMCResult:
    """homodyne's result of a sampling; `posterior` is lockstep's own."""

    parameters: numpy.ndarray
    uncertainties: numpy.ndarray
    param_names: list
    samples: dict
    convergence_status: str
    r_hat: dict
    ess_bulk: dict
    ess_tail: dict
    divergences: int
    execution_time: float
    warmup_time: float
    n_chains: int
    n_samples: int
    n_warmup: int
    analysis_mode: str
    covariance: numpy.ndarray
    chi_squared: float
    reduced_chi_squared: float
    device_info: dict = field(default_factory=lambda: dict(_device))
    recovery_actions: list = field(default_factory=list)
    quality_flag: str = "good"
    posterior: Any = field(default=None, repr=False)

    @property
    def inference_data(self):
        """As ArviZ has it; made when asked for."""
        return self.posterior.to_arviz()

    @property
    def success(self) -> bool:
        """Whether the chains can be relied on."""
        return self.convergence_status == "converged"

    @property
    def message(self) -> str:
        """How the sampling ended, in words."""
        return f"{self.convergence_status}, {self.divergences} divergences"

    def is_cmc_result(self) -> bool:
        """True."""
        return True

    def get_posterior_stats(self) -> dict:
        """{name: mean, std, median, hdi_5%, hdi_95%, r_hat, ess_bulk, ess_tail}"""
        stats = {}
        for name, draws in self.samples.items():
            low, median, high = numpy.percentile(draws, [5, 50, 95])
            stats[name] = {"mean": draws.mean(), "std": draws.std(), "median": median,
                           "hdi_5%": low, "hdi_95%": high, "r_hat": self.r_hat[name],
                           "ess_bulk": self.ess_bulk[name], "ess_tail": self.ess_tail[name]}
        return stats

    def get_samples_array(self):
        """(chains, draws, names)"""
        return numpy.stack([self.samples[name] for name in self.param_names], axis=-1)


def _matrices(data, t1, t2, phi):
    """Pooled points as (angles, n, n), their angles and times; pairs that are not there are NaN."""
    data, t1, t2, phi = (numpy.asarray(each, dtype=float).ravel() for each in (data, t1, t2, phi))
    if not len(data) == len(t1) == len(t2) == len(phi):
        raise InputError(f"data, t1, t2 and phi have {len(data)}, {len(t1)}, {len(t2)} and "
                         f"{len(phi)} values, must have the same number")
    angles, angle = numpy.unique(phi, return_inverse=True)
    times, place = numpy.unique(numpy.concatenate([t1, t2]), return_inverse=True)
    i, j = place[:len(t1)], place[len(t1):]
    c2 = numpy.full((len(angles), len(times), len(times)), numpy.nan)
    c2[angle, i, j] = data
    missing = numpy.isnan(c2)
    c2[missing] = c2.transpose(0, 2, 1)[missing]
    return c2, angles, times


def _status(posterior, rhat, ess):
    record = posterior.summary["posterior"]
    count = record["chains"] * record["draws"]
    if (record["divergences"] or 0) > 0.05 * count:
        return "divergences"
    worst = max([each for each in rhat.values() if each is not None], default=1.0)
    return "not_converged" if worst > 1.05 or min(ess.values()) < 400 else "converged"


def _sampling_options(cmc):
    """What of homodyne's section optimization.cmc is an argument."""
    shard = cmc.get("per_shard_mcmc") or {}
    names = {"num_warmup": "n_warmup", "num_samples": "n_samples", "num_chains": "n_chains"}
    return {ours: shard[theirs] for theirs, ours in names.items() if shard.get(theirs) is not None}


def fit_mcmc_jax(data, t1, t2, phi, q, L, analysis_mode, method="mcmc", cmc_config=None,
                 initial_values=None, parameter_space=None, dt=None, output_dir=None,
                 progress_bar=True, run_id=None, nlsq_result=None, **options) -> CMCResult:
    """The posterior of pooled points (each array of as many values).

    `options` are those of lockstep.xpcs.sample(). All points are sampled as one; shards=K also
    samples K shards. `parameter_space` may be {name: (least, most)}. `progress_bar` and `run_id`
    say nothing here.
    """
    c2, angles, times = _matrices(data, t1, t2, phi)
    if dt is None:
        dt = float(numpy.median(numpy.diff(times)))
    measured, places = _dataset(c2, angles, times, float(q), float(L), float(dt))
    start = dict(initial_values or nlsq_result or {})
    names = _configuration.names_of(_mode(analysis_mode))
    options = {**_sampling_options(cmc_config or {}), "sampler": "nuts", **options}
    posterior = xpcs.sample(
        measured, mode=_mode(analysis_mode), bounds=parameter_space, output=output_dir,
        config={"optimization": {"cmc": cmc_config}} if cmc_config else None,
        initial={name: start[name] for name in names if name in start}, **options)
    ours = {f"{what}_{k}": f"{what}_{place}"
            for what in ("contrast", "offset") for k, place in enumerate(places)}
    samples = {name: posterior[ours.get(name, name)] for name in posterior.names}
    found = {key: {name: values[ours.get(name, name)] for name in samples}
             for key, values in posterior.diagnostics.items() if isinstance(values, dict)}
    flat = numpy.stack([each.ravel() for each in samples.values()])
    record = posterior.summary["posterior"]
    reduced = posterior.fit.reduced_chi_squared
    return CMCResult(
        flat.mean(axis=1), flat.std(axis=1), list(samples), samples,
        _status(posterior, found["r_hat"], found["ess_bulk"]), found["r_hat"], found["ess_bulk"],
        found["ess_tail"], record["divergences"] or 0, record["seconds"], 0.0, record["chains"],
        record["draws"], int(options.get("n_warmup", 500)), _mode(analysis_mode), numpy.cov(flat),
        posterior.fit.chi_squared, reduced, quality_flag=_quality(reduced), posterior=posterior)
