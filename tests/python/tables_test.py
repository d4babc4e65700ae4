"""Tables leave the package without a copy, and outlive it."""

import ctypes
import datetime
import gc
import pathlib
import pickle
import sys
import tempfile
import unittest

import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet

import lockstep

del sys.argv[1:]

SOME = {
    "real": pyarrow.array([1.5, None, -0.0, float("inf")], pyarrow.float64()),
    "whole": pyarrow.array([1, 2, 3, 4], pyarrow.int64()),
    "small": pyarrow.array([7, None, -7, 0], pyarrow.int32()),
    "tiny": pyarrow.array([-128, 127, 0, 1], pyarrow.int8()),
    "unsigned": pyarrow.array([0, 2**32 - 1, 1, 2], pyarrow.uint32()),
    "long_unsigned": pyarrow.array([0, 2**64 - 1, 1, 2], pyarrow.uint64()),
    "yes": pyarrow.array([True, False, None, True], pyarrow.bool_()),
    "text": pyarrow.array(["água", "", None, "Itaipu"], pyarrow.string()),
    "day": pyarrow.array([datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31),
                          datetime.date(1970, 1, 1)], pyarrow.date32()),
    "list": pyarrow.array([[1.0, 2.0], [], [3.0], [4.0]], pyarrow.list_(pyarrow.float64())),
}
ZERO_COPY = ("real", "whole", "small", "tiny", "unsigned", "long_unsigned")


class Array(ctypes.Structure):
    """ArrowArray, from Arrow's specification."""


Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", ctypes.c_void_p)]


class Stream(ctypes.Structure):
    """ArrowArrayStream, from Arrow's specification."""


Stream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", ctypes.c_void_p)]

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def stream_of(capsule):
    return Stream.from_address(pointer_of(capsule, b"arrow_array_stream"))


def batch_of(stream):
    batch = Array()
    assert stream.get_next(stream, batch) == 0
    return batch


class TablesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "some.parquet")
        self.truth = pyarrow.table(SOME)
        pyarrow.parquet.write_table(self.truth, self.path)
        self.table = lockstep.Table.read(self.path)

    def test_reads_what_pyarrow_wrote(self):
        ours = self.table.to_arrow()
        ours.validate(full=True)
        self.assertEqual(ours.to_pydict(), self.truth.to_pydict())
        for field in self.truth.schema:
            self.assertEqual(ours.schema.field(field.name).type, field.type, field.name)
        self.assertEqual(self.table.columns, list(SOME))
        self.assertEqual(len(self.table), 4)
        self.assertEqual(pyarrow.schema(self.table), ours.schema)

    def test_numbers_are_where_they_were(self):
        arrow, frame = self.table.to_arrow(), self.table.to_polars()
        for name in ZERO_COPY:
            ours = self.table.column(name).ctypes.data
            self.assertEqual(arrow[name].chunk(0).buffers()[1].address, ours, name)
            if frame[name].null_count() == 0:
                self.assertEqual(frame[name].to_numpy(allow_copy=False).ctypes.data, ours, name)
        self.assertEqual(self.table.to_pandas()["whole"].to_numpy().ctypes.data,
                         self.table.column("whole").ctypes.data)
        again = self.table.to_arrow()
        for name in SOME:
            for first, second in zip(arrow[name].chunk(0).buffers(), again[name].chunk(0).buffers()):
                self.assertEqual(first and first.address, second and second.address, name)

    def test_what_was_taken_outlives_the_table(self):
        arrow, frame = self.table.to_arrow(), self.table.to_polars()
        array, panda = self.table.column("whole"), self.table.to_pandas()
        self.table = None
        gc.collect()
        junk = [numpy.full(1000, 77.0) for _ in range(100)]
        self.assertEqual(arrow.to_pydict(), self.truth.to_pydict())
        self.assertEqual(frame.to_dict(as_series=False), self.truth.to_pydict())
        self.assertEqual(array.tolist(), [1, 2, 3, 4])
        self.assertEqual(panda["whole"].tolist(), [1, 2, 3, 4])
        self.assertEqual(len(junk), 100)

    def test_columns_are_numpy_arrays(self):
        column = self.table.column
        self.assertEqual(column("real").dtype, numpy.float64)
        numpy.testing.assert_array_equal(column("real"), [1.5, numpy.nan, -0.0, numpy.inf])
        self.assertEqual(column("day").dtype, numpy.dtype("datetime64[D]"))
        self.assertEqual(column("day")[0], numpy.datetime64("2024-02-29"))
        self.assertTrue(numpy.isnat(column("day")[1]))
        self.assertEqual(column("yes").tolist(), [True, False, None, True])
        self.assertEqual(column("small").tolist(), [7, None, -7, 0])
        self.assertEqual(column("text").tolist(), ["água", "", None, "Itaipu"])
        self.assertEqual(column("list")[0].tolist(), [1.0, 2.0])
        with self.assertRaises(ValueError):
            column("whole")[0] = 5
        with self.assertRaisesRegex(ValueError, "WRITEABLE|writ"):
            column("whole").flags.writeable = True
        with self.assertRaisesRegex(KeyError, "nothing"):
            column("nothing")

    def test_frames_hold_the_same(self):
        self.assertEqual(self.table.to_polars().to_dict(as_series=False), self.truth.to_pydict())
        panda = self.table.to_pandas()
        self.assertIsInstance(panda, pandas.DataFrame)
        self.assertEqual(panda["text"].tolist()[3], "Itaipu")
        self.assertEqual(polars.DataFrame(self.table).shape, (4, 10))
        self.assertEqual(self.table.rows()[1]["real"], None)
        self.assertEqual(self.table.rows()[0]["text"], "água")

    def test_a_stream_is_read_once_and_a_child_may_be_taken_out(self):
        capsule = self.table.__arrow_c_stream__()
        stream = stream_of(capsule)
        batch = batch_of(stream)
        self.assertEqual((batch.length, batch.n_children), (4, 10))
        end = batch_of(stream)
        self.assertFalse(end.release)
        stream.release(stream)
        self.assertFalse(stream.release)
        child = Array()
        ctypes.memmove(ctypes.byref(child), batch.children[1], ctypes.sizeof(Array))
        batch.children[1].contents.release = type(batch.release)()  # moved, as the specification says
        batch.release(batch)
        self.assertFalse(batch.release)
        self.table = None
        del capsule
        gc.collect()
        numbers = ctypes.cast(child.buffers[1], ctypes.POINTER(ctypes.c_int64))
        self.assertEqual(numbers[:4], [1, 2, 3, 4])
        child.release(child)
        self.assertFalse(child.release)

    def test_a_stream_that_nobody_reads_keeps_nothing(self):
        def resident():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

        big = pyarrow.table({"x": numpy.arange(1_000_000.0)})
        pyarrow.parquet.write_table(big, self.path)
        before = 0
        for turn in range(20):
            table = lockstep.Table.read(self.path)
            unread, half = table.__arrow_c_stream__(), table.__arrow_c_stream__()
            batch = batch_of(stream_of(half))
            batch.release(batch)
            table.__arrow_c_schema__()
            del table, unread, half
            before = resident() if turn == 9 else before
        self.assertLess(resident() - before, 40_000_000)  # of 80 MB that ten leaks would be

    def test_pickles_by_content(self):
        again = pickle.loads(pickle.dumps(self.table))
        self.path.unlink()
        self.assertEqual(again, self.table)
        self.assertEqual(again.to_arrow().to_pydict(), self.truth.to_pydict())

    def test_empty_tables_and_wrong_files(self):
        pyarrow.parquet.write_table(self.truth.slice(0, 0), self.path)
        empty = lockstep.Table.read(self.path)
        self.assertEqual((len(empty), len(empty.columns)), (0, 10))
        self.assertEqual(empty.to_arrow().num_rows, 0)
        self.assertEqual(empty.to_polars().shape, (0, 10))
        self.assertEqual(empty.column("real").shape, (0,))
        self.path.write_bytes(b"no table")
        with self.assertRaises(lockstep.InputError):
            lockstep.Table.read(self.path)
        with self.assertRaises(lockstep.IoError):
            lockstep.Table.read(self.path.with_name("nowhere"))
        with self.assertRaises(TypeError):
            lockstep.Table(3)

    def test_says_what_it_is(self):
        self.assertRegex(repr(self.table), r"4 rows × 10 columns: real, whole")


if __name__ == "__main__":
    unittest.main(verbosity=2)
