"""Tables as pandas, polars and DuckDB read and write them: outputs without an option, inputs with the types they choose."""

import datetime
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import duckdb
    import pandas
    import polars
    import pyarrow.parquet
except ImportError as missing:
    print(f"skipped: {missing}; ./dev test installs tools/requirements-tables.txt")
    sys.exit(77)

PROGRAM, CASES = sys.argv[1], pathlib.Path(sys.argv[2])
SHORT = ["-q", "-t", "1", "--set", "simulation.enabled=true", "--set", "simulation.selection={\"method\":\"sampled\",\"num_scenarios\":7}",
         "--set", 'training.stopping_rules=[{"type":"iteration_limit","limit":2}]']


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def digest(output):
    return [line for part in ("training", "simulation")
            for line in (output / part / "metadata.json").read_text().splitlines() if '"digest"' in line]


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def solve(self, case, output, *options):
        done = run("run", case, "-o", output, *SHORT, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return output


class OutputTest(Folder):
    def tables(self, output):
        return sorted({file.parent for file in (output / "simulation").rglob("part-*.parquet")})

    def test_every_table_is_read_without_an_option(self):
        output = self.solve(CASES / "4ree", self.folder / "out")
        tables = self.tables(output)
        self.assertGreater(len(tables), 4)
        self.assertIn(output / "simulation" / "hydros", tables)
        for table in tables:
            with self.subTest(table=table.name):
                rows = sum(pyarrow.parquet.read_metadata(f).num_rows for f in table.glob("*.parquet"))
                by_pandas = pandas.read_parquet(table)
                by_polars = polars.read_parquet(table)
                by_duckdb = duckdb.sql(f"FROM '{table}/*.parquet'").df()
                for frame in (by_pandas, by_polars, by_duckdb):
                    self.assertEqual(len(frame), rows)
                    self.assertEqual(list(frame.columns), list(by_pandas.columns))
                if rows > 0:
                    self.assertEqual(sorted(set(by_pandas["scenario_id"])), list(range(7)))
                    self.assertEqual(by_polars["scenario_id"].to_list(), list(by_pandas["scenario_id"]))
                    self.assertEqual(list(by_duckdb["scenario_id"]), list(by_pandas["scenario_id"]))

    def test_single_files_too(self):
        output = self.solve(CASES / "1dtoy", self.folder / "out")
        for file in [*output.glob("training/**/*.parquet"), *output.glob("simulation/*.parquet")]:
            with self.subTest(file=file.name):
                rows = len(pandas.read_parquet(file))
                self.assertEqual(len(polars.read_parquet(file)), rows)
                self.assertEqual(len(duckdb.sql(f"FROM '{file}'").df()), rows)

    def test_folders_of_scenarios_hold_the_same(self):
        parts = self.solve(CASES / "1dtoy", self.folder / "parts")
        folders = self.solve(CASES / "1dtoy", self.folder / "folders", "--scenario-folders")
        self.assertEqual(run("compare", "--deep", parts, folders).returncode, 0)
        one = folders / "simulation" / "hydros" / "scenario_id=0003" / "data.parquet"
        whole = pandas.read_parquet(parts / "simulation" / "hydros")
        wanted = whole[whole["scenario_id"] == 3].reset_index(drop=True)
        pandas.testing.assert_frame_equal(pandas.read_parquet(one, partitioning=None), wanted)


def by_pandas(table, file):
    frame = table.to_pandas()  # ids with gaps become reals, dates become objects
    for name in frame.columns:
        if frame[name].dtype.kind == "i":
            frame[name] = frame[name].astype("int64")
        elif len(frame) and isinstance(frame[name].iloc[0], datetime.date):
            frame[name] = pandas.to_datetime(frame[name])
    frame.to_parquet(file)


def by_polars(table, file):
    frame = polars.from_arrow(table)
    frame = frame.with_columns(polars.col(polars.Int32).cast(polars.Int64),
                               polars.col(polars.Date).cast(polars.Datetime("us")))
    frame.write_parquet(file)


def by_duckdb(table, file):
    frame = table  # which the query finds by its name
    query = ", ".join(f'"{field.name}"::BIGINT AS "{field.name}"' if str(field.type) == "int32" else f'"{field.name}"'
                      for field in table.schema)
    duckdb.sql(f"COPY (SELECT {query} FROM frame) TO '{file}' (FORMAT parquet)")


class InputTest(Folder):
    def rewritten(self, case, write):
        copy = self.folder / f"{case}-{write.__name__}"
        shutil.copytree(CASES / case, copy)
        for file in copy.rglob("*.parquet"):
            table = pyarrow.parquet.ParquetFile(file).read()
            file.unlink()
            write(table, file)
        return copy

    def test_what_they_write_gives_the_same_bits(self):
        for case in ("1dtoy", "d22-per-block-min-outflow", "d26-estimated-par2"):
            wanted = digest(self.solve(CASES / case, self.folder / case))
            self.assertEqual(len(wanted), 2)
            for write in (by_pandas, by_polars, by_duckdb):
                with self.subTest(case=case, by=write.__name__):
                    copy = self.rewritten(case, write)
                    self.assertEqual(digest(self.solve(copy, copy / "out")), wanted)

    def test_single_precision_and_categories_are_read(self):
        copy = self.folder / "case"
        shutil.copytree(CASES / "1dtoy", copy)
        file = copy / "scenarios" / "load_seasonal_stats.parquet"
        frame = pandas.read_parquet(file)
        frame["mean_mw"] = frame["mean_mw"].round().astype("float32")
        frame["bus_id"] = frame["bus_id"].astype("category")
        frame["stage_id"] = frame["stage_id"].astype("int16")
        frame.to_parquet(file)
        done = run("sddp", "validate", copy)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_values_that_do_not_fit_are_told(self):
        copy = self.folder / "case"
        shutil.copytree(CASES / "1dtoy", copy)
        file = copy / "scenarios" / "load_seasonal_stats.parquet"
        polars.read_parquet(file).with_columns(polars.col("stage_id") + 0.5).write_parquet(file)
        done = run("sddp", "validate", copy)
        self.assertEqual(done.returncode, 65)
        self.assertIn("load_seasonal_stats.parquet (row 1, column stage_id): expected INT32, found 0.5", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
