"""Studies and policies of lockstep.sddp: the files, bits and words of the program."""

import gc
import json
import os
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile
import unittest
import warnings

import matplotlib
import numpy

import lockstep
from lockstep.sddp import Policy, Study, plots

matplotlib.use("Agg")
program, source = sys.argv[1], pathlib.Path(sys.argv[2])
del sys.argv[1:]
cases = source / "cases/sddp"
published = source / "tests/data/sddp/cobre-policies"


def iterations(number):
    return {"training.stopping_rules": [{"type": "iteration_limit", "limit": number}]}


def command(*words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout


class SddpTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        warnings.simplefilter("ignore")

    def test_has_the_digests_of_the_program_for_any_threads(self):
        rules = "training.stopping_rules=" + json.dumps(iterations(4)["training.stopping_rules"])
        command("sddp", "run", cases / "4ree", "-o", self.folder / "theirs", "-q", "--set", rules, "--threads", 1)
        theirs = json.loads(command("sddp", "summary", self.folder / "theirs", "--json"))
        for threads in (1, 2, 3, 4):
            study = Study(cases / "4ree", config_overrides=iterations(4), threads=threads)
            training = study.train()
            simulation = study.simulate(training)
            self.assertEqual(training.digest, theirs["training"]["digest"], threads)
            self.assertEqual(simulation.digest, theirs["simulation"]["digest"], threads)
            self.assertEqual(training.lower_bound, theirs["training"]["lower_bound"])
        for name in ("policy/cuts/000.bin", "policy/cuts/005.bin"):
            self.assertEqual(pathlib.Path(training.output, name).read_bytes(),
                             (self.folder / "theirs" / name).read_bytes())

    def test_run_trains_and_simulates_in_one_go(self):
        study = Study(cases / "1dtoy", self.folder / "out", iterations(3))
        training, simulation = study.run()
        again = Study(cases / "1dtoy", None, iterations(3))
        self.assertEqual(training.digest, again.train().digest)
        self.assertEqual(study.simulate().digest, simulation.digest)
        self.assertEqual(study.load_policy(), training.policy)

    def test_warnings_point_at_who_called(self):
        Study(cases / "1dtoy", self.folder / "out", iterations(2)).train()
        again = {**iterations(2), "policy.mode": "resume"}  # nothing is left to train
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            Study(cases / "1dtoy", self.folder / "out", again).train()
            lockstep.sddp.run(cases / "1dtoy", output=self.folder / "out", set=again)
        told = [(each.filename, "nothing is trained" in str(each.message)) for each in told if each.category is UserWarning]
        self.assertEqual(told, [(__file__, True)] * 2)

    def test_temporary_output_lives_as_long_as_results(self):
        study = Study(cases / "1dtoy", config_overrides=iterations(2))
        training = study.train()
        output, policy = training.output, training.policy
        table = study.simulate(training)["hydros"]
        del training
        gc.collect()
        self.assertTrue(os.path.exists(output))
        del policy
        gc.collect()
        self.assertFalse(os.path.exists(output))
        self.assertEqual(len(table), 400)

    def test_tables_hold_what_the_files_hold(self):
        study = Study(cases / "4ree", self.folder / "out", iterations(2), scenario_folders=True)
        training = study.train()
        simulation = study.simulate(training, scenarios=7)
        folders = {path.name for path in (self.folder / "out/simulation").iterdir() if path.is_dir()} - {"solver"}
        self.assertEqual(set(simulation), folders)
        costs = simulation["costs"]
        self.assertEqual(sorted(set(costs["scenario_id"].tolist())), list(range(7)))
        self.assertIs(simulation["costs"], costs)
        sums = [row["discounted_immediate_cost"] for row in simulation.scenarios.rows()]
        self.assertAlmostEqual(numpy.mean(sums) / simulation.mean_cost, 1, places=12)
        parts = Study(cases / "4ree", None, iterations(2))
        same = parts.simulate(parts.train(), scenarios=7)
        self.assertEqual(same["hydros"], simulation["hydros"])
        with self.assertRaises(KeyError):
            simulation["nothing"]
        self.assertEqual(len(training.convergence), 2)
        self.assertEqual(training.lower_bounds[-1], training.lower_bound)

    def test_tells_what_is_wrong_with_a_case(self):
        self.assertEqual(Study(cases / "4ree").validate(), [])
        self.assertEqual(Study(cases / "4ree").counts()["thermals"], 126)
        found = Study(cases / "4ree", config_overrides={"training.selection.forward_passes": 0}).validate()
        self.assertEqual((found[0].severity, found[0].file), ("error", "config.json"))
        self.assertIn("forward_passes", found[0].message + found[0].field)
        with self.assertRaises(lockstep.IoError):
            Study(self.folder / "nowhere").validate()
        with self.assertRaises(TypeError):
            Study(cases / "4ree", config_overrides={1: 2})

    def test_an_iteration_may_end_the_training(self):
        seen = []

        def watch(report):
            seen.append(report["lower_bound"])
            return len(seen) == 3

        training = Study(cases / "1dtoy").train(on_iteration=watch)
        self.assertEqual(Study(cases / "1dtoy", config_overrides=iterations(3)).train(on_iteration=False).digest,
                         training.digest)
        self.assertEqual(training.lower_bounds.tolist(), seen)
        self.assertEqual(training.policy.iterations, 3)
        with self.assertRaisesRegex(RuntimeError, "enough"):
            Study(cases / "1dtoy").train(on_iteration=lambda report: (_ for _ in ()).throw(RuntimeError("enough")))

    def test_evaluates_as_the_program_to_the_last_bit(self):
        draw = random.Random(7)
        for case in ("4ree", "d26-estimated-par2", "d12-par-annual", "travel-time-arc", "node-tree"):
            training = Study(cases / case, config_overrides=iterations(5)).train()
            policy = training.policy
            key = "--node" if case == "node-tree" else "--stage"
            for stage in draw.sample(policy.stages[:-1], 1) if case != "node-tree" else policy.stages[:1]:
                start = policy.initial_state
                state = numpy.array([draw.uniform(0.5, 1.5) * value for value in start])
                if case == "4ree":
                    state = start  # its plants' names are ids of others
                pairs = zip(policy.states, state.tolist())
                text = ",".join(f"{name}={value!r}" for name, value in pairs)
                given = () if case == "4ree" else ("--state", text)
                told = json.loads(command("sddp", "evaluate", training.output, key, stage, *given, "--json"))
                self.assertEqual(policy.evaluate(stage, state), told["cost_to_go"], case)
                self.assertEqual(policy.gradient(stage, state).tolist(), [each["slope"] for each in told["state"]])
                water = policy.water_values(stage, state)
                self.assertEqual([each.low for each in water], [each["water_value_per_hm3"] for each in told["water"]])
                self.assertEqual([each.high for each in water],
                                 [each["water_value_per_hm3_of_the_last"] for each in told["water"]])

    def test_evaluates_a_policy_of_cobre(self):
        # Every cut after the first stage: 2,555,073 - 13,886.11 v (tests/data/sddp/cobre-policies/README.md).
        policy = Policy(published / "d02-single-hydro", cases / "d02-single-hydro")
        self.assertAlmostEqual(policy.evaluate(0, numpy.array([50.0])), 2_555_073 - 50 * 13_886.111111111108, places=5)
        self.assertEqual(policy.lower_bound, 2626753.888888889)
        self.assertEqual(policy.iterations, 3)
        self.assertEqual(Policy(published / "d16-par1-lag-shift", cases / "d16-par1-lag-shift").lower_bound,
                         7759078.749984324)

    def test_batches_and_matrices_say_the_same(self):
        policy = Study(cases / "d12-par-annual", config_overrides=iterations(9)).train().policy
        rng = numpy.random.default_rng(1)
        states = policy.initial_state * rng.uniform(0, 2, (50, len(policy.states)))
        for stage in policy.stages[:-1:7]:
            intercept, slopes = policy.cut_matrix(stage)
            batch = policy.evaluate(stage, states)
            self.assertEqual(batch.tolist(), [policy.evaluate(stage, state) for state in states])
            numpy.testing.assert_allclose(batch, numpy.maximum(0, (states @ slopes.T + intercept).max(axis=1)), rtol=1e-12)
        self.assertEqual(policy.evaluate(0, states[:0]).shape, (0,))

    def test_a_matrix_is_a_view_that_outlives_its_policy(self):
        policy = Study(cases / "4ree", config_overrides=iterations(2)).train().policy
        intercept, slopes = policy.cut_matrix(3)
        self.assertIs(policy.cut_matrix(3)[1], slopes)
        before = slopes.copy()
        with self.assertRaises(ValueError):
            slopes[0, 0] = 1
        policy = None
        gc.collect()
        self.assertEqual(slopes.tolist(), before.tolist())
        self.assertEqual(intercept.shape, (slopes.shape[0],))

    def test_pickles_by_content(self):
        study = Study(cases / "1dtoy", config_overrides=iterations(3), threads=1)
        training = study.train()
        digest = study.simulate(training).digest
        content = pickle.dumps((study, training.policy))
        del training
        gc.collect()
        again, policy = pickle.loads(content)
        self.assertEqual(again, study)
        self.assertEqual(policy.states, ("storage(UHE1)",))
        self.assertEqual(again.simulate(policy).digest, digest)
        self.assertEqual(pickle.loads(pickle.dumps(policy)), policy)
        with self.assertRaisesRegex(TypeError, "pickle its policy"):
            pickle.dumps(again.train())

    def test_states_by_name(self):
        policy = Policy(published / "d02-single-hydro", cases / "d02-single-hydro")
        name = policy.states[0]
        self.assertEqual(policy.state({name: 7.0}).tolist(), [7.0])
        self.assertEqual(policy.state({name[8:-1]: 8.0}).tolist(), [8.0])
        with self.assertRaises(KeyError):
            policy.state({"nothing": 1})

    def test_refuses_what_is_no_state(self):
        policy = Policy(published / "d02-single-hydro", cases / "d02-single-hydro")
        one = numpy.array([50.0])
        for error, stage, state, words in (
            (lockstep.InputError, 9, one, "no stage 9; its stages are 0 to 1"),
            (lockstep.InputError, -1, one, "no stage -1"),
            (lockstep.InputError, 1, one, "nothing comes after it"),
            (ValueError, 0, numpy.zeros(2), "state has 2 numbers, must have 1"),
            (ValueError, 0, numpy.zeros((1, 1, 1)), "3 dimensions"),
            (ValueError, 0, numpy.zeros((3, 2)), "must have 1"),
            (ValueError, 0, numpy.array([numpy.nan]), "must be a finite number"),
            (TypeError, 0, [50.0], "numpy.asarray"),
            (TypeError, 0, numpy.zeros(1, numpy.float32), "float32, must be float64"),
            (TypeError, 0, numpy.zeros((4, 2))[:, ::2], "ascontiguousarray"),
            (TypeError, 0, None, "incompatible function arguments"),
            (TypeError, 0, "0", "array of float64"),
            (TypeError, "0", one, "incompatible function arguments"),
        ):
            with self.assertRaisesRegex(error, words):
                policy.evaluate(stage, state)
        for name in ("gradient", "water_values"):
            with self.assertRaises(ValueError):
                getattr(policy, name)(0, numpy.zeros(2))
        with self.assertRaises(lockstep.IoError):
            Policy(self.folder)
        with self.assertRaises(lockstep.InputError):
            Policy(published / "d02-single-hydro", cases / "4ree")
        for content in ((), (1,), ([], [], [], 0.0), ([(0, 0, "", False, 3, b"x", b"")], [], [], 0.0)):
            with self.assertRaises((lockstep.InputError, TypeError, RuntimeError)):
                lockstep._core.sddp.Policy(content)

    def test_draws(self):
        study = Study(cases / "4ree", config_overrides=iterations(3))
        training = study.train()
        simulation = study.simulate(training, scenarios=5)
        ax = plots.convergence(training)
        self.assertEqual(ax.lines[1].get_ydata().tolist(), (training.lower_bounds / 1e9).tolist())
        self.assertIs(plots.convergence(training, ax=ax), ax)
        ax = plots.storage(simulation, 0)
        table = simulation["hydros"].to_pandas()
        last = table[table.hydro_id == 0].groupby("stage_id").storage_final_hm3.median()
        numpy.testing.assert_allclose(ax.lines[0].get_ydata(), last)
        self.assertEqual(len(plots.prices(simulation, 0).lines[0].get_xdata()), 12)
        ax = plots.water_values(training.policy, 0, 0)
        self.assertTrue(numpy.all(numpy.diff(ax.lines[0].get_ydata()) <= 1e-6))  # convex
        with self.assertRaisesRegex(KeyError, "there is no hydro_id 77; there are 0, 1, 2, 3"):
            plots.storage(simulation, 77)

    def test_which_policy(self):
        with self.assertRaisesRegex(ValueError, "which policy"):
            Study(cases / "1dtoy").simulate()
        with self.assertRaises(ValueError):
            Study(cases / "1dtoy").load_policy()


if __name__ == "__main__":
    unittest.main(verbosity=2)
