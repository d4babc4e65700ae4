"""What a case is of, as its files in system/ say."""

import json
import pathlib

__all__ = ["Bus", "EnergyContract", "Hydro", "Line", "NonControllableSource", "PumpingStation", "System", "Thermal"]


class _Entity:
    _shown = ("id", "name")
    _fields: dict = {}

    def __init__(self, record):
        self.id, self.name = record["id"], record["name"]
        for name, (path, default) in self._fields.items():
            setattr(self, name, _at(record, path, default))

    def __repr__(self):
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._shown)
        return f"{type(self).__name__}({shown})"


def _at(record, path, default):
    for key in path.split("."):
        if not isinstance(record, dict) or key not in record:
            return default
        record = record[key]
    return record


def _plain(*names, **paths):
    return {name: (name, None) for name in names} | {
        name: path if isinstance(path, tuple) else (path, None) for name, path in paths.items()}


class Bus(_Entity):
    """A bus of buses.json."""

    _fields = _plain("excess_cost")

    def __init__(self, record, penalties):
        super().__init__(record)
        usual = _at(penalties, "bus.deficit_segments", [])
        self.deficit_segments = [
            {"depth_mw": each.get("depth_mw"), "cost_per_mwh": each.get("cost", each.get("cost_per_mwh"))}
            for each in record.get("deficit_segments") or usual]
        if self.excess_cost is None:
            self.excess_cost = _at(penalties, "bus.excess_cost", None)


class Line(_Entity):
    """A line of lines.json."""

    _shown = ("id", "name", "source_bus_id", "target_bus_id")
    _fields = _plain("source_bus_id", "target_bus_id", "exchange_cost", direct_capacity_mw="capacity.direct_mw",
                     reverse_capacity_mw="capacity.reverse_mw", losses_percent=("losses_percent", 0.0))

    def __init__(self, record, penalties):
        super().__init__(record)
        if self.exchange_cost is None:
            self.exchange_cost = _at(penalties, "line.exchange_cost", None)


class Thermal(_Entity):
    """A plant of thermals.json."""

    _shown = ("id", "name", "bus_id")
    _fields = _plain("bus_id", "cost_per_mwh", min_generation_mw="generation.min_mw",
                     max_generation_mw="generation.max_mw")


class Hydro(_Entity):
    """A plant of hydros.json."""

    _fields = _plain("downstream_id", min_storage_hm3="reservoir.min_storage_hm3",
                     max_storage_hm3="reservoir.max_storage_hm3", min_turbined_m3s="generation.min_turbined_m3s",
                     max_turbined_m3s="generation.max_turbined_m3s",
                     productivity_mw_per_m3s="generation.productivity_mw_per_m3s")


class EnergyContract(_Entity):
    """A contract of energy_contracts.json."""

    _fields = _plain("operational_start_date", "bus_id", "entry_stage_id", "exit_stage_id", "price_per_mwh",
                     contract_type="type", min_mw="limits.min_mw", max_mw="limits.max_mw")


class PumpingStation(_Entity):
    """A station of pumping_stations.json."""

    _fields = _plain("operational_start_date", "bus_id", "source_hydro_id", "destination_hydro_id", "entry_stage_id",
                     "exit_stage_id", "consumption_mw_per_m3s", min_flow_m3s="flow.min_m3s",
                     max_flow_m3s="flow.max_m3s")


class NonControllableSource(_Entity):
    """A source of non_controllable_sources.json."""

    _fields = _plain("operational_start_date", "bus_id", "entry_stage_id", "exit_stage_id", "max_generation_mw",
                     allow_curtailment=("allow_curtailment", True), curtailment_cost="curtailment_cost")


class System:
    """Plants, buses … of a case directory, each list by id."""

    def __init__(self, directory):
        folder = pathlib.Path(directory)
        penalties = _read(folder / "penalties.json")
        stages = _read(folder / "stages.json")

        def entities(kind, file, key, *more):
            records = _read(folder / "system" / f"{file}.json").get(key, [])
            return sorted((kind(each, *more) for each in records), key=lambda each: each.id)

        self.buses = entities(Bus, "buses", "buses", penalties)
        self.lines = entities(Line, "lines", "lines", penalties)
        self.hydros = entities(Hydro, "hydros", "hydros")
        self.thermals = entities(Thermal, "thermals", "thermals")
        self.contracts = entities(EnergyContract, "energy_contracts", "contracts")
        self.pumping_stations = entities(PumpingStation, "pumping_stations", "pumping_stations")
        self.non_controllable_sources = entities(
            NonControllableSource, "non_controllable_sources", "non_controllable_sources")
        self.n_buses, self.n_lines = len(self.buses), len(self.lines)
        self.n_hydros, self.n_thermals = len(self.hydros), len(self.thermals)
        self.n_stages = sum(1 for each in stages.get("stages", []) if each.get("id", 0) >= 0)

    def __repr__(self):
        return (f"System(n_buses={self.n_buses}, n_lines={self.n_lines}, n_hydros={self.n_hydros}, "
                f"n_thermals={self.n_thermals}, n_stages={self.n_stages})")


def _read(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
