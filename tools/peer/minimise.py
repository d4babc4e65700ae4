"""Makes a differing case smaller: leaves out one thing after the other while the case differs in the same kind."""

import known


def found_in(bench, case):
    """The first difference that no rule explains, or None."""
    outcomes, results, found = bench.differences(case)
    for difference in found:
        rule = known.find(known.Seen(case, difference, found, outcomes, results))
        if rule is None:
            return difference
    return None


def statuses(difference):
    """How both ended; a minimal case must not fail for another reason."""
    if difference.kind != "status":
        return None
    return [text.partition(":")[0] for text in (difference.ours, difference.theirs)]


def is_same(a, b):
    return b is not None and a.kind == b.kind and statuses(a) == statuses(b)


# Ways to leave something out: each yields (what, smaller case)


OWNED = {  # list in a document -> the key by which tables and other documents speak of its entries
    "hydros": "hydro_id", "thermals": "thermal_id", "lines": "line_id", "non_controllable_sources": "ncs_id",
    "constraints": "constraint_id"}


def without_entity(case, key, number):
    """The case without an entity and all that speaks of it."""
    small = case.copy()

    def clean(value):
        if isinstance(value, dict):
            return {k: clean(v) for k, v in value.items()}
        if isinstance(value, list):
            return [clean(v) for v in value if not (isinstance(v, dict) and v.get(key) == number)]
        return value

    small.documents = {path: clean(document) for path, document in small.documents.items()}
    small.tables = {path: [row for row in rows if row.get(key) != number] for path, rows in small.tables.items()}
    for document in small.documents.values():
        for name, of in OWNED.items():
            if of == key and name in document:
                document[name] = [entry for entry in document[name] if entry["id"] != number]
    for hydro in small.hydros:
        if key == "hydro_id" and hydro.get("downstream_id") == number:
            hydro["downstream_id"] = None
        if key == "hydro_id" and hydro.get("diversion", {}).get("downstream_id") == number:
            del hydro["diversion"]
    return small


def fewer_entities(case):
    for document in case.documents.values():
        for name, key in OWNED.items():
            for entry in document.get(name, []):
                yield f"{name} {entry['id']}", without_entity(case, key, entry["id"])


def fewer_stages(case):
    if len(case.stages) > 2:
        number = case.stages[-1]["id"]
        small = without_entity(case, "stage_id", number)
        small.documents["stages.json"]["stages"].pop()
        graph = small.documents["stages.json"]["policy_graph"]
        graph["transitions"] = [t for t in graph.get("transitions", []) if t["target_id"] != number]
        yield f"stage {number}", small


REQUIRED = ("config.json", "penalties.json", "stages.json", "initial_conditions.json", "system/buses.json",
            "system/lines.json", "system/hydros.json", "system/thermals.json")


def fewer_files(case):
    for path in case.tables:
        small = case.copy()
        del small.tables[path]
        yield path, small
    for path in case.documents:
        if path not in REQUIRED:
            small = case.copy()
            del small.documents[path]
            yield path, small


def at(value, way):
    for step in way:
        value = value[step]
    return value


def ways(value, way=()):
    """Ways to every member of objects and every entry of lists of objects."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*way, key)
            yield from ways(inner, (*way, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for i, inner in enumerate(value):
            yield (*way, i)
            yield from ways(inner, (*way, i))


NEEDED = ("id", "start_date", "end_date", "blocks", "hours", "num_openings", "bus_id", "hydro_id", "name")


def fewer_members(case):
    """Optional keys; what may not be missing ends in a refusal by both, and is kept."""
    for path, document in case.documents.items():
        for way in list(ways(document)):
            if len(way) == 1 or way[-1] in NEEDED:
                continue
            small = case.copy()
            holder = at(small.documents[path], way[:-1])
            del holder[way[-1]]
            yield f"{path} {'.'.join(map(str, way))}", small


def fewer_rows(case):
    for path, rows in case.tables.items():
        for i in range(len(rows)):
            small = case.copy()
            del small.tables[path][i]
            yield f"{path} row {i}", small


def one_opening(case):
    for i, stage in enumerate(case.stages):
        if stage["num_openings"] > 1:
            small = case.copy()
            small.stages[i]["num_openings"] = 1
            yield f"openings of stage {stage['id']}", small


STEPS = (fewer_stages, fewer_entities, fewer_files, one_opening, fewer_rows, fewer_members)


def once(bench, case, difference, step, say):
    """Takes what can be taken by one kind of step; the list is made again after each success."""
    tried = set()
    progress = True
    while progress:
        progress = False
        for what, small in step(case):
            if (what, case.fingerprint()) in tried:
                continue
            tried.add((what, case.fingerprint()))
            found = found_in(bench, small)
            if is_same(difference, found):
                say(f"without {what}")
                case, progress = small, True
                break
    return case


def shrink(bench, case, say):
    """The smaller case and its difference."""
    difference = found_in(bench, case)
    if difference is None:
        raise SystemExit("peer: the case does not differ, or a rule explains it")
    size = None
    while size != len(case.fingerprint()):
        size = len(case.fingerprint())
        for step in STEPS:
            case = once(bench, case, difference, step, say)
    case.features = []
    return case, found_in(bench, case)


