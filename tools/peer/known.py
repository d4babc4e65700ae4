"""Differences that are known, each by a rule on the case and what was seen, never by a seed, with its reason.

A rule names the kinds of difference that it explains and, in `applies`, what a case must hold for it. Notes are
no differences of the programs at all: what they show is that a case has several answers.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import bounds
import compare
import memory


@dataclass(frozen=True)
class Seen:
    """What a rule may look at; results are None where a program did not run to its end."""

    case: object
    difference: object
    differences: list
    outcomes: tuple
    results: tuple


@dataclass(frozen=True)
class Rule:
    name: str
    kinds: tuple
    reason: str
    applies: Callable  # (Seen) -> bool
    whose: str = "Cobre"
    is_note: bool = False


def only_decisions(seen):
    return {d.kind for d in seen.differences} <= {"decisions", "costs"}


def has_halton(seen):
    statuses = {outcome.status for outcome in seen.outcomes}
    return statuses in ({"ok"}, {"ok", "infeasible"}) and any(stage.get("sampling_method") == "qmc_halton" for stage in seen.case.stages)


def segment_counts(case):
    default = len(case.penalties["bus"]["deficit_segments"])
    return {bus["id"]: len(bus.get("deficit_segments") or [None] * default) for bus in case.buses}


def constraints(case):
    return case.documents.get("constraints/generic_constraints.json", {"constraints": []})


def variables_of(case, constraint):
    """Variables of a constraint with those of the named expressions in it."""
    named = {e["name"]: e["expression"] for e in constraints(case).get("expressions", [])}
    text = re.sub(r"@(\w+)", lambda m: named.get(m.group(1), ""), constraint["expression"])
    return re.findall(r"\w+\(\d+\)", text)


def short_bus_in_constraint(seen):
    case = seen.case
    counts = segment_counts(case)
    longest = max(counts.values())
    return any(name.startswith("bus_deficit") and counts[int(entity)] < longest
               for constraint in constraints(case)["constraints"]
               for name, entity in map(bounds.parse_variable, variables_of(case, constraint)))


def is_within_credit(seen):
    """Whether a bound or value differs by no more than all that the sources can earn."""
    if seen.difference.kind not in ("bound", "value"):
        return True
    return abs(seen.difference.ours - seen.difference.theirs) <= 1.01 * seen.results[0]["curtailment_constant"]


def credit_is_clipped(seen):
    """Cobre counts what sources generate as a credit, and its future cost cannot be below zero."""
    last = seen.case.stages[-1]["id"]
    costs = seen.results[1]["simulation"].get("costs", {})
    touches_zero = any(row["future_cost"] <= 0 for key, row in costs.items() if key[1] != last)
    return bool(seen.case.sources) and touches_zero and is_within_credit(seen)


def has_risk_of_sources(seen):
    """A risk measure orders openings by cost, and a credit that is random changes the order."""
    risky = any(isinstance(stage.get("risk_measure"), dict) and stage["risk_measure"]["cvar"]["lambda"] > 0
                for stage in seen.case.stages)
    return risky and compare.has_random_sources(seen.case) and is_within_credit(seen)


def is_short_of_water(seen):
    """A water balance without slack that may have no solution; whether a pass meets that depends on its path."""
    statuses = {outcome.status for outcome in seen.outcomes}
    if statuses != {"ok", "infeasible"} or memory.non_negativity(seen.case) not in ("none", "truncation"):
        return False
    result = next(result for result in seen.results if result)
    inflows = [row["incremental_inflow_m3s"] for row in result["simulation"].get("hydros", {}).values()]
    return min(inflows, default=0) < 0


def scales_costs_far(seen):
    """A cost scale that leaves tolerances of dollars; what is lost stays a small part."""
    factor = seen.case.config.get("modeling", {}).get("cost_scale_factor") or 1.0
    return factor >= 1e8 and seen.difference.size < 1e-4 * (factor / 1e8)


def repeats_a_column(seen):
    if "pass_lp failed" not in seen.outcomes[1].message:
        return False
    for constraint in constraints(seen.case)["constraints"]:
        variables = variables_of(seen.case, constraint)
        if len(bounds.without_repeats(variables)) < len(variables):
            return True
    return False


def refuses(words):
    """A rule for what only Cobre refuses, by its words."""
    return lambda seen: seen.outcomes[0].status == "ok" and words in seen.outcomes[1].message


RULES = (
    Rule("another vertex", ("decisions",), "the first stage has several optimal decisions; its value is the same",
         only_decisions, "neither", is_note=True),
    Rule("halton point 0", ("status", "openings", "inflows", "bound", "value", "costs", "decisions"),
         "Cobre's first Halton point lies at -8.21 deviations in every dimension; ours starts at point 1",
         has_halton),
    Rule("clipped credit", ("bound", "value", "costs", "decisions"),
         "generation of sources is a credit, and a future cost below zero is taken for zero", credit_is_clipped),
    Rule("risk of sources", ("bound", "value", "decisions"),
         "with random sources a risk measure orders openings by cost, where a credit and a cost differ",
         has_risk_of_sources, "neither"),
    Rule("short of water", ("status",),
         "without slack for missing water a stage may have no solution; whether a pass meets one depends on its path",
         is_short_of_water, "neither"),
    Rule("no statistics before the study", ("openings", "inflows", "bound", "value", "decisions", "costs"),
         "months before the study without rows of statistics: Cobre drops the lag's term and keeps its share of the "
         "residual, and residuals that need such a month take no part in an estimated correlation; ours take the moments "
         "of the record where there is one, else drop both",
         memory.lacks_statistics, "neither"),
    Rule("numbers leave gaps", ("status", "openings", "inflows", "bound", "value", "decisions", "costs"),
         "statistics of a lag are looked up by the stage's number less the lag, so that where numbers leave gaps the "
         "lag's term is dropped or another month's row taken; ours go by the calendar", memory.numbers_leave_gaps),
    Rule("declared months fitted", ("status",),
         "with declared stages before the study the fitted rows of their months are refused as given twice or orphaned",
         memory.fits_declared_months),
    Rule("tangent bound", ("bound", "decisions"),
         "where inflows with memory are truncated, cuts by tangents may exceed the optimum; our bound is by secants "
         "(the same as Cobre's with modeling.inflow_non_negativity.bound_slopes = tangent)",
         memory.has_truncated_memory),
    Rule("forgotten lags", ("bound", "value", "decisions"),
         "cuts that leave out lags take the value at the lags visited for that at all others: both bounds are "
         "estimates that depend on the path", memory.forgets_lags, "neither"),
    Rule("costs scaled far", ("bound", "value", "decisions", "costs"),
         "a cost scale of 1e8 and more makes the solver's tolerance worth dollars; without it both agree",
         scales_costs_far),
    Rule("year past the fit", ("openings", "inflows", "bound", "value", "decisions", "costs"),
         "a fitted yearly mean reaches twelve months back; in a short study Cobre has no moments of the farther ones "
         "and takes their means for 0, which shifts the inflows", memory.reaches_past_the_fit),
    Rule("lags wrapped", ("openings", "inflows", "bound", "value", "decisions", "costs"),
         "lags of a fitted month that fall before January are counted back from the latest month fitted instead of "
         "from December, so that another month's record is taken", memory.wraps_lags),
    Rule("no yearly process", ("status",),
         "with all months of the record fitted, the coefficients with a yearly mean may leave a month without "
         "residual variance, which we refuse; in a short study Cobre has fewer months and does not see it",
         memory.has_no_yearly_process, "neither"),
    Rule("free deficit column", ("bound", "value", "costs", "decisions"),
         "bus_deficit of a bus with fewer deficit segments than the longest has a column without bounds or cost",
         short_bus_in_constraint),
    Rule("column twice", ("status",), "a constraint that holds a column of the LP twice ends in a panic",
         repeats_a_column),
    Rule("parallel lines", ("status",), "a case with a generic constraint and two lines between the same buses is "
         "refused, whatever the constraint speaks of", refuses("connected by more than one line")),
    Rule("id in two groups", ("status",), "a plant and a bus of the same id in correlation groups of their own classes "
         "count as one entity in two groups", refuses("appears in more than one correlation group")),
    Rule("planes without geometry", ("status",), "with a geometry file, given planes need rows there that nothing reads",
         refuses("requires head-dependent model but has")),
)


def find(seen):
    """The first rule that explains a difference, or None."""
    for rule in RULES:
        if seen.difference.kind in rule.kinds and rule.applies(seen):
            return rule
    return None
