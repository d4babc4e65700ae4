"""Tables that override limits and costs by stage and block, and generic constraints."""

import re

from features import feature
from system import a_hydro


def cells(case, dice, with_blocks=True):
    """(stage, block or None) of some stages; now and then a row of a block beside the row of the stage."""
    for stage in dice.some(case.stages):
        if dice.chance(0.8) or not with_blocks:
            yield stage["id"], None
        if with_blocks and dice.chance(0.4):
            yield stage["id"], dice.pick(stage["blocks"])["id"]


@feature("bounds")
def thermal_bounds(case, dice):
    """Limits and costs of thermals by stage and block."""
    if not case.thermals:
        return False
    for thermal in dice.some(case.thermals):
        for stage, block in cells(case, dice):
            row = {"thermal_id": thermal["id"], "stage_id": stage, "block_id": block}
            most = dice.number(5, 90)
            if dice.chance(0.7):
                row["max_generation_mw"] = most
                row["min_generation_mw"] = dice.pick([0.0, round(most * dice.number(0, 0.8), 2)])
            if block is None and dice.chance(0.6):
                row["cost_per_mwh"] = dice.number(5, 400)
            case.rows("constraints/thermal_bounds.parquet").append(row)


HYDRO_LIMITS = {  # name -> (with blocks, value by plant)
    "min_turbined_m3s": (True, lambda h, d: d.number(0, 0.5 * h["generation"]["max_turbined_m3s"])),
    "max_turbined_m3s": (True, lambda h, d: d.number(0.5, 1) * h["generation"]["max_turbined_m3s"]),
    "min_storage_hm3": (False, lambda h, d: d.number(0, 0.3 * h["reservoir"]["max_storage_hm3"])),
    "max_storage_hm3": (False, lambda h, d: d.number(0.7, 1) * h["reservoir"]["max_storage_hm3"]),
    "min_outflow_m3s": (True, lambda h, d: d.number(0, 30)),
    "max_outflow_m3s": (True, lambda h, d: d.number(30, 90)),
    "min_generation_mw": (True, lambda h, d: d.number(0, 0.5 * h["generation"]["max_generation_mw"])),
    "max_generation_mw": (True, lambda h, d: d.number(0.5, 1) * h["generation"]["max_generation_mw"]),
    "min_spillage_m3s": (True, lambda h, d: d.number(0, 3)),
    "max_spillage_m3s": (True, lambda h, d: d.number(200, 900)),
    "water_withdrawal_m3s": (False, lambda h, d: d.number(-5, 12)),
}


@feature("bounds", 2)
def hydro_bounds(case, dice):
    """Limits of plants by stage and block, withdrawals among them."""
    for hydro in dice.some(case.hydros):
        chosen = dice.some(HYDRO_LIMITS)[:4]
        for stage, block in cells(case, dice):
            row = {"hydro_id": hydro["id"], "stage_id": stage, "block_id": block}
            for name in chosen:
                by_block, value = HYDRO_LIMITS[name]
                if by_block or block is None:
                    row[name] = round(value(hydro, dice), 2)
            if "diversion" in hydro and dice.chance(0.5):
                row["max_diversion_m3s"] = dice.number(4, 50)
                row["min_diversion_m3s"] = dice.pick([0.0, dice.number(0, 4)])
            if len(row) > 3:
                case.rows("constraints/hydro_bounds.parquet").append(row)
    return bool(case.tables.get("constraints/hydro_bounds.parquet"))


@feature("bounds")
def withdrawals(case, dice):
    """Water taken out of or given back to rivers."""
    hydro = a_hydro(case, dice) if case.hydros else None
    if hydro is None or case.find_rows("constraints/hydro_bounds.parquet"):
        return False
    for stage in case.stages:
        case.rows("constraints/hydro_bounds.parquet").append(
            {"hydro_id": hydro["id"], "stage_id": stage["id"], "water_withdrawal_m3s": dice.number(-6, 25)})


