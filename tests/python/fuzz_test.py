"""No argument ends the interpreter: random calls of all that is public give results or Python's errors.

Run alone: fuzz_test.py PROGRAM CHECKOUT [SEED [CALLS]]
"""

import contextlib
import faulthandler
import gc
import importlib
import inspect
import io
import json
import os
import pathlib
import pkgutil
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

source = pathlib.Path(sys.argv[2]).resolve()
seed, calls = (int(word) for word in (sys.argv[3:5] + ["14", "5000"][len(sys.argv[3:5]):]))
child = sys.argv[5:] == ["child"]
del sys.argv[1:]

# What is left out, and why.
LEFT_OUT = {
    "launch": "starts programs",
    "lockstep.ray": "starts a cluster",
    "lockstep.farm": "starts processes",
    "lockstep.launch": "starts programs",
    "lockstep._core.comm": "ranks are of the process: comm_test.py has their bad calls",
    "lockstep.comm": "as _core.comm",
    "lockstep.compat.dist_classicrl.algorithms.runtime": "starts processes, and trains for long",
    "lockstep._core.run_program": "is the program, which ends the process as programs do",
    "lockstep._core.set_own_command": "what it takes is started later",
    "lockstep._core.set_arrow_folder": "what it takes is loaded as a library",
}

# Where an attribute may be missing: what takes whatever has the attributes, and other projects' interfaces.
# The same holds for methods that are called with another thing than their object.
LOOSE = ("lockstep.sddp.plots", "lockstep.compat", "lockstep.sddp.Simulation", "lockstep.xpcs.Posterior", "lockstep.xpcs.Fit")

# Texts that a person cannot know what to do with.
INTERNAL = re.compile(r"basic_string|vector::|_M_|std::|bad_alloc|\bsto[id]\b|::at\b|bad_(cast|variant|optional|function)")
ALLOWED = (TypeError, ValueError, LookupError, OSError, ArithmeticError, NotImplementedError, ImportError,
           RecursionError, BufferError, StopIteration)


class Broken:
    """Raises whatever is asked of it."""

    def __array__(self, dtype=None, copy=None):
        raise ValueError("broken on purpose")

    def __fspath__(self):
        return 5

    def __len__(self):
        return 1 << 40

    def __index__(self):
        raise TypeError("broken on purpose")

    def __iter__(self):
        yield self
        raise ValueError("broken on purpose")


class Lying:
    """An array that is another thing each time."""

    def __array__(self, dtype=None, copy=None):
        return "no array"

    __array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (0, True), "version": 3}
    dtype, shape, ndim = "float64", (1 << 40,), 1


def recursive():
    inner = []
    inner.append(inner)
    described = ["tuple", []]
    described[1].append(described)
    by_name = {}
    by_name["self"] = by_name
    return [inner, described, by_name, ("tuple", inner)]


def arrays(numpy):
    base = numpy.arange(24.0)
    frozen = numpy.zeros(4)
    frozen.flags.writeable = False
    return [base[::2], base.reshape(4, 6).T, base.astype(numpy.float32), base.astype(">f8"), frozen,
            numpy.zeros(0), numpy.zeros((0, 3)), numpy.zeros((3, 0)), numpy.array(1.5), numpy.full(4, numpy.nan),
            numpy.full((2, 2), numpy.inf), numpy.zeros((2, 3, 3)), numpy.zeros((1,) * 20), numpy.array(["a", "b"]),
            numpy.array([None, 1]), numpy.arange(4), numpy.full(4, -1), numpy.full(4, 1 << 62), numpy.zeros(4, bool),
            numpy.zeros(4, numpy.int32), numpy.zeros((4, 2), numpy.uint32), numpy.zeros(4, complex),
            numpy.broadcast_to(1.0, (1 << 20, 4)), numpy.zeros(3, [("a", "f8")]), memoryview(b"abcdefgh"),
            numpy.zeros((4, 2)), numpy.zeros((4, 64))]


