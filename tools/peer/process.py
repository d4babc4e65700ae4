"""Loads, inflows and availabilities: statistics, memory, fitting, correlation, openings."""

import datetime
import math

import horizon
from features import feature
from system import a_hydro, add_hydro, add_source

LOADS = "scenarios/load_seasonal_stats.parquet"
INFLOWS = "scenarios/inflow_seasonal_stats.parquet"
COEFFICIENTS = "scenarios/inflow_ar_coefficients.parquet"
ANNUAL = "scenarios/inflow_annual_component.parquet"
HISTORY = "scenarios/inflow_history.parquet"
AVAILABILITIES = "scenarios/non_controllable_stats.parquet"
OPENINGS = "scenarios/noise_openings.parquet"


def begin(case, dice):
    """Loads near what the plants can make, and inflows with or without noise."""
    for bus in case.buses:
        mean = dice.number(30, 130)
        for stage in case.stages:
            case.rows(LOADS).append({"bus_id": bus["id"], "stage_id": stage["id"],
                                     "mean_mw": round(mean * dice.number(0.8, 1.2), 2), "std_mw": 0.0})
    for hydro in case.hydros:
        add_statistics(case, dice, hydro["id"])
    case.documents["config.json"]["modeling"] = {
        "inflow_non_negativity": {"method": dice.pick(["penalty", "penalty", "none", "truncation_with_penalty"])}}


def add_statistics(case, dice, hydro):
    mean, spread = dice.number(5, 60), dice.pick([0.0, 0.1, 0.2, 0.3])
    if not any(stage["num_openings"] > 1 for stage in case.stages):
        spread = dice.pick([0.0, 0.0, 0.1])
    for stage in case.stages:
        value = round(mean * dice.number(0.6, 1.4), 2)
        case.rows(INFLOWS).append({"hydro_id": hydro, "stage_id": stage["id"], "mean_m3s": value,
                                   "std_m3s": round(value * spread, 3)})


def statistics_of(case, hydro):
    return {row["stage_id"]: row for row in case.find_rows(INFLOWS, hydro_id=hydro)}


def past_months(case, count):
    """Start and end of the months before the study, the newest first."""
    first = horizon.start_of(case.stages[0]).replace(day=1)
    return [(horizon.month_after(first, -i), horizon.month_after(first, 1 - i)) for i in range(1, count + 1)]


def add_observations(case, dice, hydro, count, mean):
    """Monthly windows before the study."""
    observations = case.initial.setdefault("recent_observations", [])
    for start, end in past_months(case, count):
        observations.append({"hydro_id": hydro, "start_date": start.isoformat(), "end_date": end.isoformat(),
                             "value_m3s": round(max(0.1, mean * dice.number(0.6, 1.4)), 2)})


def with_lags(case, dice):
    for stage in case.stages:
        stage["state_variables"] = {"storage": True, "inflow_lags": True}


def can_remember(case):
    return (horizon.is_monthly(case) and case.hydros and HISTORY not in case.tables
            and COEFFICIENTS not in case.tables)


def stationary(dice, order):
    """Coefficients whose absolute values sum to less than one."""
    weights = [dice.number(0.1, 1) for _ in range(order)]
    total = dice.number(0.2, 0.9)
    return [round(total * weight / sum(weights) * dice.pick([1, 1, 1, -1]), 3) for weight in weights]


@feature("process", 2)
def par(case, dice):
    """Inflows with memory, PAR(p): orders by plant and stage, rows of statistics before the study or not."""
    if not can_remember(case):
        return False
    horizon.add_monthly_seasons(case)
    with_lags(case, dice)
    longest = dice.integer(1, 3)
    for hydro in case.hydros:
        rows = statistics_of(case, hydro["id"])
        mean = sum(row["mean_m3s"] for row in rows.values()) / len(rows)
        for row in rows.values():
            row["std_m3s"] = round(row["mean_m3s"] * dice.number(0.05, 0.3), 3)
        for i in range(1, longest + 1):
            case.rows(INFLOWS).append({"hydro_id": hydro["id"], "stage_id": -i,
                                       "mean_m3s": round(mean * dice.number(0.7, 1.3), 2),
                                       "std_m3s": round(mean * dice.number(0.05, 0.3), 3)})
        for stage in case.stages:
            order = dice.integer(0, longest)
            for lag, value in enumerate(stationary(dice, order), 1):
                case.rows(COEFFICIENTS).append({"hydro_id": hydro["id"], "stage_id": stage["id"], "lag": lag,
                                                "coefficient": value})
        add_observations(case, dice, hydro["id"], 3, mean)
    case.documents["stages.json"]["pre_study_stages"] = [
        {"id": -i, "start_date": start.isoformat(), "end_date": end.isoformat(), "season_id": start.month - 1}
        for i, (start, end) in reversed(list(enumerate(past_months(case, longest), 1)))]
    if case.stages[0]["id"] != 0:  # rows are looked up by number: these would not be the months before
        del case.documents["stages.json"]["pre_study_stages"]
        case.tables[INFLOWS] = [row for row in case.tables[INFLOWS] if row["stage_id"] >= 0]


