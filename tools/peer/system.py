"""Buses, lines, thermals, plants and sources, and how they are limited and priced by their own entries."""

from features import feature

LONG_AGO = "2000-01-01"


def begin(case, dice):
    """One or two buses, a few thermals, none to three plants."""
    case.documents["penalties.json"] = {
        "bus": {"deficit_segments": [{"depth_mw": None, "cost": dice.number(500, 3000, 0)}],
                "excess_cost": dice.number(0.01, 1)},
        "line": {"exchange_cost": dice.number(0.01, 2)},
        "hydro": {"spillage_cost": dice.number(0.001, 0.1, 3), "turbined_cost": dice.pick([0.0, 0.01, 0.2]),
                  "diversion_cost": dice.number(0.01, 0.2), "storage_violation_below_cost": 10000.0,
                  "filling_target_violation_cost": 10000.0,
                  "turbined_violation_below_cost": dice.number(200, 5000, 0),
                  "outflow_violation_below_cost": dice.number(200, 5000, 0),
                  "outflow_violation_above_cost": dice.number(200, 5000, 0),
                  "generation_violation_below_cost": dice.number(200, 5000, 0),
                  "evaporation_violation_cost": dice.number(2000, 9000, 0),
                  "water_withdrawal_violation_cost": dice.number(200, 9000, 0),
                  "inflow_nonnegativity_cost": dice.number(500, 3000, 0)},
        "non_controllable_source": {"curtailment_cost": dice.number(0.001, 0.1, 3)}}
    case.documents["system/buses.json"] = {"buses": []}
    case.documents["system/lines.json"] = {"lines": []}
    case.documents["system/thermals.json"] = {"thermals": []}
    case.documents["system/hydros.json"] = {"hydros": []}
    case.documents["initial_conditions.json"] = {"storage": [], "filling_storage": []}
    for _ in range(dice.pick([1, 1, 2])):
        add_bus(case)
    for _ in range(dice.pick([1, 1, 2, 2, 3])):
        add_thermal(case, dice)
    for _ in range(dice.pick([0, 1, 1, 1, 2, 2])):
        add_hydro(case, dice)


def next_id(entities):
    return max((entity["id"] for entity in entities), default=-1) + 1


def add_bus(case):
    number = next_id(case.buses)
    case.buses.append({"id": number, "name": f"Bus {number}", "operational_start_date": LONG_AGO})
    return number


def any_bus(case, dice):
    return dice.pick(case.buses)["id"]


def add_thermal(case, dice):
    number = next_id(case.thermals)
    case.thermals.append({"id": number, "name": f"Thermal {number}", "operational_start_date": LONG_AGO,
                          "bus_id": any_bus(case, dice), "cost_per_mwh": dice.number(5, 300),
                          "generation": {"min_mw": 0.0, "max_mw": dice.number(10, 80)}})


def add_hydro(case, dice, downstream=None):
    number = next_id(case.hydros)
    least, most = dice.pick([0.0, 0.0, dice.number(5, 30)]), dice.number(60, 300)
    turbined, productivity = dice.number(20, 90), dice.number(0.3, 1.5, 3)
    power = round(turbined * productivity * dice.pick([1.0, 1.0, 0.8, 1.2]), 2)
    limits = {"min_turbined_m3s": 0.0, "max_turbined_m3s": turbined, "min_generation_mw": 0.0,
              "max_generation_mw": power}
    case.hydros.append({
        "id": number, "name": f"Hydro {number}", "operational_start_date": LONG_AGO, "downstream_id": downstream,
        "reservoir": {"min_storage_hm3": least, "max_storage_hm3": most},
        "outflow": {"min_outflow_m3s": 0.0, "max_outflow_m3s": None},
        "generation": {"model": "constant_productivity", **limits},
        "unit_groups": [{"id": 0, "name": "G0", "bus_id": any_bus(case, dice), **limits}]})
    case.models.append({"hydro_id": number, "selection_mode": "stage_ranges", "stage_ranges": [
        {"start_stage_id": 0, "end_stage_id": None, "model": "constant_productivity",
         "productivity_mw_per_m3s": productivity}]})
    case.initial["storage"].append({"hydro_id": number, "value_hm3": dice.number(least, most)})
    return number


def a_hydro(case, dice):
    """One at random; made when there is none."""
    if not case.hydros:
        add_hydro(case, dice)
    return dice.pick(case.hydros)


def model_of(case, number):
    return next((model for model in case.models if model["hydro_id"] == number), None)


