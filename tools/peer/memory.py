"""Whether a case has inflows with memory of a kind for which known.py has a rule; each takes what the rules may see."""

STATISTICS = "scenarios/inflow_seasonal_stats.parquet"
COEFFICIENTS = "scenarios/inflow_ar_coefficients.parquet"
ANNUAL = "scenarios/inflow_annual_component.parquet"
HISTORY = "scenarios/inflow_history.parquet"


def non_negativity(case):
    return case.config.get("modeling", {}).get("inflow_non_negativity", {}).get("method", "penalty")


def lacks_statistics(seen):
    """A lag of given coefficients falls on a month before the study that has no row of statistics."""
    case = seen.case
    first = case.stages[0]["id"]
    return any(row["stage_id"] - row["lag"] < first and not case.find_rows(
        STATISTICS, hydro_id=row["hydro_id"], stage_id=row["stage_id"] - row["lag"])
        for row in case.tables.get(COEFFICIENTS, []))


def declared_past(case):
    """Numbers of the stages before the study, the last first."""
    past = case.documents["stages.json"].get("pre_study_stages") or []
    return [stage["id"] for stage in sorted(past, key=lambda stage: stage["start_date"], reverse=True)]


def number_before(case, place, lag):
    """Number of the stage `lag` places before: of the study, declared, or counted back from the next that is."""
    numbers = [stage["id"] for stage in reversed(case.stages[:place])] + declared_past(case)
    if lag <= len(numbers):
        return numbers[lag - 1]
    return (numbers or [case.stages[0]["id"]])[-1] - (lag - len(numbers))


def lags_read(seen):
    """(hydro, place of the stage, lag) of coefficients, given or fitted; a yearly mean reads twelve."""
    case = seen.case
    places = {stage["id"]: place for place, stage in enumerate(case.stages)}
    fitted = (seen.results[0] or {}).get("stochastic", {})
    given = [(row["hydro_id"], row["stage_id"], row["lag"]) for row in case.tables.get(COEFFICIENTS, [])]
    for hydro, stage, lag in given + list(fitted.get("inflow_ar_coefficients", [])):
        if stage in places:
            yield hydro, places[stage], lag
    given = [(row["hydro_id"], row["stage_id"]) for row in case.tables.get(ANNUAL, [])]
    for hydro, stage in given + list(fitted.get("inflow_annual_component", [])):
        if stage in places:
            yield from ((hydro, places[stage], lag) for lag in range(1, 13))


def numbers_leave_gaps(seen):
    """A lag spans a gap in the numbers of the stages; Cobre may refuse what it finds then."""
    case = seen.case
    if seen.difference.kind == "status" and (seen.outcomes[0].status != "ok"
                                             or "residual_std_ratio is non-finite" not in seen.outcomes[1].message):
        return False
    return any(case.stages[place]["id"] - lag != number_before(case, place, lag)
               for _, place, lag in lags_read(seen))


def fits_declared_months(seen):
    """Fitted rows of declared months before the study that Cobre refuses itself: it numbers months back from the
    first stage, though one of that number is declared, or has coefficients without the study's statistics."""
    case, message = seen.case, seen.outcomes[1].message
    past = declared_past(case)
    if seen.outcomes[0].status != "ok" or not past or not case.tables.get(HISTORY):
        return False
    if "duplicate row for" in message:
        return past[0] != case.stages[0]["id"] - 1
    return "orphaned AR coefficients" in message and bool(case.tables.get(STATISTICS))


def is_random(case, hydro, place):
    """Whether paths differ in a plant's inflow of a stage of the study."""
    stage = case.stages[place]
    rows = case.find_rows(STATISTICS, hydro_id=hydro, stage_id=stage["id"])
    given = STATISTICS in case.tables
    return stage["num_openings"] > 1 and (not given or any(row["std_m3s"] > 0 for row in rows))


def forgets_lags(seen):
    """Cuts before a stage leave out lags that it or a later one reads, and that differ between paths."""
    case = seen.case
    forgetful = [place for place, stage in enumerate(case.stages)
                 if place > 0 and not stage.get("state_variables", {}).get("inflow_lags", False)]
    return any(0 <= place - lag < start <= place and is_random(case, hydro, place - lag)
               for start in forgetful for hydro, place, lag in lags_read(seen))


def has_truncated_memory(seen):
    """Inflows that remember are cut off at zero after the first stage; Cobre's bound is the higher one."""
    case = seen.case
    if not non_negativity(case).startswith("truncation"):
        return False
    inflows = seen.results[0]["simulation"].get("hydros", {})
    dry = {(key[3], key[1]) for key, row in inflows.items() if row["incremental_inflow_m3s"] == 0}
    bound = next((d for d in seen.differences if d.kind == "bound"), None)
    return bound is not None and bound.theirs > bound.ours and any(
        (hydro, case.stages[place]["id"]) in dry and place > 0 for hydro, place, _ in lags_read(seen))


def reaches_past_the_fit(seen):
    """A yearly mean reaches twelve months back; Cobre has moments of the study's and lag months only."""
    case = seen.case
    estimation = case.config.get("estimation", {})
    return (bool(case.tables.get(HISTORY))
            and not case.tables.get(COEFFICIENTS)
            and estimation.get("order_selection") == "pacf_annual"
            and len(case.stages) + estimation["max_order"] < 12)


def wraps_lags(seen):
    """A fitted month's lag falls before January, and Cobre counts it back from the latest month fitted, not from
    December: 4 months before April is September where months from March to September are fitted."""
    case = seen.case
    estimation = case.config.get("estimation", {})
    if (not case.tables.get(HISTORY)
            or case.tables.get(COEFFICIENTS) or "max_order" not in estimation):
        return False
    study = [stage["season_id"] for stage in case.stages]
    fitted = set(study) | {(study[0] - back) % 12 for back in range(1, estimation["max_order"] + 1)}
    count = max(fitted) + 1
    return count < 12 and any((month - lag) % count in fitted
                              for month in fitted for lag in range(month + 1, estimation["max_order"] + 1))


def has_no_yearly_process(seen):
    """Ours fits all months of the record and finds no process; Cobre closes over the study's and lag months."""
    return (reaches_past_the_fit(seen) and seen.outcomes[1].status == "ok"
            and "no process has the coefficients fitted" in seen.outcomes[0].message)