class Fuzz:
    def __init__(self):
        import numpy

        self.numpy, self.rng = numpy, random.Random(seed)
        self.folder = pathlib.Path.cwd()
        self.good = {}
        self.failures, self.counts = [], {}
        self.log = open("last-call", "wb", buffering=0)

    def value(self):
        """A value of any kind; none that asks for long work."""
        rng, pick = self.rng, self.rng.choice
        kinds = (
            lambda: None, lambda: pick([0, 1, -1, 2, 7]), lambda: pick([-1 << 31, -1 << 63, -1 << 70, 1 << 31, 1 << 63, 1 << 64, 1 << 200]),
            lambda: pick([float("nan"), float("inf"), -float("inf"), -0.0, 1e308, 5e-324, 0.5, -3.7]),
            lambda: pick([True, False]), lambda: pick(["", "a", "\0", "a\0b", "\ud800", "é" * 300, "x" * 5000, "1e999", "-1", "nan", "{", "%s%n", "training", "static"]),
            lambda: pick([b"", b"\0\xff", bytes(1000), bytearray(8)]), lambda: pick(arrays(self.numpy)),
            lambda: pick([Broken(), Lying(), object(), type, len, lambda *a, **k: 1 / 0, iter([1]), range(3), {1, 2}, 1j, slice(3)]),
            lambda: pick(recursive()), lambda: pick([[], (), {}, [None], [("a", "b")], [("steps", "x")], [("a",)], [("", "")], {"a": None}, {1: 2}, {"training.tree_seed": float("nan")}]),
            lambda: pick(["gone", "empty", "junk", "folder", "/dev/null", "/proc/self/mem", "made", pathlib.Path("made/x"), pathlib.Path("gone")]),
            lambda: [self.value() for _ in range(rng.randrange(3))], lambda: tuple(self.value() for _ in range(rng.randrange(4))),
            lambda: {pick(["a", "D0", "steps", 3]): self.value() for _ in range(rng.randrange(3))},
            lambda: pick(list(self.good.values())) if self.good else None,
        )
        return pick(kinds)()

    def call(self, name, function, args, kwargs, must_work=False):
        self.log.seek(0)
        self.log.write(f"{name}({shown(args)}, {shown(kwargs)})".encode("utf-8", "replace").ljust(4000)[:4000])
        self.counts[name] = self.counts.get(name, 0) + 1
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                return function(*args, **kwargs)
        except BaseException as error:  # noqa: B036 - nothing may escape
            if must_work or not self.is_right(name, error):
                self.failures.append(f"{name}({shown(args)}, {shown(kwargs)}): {type(error).__name__}: {str(error)[:300]}{where(error)}")
        return None

    @staticmethod
    def is_right(name, error):
        import lockstep

        text = str(error)
        if "broken on purpose" in text or isinstance(error, ZeroDivisionError):
            return True
        if INTERNAL.search(text) or isinstance(error, lockstep.InternalError):
            return False
        if isinstance(error, AttributeError):
            return name.endswith("()") or any(name.startswith(loose) for loose in LOOSE)
        return isinstance(error, (*ALLOWED, lockstep.Error))


def shown(value):
    try:
        return repr(value)[:200]
    except Exception as error:
        return f"<{type(value).__name__} without repr: {error}>"


def where(error):
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    return f" at {pathlib.Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def is_left_out(name):
    return any(name == out or name.startswith(out + ".") for out in LEFT_OUT)


def core_functions():
    """(name, function) of the extension's functions, and of its classes'."""
    from lockstep import _core

    for module in (_core, _core.sddp, _core.xpcs, _core.rl, _core.comm):
        for name, value in sorted(vars(module).items()):
            full = f"{module.__name__}.{name}"
            if name.startswith("__") or is_left_out(full):
                continue
            if inspect.isclass(value) and not issubclass(value, BaseException):
                yield full, value
                for each in sorted(vars(value)):
                    if callable(getattr(value, each)) and (not each.startswith("__") or each == "__init__"):
                        yield f"{full}.{each}", getattr(value, each)
            elif callable(value):
                yield full, value