@feature("bounds", needs=["network"])
def line_bounds(case, dice):
    """Limits of lines by stage and block."""
    for line in dice.some(case.lines):
        for stage, block in cells(case, dice):
            row = {"line_id": line["id"], "stage_id": stage, "block_id": block, "direct_mw": dice.number(0, 70)}
            if dice.chance(0.6):
                row["reverse_mw"] = dice.number(0, 70)
            case.rows("constraints/line_bounds.parquet").append(row)
    return bool(case.tables.get("constraints/line_bounds.parquet"))


@feature("bounds", 0.7)
def group_bounds(case, dice):
    """Limits of unit groups by stage and block."""
    for hydro in dice.some(case.hydros):
        for group in dice.some(hydro["unit_groups"]):
            for stage, block in cells(case, dice):
                row = {"hydro_id": hydro["id"], "hydro_unit_group_id": group["id"], "stage_id": stage,
                       "block_id": block}
                for key in dice.some(["turbined_m3s", "generation_mw"]):
                    row["max_" + key] = round(group["max_" + key] * dice.number(0.4, 1), 2)
                    row["min_" + key] = dice.pick([0.0, round(row["max_" + key] * dice.number(0, 0.5), 2)])
                case.rows("constraints/hydro_unit_group_bounds.parquet").append(row)
    return bool(case.tables.get("constraints/hydro_unit_group_bounds.parquet"))


@feature("bounds", 0.8, needs=["sources"])
def source_bounds(case, dice):
    """Availabilities of sources without noise, by stage."""
    quiet = [s for s in case.sources if not case.find_rows("scenarios/non_controllable_stats.parquet", ncs_id=s["id"])]
    for source in dice.some(quiet):
        for stage in dice.some(case.stages):
            case.rows("constraints/ncs_bounds.parquet").append(
                {"ncs_id": source["id"], "stage_id": stage["id"],
                 "available_generation_mw": round(source["max_generation_mw"] * dice.number(0, 1.2), 2)})
    return bool(case.tables.get("constraints/ncs_bounds.parquet"))


@feature("bounds", 1.2)
def penalties_by_stage(case, dice):
    """Costs of buses, lines, plants and sources by stage."""
    found = False
    keys = ["spillage_cost", "turbined_cost", "diversion_cost", "turbined_violation_below_cost",
            "outflow_violation_below_cost", "outflow_violation_above_cost", "generation_violation_below_cost",
            "evaporation_violation_cost", "water_withdrawal_violation_cost", "evaporation_violation_pos_cost",
            "evaporation_violation_neg_cost", "water_withdrawal_violation_pos_cost",
            "water_withdrawal_violation_neg_cost", "inflow_nonnegativity_cost"]
    for name, key, entities, costs in (
            ("bus", "bus_id", case.buses, ["excess_cost"]), ("line", "line_id", case.lines, ["exchange_cost"]),
            ("hydro", "hydro_id", case.hydros, keys), ("ncs", "ncs_id", case.sources, ["curtailment_cost"])):
        if not entities or not dice.chance(0.6):
            continue
        for entity in dice.some(entities):
            for stage in dice.some(case.stages):
                row = {key: entity["id"], "stage_id": stage["id"]}
                for cost in dice.some(costs)[:3]:
                    small = cost in ("excess_cost", "exchange_cost", "spillage_cost", "turbined_cost",
                                     "diversion_cost", "curtailment_cost")
                    row[cost] = dice.number(0.001, 0.5, 3) if small else dice.number(300, 6000, 0)
                case.rows(f"constraints/penalty_overrides_{name}.parquet").append(row)
                found = True
    return found


# Generic constraints


def variables(case):
    """name(id) of everything that a constraint may speak of, without blocks."""
    out = [f"thermal_generation({t['id']})" for t in case.thermals]
    out += [f"{name}({h['id']})" for h in case.hydros for name in (
        "hydro_storage", "hydro_turbined", "hydro_spillage", "hydro_outflow", "hydro_generation",
        "hydro_storage_initial", "hydro_storage_final", "hydro_useful_volume_initial",
        "hydro_useful_volume_final", "hydro_inflow")]
    out += [f"hydro_diversion({h['id']})" for h in case.hydros if "diversion" in h]
    out += [f"hydro_evaporation({h['id']})" for h in case.hydros if "evaporation" in h]
    out += [f"{name}({line['id']})" for line in case.lines for name in (
        "line_direct", "line_reverse", "line_exchange")]
    out += [f"{name}({bus['id']})" for bus in case.buses for name in ("bus_deficit", "bus_excess")]
    return out


