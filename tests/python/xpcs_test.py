"""lockstep.xpcs as objects: the program's bits without its files, and refusals in one sentence."""

import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import warnings
from unittest import mock

import numpy

import lockstep
from lockstep import xpcs
from lockstep.farm import Farm, SequentialFarm

# A spawned worker imports this file without arguments.
program, source = (sys.argv[1], pathlib.Path(sys.argv[2])) if len(sys.argv) > 2 else ("", pathlib.Path())
del sys.argv[1:]
data = source / "tests/data/xpcs"
golden = json.loads((data / "golden.json").read_text()) if program else None
flow = {"D0": 12000.0, "alpha": -0.8, "D_offset": 600.0, "gamma_dot_t0": 8e-4, "beta": -0.25,
        "gamma_dot_t_offset": 5e-5, "phi0": -5.0}
static = {"D0": 8000.0, "alpha": -0.6, "D_offset": 400.0}
brief = {"sampler": "nuts", "n_warmup": 200, "n_samples": 150}
quick = {"errors": "classical"}


def command(*words):
    subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True)


def simulated(**changes):
    options = {"phi": [0, 45, 90], "frames": 40, "dt": 0.1, "q": 0.0054, "seed": 3, **changes}
    return xpcs.simulate(static, **options)


class XpcsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        warnings.simplefilter("ignore")

    def config(self, file, mode="static", **keys):
        made = {"analysis_mode": mode,
                "analyzer_parameters": {"dt": 0.1, "start_frame": 1, "end_frame": -1,
                                        "scattering": {"wavevector_q": 0.0054},
                                        "geometry": {"stator_rotor_gap": 2e6}},
                "experimental_data": {"data_folder_path": str(file.parent),
                                      "data_file_name": file.name}, **keys}
        path = self.folder / "config.json"
        path.write_text(json.dumps(made))
        return path


