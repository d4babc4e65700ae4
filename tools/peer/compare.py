"""Compares two results. A difference says what kind it is, where it is largest, and both values.

Kinds, in the order in which they are looked at; a case is called by its first:
  status      one program ran and the other did not, or for another reason
  openings    noise of the tree, statistics or coefficients that were estimated
  inflows     realised inflows of the simulation; loads and availabilities likewise
  bound       the final lower bound
  value       cost + future cost of the first stage, at the same noise
  decisions   of the first stage, where its value is the same: another optimal vertex
  costs       discounted cost of a scenario, in a case without noise
"""

from dataclasses import dataclass

PROCESS_TOLERANCE = 1e-7
BOUND_TOLERANCE = 1e-6
DECISION_TOLERANCE = 1e-5

KINDS = ("status", "openings", "inflows", "bound", "value", "decisions", "costs")


@dataclass
class Difference:
    kind: str
    where: str
    ours: object
    theirs: object
    size: float = 0.0

    def text(self):
        return f"{self.kind} {self.where}: Lockstep {self.ours}, Cobre {self.theirs}"


def distance(a, b, floor=1.0):
    """Relative to the larger, absolute below the floor."""
    if a is None or b is None:
        return 0.0 if a is b else float("inf")
    return abs(a - b) / max(floor, abs(a), abs(b))


def worst(kind, pairs, tolerance):
    """The largest distance of (where, ours, theirs), if it is above the tolerance."""
    found = None
    for where, a, b in pairs:
        size = distance(a, b)
        if not size <= tolerance and (found is None or size > found.size):
            found = Difference(kind, where, a, b, size)
    return found


def cells(ours, theirs, name, columns=None):
    """Values of a table at the keys that both have, and a mark for keys that only one has."""
    for key in sorted(set(ours) | set(theirs), key=str):
        a, b = ours.get(key), theirs.get(key)
        if a is None or b is None:
            yield f"{name} {key}", None if a is None else 1.0, None if b is None else 1.0
            continue
        for column in columns or [c for c in a if c in b]:
            yield f"{name}.{column} {key}", a.get(column), b.get(column)


def compare_openings(ours, theirs):
    for name in ("inflow_seasonal_stats", "inflow_ar_coefficients", "inflow_annual_component", "noise_openings"):
        a, b = ours["stochastic"].get(name, {}), theirs["stochastic"].get(name, {})
        if found := worst("openings", cells(a, b, name), PROCESS_TOLERANCE):
            return found
    return None


REALISED = (("hydros", "incremental_inflow_m3s"), ("buses", "load_mw"), ("non_controllables", "available_mw"))


def compare_realised(ours, theirs):
    for table, column in REALISED:
        a, b = ours["simulation"].get(table, {}), theirs["simulation"].get(table, {})
        if found := worst("inflows", cells(a, b, table, [column]), PROCESS_TOLERANCE):
            return found
    return None


def comparable_bound(result):
    """Cobre's objective counts what sources generate as a credit, ours what they do not as a cost."""
    return result["bounds"][-1] - result["curtailment_constant"]


