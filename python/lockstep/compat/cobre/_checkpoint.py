"""Policy files as plain dicts: FlatBuffers of the schema src/formats/cobre/policy/policy.fbs."""

import datetime
import pathlib
import struct

_none = -(2**31)
# Tables by name: the fields in the order of their numbers, (name, type, default). A type is a code of
# struct, "str", the name of a table, or a list of one of these; None is a number that is no longer used.
_tables = {
    "AffinePiece": [("cut_id", "Q", 0), ("slot_index", "I", 0), ("iteration", "I", 0), ("forward_pass_index", "I", 0),
                    ("intercept", "d", 0.0), ("coefficients", ["d"], []), ("is_active", "?", False)],
    "EntitySlot": [("entity_type", "B", 0), ("entity_id", "i", 0), ("subindex", "I", 0), ("was_active", "?", False),
                   None, None, ("reference_date", "i", _none), ("interval_start", "i", _none),
                   ("interval_end", "i", _none)],
    "StageCuts": [("stage_id", "I", 0), ("state_dimension", "I", 0), ("capacity", "I", 0),
                  ("warm_start_count", "I", 0), ("cuts", ["AffinePiece"], []), ("active_cut_indices", ["I"], []),
                  ("populated_count", "I", 0), ("entity_manifest", ["EntitySlot"], []),
                  ("cost_scale_factor", "d", 0.0), ("node_id", "i", -1), ("graph_stage_id", "i", -1),
                  ("priced_state_date", "i", _none)],
    "GraphNode": [("id", "i", 0), ("stage_id", "i", 0), ("pool_id", "I", 0)],
    "GraphEdge": [("source_id", "i", 0), ("target_id", "i", 0), ("probability", "d", 0.0)],
    "HydroOrders": [("hydro_id", "i", 0), ("orders", ["I"], [])],
    "SeasonManifest": [("cycle_code", "B", 0), ("n_seasons", "I", 0), ("hydro_orders", ["HydroOrders"], [])],
    "CheckpointManifest": [
        ("format_version", "I", 0), ("software_version", "str", ""), ("created_at", "str", ""), ("num_stages", "I", 0),
        ("n_pools", "I", 0), ("nodes", ["GraphNode"], []), ("edges", ["GraphEdge"], []),
        ("completed_iterations", "I", 0), ("final_lower_bound", "d", 0.0), ("best_upper_bound", "d", 0.0),
        ("max_iterations", "I", 0), ("forward_passes", "I", 0), ("warm_start_cuts", "I", 0),
        ("warm_start_counts", ["I"], []), ("rng_seed", "Q", 0), ("total_visited_states", "Q", 0),
        ("training_block_mode", "str", ""), ("training_block_mode_per_stage", ["str"], []),
        ("cost_scale_factor", "d", 0.0), ("season_manifest", "SeasonManifest", None), ("software", "str", ""),
        ("lower_bound_history", ["d"], [])],
}
_producer = ("completed_iterations", "final_lower_bound", "best_upper_bound", "max_iterations", "forward_passes",
             "warm_start_cuts", "warm_start_counts", "rng_seed", "total_visited_states", "training_block_mode",
             "training_block_mode_per_stage", "cost_scale_factor", "lower_bound_history")


def _number(data, code, at):
    return struct.unpack_from("<" + code, data, at)[0]


def _referred(data, at):
    return at + _number(data, "I", at)


def _read_value(data, kind, at):
    if isinstance(kind, list):
        return _read_list(data, kind[0], _referred(data, at))
    if kind == "str":
        start = _referred(data, at)
        return data[start + 4 : start + 4 + _number(data, "I", start)].decode()
    return _read_table(data, kind, _referred(data, at)) if kind in _tables else _number(data, kind, at)


def _read_list(data, kind, at):
    count = _number(data, "I", at)
    if kind == "str" or kind in _tables:
        return [_read_value(data, kind, at + 4 + 4 * i) for i in range(count)]
    return list(struct.unpack_from(f"<{count}{kind}", data, at + 4))


def _read_table(data, name, at):
    slots = at - _number(data, "i", at)
    size = _number(data, "H", slots)
    out = {}
    for i, field in enumerate(_tables[name]):
        if field is None:
            continue
        offset = _number(data, "H", slots + 4 + 2 * i) if 4 + 2 * i < size else 0
        out[field[0]] = _read_value(data, field[1], at + offset) if offset else field[2]
    return out


def _read_file(path, name):
    data = path.read_bytes()
    try:
        if data[4:8] != b"CBVF":
            raise ValueError
        return _read_table(data, name, _number(data, "I", 0))
    except (struct.error, ValueError, RecursionError):
        raise ValueError(f"{path}: no policy file, or a damaged one") from None


