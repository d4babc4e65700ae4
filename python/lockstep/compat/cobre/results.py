"""Results of a finished run from its output directory, of this program or of Cobre."""

import json
import os
import pathlib

from lockstep import _core
from lockstep.compat.cobre._checkpoint import read_cuts, read_metadata
from lockstep.tables import Table, _need

__all__ = ["Stochastic", "load_convergence", "load_convergence_arrow", "load_policy", "load_results",
           "load_simulation", "load_simulation_arrow", "load_stochastic"]


def _directory(path):
    path = pathlib.Path(path)
    if not path.is_dir():
        raise FileNotFoundError(f"directory not found: {path}")
    return path


def _json(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def load_results(output_dir) -> dict:
    """What training and simulation say of themselves."""
    output = _directory(output_dir)
    training, simulation = output / "training", output / "simulation"
    manifest = _json(training / "metadata.json")
    return {
        "training": {
            "manifest": manifest,
            "metadata": manifest,
            "complete": (training / "_SUCCESS").exists(),
            "convergence_path": str(training / "convergence.parquet"),
            "timing_path": str(training / "timing" / "iterations.parquet"),
        },
        "simulation": {"manifest": _json(simulation / "metadata.json"), "complete": (simulation / "_SUCCESS").exists()},
    }


def _convergence(output_dir):
    path = _directory(output_dir) / "training" / "convergence.parquet"
    if not path.exists():
        raise FileNotFoundError(f"file not found: {path}")
    return Table.read(path)


def load_convergence(output_dir) -> "list[dict]":
    """A dict an iteration."""
    return _convergence(output_dir).rows()


def load_convergence_arrow(output_dir):
    """A ``pyarrow.Table``, a row an iteration."""
    return _convergence(output_dir).to_arrow()


def _simulation(output_dir, entity_type, convert):
    output = _directory(output_dir)
    names = [entity_type] if entity_type else _core.sddp.simulation_tables(os.fspath(output))
    if entity_type and not (output / "simulation" / entity_type).is_dir():
        raise FileNotFoundError(f"simulation entity directory not found: {output / 'simulation' / entity_type}")
    tables = {name: convert(Table(_core.sddp.simulation_table(os.fspath(output), name))) for name in names}
    return tables[entity_type] if entity_type else tables


def load_simulation(output_dir, entity_type=None):
    """Rows as dicts: of one table, or of all by name."""
    return _simulation(output_dir, entity_type, Table.rows)


def load_simulation_arrow(output_dir, entity_type=None):
    """A ``pyarrow.Table``, or all by name."""
    return _simulation(output_dir, entity_type, Table.to_arrow)


def load_policy(output_dir, policy_subdir="policy") -> dict:
    """{"metadata", "stage_cuts", "stage_bases"} of a policy's files. Lockstep writes no bases."""
    folder = _directory(output_dir) / policy_subdir
    if not (folder / "manifest.bin").exists():
        raise FileNotFoundError(f"file not found: {folder / 'manifest.bin'}")
    return {"metadata": read_metadata(folder), "stage_cuts": read_cuts(folder), "stage_bases": []}


class Stochastic:
    """Fitted inflow models and the openings of a run with exports.stochastic."""

    def __init__(self, folder):
        self._folder = folder

    def par_coefficients(self):
        """float64 [coefficients × 4]: plant, stage, lag, coefficient."""
        numpy = _need("numpy")
        path = self._folder / "inflow_ar_coefficients.parquet"
        if not path.exists():
            return numpy.zeros((0, 4))
        table = Table.read(path)
        return numpy.column_stack([
            numpy.asarray(table.column(name), dtype=float) for name in ("hydro_id", "stage_id", "lag", "coefficient")])

    def opening_tree(self, stage):
        """float64 [openings × entities] of noises of a stage."""
        numpy = _need("numpy")
        table = Table.read(self._folder / "noise_openings.parquet")
        rows = table.column("stage_id") == stage
        if not rows.any():
            raise IndexError(f"stage {stage} out of range")
        openings = table.column("opening_index")[rows]
        return numpy.asarray(table.column("value"))[rows].reshape(len(set(openings.tolist())), -1)


def load_stochastic(output_dir) -> Stochastic:
    """Tables of the stochastic model that a run exported."""
    folder = _directory(output_dir) / "stochastic"
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} not found: it is written where exports.stochastic is true in config.json")
    return Stochastic(folder)