@feature("process", 0.6, needs=["par"])
def coefficients_before_the_study(case, dice):
    """Rows of coefficients for declared stages before the study, as exports have them."""
    past = case.documents["stages.json"].get("pre_study_stages", [])
    if COEFFICIENTS not in case.tables or not past:
        return False
    for hydro in case.hydros:
        for stage in past:
            if case.find_rows(INFLOWS, hydro_id=hydro["id"], stage_id=stage["id"]) and dice.chance(0.7):
                for lag, value in enumerate(stationary(dice, dice.integer(1, 2)), 1):
                    case.rows(COEFFICIENTS).append({"hydro_id": hydro["id"], "stage_id": stage["id"], "lag": lag,
                                                    "coefficient": value})


@feature("process", 0.4, needs=["par"])
def no_statistics_before_the_study(case, dice):
    """Memory without rows of statistics before the study."""
    if COEFFICIENTS not in case.tables or HISTORY in case.tables:
        return False
    for path in (INFLOWS, COEFFICIENTS):
        case.tables[path] = [row for row in case.tables[path] if row["stage_id"] >= 0]


@feature("process", 0.8, needs=["par"])
def annual_component(case, dice):
    """PAR(p)-A: the mean of the last twelve months counts too."""
    if COEFFICIENTS not in case.tables or ANNUAL in case.tables or HISTORY in case.tables:
        return False
    for hydro in dice.some(case.hydros):
        rows = statistics_of(case, hydro["id"])
        mean = sum(row["mean_m3s"] for row in rows.values()) / len(rows)
        for stage in case.stages:
            if dice.chance(0.8):
                case.rows(ANNUAL).append({
                    "hydro_id": hydro["id"], "stage_id": stage["id"],
                    "annual_coefficient": dice.number(-0.15, 0.2, 3),
                    "annual_mean_m3s": round(mean, 3), "annual_std_m3s": round(mean * dice.number(0.1, 0.3), 3)})
    known = {(o["hydro_id"], o["start_date"]) for o in case.initial.get("recent_observations", [])}
    for hydro in case.hydros:
        for start, end in past_months(case, 12):
            if (hydro["id"], start.isoformat()) not in known:
                case.initial.setdefault("recent_observations", []).append(
                    {"hydro_id": hydro["id"], "start_date": start.isoformat(), "end_date": end.isoformat(),
                     "value_m3s": dice.number(3, 60)})


@feature("process", 0.4, needs=["par"])
def lags_are_no_states(case, dice):
    """Stages whose cuts may not use inflows."""
    if COEFFICIENTS not in case.tables and HISTORY not in case.tables:
        return False
    for stage in case.stages:
        if dice.chance(0.5):
            stage["state_variables"] = {"storage": True, "inflow_lags": False}


def record(dice, months):
    """A monthly series with seasons and memory."""
    mean = [dice.number(10, 60) for _ in range(12)]
    spread, memory = dice.number(0.1, 0.35), dice.number(0, 0.9)
    second = dice.number(-0.3, 0.2) if memory < 0.7 else 0.0
    values, last, before = [], 0.0, 0.0
    for i in range(months):
        noise = dice.normal() * math.sqrt(max(0.1, 1 - memory * memory))
        last, before = memory * last + second * before + noise, last
        values.append(round(mean[i % 12] * max(0.02, 1 + spread * last), 3))
    return values


