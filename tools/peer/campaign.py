"""Runs many cases: makes each, runs both programs, compares, keeps what differs."""

import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import compare
import generator
import known
from programs import Cobre, run_lockstep
from results import read_result

MORE_ITERATIONS = (160, 640)  # when a bound had not settled under the case's own limit


@dataclass
class Verdict:
    """What came of a case: equal, refused (by both), explained (by a rule) or differs."""

    case: str
    features: list
    verdict: str = "equal"
    status: str = "ok"
    rule: str = ""
    notes: list = field(default_factory=list)
    differences: list = field(default_factory=list)


def limit_iterations(case, limit):
    for rule in case.config["training"]["stopping_rules"]:
        if rule["type"] == "iteration_limit":
            rule["limit"] = limit


class Bench:
    """A place to run cases in, with a Cobre of its own."""

    def __init__(self, program, scratch, seconds=120):
        self.program, self.scratch, self.seconds = program, Path(scratch), seconds
        self.cobre = Cobre()

    def run(self, case):
        """Outcomes and results (None without one) of both programs."""
        folder = self.scratch / "case"
        outputs = [self.scratch / name for name in ("lockstep", "cobre")]
        for path in (folder, *outputs):
            shutil.rmtree(path, ignore_errors=True)
        case.write(folder)
        outcomes = (run_lockstep(self.program, folder, outputs[0], self.seconds),
                    self.cobre.run(folder, outputs[1], self.seconds))
        results = [read_result(output) if outcome.status == "ok" else None
                   for outcome, output in zip(outcomes, outputs)]
        return outcomes, results

    def differences(self, case):
        """Outcomes, results and differences; cases whose bounds still rise get more iterations first."""
        case = case.copy()
        for limit in (None, *MORE_ITERATIONS):
            if limit:
                limit_iterations(case, limit)
            outcomes, results = self.run(case)
            if found := compare.compare_outcomes(*outcomes):
                return outcomes, results, [found]
            if outcomes[0].status != "ok":
                return outcomes, results, []
            found = compare.compare_results(case, *results)
            if not compare.may_settle(found, results):
                break
        return outcomes, results, found

    def judge(self, name, case):
        outcomes, results, found = self.differences(case)
        verdict = Verdict(name, case.features, status=outcomes[0].status)
        verdict.differences = [asdict(difference) for difference in found]
        if not found:
            verdict.verdict = "equal" if verdict.status == "ok" else "refused"
            return verdict
        left = []
        for difference in found:
            rule = known.find(known.Seen(case, difference, found, outcomes, results))
            if rule is None:
                left.append(difference)
            elif rule.is_note:
                verdict.notes.append(rule.name)
            else:
                verdict.rule = verdict.rule or rule.name
        verdict.verdict = "differs" if left else "explained" if verdict.rule else "equal"
        return verdict


def keep(folder, case, verdict):
    """A differing case with what was found, so that it can be looked at."""
    folder = Path(folder) / verdict.case
    shutil.rmtree(folder, ignore_errors=True)
    case.write(folder)
    lines = [f"# {verdict.case}", "", "Features: " + (", ".join(verdict.features) or "none"), ""]
    lines += [f"- {d['kind']} {d['where']}: Lockstep {d['ours']}, Cobre {d['theirs']}" for d in verdict.differences]
    (folder / "README.md").write_text("\n".join(lines) + "\n")


class Campaign:
    def __init__(self, program, work, jobs=1, seconds=120, only=(), progress=lambda verdict: None):
        self.program, self.work, self.jobs, self.seconds = program, Path(work), jobs, seconds
        self.only, self.progress = only, progress
        self.benches, self.local, self.lock = [], threading.local(), threading.Lock()

    def bench(self):
        if not hasattr(self.local, "bench"):
            with self.lock:
                number = len(self.benches)
                self.local.bench = Bench(self.program, self.work / "scratch" / str(number), self.seconds)
                self.benches.append(self.local.bench)
        return self.local.bench

    def one(self, seed, number):
        name = f"{seed}-{number}"
        case = generator.make(seed, number, self.only)
        verdict = self.bench().judge(name, case)
        if verdict.verdict == "differs":
            keep(self.work / "kept", case, verdict)
        with self.lock:
            with open(self.work / "verdicts.jsonl", "a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(verdict), default=str) + "\n")
            self.progress(verdict)
        return verdict

    def run(self, seed, numbers):
        self.work.mkdir(parents=True, exist_ok=True)
        (self.work / "verdicts.jsonl").write_text("")
        try:
            with ThreadPoolExecutor(self.jobs) as pool:
                return list(pool.map(lambda number: self.one(seed, number), numbers))
        finally:
            for bench in self.benches:
                bench.cobre.stop()
            shutil.rmtree(self.work / "scratch", ignore_errors=True)


def read_verdicts(path):
    with open(path, encoding="utf-8") as file:
        return [Verdict(**json.loads(line)) for line in file]
