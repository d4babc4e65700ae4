"""Ranks from Python: collectives, runs over every backend, and ranks that Python starts."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

program, source = (os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])) if len(sys.argv) > 2 else (None, None)
del sys.argv[1:]

script = """
import json, sys, warnings
warnings.simplefilter("ignore")
if "mpi4py" in sys.argv:
    from mpi4py import MPI
import lockstep, numpy
from lockstep import comm

def error_of(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

ranks = comm.world()
mine, out, seen = ranks.rank, sys.argv[1], []
brief = {"training.stopping_rules": [{"type": "iteration_limit", "limit": 2}]}
given = {"comm": MPI.COMM_WORLD} if "mpi4py" in sys.argv else {}
run = lockstep.sddp.run(sys.argv[2], output=out + "/sddp", threads=1, set=brief, on_progress=seen.append, **given)
learnt = lockstep.rl.train("FrozenLake", steps=20000, output=out + "/rl", **given)
exact = lockstep.rl.solve("FrozenLake", output=out + "/exact", comm=ranks)
tiny = numpy.array([1e16, 1.0, -1e16][mine:mine + 1])
found = {
    "digests": [run.summary["training"]["digest"], run.summary["simulation"]["digest"], learnt.summary["digest"],
                exact.summary["digest"], run.output],
    "same": comm.world().ranks.size,
    "place": [ranks.size, ranks.backend],
    "gathered": [part.tolist() for part in ranks.allgather(numpy.arange(mine + 1))],
    "bytes": [part.decode() for part in ranks.allgather(b"x" * mine)],
    "sum": ranks.allreduce(tiny).tolist(),
    "least": ranks.allreduce(numpy.array([[mine, -mine]]), "min").tolist(),
    "most": ranks.allreduce(numpy.array([mine], numpy.uint32), "max").tolist(),
    "root": ranks.broadcast(b"abc" if mine == 1 else None, root=ranks.size - 1).decode() if ranks.size > 1 else "abc",
    "array": ranks.broadcast(numpy.eye(2, dtype="f4") if mine == 0 else None).tolist(),
    "errors": [error_of(lambda: ranks.allreduce(numpy.zeros(2 + mine))),
               error_of(lambda: ranks.broadcast(b"", root=mine)),
               error_of(lambda: ranks.allgather(b"" if mine else numpy.zeros(1))),
               error_of(lambda: ranks.barrier() if mine else ranks.allgather(b"")),
               error_of(lambda: ranks.allreduce(numpy.zeros(4)[::2] if mine else numpy.zeros(2)))],
}
ranks.barrier()
parts = ranks.allgather(json.dumps(found).encode())
told = ranks.allgather(bytes(len(seen) > 0))
if mine == 0:
    print(json.dumps({"ranks": [json.loads(part) for part in parts], "told": [len(each) for each in told]}))
"""


def pairs(x):
    from lockstep import comm

    ranks = comm.world()
    ranks.barrier()
    return ranks.rank, ranks.size, ranks.backend, x


def fails_on_one():
    from lockstep import comm

    if comm.world().rank == 1:
        raise ValueError("bad weather")
    time.sleep(600)


def dies_on_one():
    from lockstep import comm

    if comm.world().rank == 1:
        os.kill(os.getpid(), 9)
    comm.world().barrier()


class CommTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "script.py").write_text(script)

    def ranks(self, launcher, *words, **variables):
        out = tempfile.mkdtemp(dir=self.folder)
        command = [*launcher, sys.executable, self.folder / "script.py", out, source / "cases/sddp/1dtoy", *words]
        ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120,
                               env=os.environ | variables)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        found = json.loads(ended.stdout.strip().splitlines()[-1])
        for rank in found["ranks"]:
            self.assertEqual(rank["digests"].pop(), out + "/sddp")
        return found

    def alone(self):
        if not hasattr(CommTest, "one"):
            CommTest.one = self.ranks([])["ranks"][0]
        return CommTest.one

    def check(self, backend, found):
        self.assertEqual(found["told"], [1, 0])
        for rank in found["ranks"]:
            self.assertEqual(rank["digests"], self.alone()["digests"])
            self.assertEqual(rank["place"], [2, backend])
            self.assertEqual(rank["gathered"], [[0], [0, 1]])
            self.assertEqual(rank["bytes"], ["", "x"])
            self.assertEqual(rank["sum"], [1e16 + 1.0])
            self.assertEqual(rank["least"], [[0, -1]])
            self.assertEqual(rank["most"], [1])
            self.assertEqual(rank["root"], "abc")
            self.assertEqual(rank["array"], [[1, 0], [0, 1]])
        first, second = (rank["errors"] for rank in found["ranks"])
        self.assertEqual(first[:4], second[:4])
        for text, error in zip(["rank 1 gives", "different roots: [0, 1]", "different types",
                                "rank 1 calls barrier, rank 0 calls allgather"], first, strict=False):
            self.assertIn("CommError", error)
            self.assertIn(text, error)
        self.assertIn("CommError: rank 1: allreduce: the array is not C-contiguous", first[4])
        self.assertIn("TypeError: allreduce: the array is not C-contiguous", second[4])

    def test_alone(self):
        self.assertEqual(self.alone()["place"], [1, "local"])
        self.assertEqual(self.alone()["gathered"], [[0]])
        self.assertEqual(self.alone()["errors"][:4], [None] * 4)

    def test_shm(self):
        self.check("shm", self.ranks([program, "launch", "-n", 2, "--"]))

    def test_tcp(self):
        self.check("tcp", self.ranks([program, "launch", "-n", 2, "--backend", "tcp", "--"]))

    def mpi(self, flavour, *words, **variables):
        launcher, plugins = shutil.which(f"mpirun.{flavour}"), pathlib.Path(program).parent
        if launcher is None or not (plugins / f"lockstep_comm_{flavour}.so").exists():
            self.skipTest(f"mpirun.{flavour} is not installed, or its plug-in not built")
        if "mpi4py" in words:
            try:
                import mpi4py  # noqa: F401
            except ImportError:
                self.skipTest("mpi4py is not installed")
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        options = ["--oversubscribe"] if flavour == "openmpi" else []
        self.check("mpi", self.ranks([launcher, *options, "-n", 2], *words, LOCKSTEP_MPI_PLUGIN_DIR=str(plugins), **root,
                                     **variables))

    def test_open_mpi(self):
        self.mpi("openmpi")

    def test_mpich(self):
        self.mpi("mpich")

    def test_open_mpi_that_mpi4py_started(self):
        self.mpi("openmpi", "mpi4py", MPI4PY_MPIABI="openmpi")

    def test_mpich_that_mpi4py_started(self):
        library = pathlib.Path("/usr/lib/x86_64-linux-gnu/libmpich.so.12")
        if not library.exists():
            self.skipTest("Debian's libmpich is not installed")
        # The wheel asks for the name that the MPICH ABI agreed on; Debian's has another one.
        (self.folder / "libmpi.so.12").symlink_to(library)
        self.mpi("mpich", "mpi4py", MPI4PY_MPIABI="mpich", LD_LIBRARY_PATH=str(self.folder))

    def test_a_rank_that_fails_alone_takes_the_others_with_it(self):
        (self.folder / "fails.py").write_text(
            "from lockstep import comm\nif comm.world().rank == 1: raise ValueError('alone')\ncomm.world().barrier()\n")
        begin = time.monotonic()
        ended = subprocess.run([program, "launch", "-n", "2", "--", sys.executable, self.folder / "fails.py"],
                               capture_output=True, text=True, timeout=60)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("ValueError: alone", ended.stderr)
        self.assertLess(time.monotonic() - begin, 20)

    def test_launch_returns_results_by_rank(self):
        import lockstep

        for backend in ("shm", "tcp"):
            self.assertEqual(lockstep.launch(pairs, 2, backend, args=(7,)), [(0, 2, backend, 7), (1, 2, backend, 7)])
        (self.folder / "quiet.py").write_text("import sys\nassert sys.argv[1:] == ['3']\n")
        self.assertEqual(lockstep.launch(self.folder / "quiet.py", 2, args=(3,)), [None, None])

    def test_launch_raises_what_a_rank_raised(self):
        import lockstep

        with self.assertRaisesRegex(ValueError, "bad weather") as raised:
            lockstep.launch(fails_on_one)
        self.assertIn("on rank 1 of 2", raised.exception.__notes__[0])
        with self.assertRaisesRegex(lockstep.CommError, "rank 1 was ended by signal 9"):
            lockstep.launch(dies_on_one)

    def test_launch_refuses_what_it_cannot_start(self):
        import lockstep

        for wrong, kind, text in ((dict(function=pairs, n=0), ValueError, "n is 0"),
                                  (dict(function=pairs, backend="mpi"), ValueError, "mpirun"),
                                  (dict(function="nowhere.py"), OSError, "no script nowhere.py"),
                                  (dict(function=3), TypeError, "neither a function"),
                                  (dict(function=lambda: 1), TypeError, "cannot import")):
            with self.assertRaisesRegex(kind, text):
                lockstep.launch(**wrong)

    def test_a_closed_communicator_says_so(self):
        from lockstep import comm

        with comm.connect("local") as ranks:
            self.assertEqual(ranks.allgather(b"a"), [b"a"])
        with self.assertRaisesRegex(comm.CommError, "closed"):
            ranks.barrier()
        with self.assertRaisesRegex(TypeError, "is no communicator"):
            comm.connect(3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
