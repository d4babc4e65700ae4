"""Differences that are known, each by a rule on the case and what was seen, never by a seed, with its reason.

A rule names the kinds of difference that it explains and, in `applies`, what a case must hold for it. Notes are
no differences of the programs at all: what they show is that a case has several answers.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import bounds


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
    return {d.kind for d in seen.differences} == {"decisions"}


def has_halton(seen):
    return any(stage.get("sampling_method") == "qmc_halton" for stage in seen.case.stages)


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


def credit_is_clipped(seen):
    """Cobre counts what sources generate as a credit, and its future cost cannot be below zero."""
    last = seen.case.stages[-1]["id"]
    costs = seen.results[1]["simulation"].get("costs", {})
    return bool(seen.case.sources) and any(
        row["future_cost"] <= 0 for key, row in costs.items() if key[1] != last)


def repeats_a_column(seen):
    if "pass_lp failed" not in seen.outcomes[1].message:
        return False
    for constraint in constraints(seen.case)["constraints"]:
        variables = variables_of(seen.case, constraint)
        if len(bounds.without_repeats(variables)) < len(variables):
            return True
    return False


RULES = (
    Rule("another vertex", ("decisions",), "the first stage has several optimal decisions; its value is the same",
         only_decisions, "neither", is_note=True),
    Rule("halton point 0", ("openings", "inflows", "bound", "value", "costs", "decisions"),
         "Cobre's first Halton point lies at -8.21 deviations in every dimension; ours starts at point 1",
         has_halton),
    Rule("clipped credit", ("bound", "value", "costs", "decisions"),
         "generation of sources is a credit, and a future cost below zero is taken for zero", credit_is_clipped),
    Rule("free deficit column", ("bound", "value", "costs", "decisions"),
         "bus_deficit of a bus with fewer deficit segments than the longest has a column without bounds or cost",
         short_bus_in_constraint),
    Rule("column twice", ("status",), "a constraint that holds a column of the LP twice ends in a panic",
         repeats_a_column),
)


def find(seen):
    """The first rule that explains a difference, or None."""
    for rule in RULES:
        if seen.difference.kind in rule.kinds and rule.applies(seen):
            return rule
    return None
