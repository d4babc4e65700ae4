"""Stages: calendar, blocks, discount, risk, seasons."""

import datetime

from features import feature

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")


def month_after(date, count=1):
    month = date.month - 1 + count
    return datetime.date(date.year + month // 12, month % 12 + 1, 1)


def start_of(stage):
    return datetime.date.fromisoformat(stage["start_date"])


def end_of(stage):
    return datetime.date.fromisoformat(stage["end_date"])


def make_stage(number, start, end, openings):
    hours = (end - start).days * 24.0
    return {"id": number, "start_date": start.isoformat(), "end_date": end.isoformat(),
            "blocks": [{"id": 0, "name": "B0", "hours": hours}], "num_openings": openings}


def begin(case, dice):
    """A chain of one to four months, with or without noise."""
    start = datetime.date(dice.integer(2023, 2025), dice.integer(1, 12), 1)
    is_random = dice.chance(0.7)
    stages = []
    for number in range(dice.pick([2, 2, 2, 3, 3, 3, 4])):
        end = month_after(start)
        stages.append(make_stage(number, start, end, dice.integer(2, 3) if is_random else 1))
        start = end
    case.documents["stages.json"] = {
        "policy_graph": {"type": "finite_horizon", "annual_discount_rate": 0.0}, "stages": stages}


def add_monthly_seasons(case):
    """The twelve months, and each stage's own."""
    document = case.documents["stages.json"]
    if "season_definitions" not in document:
        document["season_definitions"] = {"cycle_type": "monthly", "seasons": [
            {"id": i, "month_start": i + 1, "label": name} for i, name in enumerate(MONTHS)]}
        for stage in document["stages"]:
            stage["season_id"] = start_of(stage).month - 1


def is_monthly(case):
    """Whether every stage is a whole month and seasons, if any, are months."""
    document = case.documents["stages.json"]
    if document.get("season_definitions", {}).get("cycle_type", "monthly") != "monthly":
        return False
    return all(start_of(stage).day == 1 and end_of(stage) == month_after(start_of(stage))
               and stage.get("season_id", start_of(stage).month - 1) == start_of(stage).month - 1
               for stage in document["stages"])


@feature("horizon", 2)
def blocks(case, dice):
    """Parallel blocks, as many in each stage or not; their hours sum to the stage's."""
    same = dice.integer(2, 3)
    for stage in case.stages:
        count = same if dice.chance(0.8) else dice.integer(1, 3)
        total = sum(block["hours"] for block in stage["blocks"])
        shares = [dice.number(0.2, 1) for _ in range(count)]
        stage["blocks"] = [{"id": i, "name": f"B{i}", "hours": round(total * share / sum(shares), 1)}
                           for i, share in enumerate(shares)]


@feature("horizon", 0.5)
def hours_beside_the_calendar(case, dice):
    """Block hours that are not those of the dates."""
    for stage in case.stages:
        for block in stage["blocks"]:
            block["hours"] = round(block["hours"] * dice.number(0.7, 1.2), 0)


@feature("horizon", 0.3)
def one_chronological_block(case, dice):
    """Chronological stages of one block, which are the same as parallel ones."""
    for stage in case.stages:
        if len(stage["blocks"]) == 1 and dice.chance(0.7):
            stage["block_mode"] = "chronological"


@feature("horizon")
def discount(case, dice):
    """An annual rate, with overrides by stage and by transition."""
    graph = case.documents["stages.json"]["policy_graph"]
    graph["annual_discount_rate"] = dice.number(0.01, 0.3, 3)
    if dice.chance(0.5):
        ids = [stage["id"] for stage in case.stages]
        graph["transitions"] = [{"source_id": a, "target_id": b, "probability": 1.0} for a, b in zip(ids, ids[1:])]
        for transition in graph["transitions"]:
            if dice.chance(0.4):
                transition["annual_discount_rate_override"] = dice.number(0, 0.4, 3)
    if dice.chance(0.4):
        for stage in dice.some(case.stages):
            stage["annual_discount_rate_override"] = dice.number(0, 0.4, 3)


@feature("horizon")
def cvar(case, dice):
    """Risk measures, different by stage."""
    for stage in case.stages:
        if dice.chance(0.8):
            stage["risk_measure"] = {"cvar": {"alpha": dice.pick([0.1, 0.3, 0.5, 0.75, 1.0]),
                                              "lambda": dice.pick([0.0, 0.2, 0.5, 1.0])}}
        else:
            stage["risk_measure"] = "expectation"


@feature("horizon", 0.6)
def stage_numbers(case, dice):
    """Stage ids that start late or leave gaps."""
    number = dice.integer(0, 3)
    renamed = {}
    for stage in case.stages:
        renamed[stage["id"]] = number
        stage["id"] = number
        number += dice.pick([1, 1, 1, 2, 4])
    for transition in case.documents["stages.json"]["policy_graph"].get("transitions", []):
        transition["source_id"] = renamed[transition["source_id"]]
        transition["target_id"] = renamed[transition["target_id"]]


@feature("horizon", 0.6)
def weeks(case, dice):
    """Weekly stages, with weekly seasons or without any."""
    start = datetime.date.fromisocalendar(dice.integer(2023, 2025), dice.integer(2, 46), 1)
    for stage in case.stages:
        end = start + datetime.timedelta(days=7)
        stage.update(start_date=start.isoformat(), end_date=end.isoformat())
        total = sum(block["hours"] for block in stage["blocks"])
        for block in stage["blocks"]:
            block["hours"] = round(block["hours"] * 168 / total, 1)
        stage.pop("season_id", None)
        start = end
    document = case.documents["stages.json"]
    document.pop("season_definitions", None)
    if dice.chance(0.6):
        document["season_definitions"] = {"cycle_type": "weekly", "seasons": [
            {"id": i, "month_start": min(12, i // 4 + 1), "label": f"W{i + 1}"} for i in range(52)]}
        for stage in case.stages:
            stage["season_id"] = start_of(stage).isocalendar().week - 1


@feature("horizon", 0.4)
def half_months(case, dice):
    """Two stages in each month, which share the month's season and so its noise."""
    if not is_monthly(case):
        return False
    start = start_of(case.stages[0])
    while len(case.stages) < 2:
        case.stages.append(make_stage(max(s["id"] for s in case.stages) + 1, start, start, 2))
    for i, stage in enumerate(case.stages):
        first = month_after(start, i // 2)
        middle = first.replace(day=16)
        begins, ends = (first, middle) if i % 2 == 0 else (middle, month_after(first))
        hours = (ends - begins).days * 24.0
        total = sum(block["hours"] for block in stage["blocks"]) or 1
        stage.update(start_date=begins.isoformat(), end_date=ends.isoformat())
        for block in stage["blocks"]:
            block["hours"] = round(block["hours"] * hours / total, 1) if total > 1 else hours
    openings = case.stages[0]["num_openings"]
    if dice.chance(0.7):
        for stage in case.stages:
            stage["num_openings"] = openings
    case.documents["stages.json"].pop("season_definitions", None)
    add_monthly_seasons(case)


@feature("horizon", 0.4)
def custom_seasons(case, dice):
    """Seasons by ranges of days: quarters, or dry and wet, with the stages as they are."""
    document = case.documents["stages.json"]
    if "season_definitions" in document or not is_monthly(case):
        return False
    size = dice.pick([1, 3, 6])
    if size > 1:  # stages of one season must be about as long as each other, so they stay months
        seasons = [{"id": i, "label": f"S{i}", "month_start": i * size + 1, "day_start": 1,
                    "month_end": i * size + size, "day_end": 31} for i in range(12 // size)]
    else:
        seasons = [{"id": i, "label": MONTHS[i], "month_start": i + 1, "day_start": 1, "month_end": i + 1,
                    "day_end": 31} for i in range(12)]
    document["season_definitions"] = {"cycle_type": "custom", "seasons": seasons}
    for stage in case.stages:
        stage["season_id"] = (start_of(stage).month - 1) // size


@feature("horizon", 0.7)
def sampling_methods(case, dice):
    """Openings by Latin hypercube, Sobol or Halton points."""
    method = dice.pick(["lhs", "lhs", "qmc_sobol", "qmc_sobol", "qmc_halton"])
    for stage in case.stages:
        stage["sampling_method"] = method if dice.chance(0.8) else "saa"
        stage["num_openings"] = dice.pick([2, 3, 4])


@feature("horizon", 0.5)
def openings_by_stage(case, dice):
    """Another number of openings in each stage."""
    for stage in case.stages:
        stage["num_openings"] = dice.integer(1, 5)


@feature("horizon", 0.3)
def past_stages(case, dice):
    """Declared stages before the study."""
    if not is_monthly(case):
        return False
    add_monthly_seasons(case)
    first = start_of(case.stages[0])
    past = []
    for i in range(dice.integer(1, 3), 0, -1):
        start = month_after(first, -i)
        past.append({"id": -i, "start_date": start.isoformat(), "end_date": month_after(start).isoformat(),
                     "season_id": start.month - 1})
    case.documents["stages.json"]["pre_study_stages"] = past


