"""One thing wrong in a case that is right otherwise: both programs should refuse it."""

from features import feature
from process import INFLOWS, LOADS
from system import a_hydro

SHARE = 0.06  # of all cases


def wrong(function):
    """A mistake: registered, never chosen as one of several."""
    return feature("mistake")(function)


@wrong
def unknown_bus(case, dice):
    """A thermal on a bus that does not exist."""
    dice.pick(case.thermals)["bus_id"] = 99


@wrong
def id_twice(case, dice):
    """Two thermals with one id."""
    case.thermals.append(dict(dice.pick(case.thermals)))


@wrong
def negative_cost(case, dice):
    """A thermal that costs less than nothing."""
    dice.pick(case.thermals)["cost_per_mwh"] = -5.0


@wrong
def limits_crossed(case, dice):
    """A least generation above the most."""
    limits = dice.pick(case.thermals)["generation"]
    limits["min_mw"] = limits["max_mw"] + 1.0


@wrong
def unknown_key(case, dice):
    """A key that the format does not have."""
    dice.pick([case.config["training"], case.thermals[0], case.stages[0], case.penalties["hydro"]])["colour"] = 1


@wrong
def unknown_word(case, dice):
    """A word that is none of those allowed."""
    dice.pick(case.stages)["sampling_method"] = "dice"


@wrong
def missing_key(case, dice):
    """A required key left out."""
    holder, key = dice.pick([(case.penalties["hydro"], "spillage_cost"), (case.thermals[0], "cost_per_mwh"),
                             (case.config["training"], "selection"), (case.stages[0], "num_openings"),
                             (case.documents["stages.json"], "policy_graph")])
    del holder[key]


@wrong
def missing_file(case, dice):
    """A required file left out."""
    del case.documents[dice.pick(["penalties.json", "system/lines.json", "initial_conditions.json", "stages.json"])]


@wrong
def river_in_a_circle(case, dice):
    """A plant that is below itself."""
    hydro = a_hydro(case, dice)
    hydro["downstream_id"] = hydro["id"]


@wrong
def storage_crossed(case, dice):
    """Less room for water than the least storage."""
    reservoir = a_hydro(case, dice)["reservoir"]
    reservoir["min_storage_hm3"] = reservoir["max_storage_hm3"] + 1.0


@wrong
def statistics_with_a_hole(case, dice):
    """A stage without its row of inflow or load statistics."""
    path = dice.pick([path for path in (INFLOWS, LOADS) if case.tables.get(path)])
    last = case.stages[-1]["id"]
    case.tables[path] = [row for row in case.tables[path] if row["stage_id"] != last]


@wrong
def risk_out_of_range(case, dice):
    """A tail that is no share."""
    dice.pick(case.stages)["risk_measure"] = {"cvar": {"alpha": dice.pick([0.0, 1.5, -0.2]), "lambda": 0.5}}


@wrong
def block_without_hours(case, dice):
    """A block of no length."""
    dice.pick(case.stages)["blocks"][0]["hours"] = dice.pick([0.0, -24.0])


@wrong
def dates_crossed(case, dice):
    """A stage that ends before it starts."""
    stage = dice.pick(case.stages)
    stage["start_date"], stage["end_date"] = stage["end_date"], stage["start_date"]


@wrong
def correlation_beyond_one(case, dice):
    """A matrix that is none of correlations."""
    case.documents["scenarios/correlation.json"] = {"method": "spectral", "profiles": {"default": {
        "correlation_groups": [{"name": "all", "entities": [{"type": "inflow", "id": h["id"]} for h in case.hydros],
                                "matrix": [[dice.pick([2.0, 0.5]) for _ in case.hydros] for _ in case.hydros]}]}}}
    return bool(case.hydros)


@wrong
def no_iteration_limit(case, dice):
    """No rule that ends training for certain."""
    case.config["training"]["stopping_rules"] = []


@wrong
def deficits_that_get_cheaper(case, dice):
    """Segments of a deficit in the wrong order."""
    case.penalties["bus"]["deficit_segments"] = [{"depth_mw": 5.0, "cost": 900.0}, {"depth_mw": None, "cost": 300.0}]


@wrong
def constraint_on_nothing(case, dice):
    """A constraint on a thermal that does not exist, or one that cannot be read."""
    case.documents["constraints/generic_constraints.json"] = {"constraints": [
        {"id": 0, "name": "C", "expression": dice.pick(["thermal_generation(77)", "2 * * thermal_generation(0)",
                                                        "colour(0)"]), "slack": {"enabled": False}}]}
    case.tables["constraints/generic_constraint_bounds.parquet"] = [
        {"constraint_id": 0, "stage_id": case.stages[0]["id"], "block_id": None, "bound_lower": 1.0,
         "bound_upper": None}]