@feature("process", 2)
def fitting(case, dice):
    """A process estimated from a record of monthly inflows, all of it or in part."""
    if not can_remember(case) or any(row["stage_id"] < 0 for row in case.rows(INFLOWS)):
        return False
    horizon.add_monthly_seasons(case)
    with_lags(case, dice)
    years = dice.pick([8, 15, 25, 40])
    ends = horizon.start_of(case.stages[0])
    first = datetime.date(ends.year - years, 1, 1)
    months = (ends.year - first.year) * 12 + ends.month - 1
    common = [0.4 * dice.normal() for _ in range(months)]
    for hydro in case.hydros:
        values = record(dice, months)
        share = dice.pick([0.0, 0.3])
        for i, value in enumerate(values):
            start = horizon.month_after(first, i)
            case.rows(HISTORY).append({
                "hydro_id": hydro["id"], "start_date": start.isoformat(),
                "end_date": horizon.month_after(start).isoformat(),
                "value_m3s": round(value * max(0.1, 1 + share * common[i]), 3)})
    kind = dice.pick(["full", "full", "full", "moments given", "coefficients given", "all given"])
    if kind in ("full", "coefficients given"):
        del case.tables[INFLOWS]
    for row in case.tables.get(INFLOWS, []):
        row["std_m3s"] = max(row["std_m3s"], round(row["mean_m3s"] * 0.1, 3))
    if kind in ("coefficients given", "all given"):
        for hydro in case.hydros:
            for stage in case.stages:
                for lag, value in enumerate(stationary(dice, dice.integer(1, 2)), 1):
                    case.rows(COEFFICIENTS).append({"hydro_id": hydro["id"], "stage_id": stage["id"], "lag": lag,
                                                    "coefficient": value})
    estimation = {"max_order": dice.integer(0, 6), "order_selection": dice.pick(["pacf", "pacf", "pacf_annual"]),
                  "min_observations_per_season": dice.pick([5, 30])}
    if dice.chance(0.2):
        estimation["max_coefficient_magnitude"] = dice.number(0.4, 1.5)
    case.config["estimation"] = estimation


@feature("process", 0.5, needs=["fitting"])
def more_stages_of_memory(case, dice):
    """A study of up to fourteen months for a process that is estimated."""
    if HISTORY not in case.tables or INFLOWS in case.tables or COEFFICIENTS in case.tables or len(case.stages) < 2:
        return False
    if [stage["id"] for stage in case.stages] != list(range(len(case.stages))):
        return False
    for _ in range(dice.integer(4, 10)):
        last = case.stages[-1]
        start = horizon.end_of(last)
        stage = horizon.make_stage(last["id"] + 1, start, horizon.month_after(start), 1)
        stage["blocks"] = [dict(block) for block in last["blocks"]]
        stage.update(season_id=start.month - 1, state_variables=dict(last["state_variables"]))
        case.stages.append(stage)
        for bus in case.buses:
            case.rows(LOADS).append({"bus_id": bus["id"], "stage_id": stage["id"], "mean_mw": dice.number(20, 100),
                                     "std_mw": 0.0})
    for stage in case.stages:
        stage["num_openings"] = 1


@feature("process", 0.5)
def negative_inflows(case, dice):
    """Inflows that are often below zero, under each of the methods."""
    if INFLOWS not in case.tables or not case.hydros:
        return False
    hydro = dice.pick(case.hydros)
    for row in case.find_rows(INFLOWS, hydro_id=hydro["id"]):
        row["mean_m3s"] = dice.number(-8, 8)
        row["std_m3s"] = dice.number(2, 12)
    case.config["modeling"]["inflow_non_negativity"]["method"] = dice.pick(
        ["penalty", "penalty", "truncation", "truncation_with_penalty", "truncation_with_penalty", "none"])


@feature("process", 1.2)
def load_noise(case, dice):
    """Loads with noise at some buses."""
    for bus in dice.some(case.buses):
        for row in case.find_rows(LOADS, bus_id=bus["id"]):
            row["std_mw"] = round(row["mean_mw"] * dice.number(0.02, 0.3), 3) if dice.chance(0.9) else 0.0


def factors(case, dice, key, entities):
    out = []
    for entity in dice.some(entities):
        for stage in dice.some(case.stages):
            out.append({key: entity["id"], "stage_id": stage["id"], "block_factors": [
                {"block_id": block["id"], "factor": dice.number(0.6, 1.3)}
                for block in dice.some(stage["blocks"])]})
    return out


