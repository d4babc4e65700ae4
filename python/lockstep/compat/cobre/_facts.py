"""What a finished run tells of its models, with Cobre's keys."""

import json
import pathlib

from lockstep.tables import Table


def _read(output, name):
    path = pathlib.Path(output, "training", name)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _plants(output):
    return _read(output, "hydro_models.json")["hydros"]


def _periods(plants, source):
    return sum(any(period.get("source") == source for period in plant["production"]) for plant in plants)


def hydro_models(output):
    plants = _plants(output)
    fitted = [plant for plant in plants if any(period["model"] == "fpha" for period in plant["production"])]
    evaporating = sum(bool(plant["evaporation"]) for plant in plants)
    return {
        "n_constant": len(plants) - len(fitted),
        "n_fpha": len(fitted),
        "total_planes": sum(max((p.get("planes", 0) for p in plant["production"]), default=0) for plant in fitted),
        "n_evaporation": evaporating,
        "n_no_evaporation": len(plants) - evaporating,
    }


def provenance(output):
    report = dict(_read(output, "model_provenance.json")["inflow"])
    report["ar_max_order"] = report["ar_max_order"] or None
    report["ar_method"] = report["ar_method"] and report["ar_method"].upper()
    plants = _plants(output)
    given = [plant["evaporation"].get("reference_source") for plant in plants if isinstance(plant["evaporation"], dict)]
    report["hydro_production"] = {
        "n_fpha_computed_from_geometry": _periods(plants, "computed"),
        "n_fpha_precomputed_hyperplanes": _periods(plants, "precomputed"),
        "n_evaporation_ref_user_supplied": given.count("user_supplied"),
        "n_evaporation_ref_default_midpoint": len(given) - given.count("user_supplied"),
    }
    return report


def _orders(output, hydros):
    from lockstep.compat.cobre._checkpoint import read_metadata

    folder = pathlib.Path(output, "policy")
    listed = read_metadata(folder)["season_manifest"]["hydro_orders"] if (folder / "manifest.bin").exists() else []
    return [max(each["orders"], default=0) for each in listed] or [0] * hydros


def _random_loads(path):
    rows = Table.read(path).rows() if path.exists() else []
    return len({row["bus_id"] for row in rows if row["std_mw"] > 0})


def stochastic(output, case):
    report, metadata = provenance(output), _read(output, "metadata.json")
    hydros = report["n_hydros"]
    orders = _orders(output, hydros)
    load = pathlib.Path(case, "scenarios", "load_seasonal_stats.parquet")
    source = report["correlation_source"]
    return {
        "inflow_source": "estimated" if report["seasonal_stats_source"] == "estimated" else "loaded",
        "n_hydros": hydros,
        "n_seasons": len(metadata["stages"]) + max(orders, default=0),
        "ar_order": {
            "method": report["ar_method"] or "fixed",
            "min_order": min(orders, default=0),
            "max_order": max(orders, default=0),
            "n_hydros": hydros,
            "order_counts": [orders.count(order) for order in range(max(orders, default=0) + 1)],
        } if hydros else None,
        "correlation_source": None if source == "n/a" else source,
        "correlation_dim": f"{hydros}x{hydros}",
        "opening_tree_source": report["opening_tree_source"],
        "openings_per_stage": [stage["openings"] for stage in metadata["stages"]],
        "n_stages": len(metadata["stages"]),
        "n_load_buses": _random_loads(load),
        "seed": 42 if metadata["configuration"]["seed"] is None else metadata["configuration"]["seed"],
    }


def model_facts(output, case):
    if _read(output, "model_provenance.json") is None:
        return {"stochastic": None, "hydro_models": None, "provenance": None}
    return {"stochastic": stochastic(output, case), "hydro_models": hydro_models(output),
            "provenance": provenance(output)}