def has_constant_model(case, hydro):
    model = model_of(case, hydro["id"])
    return model is not None and hydro["generation"]["model"] == "constant_productivity"


@feature("system", 2)
def cascade(case, dice):
    """Plants one below the other."""
    while len(case.hydros) < dice.integer(2, 3):
        add_hydro(case, dice)
    order = dice.shuffled(case.hydros)
    for i, hydro in enumerate(order[:-1]):
        hydro["downstream_id"] = dice.pick(order[i + 1:])["id"]


@feature("system", 0.8)
def diversion(case, dice):
    """A plant that may send water to another one."""
    while len(case.hydros) < 2:
        add_hydro(case, dice)
    source, target = dice.shuffled(case.hydros)[:2]
    source["diversion"] = {"downstream_id": target["id"], "max_flow_m3s": dice.number(5, 40)}


@feature("system")
def planes(case, dice):
    """Production planes (FPHA), for all stages or some of their own."""
    hydro = a_hydro(case, dice)
    limits = hydro["generation"]
    if not has_constant_model(case, hydro):
        return False
    limits["model"] = "fpha"
    model_of(case, hydro["id"])["stage_ranges"] = [{
        "start_stage_id": 0, "end_stage_id": None, "model": "fpha", "fpha_config": {"source": "precomputed"}}]
    rows = case.rows("system/fpha_hyperplanes.parquet")
    stages = [None] + (dice.some([stage["id"] for stage in case.stages]) if dice.chance(0.4) else [])
    for stage in stages:
        for plane in range(dice.integer(1, 4)):
            rows.append({"hydro_id": hydro["id"], "stage_id": stage, "plane_id": plane,
                         "gamma_0": dice.number(0, 20), "gamma_v": dice.number(0, 0.1, 4),
                         "gamma_q": dice.number(0.2, 1.2, 3), "gamma_s": -dice.number(0, 0.02, 4),
                         "kappa": dice.pick([None, 1.0, 0.97])})
    case.rows("system/hydro_energy_productivity.parquet").append(
        {"hydro_id": hydro["id"], "stage_id": None, "equivalent_productivity_mw_per_m3s": dice.number(0.4, 1, 3),
                     "reference_outflow_m3s": None,
                     "specific_productivity_mw_per_m3s_per_m": None})


@feature("system")
def evaporation(case, dice):
    """Net evaporation by month; some months bring rain."""
    hydro = a_hydro(case, dice)
    most = hydro["reservoir"]["max_storage_hm3"]
    sign = dice.pick([1, 1, 1, -1])
    hydro["evaporation"] = {"coefficients_mm": [
        dice.number(5, 200, 1) * (sign if dice.chance(0.3) else 1) for _ in range(12)]}
    if dice.chance(0.4):
        least = hydro["reservoir"]["min_storage_hm3"]
        hydro["evaporation"]["reference_volumes_hm3"] = [dice.number(least, most) for _ in range(12)]
    if case.find_rows("system/hydro_geometry.parquet", hydro_id=hydro["id"]):
        return False
    add_geometry(case, dice, hydro, dice.integer(2, 4))
    for other in case.hydros:  # Cobre wants rows of plants with planes as soon as there is the file
        if other["generation"]["model"] == "fpha" and other is not hydro and dice.chance(0.9) and not (
                case.find_rows("system/hydro_geometry.parquet", hydro_id=other["id"])):
            add_geometry(case, dice, other, 2)


def add_geometry(case, dice, hydro, points):
    height, area = dice.number(10, 100), dice.number(1, 10)
    for i in range(points):
        case.rows("system/hydro_geometry.parquet").append({
            "hydro_id": hydro["id"], "area_km2": area, "height_m": height,
            "volume_hm3": round(i * hydro["reservoir"]["max_storage_hm3"] / 2, 2)})
        height, area = round(height + dice.number(0, 20), 2), round(area + dice.number(0, 15), 2)


@feature("system")
def outflow_limits(case, dice):
    """Least and most outflow of a plant."""
    hydro = a_hydro(case, dice)
    least = dice.number(1, 40)
    hydro["outflow"] = {"min_outflow_m3s": dice.pick([0.0, least]),
                        "max_outflow_m3s": dice.pick([None, round(least + dice.number(5, 60), 2)])}


