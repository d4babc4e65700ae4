"""Tables in memory, which other packages read without a copy."""

import os

from lockstep import _core

__all__ = ["Table"]


def _need(name: str):
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}: pip install {name}") from error


class Table:
    """Columns of equal length that never change.

    Any package that takes Arrow's stream interface (``__arrow_c_stream__``) reads one without a
    copy: ``pyarrow.table(t)``, ``polars.DataFrame(t)``, ``duckdb``. What was taken stays valid
    after the table is gone. Booleans, dates and texts are laid out for Arrow once, when the table is made.
    """

    __slots__ = ("_core", "__weakref__")

    def __init__(self, core: "_core.Table") -> None:
        if not isinstance(core, _core.Table):
            raise TypeError(f"{core!r} is no table; Table.read(path) reads one")
        self._core = core

    @classmethod
    def read(cls, path: "str | os.PathLike[str]") -> "Table":
        """Reads a Parquet file.

        Raises
        ------
        lockstep.IoError, lockstep.InputError
        """
        return cls(_core.read_table(os.fspath(path)))

    def write(self, path: "str | os.PathLike[str]") -> None:
        """Writes a Parquet file, whole or not at all."""
        self._core.write(os.fspath(path))

    @property
    def columns(self) -> "list[str]":
        """Names, in order."""
        return self._core.names()

    def __len__(self) -> int:
        return self._core.rows()

    def __contains__(self, name: object) -> bool:
        return name in self._core.names()

    def __getitem__(self, name: str):
        return self.column(name)

    def __iter__(self):
        return iter(self.columns)

    def column(self, name: str):
        """Values of a column as a NumPy array.

        Numbers, booleans and dates are a read-only view that keeps the table; NaN and NaT stand
        where nothing is, and integers and booleans with such places are a masked array. Texts and
        lists are a new array of objects.

        Raises
        ------
        KeyError
        """
        import numpy

        values = self._core.values(name)
        kind, absent, present = self._core.facts(name)
        if isinstance(values, list):
            objects = numpy.empty(len(values), dtype=object)
            objects[:] = [numpy.asarray(each) if isinstance(each, list) else each for each in values]
            return objects
        if kind == "DATE":
            return values.view("datetime64[D]")
        if absent and kind != "DOUBLE":
            return numpy.ma.MaskedArray(values, numpy.frombuffer(present, numpy.uint8) == 0)
        return values

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.stream(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._core.schema()

    def to_arrow(self):
        """A ``pyarrow.Table`` over the same memory."""
        return _need("pyarrow").table(self)

    def to_polars(self):
        """A ``polars.DataFrame`` over the same memory where polars can."""
        return _need("polars").DataFrame(self)

    def to_pandas(self):
        """A ``pandas.DataFrame``; numbers without absent values share the memory, so they are read-only."""
        pandas = _need("pandas")
        return pandas.DataFrame({name: self.column(name) for name in self.columns}, copy=False)

    def rows(self) -> "list[dict[str, object]]":
        """One dict a row, of Python's own numbers; None where nothing is."""
        lists = [self._list(name) for name in self.columns]
        return [dict(zip(self.columns, row)) for row in zip(*lists)]

    def _list(self, name):
        values = self.column(name)
        _, absent, present = self._core.facts(name)
        if not absent:
            return values.tolist()
        return [value if there else None for value, there in zip(values.tolist(), present)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.columns == other.columns and all(
            repr(self._list(name)) == repr(other._list(name)) for name in self.columns
        )

    __hash__ = None

    def __reduce__(self):
        return _unpickled, (_bytes(self),)

    def __repr__(self) -> str:
        names = ", ".join(self.columns[:6]) + (", …" if len(self.columns) > 6 else "")
        return f"<lockstep.Table {len(self)} rows × {len(self.columns)} columns: {names}>"


def _bytes(table):
    import pathlib
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "table.parquet")
        table.write(path)
        return path.read_bytes()


def _unpickled(content):
    return Table(_core.parse_table(content))