def python_functions():
    """(name, function) of the modules' public functions, classes and their methods."""
    import lockstep

    seen = set()
    for found in pkgutil.walk_packages(lockstep.__path__, "lockstep."):
        if any(part.startswith("_") for part in found.name.split(".")) or is_left_out(found.name):
            continue
        module = importlib.import_module(found.name)
        for name in getattr(module, "__all__", []):
            value, full = getattr(module, name), f"{found.name}.{name}"
            if not callable(value) or id(value) in seen or is_left_out(full):
                continue
            seen.add(id(value))
            yield full, value
            if inspect.isclass(value):
                for each in sorted(vars(value)):
                    if not each.startswith("_") and callable(getattr(value, each)):
                        yield f"{full}.{each}()", getattr(value, each)


def arity(function):
    """The largest number of arguments, where it is told, else 4."""
    signatures = getattr(function, "__nb_signature__", None)
    if signatures:
        return max(max(text.split("->")[0].count(":"), 1) for text, *_ in signatures)
    with contextlib.suppress(ValueError, TypeError):
        return min(len(inspect.signature(function).parameters), 12)
    return 4


def recipes(fuzz):
    """Right calls of what takes more than one look: (name, function, arguments, keywords)."""
    import lockstep
    from lockstep import _core, rl, sddp, xpcs

    numpy, core = fuzz.numpy, _core.rl
    case = str(fuzz.folder / "case")
    brief = {"training.stopping_rules": [{"type": "iteration_limit", "limit": 2}]}
    study = sddp.Study(case, fuzz.folder / "study", brief, threads=1)
    training = study.train()
    simulation = study.simulate(training, scenarios=2)
    policy = training.policy
    state = policy.initial_state
    c2 = numpy.full((2, 6, 6), 1.2)
    dataset = xpcs.Dataset(c2, [0.0, 90.0], q=0.01, dt=0.1)
    physical = [1e4, -0.5, 1.0]
    columns = tuple(numpy.array(each) for each in ([0, 1], [0, 0], [1.0, 1.0], [1, 0], [0.5, 1.0]))
    columns += (numpy.array([False, True]),)
    process = core.Process("own", 2, 1, columns, numpy.array([1.0, 0.0]), 10, 0.9)
    learner = rl.Learner(16, 4)
    observations, rewards, flags = numpy.zeros(3, numpy.int64), numpy.zeros(3), numpy.zeros(3, bool)
    q_table = numpy.zeros((16, 4))
    visits = numpy.zeros((16, 4), numpy.uint32)
    space = core.Space(("tuple", [("discrete", 3, 0), ("array", [2, 2], [0, 0])]))
    # Ends soon, whatever is asked of it.
    lent = core.lend("lent", lambda action: (action, 1.0, True, False, {}), lambda **_: (0, {}), [0, 1],
                     ("discrete", 2, 0), numpy.bool_)
    table = simulation["hydros"]
    matrices = dataset._matrices
    fuzz.good |= {"study": study, "training": training, "simulation": simulation, "policy": policy, "state": state,
                  "dataset": dataset, "process": process, "learner": learner, "table": table, "core": table._core,
                  "matrices": matrices, "space": space, "lent": lent, "q_table": rl.QTable(q_table), "case": case,
                  "output": training.output}
    content = policy._content()
    out = {"output": str(fuzz.folder / "made")}
    config = {"analysis_mode": "static", "analyzer_parameters": {
        "dt": 0.1, "scattering": {"wavevector_q": 0.01}, "geometry": {"stator_rotor_gap": 2e6}}}
    return [
        ("Policy.evaluate", policy.evaluate, [0, state], {}),
        ("Policy.evaluate", policy.evaluate, [0, numpy.array([state, state])], {}),
        ("Policy.gradient", policy.gradient, [0, state], {}),
        ("Policy.water_values", policy.water_values, [0, state], {}),
        ("Policy.cut_matrix", policy.cut_matrix, [0], {}),
        ("Policy.state", policy.state, [{policy.states[0]: 3.0}], {}),
        ("_core.sddp.Policy", _core.sddp.Policy, [content], {}),
        ("_core.sddp.Policy", _core.sddp.Policy, [policy.path, case, []], {}),
        ("content.node", lambda *parts: deep(_core.sddp.Policy, content, parts), list(content[0][0]), {}),
        ("Study", sddp.Study, [case, None, brief, 1], {}),
        ("Study.train", study.train, [None], {"set": brief, "threads": 1}),
        ("Study.simulate", study.simulate, [training, 2], {}),
        ("sddp.run", sddp.run, [case], {"threads": 1, "set": brief, **out}),
        ("sddp.simulate", sddp.simulate, [case], {"policy": policy.path, "scenarios": 2, **out}),
        ("_core.run", _core.run, ["rl.solve", "FrozenLake", [("output", "made")], None, None], {}),
        ("simulation", simulation.__getitem__, ["hydros"], {}),
        ("Table.column", table.column, ["hydro_id"], {}),
        ("Table.write", table.write, ["made.parquet"], {}),
        ("Table.stream", table.__arrow_c_stream__, [None], {}),
        ("parse_table", _core.parse_table, [pathlib.Path(training.output, "training/convergence.parquet").read_bytes()], {}),
        ("Matrices.from_array", _core.xpcs.Matrices.from_array, [c2, [0.0, 90.0], 0.01, 2e6, 0.1, 0, False], {}),
        ("Matrices.simulate", _core.xpcs.Matrices.simulate,
         [[0.0], 0.01, 2e6, 0.1, 6, False, False, physical, [0.3], [1.0], False, 0.01, 10, 1.0, 1, 1], {}),
        ("_core.xpcs.model", _core.xpcs.model, [[0.0], 0.01, 2e6, 0.1, 6, 0, False, False, physical, [0.3], [1.0]], {}),
        ("analyse_matrices", _core.xpcs.analyse_matrices, ["fit", matrices, json.dumps(config), "c.json", [("output", "made"), ("threads", "1")], None, None], {}),
        ("Dataset", xpcs.Dataset, [c2, [0.0, 90.0]], {"q": 0.01, "dt": 0.1, "t1": None, "nan": "mask", "gap": 2e6}),
        ("Dataset.load", xpcs.Dataset.load, ["junk"], {"q": 0.01, "dt": 0.1, "frames": (1, 5), "phi": [0.0]}),
        ("Dataset.save", dataset.save, ["made.npz"], {}),
        ("xpcs.fit", xpcs.fit, [dataset], {"mode": "static", "initial": {"D0": 1e4}, "bounds": {"D0": (1, 1e6)},
                                           "config": None, "max_iterations": 3, "threads": 1}),
        ("xpcs.sample", xpcs.sample, [dataset], {"mode": "static", "priors": {"D0": "uniform"}, "sampler": "nuts", "n_samples": 10,
                                                 "n_warmup": 10, "threads": 1, "time_limit": "1s"}),
        ("xpcs.simulate", xpcs.simulate, *simulated(xpcs)),
        ("Process", core.Process, ["own", 2, 1, columns, numpy.array([1.0, 0.0]), 10, 0.9], {}),
        ("Process.columns", lambda *each: core.Process("own", 2, 1, each, numpy.array([1.0, 0.0]), 10, 0.9), list(columns), {}),
        ("Process", core.Process, ["FrozenLake", [("is_slippery", "false")]], {}),
        ("Process.learn", process.learn, [[("steps", "10")], None, None], {}),
        ("Process.solve", process.solve, [[("gamma", "0.9"), ("max_sweeps", "9")]], {}),
        ("Process.evaluate", process.evaluate, [numpy.zeros(2, numpy.int32), [("gamma", "0.9")]], {}),
        ("Process.write_model", process.write_model, ["made.json"], {}),
        ("Space", core.Space, [("tuple", [("discrete", 3, 0), ("array", [2, 2], [0, 0])])], {}),
        ("Space.array", lambda *parts: core.Space(("array", *parts)), [[2, 2], [0, 0]], {}),
        ("Space.dict", lambda *parts: core.Space(("dict", *parts)), [["a"], [("discrete", 2, 0)]], {}),
        ("Space.number_of", space.number_of, [(1, [0, 1])], {}),
        ("Space.number_of.array", core.Space(("array", [2, 2], [0, 0])).number_of, [[0, 1]], {}),
        ("Space.number_of.dict", core.Space(("dict", ["a"], [("discrete", 2, 0)])).number_of, [{"a": 1}], {}),
        ("lend", core.lend, ["lent", lambda *_: (0, 1.0, True, False, {}), lambda **_: (0, {}), [0, 1],
                             ("discrete", 2, 0), numpy.bool_], {}),
        ("learn_by_steps", stepped(core, fuzz), [(0, 1.0, True, False, {}), (0, {})], {}),
        ("play", core.play, [lent, 10, numpy.zeros(2, numpy.int32), 2, 1, 5], {}),
        ("BatchLearner", core.BatchLearner, [16, 4, [("seed", "1")], numpy.zeros((16, 4))], {}),
        ("Learner", rl.Learner, [16, 4], {"seed": 1, "values": numpy.zeros((16, 4)), "epsilon": 0.1}),
        ("Learner.choose", learner.choose, [observations], {"out": observations.copy(), "masks": None, "greedy": False}),
        ("Learner.learn", learner.learn, [observations, observations, rewards, observations, flags, flags, None], {}),
        ("plain_learn", core.plain_learn, [q_table, observations, observations, rewards, observations, flags, 0.1, 0.9, None], {}),
        ("plain_choose", core.plain_choose, [q_table, observations, observations.copy(), 0.1, False, 1, 2, None], {}),
        ("digest_of", core.digest_of, [q_table, visits], {}),
        ("write_npy", core.write_npy, ["made.npy", q_table], {}),
        ("QTable", rl.QTable, [q_table, visits, None], {}),
        ("rl.make", rl.make, [numpy.full((2, 1, 2), 0.5), numpy.zeros((2, 1))], {"start": 0, "gamma": 0.9, "terminal": ()}),
        ("rl.make", rl.make, [{0: {0: [(1.0, 0, 0.0, True)]}}], {"start": 0, "time_limit": 5, "name": "own"}),
        ("rl.train", rl.train, ["FrozenLake"], {"steps": 100, "threads": 1, "epsilon": 0.1, "set": {}, **out}),
        ("rl.solve", rl.solve, ["FrozenLake"], {"gamma": 0.5, "threads": 1, "max_sweeps": 5, **out}),
        ("rl.evaluate", rl.evaluate, [rl.make("FrozenLake"), numpy.zeros(16, numpy.int32)], {"gamma": 0.5}),
        ("lockstep.Table", lockstep.Table, [table._core], {}),
    ]


