"""Studies: a case with what is to be done with it, and what came of it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from lockstep import _core
from lockstep._calls import call, settings_of
from lockstep.sddp.policies import Policy
from lockstep.tables import Table

if TYPE_CHECKING:
    from typing import Unpack

    from lockstep._options import StudyOptions, StudySimulate, StudyTrain

__all__ = ["Problem", "Simulation", "Study", "Training"]


class Problem(NamedTuple):
    """One mistake in a case.

    severity  "error" or "warning"
    kind      "InvalidReference", "SchemaViolation" …
    file      relative to the case
    field     what it is about; may be empty
    message   what was found and what is allowed
    """

    severity: str
    kind: str
    file: str
    field: str
    message: str


class _Place:
    """An output directory, which goes with its last user where it is a temporary one."""

    def __init__(self, output=None):
        self._temporary = None if output is not None else tempfile.TemporaryDirectory(prefix="lockstep-")
        self.path = self._temporary.name if output is None else os.fspath(output)


class _Output:
    """What a part of a run left in its output directory."""

    _part: str  # of the summary

    def __init__(self, place, summary):
        self._place = place
        self._summary = summary

    @property
    def summary(self) -> dict:
        """This part of ``lockstep sddp summary --json``."""
        return self._summary[self._part]

    @property
    def digest(self) -> str:
        """Fingerprint of the result, that of the program."""
        return self.summary["digest"]

    @property
    def output(self) -> str:
        """Directory with all that the program would have written."""
        return self._place.path

    def __getstate__(self):
        raise TypeError(f"a {type(self).__name__} is a directory: pickle its policy, its tables, or its output's path")


class Training(_Output):
    """A trained policy and how it came to be.

    summary  dict, the training's part of ``lockstep sddp summary --json``
    """

    _part = "training"

    def __init__(self, place, summary, case, config_overrides):
        super().__init__(place, summary)
        self._case, self._overrides, self._policy = case, config_overrides, None

    @property
    def lower_bound(self) -> float:
        """Of the last iteration [$]."""
        return self.summary["lower_bound"]

    @property
    def lower_bounds(self):
        """Of each iteration, float64 [iterations], [$]."""
        return self.convergence.column("lower_bound")

    @property
    def convergence(self) -> Table:
        """One row an iteration: bounds [$], gap, cuts, times."""
        return Table.read(os.path.join(self.output, "training", "convergence.parquet"))

    @property
    def policy(self) -> Policy:
        """What was trained, read when it is first asked for."""
        if self._policy is None:
            self._policy = Policy._of(self.output, self._case, self._overrides, self._place)
        return self._policy

    def __repr__(self) -> str:
        return f"<lockstep.sddp.Training lower bound {self.lower_bound:,.6g} $, digest {self.digest}, in {self.output}>"


class Simulation(_Output, Mapping):
    """Tables of a simulation by name, read when they are first asked for.

    ``simulation["hydros"]`` has a row a scenario, stage, block and plant; the columns are told in
    docs/formats.md. `scenarios` has one row a scenario, with its cost.

    summary  dict, the simulation's part of ``lockstep sddp summary --json``
    """

    _part = "simulation"

    def __init__(self, place, summary):
        super().__init__(place, summary)
        self._tables = dict.fromkeys(_core.sddp.simulation_tables(self.output))

    @property
    def mean_cost(self) -> float:
        """[$]"""
        return self.summary["mean"]

    @property
    def scenarios(self) -> Table:
        """One row a scenario: its probability and discounted cost [$]."""
        return Table.read(os.path.join(self.output, "simulation", "scenario_summary.parquet"))

    def __getitem__(self, name: str) -> Table:
        if self._tables[name] is None:
            self._tables[name] = Table(_core.sddp.simulation_table(self.output, name))
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"<lockstep.sddp.Simulation mean cost {self.mean_cost:,.6g} $, digest {self.digest}: {', '.join(self)}>"


class _Stop(Exception):
    pass


def _watcher(phase, on_step):
    """Tells of the steps of a phase; True as an answer ends the run."""

    def watch(report):
        if report["phase"] == phase and on_step(report) is True:
            raise _Stop

    return watch if callable(on_step) else on_step


class Study:
    """A case and how it is to be run.

    case              case directory (docs/sddp/case-format.md)
    output            directory for results; none: a temporary one that lives as long as they do
    config_overrides  values of config.json by dotted keys: {"training.tree_seed": 7}
    threads           none: as many as the process may use; no result depends on it
    options           further options of ``lockstep.sddp.run`` that are simulate's too (solver …)

    Files and digests are those of ``lockstep sddp run`` and ``simulate``. Pickles by content.
    """

    def __init__(
        self,
        case: str | os.PathLike[str],
        output: str | os.PathLike[str] | None = None,
        config_overrides: Mapping[str, object] | None = None,
        threads: int | None = None,
        **options: Unpack[StudyOptions],
    ) -> None:
        self.case = os.fspath(case)
        self.output = None if output is None else os.fspath(output)
        self.config_overrides = dict(config_overrides or {})
        self.threads = threads
        self.options = options
        settings_of(self.config_overrides)

    def validate(self) -> list[Problem]:
        """All that is wrong with the case; nothing is solved.

        Raises
        ------
        lockstep.IoError  the directory is missing
        """
        problems, _ = _core.sddp.validate(self.case, settings_of(self.config_overrides))
        return [
            Problem(each["severity"], each["kind"], each["file"], each["entity"], each["message"])
            for each in problems
        ]

    def counts(self) -> dict[str, int]:
        """Numbers of stages, plants … of a case without mistakes; else empty."""
        return _core.sddp.validate(self.case, settings_of(self.config_overrides))[1]

    def train(
        self, on_iteration: Callable[[dict], object] | bool | None = None, **options: Unpack[StudyTrain]
    ) -> Training:
        """Trains a policy, as ``lockstep sddp run`` with simulation.enabled=false.

        `on_iteration` is called with a dict (done, lower_bound, upper_bound …) after every
        iteration; True as its answer ends the training with all written, and so does what it raises,
        which is raised again. `on_iteration=False` shows no bar, True one.

        Raises
        ------
        lockstep.InputError, lockstep.ModelError, lockstep.IoError, KeyboardInterrupt
        """
        place = _Place(self.output)
        overrides = {**self.config_overrides, "simulation.enabled": False}
        summary = self._call("sddp.run", place, overrides, on_iteration, "training", options)
        return Training(place, summary, self.case, self.config_overrides)

    def simulate(
        self,
        policy: Training | Policy | str | os.PathLike[str] | None = None,
        scenarios: int | None = None,
        on_scenarios: Callable[[dict], object] | bool | None = None,
        **options: Unpack[StudySimulate],
    ) -> Simulation:
        """Simulates the case under a policy, as ``lockstep sddp simulate``.

        policy     a Training, a Policy or a policy's folder; none: that in `output`
        scenarios  how many; none: as config.json says

        Raises
        ------
        lockstep.InputError  the policy is not of this case
        """
        place = policy._place if isinstance(policy, Training) and self.output is None else _Place(self.output)
        given = {"scenarios": scenarios, **options}
        if policy is None and self.output is None:
            raise ValueError("which policy? A study without `output` keeps none: study.simulate(training)")
        if policy is not None:
            given["policy"] = policy.policy.path if isinstance(policy, Training) else getattr(policy, "path", policy)
        summary = self._call("sddp.simulate", place, self.config_overrides, on_scenarios, "simulation", given)
        return Simulation(place, summary)

    def run(self, on_progress: Callable[[dict], object] | None = None) -> tuple[Training | None, Simulation | None]:
        """Trains and simulates as config.json says, in one go, as ``lockstep sddp run``."""
        place = _Place(self.output)
        result = self._run("sddp.run", place, self.config_overrides, on_progress, {})
        training = Training(place, result, self.case, self.config_overrides) if result["training"] else None
        return training, Simulation(place, result) if result["simulation"] else None

    def load_policy(self, path: str | os.PathLike[str] | None = None) -> Policy:
        """A policy of this case from an output directory or a policy folder; none: from `output`."""
        if path is None and self.output is None:
            raise ValueError("a study without `output` has no policy: give a path")
        return Policy(self.output if path is None else path, self.case, self.config_overrides)

    def _stoppable_run(self, watch):
        """A whole run; a training that `watch` ends is still simulated where the case wants it."""
        place = _Place(self.output)
        try:
            return self._run("sddp.run", place, self.config_overrides, watch, {})
        except _Stop:
            self._run("sddp.simulate", place, self.config_overrides, None, {})
            return json.loads(_core.sddp.summary(place.path))

    def _call(self, use_case, place, overrides, on_step, phase, options):
        try:
            return self._run(use_case, place, overrides, _watcher(phase, on_step), options)
        except _Stop:
            return json.loads(_core.sddp.summary(place.path))

    def _run(self, use_case, place, overrides, watch, options):
        options = {"output": place.path, "threads": self.threads, "set": overrides, **self.options, **options}
        return call(use_case, self.case, options, watch).summary

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Study) else NotImplemented

    __hash__ = None

    def __repr__(self) -> str:
        return f"<lockstep.sddp.Study {self.case}>"
