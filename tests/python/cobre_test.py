"""Scripts of cobre-python 0.18 with a changed import. Numbers are what Cobre 0.18.0 gave."""

import json
import pathlib
import sys
import tempfile
import unittest
import warnings

import numpy
import pyarrow

import lockstep.compat.cobre as cobre

source = pathlib.Path(sys.argv[2])
del sys.argv[1:]
cases = source / "cases/sddp"
published = source / "tests/data/sddp/cobre-policies"


def iterations(number):
    return {"training.stopping_rules": [{"type": "iteration_limit", "limit": number}]}


class CobreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        warnings.simplefilter("ignore")

    def test_run_gives_the_dict_that_cobre_gives(self):
        told = []
        result = cobre.run.run(cases / "1dtoy", output_dir=self.out, threads=1, config_overrides=iterations(5),
                               on_iteration=told.append)
        self.assertAlmostEqual(result.pop("lower_bound") / 1614710.1778522504, 1, places=12)
        self.assertAlmostEqual(result.pop("upper_bound") / 615923.4974942442, 1, places=12)
        self.assertAlmostEqual(result.pop("gap_percent"), -61.85547685631776, places=9)
        self.assertIsInstance(result.pop("total_time_ms"), int)
        self.assertEqual(result, {
            "converged": False, "iterations": 5, "output_dir": str(self.out),
            "simulation": {"completed": 100, "n_scenarios": 100},
            "hydro_models": {"n_constant": 1, "n_evaporation": 0, "n_fpha": 0, "n_no_evaporation": 1,
                             "total_planes": 0},
            "provenance": {
                "ar_coefficients_source": "n/a", "ar_max_order": None, "ar_method": None, "correlation_source": "n/a",
                "estimation_path": "user_stats_white_noise",
                "hydro_production": {
                    "n_evaporation_ref_default_midpoint": 0, "n_evaporation_ref_user_supplied": 0,
                    "n_fpha_computed_from_geometry": 0, "n_fpha_precomputed_hyperplanes": 0},
                "n_hydros": 1, "opening_tree_source": "estimated", "seasonal_stats_source": "user_file",
                "white_noise_fallbacks": []},
            "stochastic": {
                "ar_order": {"max_order": 0, "method": "fixed", "min_order": 0, "n_hydros": 1, "order_counts": [1]},
                "correlation_dim": "1x1", "correlation_source": None, "inflow_source": "loaded", "n_hydros": 1,
                "n_load_buses": 0, "n_seasons": 4, "n_stages": 4, "opening_tree_source": "estimated",
                "openings_per_stage": [10, 10, 10, 10], "seed": 42}})
        self.assertEqual(len(told), 5)
        self.assertEqual(set(told[0]), {"kind", "iteration", "lower_bound", "upper_bound", "gap", "wall_time_ms"})
        self.assertAlmostEqual(told[0]["gap"], 1.646513166298136, places=12)

    def test_provenance_of_fitted_models(self):
        for case, orders, kind in (("d26-estimated-par2", [0, 0, 1], "PACF"), ("d12-par-annual", [0, 1, 1], "PACF_ANNUAL")):
            result = cobre.run.run(cases / case, self.out / case, config_overrides=iterations(2))
            self.assertEqual(result["stochastic"]["ar_order"]["order_counts"], orders)
            self.assertEqual(result["provenance"]["ar_method"], kind)
            self.assertEqual(result["stochastic"]["n_load_buses"], 0)
        result = cobre.run.run(cases / "d06-fpha-variable-head", self.out / "d06", config_overrides=iterations(2))
        self.assertEqual(result["hydro_models"]["total_planes"], 2)
        self.assertEqual(result["provenance"]["hydro_production"]["n_fpha_precomputed_hyperplanes"], 1)

    def test_true_ends_a_run(self):
        seen = []
        result = cobre.run.run(cases / "1dtoy", self.out, config_overrides=iterations(9),
                               on_iteration=lambda each: seen.append(each) or len(seen) == 2)
        self.assertEqual((len(seen), result["iterations"]), (2, 2))
        self.assertEqual(result["simulation"], {"completed": 100, "n_scenarios": 100})

    def test_study_and_policy(self):
        study = cobre.Study(cases / "1dtoy", self.out, 2, iterations(5))
        self.assertEqual(repr(study.system), "System(n_buses=1, n_lines=0, n_hydros=1, n_thermals=2, n_stages=4)")
        with self.assertRaisesRegex(NotImplementedError, "Study.stochastic is known after train"):
            study.stochastic
        policy = study.train()
        self.assertEqual(policy.iterations, 5)
        self.assertAlmostEqual(policy.evaluate(0, [80.0]), 0.7200184147319861, places=12)
        intercept, slopes = policy.cut_matrix(0)
        numpy.testing.assert_allclose(
            intercept, [4.87852753, 2.97158742, 3.48671942, 1.56966148, 5.96458221], atol=1e-8)
        numpy.testing.assert_allclose(
            slopes[:, 0], [-0.06750837, -0.02814461, -0.03594176, -0.01134246, -0.08169739], atol=1e-8)
        self.assertEqual(study.simulate(policy), {"n_scenarios": 100, "completed": 100})
        self.assertEqual(study.load_policy().evaluate(0, [80.0]), policy.evaluate(0, [80.0]))
        self.assertEqual(study.hydro_models["n_constant"], 1)
        self.assertEqual(policy.evaluate(3, [1.0]), -float("inf"))
        self.assertEqual(policy.cut_matrix(3)[1].shape, (0, 1))
        for error, stage, state in ((IndexError, 99, [1.0]), (ValueError, 0, [1.0, 2.0]), (OverflowError, -1, [1.0])):
            with self.assertRaises(error):
                policy.evaluate(stage, state)

    def test_states_are_in_cobres_order(self):
        study = cobre.Study(cases / "d26-estimated-par2", self.out, config_overrides=iterations(6))
        value = study.train().evaluate(0, [100.0, 100.0, 100.0])
        raw = cobre.results.load_policy(self.out)
        cuts = raw["stage_cuts"][0]["cuts"]
        direct = max(cut["intercept"] + sum(100.0 * each for each in cut["coefficients"]) for cut in cuts)
        self.assertAlmostEqual(value * 1e6 / direct, 1, places=12)
        self.assertEqual(raw["metadata"]["season_manifest"], {
            "cycle_code": 0, "n_seasons": 12,
            "hydro_orders": [{"hydro_id": 0, "orders": [1, 2, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1]}]})

    def test_results(self):
        cobre.run.run(cases / "1dtoy", self.out, config_overrides=iterations(2))
        results = cobre.results.load_results(self.out)
        self.assertEqual(set(results["training"]), {"manifest", "metadata", "complete", "convergence_path", "timing_path"})
        self.assertTrue(results["training"]["complete"] and results["simulation"]["complete"])
        rows = cobre.results.load_convergence(self.out)
        self.assertEqual(list(rows[0]), [
            "iteration", "lower_bound", "upper_bound", "upper_bound_std", "upper_bound_kind", "gap_percent",
            "cuts_added", "cuts_removed", "cuts_active", "time_forward_ms", "time_backward_ms", "time_total_ms",
            "forward_passes", "lp_solves", "mean_rows_in_lp"])
        self.assertAlmostEqual(rows[1]["lower_bound"] / 1391771.3072454508, 1, places=12)
        self.assertIsInstance(cobre.results.load_convergence_arrow(self.out), pyarrow.Table)
        tables = cobre.results.load_simulation_arrow(self.out)
        self.assertEqual({name: table.num_rows for name, table in tables.items()},
                         {"costs": 400, "hydros": 400, "hydro_bus_generation": 400, "thermals": 800, "buses": 400})
        first = cobre.results.load_simulation(self.out, "hydros")[0]
        self.assertAlmostEqual(first["storage_final_hm3"], 39.74542868278571, places=9)
        self.assertTrue((self.out / "simulation/hydros/scenario_id=0099/data.parquet").exists())
        for call in (lambda: cobre.results.load_results(self.out / "no"),
                     lambda: cobre.results.load_policy(self.out / "no"),
                     lambda: cobre.results.load_simulation(self.out, "foo"),
                     lambda: cobre.results.load_stochastic(self.out)):
            with self.assertRaises(FileNotFoundError):
                call()

    def test_stochastic_models(self):
        cobre.run.run(cases / "d26-estimated-par2", self.out,
                      config_overrides={**iterations(1), "exports.stochastic": True})
        models = cobre.results.load_stochastic(self.out)
        found = models.par_coefficients()
        numpy.testing.assert_allclose(found[:2], [[0, 0, 1, 0.84583418], [0, 1, 1, 0.60793254]], atol=1e-8)
        numpy.testing.assert_allclose(models.opening_tree(0), [[0.40098936]], atol=1e-8)
        with self.assertRaises(IndexError):
            models.opening_tree(99)

    def test_a_checkpoint_is_written_as_it_was_read(self):
        for case in ("d02-single-hydro", "d16-par1-lag-shift", "d26-estimated-par2", "node-tree", "travel-time-arc",
                     "anticipated"):
            read = cobre.results.load_policy(published, case)
            cobre.write_policy_checkpoint(self.out / case, read["stage_cuts"], read["metadata"])
            again = cobre.results.load_policy(self.out, case)
            for each in (read, again):
                each["metadata"].pop("created_at")
            self.assertEqual(again, read, case)
            ours = cobre.Policy(cobre._study.OwnPolicy(self.out / case, cases / case))  # read by the library
            theirs = cobre.Policy(cobre._study.OwnPolicy(published / case, cases / case))
            self.assertEqual(ours.lockstep, theirs.lockstep, case)
        with self.assertRaisesRegex(NotImplementedError, "stage_states"):
            cobre.write_policy_checkpoint(self.out / "x", [], {}, stage_states=[])

    def test_damaged_checkpoints_are_refused(self):
        folder = self.out / "policy"
        (folder / "cuts").mkdir(parents=True)
        whole = (published / "d02-single-hydro/manifest.bin").read_bytes()
        for cut in (b"", whole[:9], whole[: len(whole) // 2], b"x" * 100, whole[:8] + b"\xff" * 200):
            (folder / "manifest.bin").write_bytes(cut)
            with self.assertRaises(ValueError):
                cobre.results.load_policy(self.out)

    def test_cases(self):
        self.assertEqual(cobre.io.validate(cases / "4ree"), {"valid": True, "errors": [], "warnings": []})
        missing = cobre.io.validate(self.out / "no")
        self.assertEqual((missing["valid"], missing["errors"][0]["kind"]), (False, "IoError"))
        system = cobre.io.load_case(cases / "contracts")
        self.assertEqual(vars(system.contracts[0]), {
            "bus_id": 0, "contract_type": "import", "entry_stage_id": 1, "exit_stage_id": None, "id": 0, "max_mw": 30.0,
            "min_mw": 5.0, "name": "IMP", "operational_start_date": "2000-01-01", "price_per_mwh": 80.0})
        line = cobre.io.load_case(cases / "4ree").lines[0]
        self.assertEqual(repr(line), "Line(id=0, name='SUDESTE_SUL', source_bus_id=0, target_bus_id=1)")
        self.assertEqual((line.direct_capacity_mw, line.reverse_capacity_mw, line.exchange_cost), (7500.0, 5470.0, 0.1))
        bus = cobre.io.load_case(cases / "1dtoy").buses[0]
        self.assertEqual((bus.deficit_segments, bus.excess_cost), ([{"depth_mw": None, "cost_per_mwh": 1000.0}], 100.0))

    def test_errors_are_cobres_and_pythons(self):
        errors = cobre.errors
        for name, builtin in (("ValidationError", ValueError), ("PolicyIncompatibleError", ValueError),
                              ("CaseIoError", OSError), ("OutputError", OSError), ("SolverError", RuntimeError),
                              ("SimulationError", RuntimeError), ("InternalError", RuntimeError)):
            self.assertTrue(issubclass(getattr(errors, name), (errors.CobreError,)))
            self.assertTrue(issubclass(getattr(errors, name), builtin))
        with self.assertRaises(errors.CaseIoError):
            cobre.run.run(self.out / "no")
        with self.assertRaises(errors.ValidationError):
            cobre.run.run(cases / "1dtoy", self.out, config_overrides={"foo": {"x": 1}})
        with self.assertRaises(errors.ValidationError):
            cobre.Study(cases / "1dtoy", self.out, config_overrides={"training.selection.forward_passes": 0})
        with self.assertRaisesRegex(ValueError, "threads must be >= 1"):
            cobre.run.run(cases / "1dtoy", threads=0)
        cobre.run.run(cases / "1dtoy", self.out, config_overrides=iterations(1))
        with self.assertRaises(errors.PolicyIncompatibleError):
            cobre.Study(cases / "4ree", self.out / "o").load_policy(self.out)
        self.assertIsNone(errors.SolverError("x").stage)

    def test_schemas(self):
        count = cobre.schema.export(self.out)
        self.assertEqual(count, len(list(self.out.iterdir())))
        self.assertGreaterEqual(count, 18)
        self.assertIn("$schema", json.loads((self.out / "hydros.schema.json").read_text()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