def simulated(xpcs):
    return [{"D0": 1e4, "alpha": -0.5, "D_offset": 1.0}], {"q": 0.01, "dt": 0.1, "frames": 6, "phi": [0.0], "threads": 1}


def stepped(core, fuzz):
    """Learning in an environment whose step and reset return what they are given."""

    def learn(step, reset):
        lent = core.lend("odd", lambda action: step, lambda **_: reset, [0, 1], ("discrete", 2, 0), fuzz.numpy.bool_)
        return core.learn_by_steps(lent, 5, [("steps", "20")], "", None, None)

    return learn


def deep(kind, content, node):
    return kind((([tuple(node), *content[0][1:]]), *content[1:]))


# Long work is no fault, but none that this test waits for.
LONG = {"steps", "episodes", "max_sweeps", "n_samples", "n_warmup", "scenarios", "max_iterations", "threads", "frames"}


def mutated(fuzz, args, kwargs):
    rng = fuzz.rng
    args, kwargs = list(args), dict(kwargs)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        places = [*range(len(args)), *(name for name in kwargs)]
        if not places:
            break
        place = rng.choice(places)
        value = fuzz.value()
        if place in LONG and isinstance(value, (int, float)) and not value <= 64:
            continue
        (args if isinstance(place, int) else kwargs)[place] = value
    if rng.random() < 0.05 and args:
        args.pop()
    if rng.random() < 0.05:
        args.append(fuzz.value())
    if rng.random() < 0.05:
        kwargs[rng.choice(["x", "threads", "output", "self", "set"])] = fuzz.value()
    return args, kwargs


