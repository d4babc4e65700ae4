"""Ranks that Python starts on this machine."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import traceback
from multiprocessing import spawn
from pathlib import Path

from lockstep import _core


def launch(function, n: int = 2, backend: str = "shm", *, args=(), kwargs=None) -> list:
    """Runs a function, or a script, on new ranks of this machine.

    function: importable, so that a new process finds it; or the path of a script, whose result is None
    n: number of ranks
    backend: ``"shm"`` or ``"tcp"``
    args, kwargs: of the function; words of the command line (args) of a script

    Returns what each rank's call returned, by rank. A rank that raises or dies ends the others; its
    exception is raised here, with its rank in a note, or CommError where it left none.
    """
    job = _checked_job(function, n, backend, tuple(args), dict(kwargs or {}))
    with tempfile.TemporaryDirectory(prefix="lockstep-launch-") as name:
        folder = Path(name)
        (folder / "job").write_bytes(job)
        code = _run([sys.executable, "-m", "lockstep._launch", "start", name, str(os.getpid()), str(n), backend])
        return _results(folder, n, code)


def _checked_job(function, n, backend, args, kwargs):
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise _core.UsageError(f"n is {n!r}, must be a whole number of ranks, 1 or more")
    if backend not in ("shm", "tcp"):
        raise _core.UsageError(f"backend is {backend!r}, must be 'shm' or 'tcp'; mpirun or srun start MPI ranks")
    if isinstance(function, (str, os.PathLike)):
        if not Path(function).is_file():
            raise _core.IoError(f"there is no script {os.fspath(function)}")
        function, args = os.fspath(function), tuple(map(str, args))
    elif not callable(function):
        raise TypeError(f"{function!r} is neither a function nor the path of a script")
    main = spawn.get_preparation_data("lockstep rank")
    with contextlib.suppress(KeyError):
        del main["authkey"]
    try:
        return pickle.dumps((main, pickle.dumps((function, args, kwargs))))
    except Exception as error:
        raise TypeError(f"a new process cannot import {function!r}, or its arguments: {error}") from None


def _run(command):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    launcher = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment)
    try:
        return launcher.wait()
    except BaseException:
        launcher.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            launcher.wait(15)
        launcher.kill()
        launcher.wait()
        raise


def _results(folder, n, code):
    found = {rank: folder / f"rank-{rank}" for rank in range(n)}
    ends = {rank: pickle.loads(path.read_bytes()) for rank, path in found.items() if path.exists()}
    failed = [(isinstance(end[1], _core.CommError), rank) for rank, end in sorted(ends.items()) if not end[0]]
    lost = (folder / "notices").read_text().strip() if (folder / "notices").exists() else ""
    if failed and not (lost and min(failed)[0]):
        rank = min(failed)[1]
        error = ends[rank][1]
        error.add_note(f"on rank {rank} of {n}:\n{ends[rank][2]}")
        raise error
    if lost or len(ends) < n:
        missing = [rank for rank in found if rank not in ends]
        raise _core.CommError(lost or f"rank {missing[0]} of {n} ended without a result (code {code})")
    return [ends[rank][1] for rank in range(n)]


def _start(folder, parent, n, backend):
    _core.comm.end_with(int(parent))

    def note(text):
        with open(Path(folder) / "notices", "a") as notices:
            notices.write(text + "\n")

    command = [sys.executable, "-m", "lockstep._launch", "rank", folder]
    try:
        return _core.comm.launch(int(n), backend, command, note)
    except _core.Error as error:
        note(str(error))
        return 1


def _call(function, args, kwargs):
    if callable(function):
        return function(*args, **kwargs)
    import runpy

    sys.argv = [function, *args]
    sys.path.insert(0, str(Path(function).resolve().parent))
    runpy.run_path(function, run_name="__main__")
    return None


def portable(error: BaseException) -> BaseException:
    """The error as another process can make it; else its text."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")


def _rank(folder):
    rank = os.environ.get("LOCKSTEP_SHM_RANK") or os.environ.get("LOCKSTEP_TCP_RANK")
    end = (True, None, "")
    try:
        main, job = pickle.loads((Path(folder) / "job").read_bytes())
        spawn.prepare(main)
        end = (True, _call(*pickle.loads(job)), "")
        data = pickle.dumps(end)
    except SystemExit as error:
        if error.code not in (None, 0):
            end = (False, RuntimeError(f"the script ended with code {error.code}"), "")
        data = pickle.dumps(end)
    except BaseException as error:
        data = pickle.dumps((False, portable(error), traceback.format_exc()))
        end = (False,)
    unfinished = Path(folder) / f"unfinished-{rank}"
    unfinished.write_bytes(data)
    unfinished.rename(Path(folder) / f"rank-{rank}")
    # The launcher ends the others when a rank ends with this code.
    return 0 if end[0] else 71


if __name__ == "__main__":
    ends = {"start": _start, "rank": _rank}
    sys.exit(ends[sys.argv[1]](*sys.argv[2:]))