@feature("process")
def load_factors(case, dice):
    """Loads by block."""
    case.documents["scenarios/load_factors.json"] = {"load_factors": factors(case, dice, "bus_id", case.buses)}


@feature("process", 0.8, needs=["sources"])
def availability_factors(case, dice):
    """Availabilities by block."""
    if not case.sources:
        return False
    case.documents["scenarios/non_controllable_factors.json"] = {
        "non_controllable_factors": factors(case, dice, "ncs_id", case.sources)}


@feature("process", 1.2)
def availability_noise(case, dice):
    """Sources whose availability is random."""
    if not case.sources:
        add_source(case, dice)
    for source in dice.some(case.sources):
        for stage in case.stages:
            case.rows(AVAILABILITIES).append({"ncs_id": source["id"], "stage_id": stage["id"],
                                              "mean": dice.number(0.1, 0.9), "std": dice.number(0.0, 0.3)})


def correlation_matrix(dice, size):
    """Positive definite: a sum of a factor and a diagonal."""
    load = [dice.number(-0.95, 0.95) for _ in range(size)]
    return [[1.0 if i == j else round(load[i] * load[j], 3) for j in range(size)] for i in range(size)]


def profile(case, dice):
    """Groups of some entities of each class."""
    groups = []
    classes = {"inflow": case.hydros, "load": [bus for bus in case.buses if any(
        row["std_mw"] > 0 for row in case.find_rows(LOADS, bus_id=bus["id"]))],
        "ncs": [s for s in case.sources if case.find_rows(AVAILABILITIES, ncs_id=s["id"])]}
    seen = set()  # Cobre refuses an id in two groups, of different classes too
    avoids_repeats = dice.chance(0.95)
    for kind, entities in classes.items():
        left = [entity for entity in entities if entity["id"] not in seen]
        members = dice.shuffled(dice.some(left, 2)) if len(left) > 1 else []
        if avoids_repeats:
            seen.update(entity["id"] for entity in members)
        if members:
            groups.append({"name": f"{kind} group", "entities": [{"type": kind, "id": e["id"]} for e in members],
                           "matrix": correlation_matrix(dice, len(members))})
    return {"correlation_groups": groups}


@feature("process", 1.2)
def correlation(case, dice):
    """Correlated noise within a class, by profiles and a schedule of them."""
    if len(case.hydros) < 2 and HISTORY not in case.tables and INFLOWS in case.tables:
        new = add_hydro(case, dice)
        add_statistics(case, dice, new)
        if COEFFICIENTS in case.tables:
            add_observations(case, dice, new, 12, 30)
    names = ["default"] + (["wet"] if dice.chance(0.4) else [])
    document = {"method": "spectral", "profiles": {name: profile(case, dice) for name in names}}
    if not all(p["correlation_groups"] for p in document["profiles"].values()):
        return False
    if len(names) > 1:
        document["schedule"] = [{"stage_id": stage["id"], "profile_name": dice.pick(names)}
                                for stage in dice.some(case.stages)]
    case.documents["scenarios/correlation.json"] = document


@feature("process", 0.7)
def openings_from_file(case, dice):
    """Noise of the backward pass from a file."""
    loads = [bus for bus in case.buses if any(r["std_mw"] > 0 for r in case.find_rows(LOADS, bus_id=bus["id"]))]
    sources = [s for s in case.sources if case.find_rows(AVAILABILITIES, ncs_id=s["id"])]
    size = len(case.hydros) + len(loads) + len(sources)
    if size == 0:
        return False
    for stage in case.stages:
        for opening in range(stage["num_openings"]):
            for entity in range(size):
                case.rows(OPENINGS).append({"stage_id": stage["id"], "opening_index": opening,
                                            "entity_index": entity, "value": dice.number(-1.5, 1.5, 3)})
    case.config["training"].setdefault("scenario_source", {})["openings"] = {"source": "file"}


@feature("process", 0.2)
def plants_without_inflow_rows(case, dice):
    """No inflow files at all: nothing flows in."""
    if HISTORY in case.tables or COEFFICIENTS in case.tables or OPENINGS in case.tables:
        return False
    if INFLOWS not in case.tables:
        return False
    del case.tables[INFLOWS]
