"""Differences that are known, each by a rule on the case and what was seen, never by a seed, with its reason.

A rule names the kinds of difference that it explains and, in `applies`, what a case must hold for it. Notes are
no differences of the programs at all: what they show is that a case has several answers.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import bounds


@dataclass(frozen=True)
class Rule:
    name: str
    kinds: tuple
    reason: str
    applies: Callable  # (case, difference, all differences, outcomes) -> bool
    whose: str = "Cobre"
    is_note: bool = False


def only_decisions(case, difference, differences, outcomes):
    return {d.kind for d in differences} == {"decisions"}


def has_halton(case, *_):
    return any(stage.get("sampling_method") == "qmc_halton" for stage in case.stages)


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


def short_bus_in_constraint(case, *_):
    counts = segment_counts(case)
    longest = max(counts.values())
    return any(name.startswith("bus_deficit") and counts[int(entity)] < longest
               for constraint in constraints(case)["constraints"]
               for name, entity in map(bounds.parse_variable, variables_of(case, constraint)))


def repeats_a_column(case, difference, differences, outcomes):
    if "pass_lp failed" not in outcomes[1].message:
        return False
    for constraint in constraints(case)["constraints"]:
        variables = variables_of(case, constraint)
        if len(bounds.without_repeats(variables)) < len(variables):
            return True
    return False


RULES = (
    Rule("another vertex", ("decisions",), "the first stage has several optimal decisions; its value is the same",
         only_decisions, "neither", is_note=True),
    Rule("halton point 0", ("openings", "inflows", "bound", "value", "costs", "decisions"),
         "Cobre's first Halton point lies at -8.21 deviations in every dimension; ours starts at point 1",
         has_halton),
    Rule("free deficit column", ("bound", "value", "costs", "decisions"),
         "bus_deficit of a bus with fewer deficit segments than the longest has a column without bounds or cost",
         short_bus_in_constraint),
    Rule("column twice", ("status",), "a constraint that holds a column of the LP twice ends in a panic",
         repeats_a_column),
)


def find(case, difference, differences, outcomes):
    """The first rule that explains a difference, or None."""
    for rule in RULES:
        if difference.kind in rule.kinds and rule.applies(case, difference, differences, outcomes):
            return rule
    return None