class DatasetTest(XpcsTest):
    def test_reads_what_homodyne_reads(self):
        for name in ("old_full", "old_slice", "old_other_q", "u_full", "npz_direct"):
            known = golden["loader"][name]
            asked = known["config"]
            read = xpcs.Dataset.load(data / asked["data_file"], q=asked["wavevector_q"], dt=0.1,
                                     frames=(asked["start_frame"], asked["end_frame"]))
            self.assertEqual(read.phi.tolist(), known["phi"])
            self.assertEqual(read.frames, known["n_time"])
            self.assertAlmostEqual(read.t[-1], known["t_last"], 12)
            self.assertEqual(read.c2[1, 3, 7], known["c2_1_3_7"], name)
            self.assertEqual(read.q, known["q_list"][0])

    def test_is_read_only_and_pickles_by_content(self):
        read = simulated()
        self.assertIs(read.c2, read.c2)
        for array in (read.c2, read.pairs, read.phi, read.t):
            with self.assertRaises(ValueError):
                array[...] = 0
        again = pickle.loads(pickle.dumps(read))
        numpy.testing.assert_array_equal(again.c2, read.c2)
        numpy.testing.assert_array_equal(again.pairs, read.pairs)
        self.assertEqual(repr(again), repr(read))
        self.assertNotIn("\n", repr(read))
        c2 = read.c2
        del read
        self.assertTrue(numpy.isfinite(c2).all())

    def test_takes_arrays_with_their_times(self):
        c2 = numpy.array(simulated().c2)
        by_step = xpcs.Dataset(c2, [0, 45, 90], q=0.0054, dt=0.1)
        c2_before = c2.copy()
        c2[...] = 0  # the dataset has its own
        numpy.testing.assert_array_equal(by_step.c2, c2_before)
        times = 0.1 * numpy.arange(40)
        by_times = xpcs.Dataset(c2_before, [0, 45, 90], q=0.0054, t1=times, t2=times, dt=0.1)
        numpy.testing.assert_array_equal(by_times.pairs, by_step.pairs)
        later = xpcs.Dataset(numpy.ascontiguousarray(c2_before[:, 1:, 1:]), [0, 45, 90], q=0.0054,
                             t1=times[1:], dt=0.1)
        numpy.testing.assert_array_equal(later.pairs, by_step.pairs)
        self.assertEqual(xpcs.fit(later, **quick).digest, xpcs.fit(by_step, **quick).digest)

    def test_saves_what_it_loads(self):
        made = simulated(gap=1.5e6)
        for name in ("a.npz", "a.h5"):
            made.save(self.folder / name)
            said = {} if name == "a.npz" else {"q": 0.0054, "dt": 0.1, "gap": 1.5e6}
            again = xpcs.Dataset.load(self.folder / name, **said)
            numpy.testing.assert_array_equal(again.c2, made.c2)
            self.assertEqual((again.q, again.dt, again.gap), (made.q, made.dt, made.gap))
        with self.assertRaisesRegex(ValueError, "has to end in"):
            made.save(self.folder / "a.txt")
        with self.assertRaisesRegex(TypeError, "a.h5 needs q"):
            xpcs.Dataset.load(self.folder / "a.h5", dt=0.1)

    def test_refuses_in_one_sentence(self):
        c2 = numpy.array(simulated().c2)
        asymmetric, holed, infinite = c2.copy(), c2.copy(), c2.copy()
        asymmetric[1, 3, 5] += 0.5
        holed[2, 3, 5] = holed[2, 5, 3] = numpy.nan
        infinite[0, 1, 2] = numpy.inf
        cases = [
            (c2.astype("float32"), {}, TypeError, r"c2 is an array of float32.*c2.astype\(numpy.float64"),
            (c2.tolist(), {}, TypeError, r"numpy.asarray\(c2"),
            (c2[:, ::-1], {}, TypeError, r"numpy.ascontiguousarray\(c2\)"),
            (c2[0], {}, ValueError, "c2 has 2 dimensions, must have 3"),
            (numpy.ascontiguousarray(c2[:, :5]), {}, ValueError, "must have .3 angles of phi, n, n"),
            (c2, {"phi": [0, 45]}, ValueError, "must have .2 angles of phi"),
            (c2, {"phi": [0, 90, 45]}, ValueError, "phi must ascend"),
            (c2, {"phi": [0, 90, 400]}, ValueError, "400 degrees is outside"),
            (c2, {"phi": [0, 90, float("nan")]}, ValueError, "outside"),
            (c2, {"q": -1.0}, ValueError, "not above 0"),
            (c2, {"dt": 0}, ValueError, "not above 0"),
            (c2, {"dt": None}, TypeError, "needs dt"),
            (c2, {"t1": numpy.arange(39)}, ValueError, "t1 has the shape"),
            (c2, {"t1": numpy.arange(40) ** 2, "dt": None}, ValueError, "evenly spaced"),
            (c2, {"t1": numpy.full(40, numpy.nan), "dt": None}, ValueError, "t1"),
            (asymmetric, {}, ValueError, r"c2\[1\] is not symmetric"),
            (holed, {}, ValueError, r"c2\[2, 3, 5\] is nan; nan=.mask."),
            (infinite, {"nan": "mask"}, ValueError, r"c2\[0, 1, 2\] is inf"),
            (numpy.zeros((0, 4, 4)), {"phi": []}, ValueError, "at least one"),
            (numpy.zeros((3, 0, 0)), {}, ValueError, "at least one"),
        ]
        for array, changes, kind, message in cases:
            arguments = {"phi": [0, 45, 90], "q": 0.0054, "dt": 0.1, **changes}
            with self.assertRaisesRegex(kind, message):
                xpcs.Dataset(array, **arguments)
        masked = xpcs.Dataset(holed, [0, 45, 90], q=0.0054, dt=0.1, nan="mask")
        self.assertEqual(numpy.isnan(masked.pairs).sum(), 1)


