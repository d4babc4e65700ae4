"""Cobre's Study and Policy over Lockstep's."""

import pathlib

from lockstep.compat.cobre import _facts
from lockstep.compat.cobre.errors import _as_cobre
from lockstep.compat.cobre.io import _require_directory, validate
from lockstep.compat.cobre.model import System
from lockstep.sddp import Policy as OwnPolicy
from lockstep.sddp import Study as OwnStudy

COST_SCALE = 1e6  # of the costs that Cobre's policies speak of
_order = {"storage": 0, "inflow_lag": 1, "transit": 2, "commitment": 3, "energy": 4}


def iteration_dict(report):
    return {
        "kind": "iteration",
        "iteration": report["done"],
        "lower_bound": report["lower_bound"],
        "upper_bound": report.get("upper_bound"),
        "gap": report.get("gap"),
        "wall_time_ms": int(report["seconds"] * 1000),
    }


def watcher(on_iteration):
    return None if on_iteration is None else lambda report: on_iteration(iteration_dict(report))


def own_study(case_dir, output_dir, threads, config_overrides):
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be >= 1 when given, got {threads}")
    _require_directory(case_dir)
    output = pathlib.Path(case_dir, "output") if output_dir is None else output_dir
    return OwnStudy(case_dir, output, config_overrides, threads, scenario_folders=True)


class Policy:
    """Cuts, with costs in 10⁶ $ and states in Cobre's order, as in Cobre. `lockstep` is Lockstep's own."""

    def __init__(self, own: OwnPolicy):
        self.lockstep = own
        self._places = sorted(range(len(own.states)), key=lambda i: _place(own.states[i], i))
        self._cuts = {}

    @property
    def iterations(self) -> int:
        """Iterations of its training."""
        return self.lockstep.iterations

    @property
    def final_lower_bound(self) -> float:
        """Of the last iteration [$]."""
        return self.lockstep.lower_bound

    @property
    def final_upper_bound(self) -> float:
        """Of the last iteration [$]."""
        return self.lockstep.upper_bound

    def _matrix(self, stage):
        import numpy

        if stage < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if stage >= len(self.lockstep.stages):
            raise IndexError(f"stage {stage} out of range (policy has {len(self.lockstep.stages)} stages)")
        if stage not in self._cuts:
            intercept, slopes = self.lockstep.cut_matrix(self.lockstep.stages[stage])
            if not len(intercept):
                slopes = numpy.zeros((0, len(self._places)))
            self._cuts[stage] = (intercept / COST_SCALE, numpy.ascontiguousarray(slopes[:, self._places]) / COST_SCALE)
        return self._cuts[stage]

    def evaluate(self, stage: int, state) -> float:
        """The largest cut at a state [10⁶ $]; -inf where nothing comes after the stage."""
        intercept, slopes = self._matrix(stage)
        if len(state) != slopes.shape[1]:
            raise ValueError(f"state has length {len(state)}, expected {slopes.shape[1]} (policy state dimension)")
        return float((intercept + slopes @ state).max(initial=-float("inf")))

    def cut_matrix(self, stage: int):
        """(intercepts [cuts], coefficients [cuts × states]) [10⁶ $]."""
        intercept, slopes = self._matrix(stage)
        return intercept.copy(), slopes.copy()


def _place(name, place):
    kind = name.split("(")[0]
    subindex = int(name.rstrip(")").rsplit(",", 1)[1]) if kind == "commitment" else 0
    return _order[kind], subindex, place


class Study:
    """A case that is without errors, as Cobre's; else ValidationError."""

    def __init__(self, case_dir, output_dir=None, threads=None, config_overrides=None):
        self._own = own_study(case_dir, output_dir, threads, config_overrides)
        with _as_cobre("case"):
            errors = [each for each in self._own.validate() if each.severity == "error"]
        if errors:
            from lockstep.compat.cobre.errors import ValidationError

            raise ValidationError("\n".join(f"[{each.kind}] {each.file}: {each.message}" for each in errors))

    @property
    def output_dir(self) -> str:
        """Where results are written."""
        return self._own.output

    @property
    def system(self) -> System:
        """Plants, buses … of the case."""
        return System(self._own.case)

    def _fact(self, name):
        facts = _facts.model_facts(self._own.output, self._own.case)[name]
        if facts is None:
            raise NotImplementedError(f"Study.{name} is known after train(), not before")
        return facts

    @property
    def stochastic(self) -> dict:
        """Facts of the stochastic model, after train()."""
        return self._fact("stochastic")

    @property
    def hydro_models(self) -> dict:
        """Facts of production models, after train()."""
        return self._fact("hydro_models")

    @property
    def provenance(self) -> dict:
        """Where models come from, after train()."""
        return self._fact("provenance")

    def validate(self) -> dict:
        """All that is wrong with the case, as ``io.validate``."""
        return validate(self._own.case, self._own.config_overrides, output_dir=self._own.output)

    def train(self, on_iteration=None) -> Policy:
        """Trains, and writes what Cobre writes; True from `on_iteration` ends it."""
        with _as_cobre("training"):
            return Policy(self._own.train(watcher(on_iteration)).policy)

    def load_policy(self, output_dir=None) -> Policy:
        """A policy from disk; none: of `output_dir`."""
        with _as_cobre("policy"):
            return Policy(self._own.load_policy(output_dir))

    def simulate(self, policy: Policy, output_dir=None) -> dict:
        """Simulates under a policy: how many scenarios, and how many were completed."""
        study = OwnStudy(self._own.case, output_dir or self._own.output, self._own.config_overrides,
                         self._own.threads, **self._own.options)
        with _as_cobre("simulation"):
            return simulation_dict(study.simulate(policy.lockstep).summary)


def simulation_dict(summary):
    return {"n_scenarios": summary["scenarios"], "completed": summary["scenarios"]}