COLUMNS = {  # variables that stand on the same columns of the LP
    "hydro_turbined": "q", "hydro_generation": "q", "hydro_spillage": "s", "hydro_outflow": "qs",
    "hydro_storage": "v", "hydro_storage_final": "v", "hydro_useful_volume_final": "v",
    "hydro_storage_initial": "i", "hydro_useful_volume_initial": "i",
    "line_direct": "d", "line_reverse": "r", "line_exchange": "dr", "hydro_inflow": "qsu", "hydro_diversion": "u",
}


def parse_variable(variable):
    name, entity = re.match(r"(\w+)\((\d+)", variable).groups()
    return name, entity


def share_a_column(first, second):
    """Whether two variables stand on a column of the LP that is the same."""
    (a, i), (b, j) = parse_variable(first), parse_variable(second)
    if a not in COLUMNS or b not in COLUMNS:
        return (a, i) == (b, j)
    if "hydro_inflow" not in (a, b) and (i != j or a[:4] != b[:4]):
        return False
    return bool(set(COLUMNS[a]) & set(COLUMNS[b]))  # the inflow of a plant holds the releases of those above


def without_repeats(names):
    """The variables but those that touch a column of an earlier one: Cobre panics at a column twice in a row."""
    out = []
    for name in names:
        if not any(share_a_column(name, other) for other in out):
            out.append(name)
    return out


def expression(dice, names, parts):
    """A sum of variables; some of them by a group or by a named expression."""
    chosen = dice.shuffled(names)[:dice.integer(1, 3)]
    if dice.chance(0.95):
        chosen = without_repeats(chosen)
    terms = [f"{dice.pick([1, 1, dice.number(0.1, 3)])} * {name}" for name in chosen]
    text = terms[0]
    for term in terms[1:]:
        text += dice.pick([" + ", " - "]) + term
    if dice.chance(0.15):
        text = f"{dice.number(0.2, 2)} * ({text})"
    if parts and dice.chance(0.3):
        text += f" + @{dice.pick(parts)}"
    return text


@feature("bounds", 2)
def generic_constraints(case, dice):
    """Linear constraints on anything, with slack, as bounds by stage and block or as relations."""
    names = variables(case)
    if not names:
        return False
    document = {"constraints": []}
    parts = []
    if dice.chance(0.3):
        parts = ["part"]
        # its variables appear in no other place: the same column twice in a row panics there
        own = without_repeats(dice.shuffled(names)[:2])
        names = [name for name in names if len(without_repeats([*own, name])) > len(own)]
        document["expressions"] = [{"name": "part", "expression": " + ".join(own)}]
        if not names:
            return False
    rows = case.rows("constraints/generic_constraint_bounds.parquet")
    for number in range(dice.integer(1, 3)):
        text = expression(dice, names, parts)
        is_relation = dice.chance(0.3)
        if is_relation:
            text += dice.pick([" <= ", " >= ", " == "]) + str(dice.number(0, 80))
        document["constraints"].append({"id": number, "name": f"C{number}", "expression": text, "slack": {
            "enabled": True, "penalty": dice.number(1, 500)}})
        for stage in dice.some(case.stages):
            block = dice.pick(stage["blocks"])["id"] if dice.chance(0.3) else None
            low = dice.number(-20, 60)
            high = round(low + dice.number(0, 60), 2)
            low, high = dice.pick([(low, None), (None, high), (low, high), (low, low)])
            if is_relation:
                low, high = None, None
            rows.append({"constraint_id": number, "stage_id": stage["id"], "block_id": block, "bound_lower": low,
                         "bound_upper": high})
    case.documents["constraints/generic_constraints.json"] = document