def run_child():
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    faulthandler.dump_traceback_later(100, exit=True)
    warnings.simplefilter("ignore")
    shutil.copytree(source / "cases/sddp/1dtoy", "case")
    pathlib.Path("empty").touch()
    pathlib.Path("junk").write_bytes(bytes(range(256)) * 9)
    pathlib.Path("folder").mkdir()
    fuzz = Fuzz()
    lost = []
    sys.unraisablehook = lambda args: lost.append(f"lost {args.exc_value!r} in {args.object!r}")
    right = recipes(fuzz)
    for name, function, args, kwargs in right:
        fuzz.call("right " + name, function, args, kwargs, must_work=name not in ("Dataset.load", "content.node", "xpcs.sample"))
    plain = [*core_functions(), *python_functions()]
    for name, function in plain:
        fuzz.call(name, function, [], {})
    for number in range(calls):
        if number % 4:
            name, function, args, kwargs = fuzz.rng.choice(right)
            fuzz.call(name, function, *mutated(fuzz, args, kwargs))
        else:
            name, function = fuzz.rng.choice(plain)
            given = [fuzz.value() for _ in range(min(fuzz.rng.randrange(arity(function) + 2), 16))]
            fuzz.call(name, function, given, {})
    gc.collect()
    pathlib.Path("told.json").write_text(json.dumps({
        "failures": fuzz.failures, "lost": lost, "calls": sum(fuzz.counts.values()), "functions": len(plain),
        "seconds": time.process_time()}))