class FitTest(XpcsTest):
    def test_has_the_bits_of_the_program_for_any_threads(self):
        made = xpcs.simulate(flow, phi=[-60, -30, 0, 30, 60, 90], frames=40, dt=0.1, q=0.0054)
        for suffix in ("npz", "h5"):
            made.save(self.folder / f"data.{suffix}")
            config = self.config(self.folder / f"data.{suffix}", "laminar_flow")
            command("xpcs", "fit", config, "-o", self.folder / suffix, "-q")
            theirs = json.loads((self.folder / suffix / "fit.json").read_text())
            for threads in (1, 2, 3, 4):
                ours = xpcs.fit(made, mode="laminar_flow", threads=threads)
                self.assertEqual(ours.digest, theirs["digest"])
            self.assertEqual(ours.output, "")
            self.assertEqual(ours.uncertainties,
                             {each["name"]: each["error"] for each in theirs["values"]})
        ours = xpcs.fit(json.loads(config.read_text()))
        self.assertEqual(ours.digest, theirs["digest"])
        numpy.testing.assert_array_equal(ours.covariance, theirs["covariance"])
        ours = xpcs.fit(config, output=self.folder / "again")
        self.assertEqual(ours.digest, theirs["digest"])
        with numpy.load(self.folder / "h5/nlsq/fitted_data.npz") as file:
            numpy.testing.assert_allclose(ours.fitted, file["c2_solver_scaled"], rtol=1e-15)

    def test_writes_the_programs_files_where_asked(self):
        ours = xpcs.fit(simulated(), output=self.folder / "out", **quick)
        self.assertEqual(json.loads((self.folder / "out/fit.json").read_text())["digest"], ours.digest)
        self.assertEqual(ours.output, str(self.folder / "out"))

    def test_finds_homodynes_minimum(self):
        truth = golden["lam6"]["stratified_path"]["individual"]
        measured = xpcs.Dataset.load(data / "lam6_aps_old.h5", q=0.0054, dt=0.1)
        found = xpcs.fit(measured, mode="laminar_flow", scaling="individual", sigma=0.01,
                         tolerance=1e-12, **quick)
        for value, reference, error in zip(found.physical.values(), truth["minimiser"][12:],
                                           truth["uncertainty_from_s2_invJtJ"][12:]):
            self.assertLess(abs(value - reference), 1e-3 * error)
        self.assertAlmostEqual(2 * found.chi_squared, truth["chi2_min"], 4)

    def test_recovers_what_was_simulated(self):
        found = xpcs.fit(simulated(frames=64), **quick)
        for name, true in static.items():
            self.assertLess(abs(found.parameters[name] - true), 4 * found.uncertainties[name])
        self.assertLess(abs(found.reduced_chi_squared - 1), 0.1)
        numpy.testing.assert_allclose(numpy.sqrt(numpy.diag(found.covariance)),
                                      list(found.uncertainties.values()), rtol=1e-12)
        off = ~numpy.eye(64, dtype=bool)
        self.assertLess(found.residuals[:, off].std(), 1.05 * 0.004)
        self.assertEqual(pickle.loads(pickle.dumps(found)).digest, found.digest)

    def test_takes_starts_bounds_and_held_values(self):
        made = simulated()
        found = xpcs.fit(made, initial={"D0": 5000}, bounds={"D0": (100, 6000)}, fix="alpha=-0.6",
                         **quick)
        self.assertEqual(found.parameters["alpha"], -0.6)
        self.assertEqual(found.parameters["D0"], 6000)
        cases = [({"initial": {"D1": 1}}, ValueError, "initial has 'D1'"),
                 ({"mode": "flow"}, ValueError, "mode is 'flow'"),
                 ({"initial": {"D0": 1}}, ValueError, "D0"),
                 ({"bounds": {"D0": (5, 1)}}, ValueError, "D0"),
                 ({"bounds": {"D": (1, 5)}}, ValueError, "D"),
                 ({"errors": "none"}, ValueError, "speckle"),
                 ({"error": "classical"}, TypeError, "has no option 'error'"),
                 ({"data_file": "x"}, TypeError, "data_file")]
        for options, kind, message in cases:
            with self.assertRaisesRegex(kind, message):
                xpcs.fit(made, **options)
        with self.assertRaisesRegex(ValueError, "resume needs an output"):
            xpcs.sample(made, resume=True)
        with self.assertRaisesRegex(TypeError, "go with a Dataset"):
            xpcs.fit(self.folder / "a.yaml", bounds={"D0": (1, 2)})

    def test_a_callback_may_end_it(self):
        def stop(report):
            raise RuntimeError(report["phase"])

        with self.assertRaisesRegex(RuntimeError, "fit"):
            xpcs.fit(simulated(), on_progress=stop)

    def test_ctrl_c_ends_it_and_python_goes_on(self):
        before = signal.getsignal(signal.SIGINT)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            xpcs.sample(simulated(frames=60), sampler="nuts", n_samples=200_000, time_limit="0s",
                        **quick)
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertTrue(xpcs.fit(simulated(), **quick).converged)

    def test_leaves_hashlib_alone(self):
        code = "from lockstep import _core; import hashlib; print(hashlib.md5(b'').hexdigest()[:4])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "d41d\n")

    def test_draws_maps(self):
        figure = xpcs.fit(simulated(), **quick).plot()
        self.assertEqual(len([axis for axis in figure.axes if axis.images]), 9)
        self.assertTrue(figure._repr_png_().startswith(b"\x89PNG"), "notebooks show it, without pyplot")