def is_settled(result):
    """Whether the bound has stopped to rise for a third of the iterations."""
    bounds = result["bounds"]
    before = bounds[-1 - max(1, len(bounds) // 3)] if len(bounds) > 1 else bounds[-1]
    return distance(bounds[-1], before) < BOUND_TOLERANCE / 10


def compare_bound(ours, theirs):
    pair = ("final", comparable_bound(ours), comparable_bound(theirs))
    return worst("bound", [pair], BOUND_TOLERANCE)


def first_stage(case):
    return case.stages[0]["id"]


def curtailment_cost(case, source, stage):
    """$/MWh of a source at a stage."""
    for row in case.find_rows("constraints/penalty_overrides_ncs.parquet", ncs_id=source["id"], stage_id=stage):
        if row.get("curtailment_cost") is not None:
            return row["curtailment_cost"]
    return source.get("curtailment_cost", case.penalties["non_controllable_source"]["curtailment_cost"])


def available_value(case, result, scenario, stage):
    """Curtailing all that is available: what lies between the two programs' costs of a stage."""
    hours = {block["id"]: block["hours"] for s in case.stages if s["id"] == stage["id"] for block in s["blocks"]}
    total = 0.0
    for source in case.sources:
        price = curtailment_cost(case, source, stage["id"])
        for block, length in hours.items():
            row = result["simulation"].get("non_controllables", {}).get((scenario, stage["id"], block, source["id"]))
            total += price * length * (row["available_mw"] if row else 0.0)
    return total


def has_random_sources(case):
    return any(row["std"] > 0 for row in case.tables.get("scenarios/non_controllable_stats.parquet", []))


def scenarios(result):
    return sorted({key[0] for key in result["simulation"].get("costs", {})})


def draws_afresh(case):
    """Whether the simulation meets noise that is not in the tree."""
    source = case.config["simulation"].get("scenario_source", case.config["training"].get("scenario_source", {}))
    return any(scheme.get("scheme") == "out_of_sample" for scheme in source.values() if isinstance(scheme, dict))


def compare_values(case, ours, theirs):
    """Of the first stage, at openings that training knows; the credit of random sources is not known here."""
    if has_random_sources(case) or draws_afresh(case):
        return None
    stage, pairs = first_stage(case), []
    for scenario in scenarios(ours):
        a, b = (r["simulation"]["costs"].get((scenario, stage)) for r in (ours, theirs))
        if a is None or b is None:
            return Difference("value", f"costs of scenario {scenario}", a, b, float("inf"))
        pairs.append((f"scenario {scenario}", a["immediate_cost"] + a["future_cost"] - ours["curtailment_constant"],
                      b["immediate_cost"] + b["future_cost"]))
    return worst("value", pairs, BOUND_TOLERANCE)


DECISIONS = (("thermals", "generation_mw"), ("hydros", "turbined_m3s"), ("hydros", "spillage_m3s"),
             ("hydros", "evaporation_m3s"), ("hydros", "storage_final_hm3"), ("hydros", "generation_mw"),
             ("buses", "deficit_mw"), ("buses", "excess_mw"), ("exchanges", "net_flow_mw"),
             ("non_controllables", "generation_mw"))


def compare_decisions(case, ours, theirs):
    stage = first_stage(case)
    for table, column in DECISIONS:
        parts = [{key: row for key, row in result["simulation"].get(table, {}).items() if key[1] == stage}
                 for result in (ours, theirs)]
        if found := worst("decisions", cells(*parts, table, [column]), DECISION_TOLERANCE):
            return found
    return None


def is_deterministic(case):
    return all(stage["num_openings"] == 1 for stage in case.stages) and not draws_afresh(case)


def scenario_cost(case, result, scenario, with_credit):
    total = 0.0
    for stage in case.stages:
        row = result["simulation"]["costs"][(scenario, stage["id"])]
        cost = row["immediate_cost"]
        if with_credit:
            cost -= available_value(case, result, scenario, stage)
        total += row["discount_factor"] * cost
    return total


def compare_costs(case, ours, theirs):
    """Of the simulated scenarios, where they can have one value only."""
    if not is_deterministic(case):
        return None
    if set(ours["simulation"]["costs"]) != set(theirs["simulation"]["costs"]):
        return None  # told as a value
    pairs = [(f"scenario {s}", scenario_cost(case, ours, s, True), scenario_cost(case, theirs, s, False))
             for s in scenarios(ours)]
    return worst("costs", pairs, BOUND_TOLERANCE)


def compare_results(case, ours, theirs):
    """All differences, the first of each kind."""
    found = [compare_openings(ours, theirs), compare_realised(ours, theirs), compare_bound(ours, theirs),
             compare_values(case, ours, theirs), compare_decisions(case, ours, theirs),
             compare_costs(case, ours, theirs)]
    return [difference for difference in found if difference]


def compare_outcomes(ours, theirs):
    """None, or how the two ends differ. A refusal is one whatever its words."""
    if ours.status == theirs.status:
        return None
    return Difference("status", "", f"{ours.status}: {ours.message[:800]}", f"{theirs.status}: {theirs.message[:800]}")


def may_settle(differences, results):
    """Whether more iterations may end a difference: bounds and values rise, draws and refusals stay."""
    kinds = {difference.kind for difference in differences}
    if not kinds & {"bound", "value", "costs"} or kinds & {"status", "openings", "inflows"}:
        return False
    return not all(is_settled(result) for result in results)