@feature("system", 0.8)
def turbine_minima(case, dice):
    """Least turbined flow and generation, of plant and group."""
    hydro = a_hydro(case, dice)
    if len(hydro["unit_groups"]) > 1:
        return False
    for limits in (hydro["generation"], hydro["unit_groups"][0]):
        limits["min_turbined_m3s"] = limits["min_generation_mw"] = 0.0
    key = dice.pick(["min_turbined_m3s", "min_generation_mw"])
    most = hydro["generation"][key.replace("min", "max")]
    value = dice.number(0.05 * most, 0.7 * most)
    hydro["unit_groups"][0][key] = value
    hydro["generation"][key] = dice.pick([0.0, value])


@feature("system")
def unit_groups(case, dice):
    """A plant with several groups of units, on one bus or on several."""
    hydro = a_hydro(case, dice)
    plant = hydro["generation"]
    count = dice.integer(2, 3)
    if dice.chance(0.7) and len(case.buses) < 2:
        add_bus(case)
    groups = []
    for number in range(count):
        group = {"id": number, "name": f"G{number}", "bus_id": any_bus(case, dice)}
        for key in ("turbined_m3s", "generation_mw"):
            most = round(plant["max_" + key] / count * dice.number(0.7, 1.0), 2)
            group["max_" + key] = most
            group["min_" + key] = dice.pick([0.0, 0.0, round(most * dice.number(0, 0.6), 2)])
        groups.append(group)
    for key in ("min_turbined_m3s", "min_generation_mw"):
        plant[key] = 0.0
    hydro["unit_groups"] = groups


@feature("system", 2)
def network(case, dice):
    """Lines between buses, with limits and costs of their own."""
    while len(case.buses) < dice.integer(2, 3):
        add_bus(case)
    ids = [bus["id"] for bus in case.buses]
    pairs = [(a, b) for a in ids for b in ids if a < b]
    for a, b in dice.some(pairs):
        if dice.chance(0.5):
            a, b = b, a
        line = {"id": next_id(case.lines), "name": f"Line {a}-{b}", "operational_start_date": LONG_AGO,
                "source_bus_id": a, "target_bus_id": b,
                "capacity": {"direct_mw": dice.number(0, 60), "reverse_mw": dice.number(0, 60)}}
        if dice.chance(0.5):
            line["exchange_cost"] = dice.number(0.01, 3)
        case.lines.append(line)


@feature("system", 0.3)
def parallel_lines(case, dice):
    """Two lines between the same buses."""
    if not case.lines:
        network(case, dice)
    line = dict(dice.pick(case.lines))
    line.update(id=next_id(case.lines), name="Second line",
                capacity={"direct_mw": dice.number(0, 30), "reverse_mw": dice.number(0, 30)},
                exchange_cost=dice.number(0.01, 3))
    case.lines.append(line)


@feature("system", 0.2)
def losses(case, dice):
    """Losses of lines, which have no effect on the model."""
    if not case.lines:
        return False
    dice.pick(case.lines)["losses_percent"] = dice.number(0.5, 10)


def add_source(case, dice):
    document = case.documents.setdefault("system/non_controllable_sources.json", {"non_controllable_sources": []})
    sources = document["non_controllable_sources"]
    number = next_id(sources)
    source = {"id": number, "name": f"Source {number}", "operational_start_date": LONG_AGO,
              "bus_id": any_bus(case, dice), "max_generation_mw": dice.number(5, 60)}
    if dice.chance(0.5):
        source["curtailment_cost"] = dice.number(0.001, 0.5, 3)
    sources.append(source)
    return source


@feature("system", 1.5)
def sources(case, dice):
    """Non-controllable sources without noise."""
    for _ in range(dice.integer(1, 2)):
        add_source(case, dice)


@feature("system", 0.5)
def must_run(case, dice):
    """A source that may not be curtailed."""
    if not case.sources:
        add_source(case, dice)
    dice.pick(case.sources)["allow_curtailment"] = False


@feature("system")
def deficit_segments(case, dice):
    """Deficits that get dearer with depth; not as many segments at every bus."""
    def segments(count):
        cost, out = dice.number(200, 900, 0), []
        for i in range(count):
            out.append({"depth_mw": dice.number(2, 30) if i + 1 < count else None, "cost": cost})
            cost += dice.number(50, 900, 0)
        return out
    if dice.chance(0.6):
        case.penalties["bus"]["deficit_segments"] = segments(dice.integer(1, 3))
    for bus in case.buses:
        if dice.chance(0.5):
            bus["deficit_segments"] = segments(dice.integer(1, 3))


@feature("system")
def thermal_minima(case, dice):
    """Thermals that must run at a least power."""
    if not case.thermals:
        add_thermal(case, dice)
    for thermal in dice.some(case.thermals):
        thermal["generation"]["min_mw"] = round(thermal["generation"]["max_mw"] * dice.number(0, 0.8), 2)