def read_metadata(folder) -> dict:
    root = _read_file(pathlib.Path(folder, "manifest.bin"), "CheckpointManifest")
    return {
        **{key: root[key] for key in ("format_version", "software", "software_version", "created_at", "num_stages")},
        "graph_manifest": {key: root[key] for key in ("n_pools", "nodes", "edges")},
        "season_manifest": root["season_manifest"] or {"cycle_code": 255, "n_seasons": 0, "hydro_orders": []},
        "producer": {key: root[key] for key in _producer},
    }


def read_cuts(folder) -> "list[dict]":
    pools = []
    for path in sorted(pathlib.Path(folder, "cuts").glob("*.bin")):
        pool = _read_file(path, "StageCuts")
        del pool["active_cut_indices"]
        pools.append(pool)
    return pools


class _Writer:
    """Writes front to back: what is referred to comes after what refers."""

    def __init__(self):
        self.data = bytearray(8)
        self.data[4:8] = b"CBVF"

    def _align(self, size, before=0):
        self.data += bytes(-(len(self.data) + before) % size)

    def _refer(self, at, target):
        struct.pack_into("<I", self.data, at, target - at)

    def table(self, name, values):
        fields = [(i, f, values.get(f[0], f[2])) for i, f in enumerate(_tables[name]) if f is not None]
        fields = [each for each in fields if each[2] is not None]
        places, size = {}, 4
        for i, (_, kind, _), _ in sorted(fields, key=lambda each: -_size(each[1][1])):
            size += -(size + 4) % _size(kind)  # a table starts 4 bytes before a multiple of 8
            places[i], size = size, size + _size(kind)
        self._align(2)
        slots = len(self.data)
        numbers = [places.get(i, 0) for i in range(len(_tables[name]))]
        self.data += struct.pack(f"<{2 + len(numbers)}H", 4 + 2 * len(numbers), size, *numbers)
        self._align(8, 4)
        start = len(self.data)
        self.data += bytes(size)
        struct.pack_into("<i", self.data, start, start - slots)
        for i, (_, kind, _), value in fields:
            self._put(start + places[i], kind, value)
        return start

    def _put(self, at, kind, value):
        if isinstance(kind, list):
            self._refer(at, self._list(kind[0], value))
        elif kind == "str":
            self._refer(at, self._text(value))
        elif kind in _tables:
            self._refer(at, self.table(kind, value))
        else:
            struct.pack_into("<" + kind, self.data, at, value)

    def _text(self, value):
        self._align(4)
        start, text = len(self.data), value.encode()
        self.data += struct.pack("<I", len(text)) + text + b"\0"
        return start

    def _list(self, kind, values):
        self._align(max(4, _size(kind)), 4)
        start = len(self.data)
        self.data += struct.pack("<I", len(values))
        if kind == "str" or kind in _tables:
            self.data += bytes(4 * len(values))
            for i, value in enumerate(values):
                self._put(start + 4 + 4 * i, kind, value)
        else:
            self.data += struct.pack(f"<{len(values)}{kind}", *values)
        return start


def _size(kind):
    return struct.calcsize("<" + kind) if isinstance(kind, str) and len(kind) == 1 else 4


def _write_file(path, name, values):
    writer = _Writer()
    writer._refer(0, writer.table(name, values))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(writer.data)
    temporary.replace(path)


def write_policy_checkpoint(path, stage_cuts, metadata, stage_bases=None, stage_states=None, inflow_lag_depth=None):
    """Writes a policy folder from dicts as ``results.load_policy`` gives them.

    Bases are left out: they are of Cobre's LPs. `stage_states` and `inflow_lag_depth` are refused.
    """
    for name, value in (("stage_states", stage_states), ("inflow_lag_depth", inflow_lag_depth)):
        if value is not None:
            raise NotImplementedError(f"write_policy_checkpoint: {name} is not supported")
    folder = pathlib.Path(path)
    graph = metadata.get("graph_manifest") or _chain(len(stage_cuts))
    root = {
        "created_at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "num_stages": len(graph["nodes"]),
        "cost_scale_factor": 1e6,
        "training_block_mode": "parallel",
        "season_manifest": {"cycle_code": 255, "n_seasons": 0, "hydro_orders": []},
        **metadata, **metadata.get("producer", {}), **graph,
        "format_version": 3, "software": "cobre", "software_version": "0.18.0",
    }
    for number, pool in enumerate(stage_cuts):
        active = [i for i, cut in enumerate(pool["cuts"]) if cut["is_active"]]
        _write_file(folder / "cuts" / f"{number:03d}.bin", "StageCuts",
                    {"stage_id": number, "populated_count": len(pool["cuts"]), "capacity": len(pool["cuts"]),
                     "cost_scale_factor": 1e6, **pool, "active_cut_indices": active})
    (folder / "basis").mkdir(exist_ok=True)
    _write_file(folder / "manifest.bin", "CheckpointManifest", root)


def _chain(stages):
    return {
        "n_pools": stages,
        "nodes": [{"id": i, "stage_id": i, "pool_id": i} for i in range(stages)],
        "edges": [{"source_id": i, "target_id": i + 1, "probability": 1.0} for i in range(stages - 1)],
    }