class ModelTest(unittest.TestCase):
    def test_is_homodynes(self):
        grid = golden["physics_grid8"]
        self.assertTrue(grid)
        m = xpcs.model(static, phi=[0], frames=6, dt=0.1, q=0.0054)
        h = 0.5 * 0.0054**2 * 0.1
        t = numpy.maximum(0.1 * numpy.arange(6), 0.05)
        d = 8000 * t**-0.6 + 400
        c = numpy.concatenate([[0], numpy.cumsum((d[1:] + d[:-1]) / 2)])
        lag = numpy.sqrt((c[:, None] - c) ** 2 + 1e-12)
        off = ~numpy.eye(6, dtype=bool)
        numpy.testing.assert_allclose(m[0][off], numpy.exp(-2 * h * lag)[off], rtol=1e-13)

    def test_refuses(self):
        good = {"phi": [0], "frames": 6, "dt": 0.1, "q": 0.0054}
        for changes in ({"phi": []}, {"frames": 1}, {"frames": -3}, {"dt": 0}, {"q": float("nan")},
                        {"contrast": [1, 2]}, {"shear_term": "x"}, {"phi": [5, 1]}):
            with self.assertRaises(ValueError):
                xpcs.model(static, **{**good, **changes})
        with self.assertRaisesRegex(ValueError, "must have D0, alpha, D_offset"):
            xpcs.model({"D0": 1}, **good)
        with self.assertRaises(ValueError):
            xpcs.simulate(static, noise="none", **good)

    def test_simulates_the_same_for_any_threads(self):
        one = simulated(threads=1, noise="speckle", pixels=500, photons=4)
        numpy.testing.assert_array_equal(
            one.c2, simulated(threads=3, noise="speckle", pixels=500, photons=4).c2)
        self.assertNotEqual(one.c2[0, 0, 1], simulated(seed=4).c2[0, 0, 1])