class FuzzTest(unittest.TestCase):
    def test_no_argument_ends_the_interpreter(self):
        import lockstep

        with tempfile.TemporaryDirectory() as top:
            work = pathlib.Path(top, "work")
            (pathlib.Path(top, "home")).mkdir()
            work.mkdir()
            (work / "tmp").mkdir()
            before = time_stamps(source / "cases/sddp/1dtoy")
            command = [sys.executable, "-X", "faulthandler", os.path.abspath(__file__), "", source, str(seed), str(calls), "child"]
            ended = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=280, errors="replace",
                                   env={**os.environ, "HOME": str(work.parent / "home"), "TMPDIR": str(work / "tmp"),
                                        # Where other packages keep what they found out.
                                        "XDG_CACHE_HOME": str(work / "cache"), "XDG_CONFIG_HOME": str(work / "config"),
                                        "OMP_NUM_THREADS": "1",
                                        "PYTHONDONTWRITEBYTECODE": "1",
                                        "PYTHONPATH": str(pathlib.Path(lockstep.__file__).parent.parent)})
            last = (work / "last-call").read_text(errors="replace").strip()
            self.assertEqual(ended.returncode, 0, f"{ended.stderr[-3000:]}\nlast call: {last}")
            told = json.loads((work / "told.json").read_text())
            self.assertEqual(sorted(os.listdir(top)), ["home", "work"])
            self.assertEqual(os.listdir(work.parent / "home"), [])
            self.assertEqual(time_stamps(source / "cases/sddp/1dtoy"), before)
        print(f"{told['calls']} calls of {told['functions']} functions, {told['seconds']:.1f} s")
        self.assertGreaterEqual(told["calls"], calls)
        self.assertEqual(told["failures"] + told["lost"], [], "\n".join(told["failures"] + told["lost"]))


def time_stamps(folder):
    return {str(path): path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}


if __name__ == "__main__":
    if child:
        run_child()
    else:
        unittest.main(verbosity=2)