@feature("system", 0.7)
def service_windows(case, dice):
    """Thermals, lines and sources that enter or leave within the study."""
    ids = [stage["id"] for stage in case.stages]
    for entity in dice.some(case.thermals + case.lines + case.sources):
        first, last = sorted((dice.integer(ids[0] - 1, ids[-1] + 1), dice.integer(ids[0] - 1, ids[-1] + 2)))
        if dice.chance(0.6) and first >= 0:
            entity["entry_stage_id"] = first
        if dice.chance(0.6) and last > max(first, 0):
            entity["exit_stage_id"] = last


@feature("system")
def dates_of_operation(case, dice):
    """Dates that put the entities in another order than their ids."""
    for entity in case.buses + case.thermals + case.lines + case.hydros + case.sources:
        if dice.chance(0.6):
            entity["operational_start_date"] = f"{dice.integer(1980, 2010)}-{dice.integer(1, 12):02}-01"


@feature("system", 0.8)
def odd_ids(case, dice):
    """Entries that do not stand in the order of their ids."""
    for entities in (case.buses, case.thermals, case.lines, case.hydros, case.models):
        entities[:] = dice.shuffled(entities)


@feature("system", 0.8)
def entity_penalties(case, dice):
    """Costs that a plant brings itself."""
    hydro = a_hydro(case, dice)
    keys = ["spillage_cost", "turbined_cost", "diversion_cost", "turbined_violation_below_cost",
            "outflow_violation_below_cost", "outflow_violation_above_cost", "generation_violation_below_cost",
            "evaporation_violation_cost", "water_withdrawal_violation_cost", "inflow_nonnegativity_cost"]
    hydro["penalties"] = {}
    for key in dice.some(keys):
        value = case.penalties["hydro"][key] or 0.05
        hydro["penalties"][key] = round(value * dice.number(0.5, 2), 4)


@feature("system", 0.5)
def directional_penalties(case, dice):
    """Costs by direction for evaporation and withdrawal."""
    for key in ("evaporation_violation_pos_cost", "evaporation_violation_neg_cost",
                "water_withdrawal_violation_pos_cost", "water_withdrawal_violation_neg_cost"):
        if dice.chance(0.6):
            case.penalties["hydro"][key] = dice.number(500, 9000, 0)


@feature("system", 0.8)
def productivity_by_stage(case, dice):
    """Productivities by ranges of stages or by season, an outage among them, or from the Parquet file."""
    hydro = a_hydro(case, dice)
    if not has_constant_model(case, hydro):
        return False
    ids = [stage["id"] for stage in case.stages]
    model = model_of(case, hydro["id"])
    kind = dice.pick(["ranges", "file", "seasons"])
    if kind == "ranges":
        cut = dice.pick(ids)
        one = {"model": dice.pick(["constant_productivity", "linearized_head"])}
        model["stage_ranges"] = [
            {"start_stage_id": 0, "end_stage_id": cut, **one, "productivity_mw_per_m3s": dice.number(0.3, 1.4, 3)},
            {"start_stage_id": cut + 1, "end_stage_id": None, "model": "constant_productivity",
             "productivity_mw_per_m3s": dice.pick([0.0, dice.number(0.3, 1.4, 3)])}]
    elif kind == "file":
        case.models.remove(model)
        rows = case.rows("system/hydro_energy_productivity.parquet")
        rows.append({"hydro_id": hydro["id"], "stage_id": None,
                     "equivalent_productivity_mw_per_m3s": dice.number(0.3, 1.4, 3),
                     "reference_outflow_m3s": None,
                     "specific_productivity_mw_per_m3s_per_m": None})
        for stage in dice.some(ids, 0):
            rows.append({"hydro_id": hydro["id"], "stage_id": stage,
                         "equivalent_productivity_mw_per_m3s": dice.number(0.3, 1.4, 3),
                     "reference_outflow_m3s": None,
                     "specific_productivity_mw_per_m3s_per_m": None})
    else:
        seasons = sorted({stage["season_id"] for stage in case.stages if "season_id" in stage})
        if not seasons:
            return False
        model.pop("stage_ranges")
        model.update(selection_mode="seasonal", default_model="constant_productivity", seasons=[
            {"season_id": season, "model": "constant_productivity",
             "productivity_mw_per_m3s": dice.number(0.3, 1.4, 3)} for season in seasons])