class PosteriorTest(XpcsTest):
    def test_has_the_bits_of_the_program_and_its_draws(self):
        made = simulated()
        made.save(self.folder / "data.npz")
        config = self.config(self.folder / "data.npz")
        command("xpcs", "sample", config, "-o", self.folder / "theirs", "-q", "--errors",
                "classical", "--sampler", "nuts", "--n-warmup", 200, "--n-samples", 150)
        theirs = json.loads((self.folder / "theirs/posterior.json").read_text())
        for threads in (1, 2, 3, 4):
            ours = xpcs.sample(made, threads=threads, **brief, **quick)
            self.assertEqual(ours.digest, theirs["digest"])
        with numpy.load(self.folder / "theirs/posterior.npz") as file:
            numpy.testing.assert_array_equal(ours.values, file["samples"])
            self.assertEqual(ours.names, file["param_names"].tolist())
            numpy.testing.assert_array_equal(ours.sample_stats["energy"], file["energy"])
        of_file = xpcs.sample(config, output=self.folder / "ours", **brief, **quick)
        self.assertEqual(of_file.digest, theirs["digest"])
        numpy.testing.assert_array_equal(of_file.values, ours.values)
        self.assertEqual(ours.values.shape, (4, 150, len(ours.names)))
        self.assertTrue(numpy.shares_memory(ours["D0"], ours.values))
        with self.assertRaises(ValueError):
            ours["D0"][0, 0] = 0
        again = pickle.loads(pickle.dumps(ours))
        numpy.testing.assert_array_equal(again.values, ours.values)
        self.assertFalse(again.values.flags.writeable)
        self.assertEqual(again.fit.digest, ours.fit.digest)

    def test_run_gives_fit_and_posterior(self):
        both = xpcs.run(simulated(), sampler="importance", n_samples=100, n_chains=1, **quick)
        self.assertEqual(both.posterior.method, "importance")
        self.assertEqual(both.fit.digest, xpcs.fit(simulated(), **quick).digest)
        self.assertIsNone(both.posterior.diagnostics["divergences"])

    def test_priors_act(self):
        tight = xpcs.sample(simulated(), priors={"alpha": (-0.9, 1e-3)}, **brief, **quick)
        self.assertLess(abs(tight.mean["alpha"] + 0.9), 0.02)

    def test_goes_through_arviz_unchanged(self):
        import arviz

        ours = xpcs.sample(simulated(), **brief, **quick)
        inference = ours.to_arviz()
        path = str(self.folder / "draws.nc")
        ours.save(path)
        for made in (inference, *(arviz.from_netcdf(path, engine=engine)
                                  for engine in ("netcdf4", "h5netcdf"))):
            for name in ours.names:
                numpy.testing.assert_array_equal(made.posterior[name].values, ours[name])
            numpy.testing.assert_array_equal(made.sample_stats["lp"].values, ours.log_density)
            self.assertEqual(made.sample_stats["diverging"].dtype, bool)
        summary = arviz.summary(inference, round_to="none")
        for name in ("D0", "alpha"):
            self.assertAlmostEqual(summary["r_hat"][name], ours.diagnostics["r_hat"][name], 9)
            self.assertAlmostEqual(summary["ess_bulk"][name] / ours.diagnostics["ess_bulk"][name], 1, 6)
        with numpy.load((ours.save(self.folder / "d.npz"), self.folder / "d.npz")[1]) as file:
            numpy.testing.assert_array_equal(file["samples"], ours.values)

    def test_goes_through_arviz_1(self):
        # Its from_dict takes one dict of groups, and keywords alone after it.
        def from_dict(data, *, name=None, sample_dims=None, save_warmup=None, index_origin=None,
                      coords=None, dims=None, pred_dims=None, pred_coords=None,
                      check_conventions=True, attrs=None):
            return data

        new = types.ModuleType("arviz")
        new.__version__, new.from_dict = "1.3.0", from_dict
        ours = xpcs.sample(simulated(), sampler="importance", n_samples=50, n_chains=1, **quick)
        with mock.patch.dict(sys.modules, {"arviz": new}):
            tree = ours.to_arviz()
        self.assertEqual(set(tree), {"posterior", "sample_stats"})
        numpy.testing.assert_array_equal(tree["posterior"]["D0"], ours["D0"])
        with mock.patch.dict(sys.modules, {"arviz": None, "arviz_base": None}):
            with self.assertRaisesRegex(ImportError, "pip install arviz"):
                ours.to_arviz()

    def test_draws_itself(self):
        ours = xpcs.sample(simulated(), **brief, **quick)
        self.assertEqual(len(ours.plot_trace().axes), 6)
        self.assertEqual(len(ours.plot_pair(["D0", "alpha"]).axes), 4)
        with self.assertRaisesRegex(ValueError, "there is no 'D1'"):
            ours.plot_trace(["D1"])

    def test_shards_are_sampled_by_any_farm(self):
        truth = {"D0": 1.0e4, "alpha": -0.5, "D_offset": 10.0}
        measured = xpcs.simulate(truth, phi=[0.0, 60.0], dt=0.1, q=0.005, frames=60, seed=4)
        how = {"shards": 4, "n_samples": 100, "n_warmup": 100, "n_chains": 2}
        for sampler in ("importance", "nuts"):
            found = {}
            for farm in ("sequential", Farm("threads", 3), Farm("processes", 2)):
                drawn = xpcs.sample(measured, sampler=sampler, farm=farm, **how).summary["posterior"]["consensus"]
                found[drawn["farm"]["name"]] = drawn["digest"]
                self.assertEqual((drawn["kept"], drawn["farm"]["remark"]), (4, ""))
            self.assertEqual(set(found), {"sequential", "threads", "processes"})
            self.assertEqual(len(set(found.values())), 1, found)

    def test_a_farm_that_is_gone_is_an_error_and_one_that_fails_is_told(self):
        class Gone(SequentialFarm):
            error = lockstep.CommError("the cluster is gone")

            def submit(self, function, /, *args, **kwargs):
                raise self.error

        measured = xpcs.simulate({"D0": 1.0e4, "alpha": -0.5, "D_offset": 10.0}, phi=[0.0], dt=0.1, q=0.005, frames=60)
        gone = Gone("sequential", 1, 0, 0)
        with self.assertRaisesRegex(ConnectionError, "the cluster is gone"):
            xpcs.sample(measured, shards=4, farm=gone)
        gone.error = ValueError("no luck")
        told = xpcs.sample(measured, shards=4, farm=gone).summary["posterior"]["consensus"]
        self.assertEqual(told["kept"], 0)
        self.assertIn("no luck", json.dumps(told))
        with self.assertRaisesRegex(TypeError, "is no value of an option"):
            xpcs.sample(measured, shards=4, farm=object())
        with self.assertRaisesRegex(lockstep.InputError, "a task of shards|cut off"):
            lockstep._core.xpcs.run_shard_task(b"nonsense")

    def test_says_when_it_would_take_too_long(self):
        with self.assertRaisesRegex(lockstep.BackendError, "time_limit"):
            xpcs.sample(simulated(frames=200), sampler="nuts", n_samples=100000, time_limit="0.001s",
                        **quick)


if __name__ == "__main__":
    unittest.main(verbosity=1)
