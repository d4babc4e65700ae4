"""Ranks: the processes of one run, and what they tell each other.

>>> from lockstep import comm
>>> ranks = comm.world()                     # those that the launcher started; else one alone
>>> ranks.allgather(b"from rank 0")
[b'from rank 0']

Every rank makes the same calls in the same order. What is wrong on one rank is an error on all.
"""

from __future__ import annotations

import json

from lockstep import _core
from lockstep._core import CommError

__all__ = ["CommError", "Communicator", "connect", "world"]

_numbers = ("float32", "float64", "int32", "int64", "uint32", "uint64")


def _array(value, call):
    import numpy

    if not isinstance(value, numpy.ndarray):
        raise TypeError(f"{call} takes a NumPy array, not {type(value).__name__}")
    if not value.flags.c_contiguous:
        raise TypeError(f"{call}: the array is not C-contiguous; numpy.ascontiguousarray() copies it so")
    return value


def _shape_of(value, call):
    """What the others must know of bytes or an array before they take them."""
    if isinstance(value, bytes):
        return ["bytes", len(value)]
    array = _array(value, f"{call} of what is not bytes")
    if array.dtype.kind not in "biufc" or not array.dtype.isnative:
        raise TypeError(f"{call}: the array is of {array.dtype}, must be of numbers or bool")
    return [array.dtype.str, *array.shape]


def _taken(data, shape):
    if shape[0] == "bytes":
        return bytes(data)
    import numpy

    return numpy.frombuffer(data, shape[0]).reshape(shape[1:])


class Communicator:
    """The ranks of a run, as this one sees them.

    Use as a context manager ends this object, not the ranks: their communicator is one for the
    whole process, which the run functions use too.
    """

    def __init__(self, ranks: _core.comm.Ranks):
        self._ranks = ranks

    @property
    def rank(self) -> int:
        """Of this process, from 0."""
        return self.ranks.rank

    @property
    def size(self) -> int:
        """Number of ranks."""
        return self.ranks.size

    @property
    def backend(self) -> str:
        """``"local"``, ``"shm"``, ``"tcp"`` or ``"mpi"``."""
        return self.ranks.backend

    @property
    def library(self) -> str:
        """Name and version of the library underneath; ``""`` where there is none."""
        return self.ranks.library

    @property
    def ranks(self) -> _core.comm.Ranks:
        """The communicator of the library."""
        if self._ranks is None:
            raise CommError("this communicator was closed")
        return self._ranks

    def __enter__(self) -> Communicator:
        return self

    def __exit__(self, *_) -> None:
        self._ranks = None

    def __repr__(self) -> str:
        if self._ranks is None:
            return "<lockstep.comm.Communicator, closed>"
        return f"<lockstep.comm.Communicator: rank {self.rank} of {self.size} over {self.backend}>"

    def __reduce__(self):
        raise TypeError("a communicator is of its process and cannot be pickled")

    def _meet(self, call, describe, check=None):
        """What the ranks say of a call that they enter; an error of one is an error of all.

        check(said) returns what is wrong with the calls together, the same on every rank.
        """
        own, said = None, None
        try:
            said = describe()
        except (TypeError, ValueError) as error:
            own = error
        all_said = [json.loads(text) for text in self.ranks.gather(json.dumps([call, said, str(own or "")]).encode())]
        if own is not None:
            raise own
        for rank, (name, _, problem) in enumerate(all_said):
            if problem:
                raise CommError(f"rank {rank}: {problem}")
            if name != all_said[0][0]:
                raise CommError(f"rank {rank} calls {name}, rank 0 calls {all_said[0][0]}")
        said = [each for _, each, _ in all_said]
        wrong = check(said) if check else None
        if wrong:
            raise CommError(wrong)
        return said

    def barrier(self) -> None:
        """Nobody leaves before everyone entered."""
        self._meet("barrier", lambda: None)
        self.ranks.barrier()

    def broadcast(self, value, root: int = 0):
        """Root's bytes or array on every rank, whatever the others give.

        Returns root's own object on root, bytes or a new array elsewhere.
        """

        def describe():
            if isinstance(root, bool) or not isinstance(root, int) or not 0 <= root < self.size:
                raise ValueError(f"root is {root!r}, must be a rank from 0 to {self.size - 1}")
            return [root, _shape_of(value, "broadcast") if self.rank == root else None]

        def check(said):
            roots = [each[0] for each in said]
            return None if len(set(roots)) == 1 else f"the ranks name different roots: {roots}"

        shape = self._meet("broadcast", describe, check)[root][1]
        if shape[0] == "bytes":
            buffer = bytearray(value) if self.rank == root else bytearray(shape[1])
        else:
            import numpy

            buffer = value.copy() if self.rank == root else numpy.empty(shape[1:], shape[0])
        self.ranks.broadcast(buffer, root)
        if self.rank == root:
            return value
        return bytes(buffer) if shape[0] == "bytes" else buffer

    def allgather(self, value) -> list:
        """What each rank gave, by rank: bytes, or arrays (read-only) of one type.

        Lengths, and shapes of arrays, may differ between ranks.
        """

        def check(said):
            types = [shape[0] for shape in said]
            return None if len(set(types)) == 1 else f"the ranks give different types: {', '.join(types)}"

        shapes = self._meet("allgather", lambda: _shape_of(value, "allgather"), check)
        data = value if isinstance(value, bytes) else value.tobytes()
        return [_taken(part, shape) for part, shape in zip(self.ranks.gather(data), shapes, strict=True)]

    def allreduce(self, values, op: str = "sum"):
        """Sum, min or max over the ranks, element by element; a new array, equal bits on all ranks.

        values: array of float32, float64, int32, int64, uint32 or uint64, of one shape everywhere.
        Sums are taken in the order of ranks; integers wrap; a NaN anywhere gives NaN.
        """

        def describe():
            if op not in ("sum", "min", "max"):
                raise ValueError(f"op is {op!r}, must be 'sum', 'min' or 'max'")
            array = _array(values, "allreduce")
            if array.dtype.name not in _numbers or not array.dtype.isnative:
                raise TypeError(f"allreduce: the array is of {array.dtype}, must be of {', '.join(_numbers)}")
            if array.size == 0:
                raise ValueError("allreduce: the array is empty")
            return [op, array.dtype.name, *array.shape]

        def check(said):
            for rank, each in enumerate(said):
                if each != said[0]:
                    return f"allreduce: rank {rank} gives {each}, rank 0 {said[0]}"
            return None

        self._meet("allreduce", describe, check)
        out = values.copy()
        self.ranks.reduce(out, op)
        return out


