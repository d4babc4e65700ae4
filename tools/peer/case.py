"""A case directory in memory: JSON documents and tables by path, and the features that made it."""

import copy
import datetime
import json
from dataclasses import dataclass, field
from pathlib import Path

DATES = ("start_date", "end_date")
INTEGERS = ("lag", "stage_id", "block_id")
UNSIGNED = ("opening_index", "entity_index")


def column_type(name):
    """Type of a column of any table, by the habits of the format."""
    if name in DATES:
        return "date"
    if name in UNSIGNED:
        return "uint32"
    return "int32" if name in INTEGERS or name.endswith("_id") else "double"


@dataclass
class Case:
    """Documents hold what json.dumps takes, tables lists of rows (dicts; None or no key: an empty cell)."""

    documents: dict = field(default_factory=dict)
    tables: dict = field(default_factory=dict)
    features: list = field(default_factory=list)

    def copy(self):
        return copy.deepcopy(self)

    # Short cuts to what most features touch

    @property
    def config(self):
        return self.documents["config.json"]

    @property
    def stages(self):
        return self.documents["stages.json"]["stages"]

    @property
    def penalties(self):
        return self.documents["penalties.json"]

    @property
    def initial(self):
        return self.documents["initial_conditions.json"]

    @property
    def models(self):
        return self.entities("hydro_production_models", "production_models")

    def entities(self, name, key=None):
        """The list in system/NAME.json; made when there is none."""
        key = key or name
        return self.documents.setdefault(f"system/{name}.json", {key: []})[key]

    @property
    def buses(self):
        return self.entities("buses")

    @property
    def lines(self):
        return self.entities("lines")

    @property
    def thermals(self):
        return self.entities("thermals")

    @property
    def hydros(self):
        return self.entities("hydros")

    @property
    def sources(self):
        """Not made when there are none: the file is optional."""
        document = self.documents.get("system/non_controllable_sources.json", {})
        return document.get("non_controllable_sources", [])

    def rows(self, path):
        """The rows of a table; an empty table when there is none."""
        return self.tables.setdefault(path, [])

    def find_rows(self, path, **keys):
        """Rows whose cells are these."""
        return [row for row in self.tables.get(path, []) if all(row.get(k) == v for k, v in keys.items())]

    # Files

    def write(self, folder):
        folder = Path(folder)
        for path, document in self.documents.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(document, indent=1) + "\n")
        for path, rows in self.tables.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            write_table(target, rows)

    @staticmethod
    def read(folder):
        """A case that was written to files; its features are not known."""
        folder = Path(folder)
        case = Case()
        for path in sorted(folder.rglob("*.json")):
            name = str(path.relative_to(folder))
            if not name.startswith("output") and name != "case.json":
                case.documents[name] = json.loads(path.read_text())
        for path in sorted(folder.rglob("*.parquet")):
            name = str(path.relative_to(folder))
            if not name.startswith("output"):
                case.tables[name] = read_table(path)
        return case

    def fingerprint(self):
        """Text that is equal exactly for equal cases."""
        return json.dumps([self.documents, self.tables], sort_keys=True, default=str)



def write_table(path, rows):
    import pyarrow
    import pyarrow.parquet

    types = {"date": pyarrow.date32(), "uint32": pyarrow.uint32(), "int32": pyarrow.int32(),
             "double": pyarrow.float64()}
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        if column_type(name) == "date":
            values = [datetime.date.fromisoformat(value) if isinstance(value, str) else value for value in values]
        columns[name] = pyarrow.array(values, type=types[column_type(name)])
    pyarrow.parquet.write_table(pyarrow.table(columns), path, compression="zstd")


def read_table(path):
    import pyarrow.parquet

    rows = pyarrow.parquet.ParquetFile(path).read().to_pylist()
    return [{k: v.isoformat() if isinstance(v, datetime.date) else v for k, v in row.items()} for row in rows]
