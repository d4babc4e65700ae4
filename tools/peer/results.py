"""Reads what a run left: the same files and columns from both programs, as plain lists and dicts.

A simulation table becomes {(scenario, stage, block, entity…): {column: value}}, whatever way it was cut into files.
"""

import json
import re
from pathlib import Path

SIMULATION = {  # table -> (key columns after scenario and stage, columns to read)
    "hydros": (("block_id", "hydro_id"), (
        "incremental_inflow_m3s", "storage_initial_hm3", "storage_final_hm3", "turbined_m3s", "spillage_m3s",
        "evaporation_m3s", "diverted_outflow_m3s", "generation_mw", "inflow_nonnegativity_slack_m3s",
        "water_withdrawal_violation_pos_m3s", "water_withdrawal_violation_neg_m3s")),
    "buses": (("block_id", "bus_id"), ("load_mw", "deficit_mw", "excess_mw")),
    "non_controllables": (("block_id", "non_controllable_id"), ("available_mw", "generation_mw")),
    "thermals": (("block_id", "thermal_id"), ("generation_mw",)),
    "exchanges": (("block_id", "line_id"), ("net_flow_mw",)),
    "costs": ((), ("immediate_cost", "future_cost", "discount_factor")),
    "inflow_lags": (("hydro_id", "lag_index"), ("inflow_m3s",)),
}
STOCHASTIC = {  # file -> key columns
    "noise_openings": ("stage_id", "opening_index", "entity_index"),
    "inflow_seasonal_stats": ("hydro_id", "stage_id"),
    "inflow_ar_coefficients": ("hydro_id", "stage_id", "lag"),
    "inflow_annual_component": ("hydro_id", "stage_id"),
}


def read_parquet(path):
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path).read().to_pylist()


def simulation_rows(folder):
    """Rows of all files of a table; a scenario that only the folder's name tells is put into its rows."""
    for path in sorted(folder.rglob("*.parquet")):
        named = re.search(r"scenario_id=(\d+)", str(path))
        for row in read_parquet(path):
            if named:
                row.setdefault("scenario_id", int(named.group(1)))
            yield row


def read_simulation(output):
    tables = {}
    for name, (keys, columns) in SIMULATION.items():
        folder = Path(output) / "simulation" / name
        if not folder.exists():
            folder = folder.with_suffix(".parquet").parent if folder.with_suffix(".parquet").exists() else None
        if folder is None:
            continue
        rows = tables[name] = {}
        for row in simulation_rows(folder):
            key = tuple(row[k] for k in ("scenario_id", "stage_id", *keys))
            rows[key] = {column: row.get(column) for column in columns}
            if rows[key].get("evaporation_m3s", 0) is None:  # ours for a plant without; Cobre's is 0
                rows[key]["evaporation_m3s"] = 0.0
    return tables


def by_place(rows):
    """Openings by the place of their stage: Cobre writes places, its reader and ours mean declared ids."""
    place = {stage: i for i, stage in enumerate(sorted({row["stage_id"] for row in rows}))}
    return [{**row, "stage_id": place[row["stage_id"]]} for row in rows]


def read_stochastic(output):
    """What the process was made of; of statistics and coefficients the study's stages, since Cobre adds others."""
    tables = {}
    for name, keys in STOCHASTIC.items():
        path = Path(output) / "stochastic" / f"{name}.parquet"
        if path.exists():
            rows = read_parquet(path)
            rows = by_place(rows) if name == "noise_openings" else [row for row in rows if row["stage_id"] >= 0]
            tables[name] = {tuple(row[k] for k in keys): {c: v for c, v in row.items() if c not in keys}
                            for row in rows}
    return tables


def read_result(output):
    """Everything that is compared."""
    output = Path(output)
    convergence = read_parquet(output / "training" / "convergence.parquet")
    convergence.sort(key=lambda row: row["iteration"])
    metadata = json.loads((output / "training" / "metadata.json").read_text())
    return {
        "bounds": [row["lower_bound"] for row in convergence],
        "upper": [row["upper_bound"] for row in convergence],
        "curtailment_constant": metadata.get("curtailment_constant") or 0.0,
        "simulation": read_simulation(output),
        "stochastic": read_stochastic(output),
    }