def world() -> Communicator:
    """The ranks that the launcher of this process started; without one, this process alone.

    Collective at its first call. A process has one world: later calls return the same ranks.

    Raises CommError if the ranks do not meet, UsageError if the launcher's variables are wrong.
    """
    return connect()


def connect(backend=None) -> Communicator:
    """As world(), over a backend, or the ranks of an mpi4py communicator.

    backend: ``"local"``, ``"shm"``, ``"tcp"``, ``"mpi"``; None: the launcher's. Or ``MPI.COMM_WORLD``
    (or a duplicate of it) or ``MPI.COMM_SELF`` of mpi4py.
    """
    if isinstance(backend, Communicator):
        return backend
    if backend is None or isinstance(backend, str):
        return Communicator(_core.comm.world(backend or ""))
    return _of_mpi4py(backend)


def _of_mpi4py(given):
    if not type(given).__module__.startswith("mpi4py"):
        raise TypeError(f"{given!r} is no communicator: one of lockstep.comm or of mpi4py, or a backend's name is")
    from mpi4py import MPI

    if given == MPI.COMM_NULL:
        raise CommError("comm is MPI.COMM_NULL")
    if MPI.Comm.Compare(given, MPI.COMM_SELF) in (MPI.IDENT, MPI.CONGRUENT):
        return connect("local")
    if MPI.Comm.Compare(given, MPI.COMM_WORLD) not in (MPI.IDENT, MPI.CONGRUENT):
        raise CommError(
            f"comm has {given.size} of the {MPI.COMM_WORLD.size} ranks of MPI.COMM_WORLD, or another order of them;"
            " it must be MPI.COMM_WORLD, a duplicate of it, or MPI.COMM_SELF")
    return connect("mpi")
