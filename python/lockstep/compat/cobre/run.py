"""A whole run in one call."""

import json
import pathlib

from lockstep.compat.cobre import _facts
from lockstep.compat.cobre._study import own_study, simulation_dict, watcher
from lockstep.compat.cobre.errors import _as_cobre
from lockstep.sddp.studies import _watcher

__all__ = ["run"]


def run(case_dir, output_dir=None, threads=None, config_overrides=None, on_iteration=None) -> dict:
    """Trains and simulates a case as its config.json says; True from `on_iteration` ends the training.

    Returns a dict with Cobre's keys.
    """
    study = own_study(case_dir, output_dir, threads, config_overrides)
    with _as_cobre("training"):
        summary = study._stoppable_run(_watcher("training", watcher(on_iteration)))
    training, simulation = summary["training"] or {}, summary["simulation"]
    path = pathlib.Path(study.output, "training", "metadata.json")
    convergence = json.loads(path.read_text(encoding="utf-8"))["convergence"] if training else {}
    return {
        "converged": bool(convergence.get("achieved")),
        "iterations": training.get("iterations", 0),
        "lower_bound": training.get("lower_bound", 0.0),
        "upper_bound": training.get("upper_bound"),
        "gap_percent": convergence.get("final_gap_percent"),
        "total_time_ms": int(training.get("seconds", 0) * 1000),
        "output_dir": study.output,
        "simulation": None if simulation is None else simulation_dict(simulation),
        **_facts.model_facts(study.output, study.case),
    }
