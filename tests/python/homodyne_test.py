"""Scripts written for homodyne run over lockstep.compat.homodyne, with homodyne's answers."""

import json
import pathlib
import sys
import tempfile
import unittest
import warnings

import numpy

from lockstep import xpcs
from lockstep.compat.homodyne import ConfigManager, fit_mcmc_jax, fit_nlsq_jax, load_xpcs_data

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
del sys.argv[1:]
data = source / "tests/data/xpcs"
golden = json.loads((data / "golden.json").read_text())

yaml = """
analysis_mode: "{mode}"
analyzer_parameters:
  dt: 0.1
  start_frame: {first}
  end_frame: {last}
  scattering: {{wavevector_q: {q}}}
  geometry: {{stator_rotor_gap: 2000000}}
experimental_data:
  data_folder_path: "{folder}"
  data_file_name: "{file}"
initial_parameters:
  parameter_names: [{names}]
  values: {values}
parameter_space:
  bounds:
    - {{name: D0, min: 100, max: 90000}}
"""


class HomodyneTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        warnings.simplefilter("ignore")

    def config(self, file, mode="laminar_flow", first=1, last=-1, q=0.0054,
               names="D0, alpha, D_offset", values="[10000, -0.5, 500]"):
        path = self.folder / "config.yaml"
        path.write_text(yaml.format(file=file, folder=data, mode=mode, first=first, last=last, q=q,
                                    names=names, values=values))
        return str(path)

    def test_loads_what_its_loader_loads(self):
        for name in ("old_full", "old_slice", "old_other_q", "u_full", "npz_direct"):
            known = golden["loader"][name]
            asked = known["config"]
            found = load_xpcs_data(self.config(asked["data_file"], first=asked["start_frame"],
                                               last=asked["end_frame"], q=asked["wavevector_q"]))
            self.assertEqual(set(found), {"wavevector_q_list", "phi_angles_list", "t1", "t2", "c2_exp"})
            self.assertEqual(found["wavevector_q_list"].tolist(), known["q_list"])
            self.assertEqual(found["phi_angles_list"].tolist(), known["phi"])
            self.assertAlmostEqual(found["c2_exp"].sum() / known["sum"], 1, 13)
            c2 = found["c2_exp"]
            for value, key in ((c2[0, 0, 0], "c2_0_0_0"), (c2[1, 3, 7], "c2_1_3_7"),
                               (c2[-1, -1, -1], "c2_m1_m1_m1")):
                self.assertAlmostEqual(value, known[key], 14)
        by_dict = load_xpcs_data(config_dict=ConfigManager(
            self.config("st3_cache.npz", "static")).config)
        numpy.testing.assert_array_equal(by_dict["c2_exp"], c2)
        with self.assertRaises(ValueError):
            load_xpcs_data()

    def test_knows_its_configuration(self):
        manager = ConfigManager(self.config("st3_cache.npz", "static_isotropic"))
        self.assertEqual(manager.get_analysis_mode(), "static")
        self.assertTrue(manager.is_static_mode_enabled())
        self.assertEqual(manager.get_initial_parameters(),
                         {"D0": 10000, "alpha": -0.5, "D_offset": 500})
        self.assertEqual(manager.get_parameter_bounds(["D0", "alpha"]),
                         [{"name": "D0", "min": 100, "max": 90000},
                          {"name": "alpha", "min": -2, "max": 2}])
        empty = ConfigManager(self.config("st3_cache.npz", "static", values="null"))
        self.assertEqual(empty.get_initial_parameters()["D0"], (100 + 90000) / 2)
        self.assertEqual(ConfigManager(config_override={"a": 1}).config, {"a": 1})

    def test_fits_as_its_documented_script(self):
        path = self.config("lam6_aps_old.h5")
        result = fit_nlsq_jax(load_xpcs_data(path), ConfigManager(path), sigma=0.01,
                              scaling="individual", errors="classical", tolerance=1e-12)
        known = golden["lam6"]["stratified_path"]["individual"]
        errors = numpy.array(known["uncertainty_from_s2_invJtJ"])
        self.assertEqual(result.parameters.shape, (19,))
        self.assertTrue((numpy.abs(result.parameters - known["minimiser"]) < 1e-3 * errors).all())
        # Each pair counts once here and twice there.
        numpy.testing.assert_allclose(result.uncertainties, numpy.sqrt(2) * errors, rtol=0.02)
        self.assertAlmostEqual(2 * result.chi_squared, known["chi2_min"], 4)
        self.assertTrue(result.success)
        self.assertEqual(result.convergence_status, "converged")
        self.assertEqual(result.covariance.shape, (19, 19))

    def test_keeps_the_order_of_angles(self):
        path = self.config("st3_cache.npz", "static")
        found = load_xpcs_data(path)
        straight = fit_nlsq_jax(found, ConfigManager(path), errors="classical")
        order = [2, 0, 1]
        turned = {**found, "phi_angles_list": found["phi_angles_list"][order] + 360,
                  "c2_exp": found["c2_exp"][order]}
        other = fit_nlsq_jax(turned, ConfigManager(path), errors="classical")
        numpy.testing.assert_array_equal(other.parameters[:3], straight.parameters[:3][order])
        numpy.testing.assert_array_equal(other.parameters[6:], straight.parameters[6:])
        numpy.testing.assert_array_equal(other.uncertainties[3:6], straight.uncertainties[3:6][order])
        other_names = {"phi": found["phi_angles_list"], "g2": found["c2_exp"], "t1": found["t1"],
                       "t2": found["t2"], "q": 0.0054, "L": 2e6, "dt": 0.1, "sigma": 0.01}
        same = fit_nlsq_jax(other_names, ConfigManager(path), errors="classical")
        numpy.testing.assert_array_equal(same.parameters, straight.parameters)
        null = fit_nlsq_jax(found, ConfigManager(self.config("st3_cache.npz", "static", values="null")),
                            initial_params={"D0": 9000.0, "alpha": -0.5}, errors="classical")
        numpy.testing.assert_allclose(null.parameters, straight.parameters, rtol=1e-3)

    def test_samples_pooled_points(self):
        path = self.config("st3_cache.npz", "static")
        found = load_xpcs_data(path)
        n, angles = len(found["t1"]) - 1, len(found["phi_angles_list"])
        c2 = found["c2_exp"][:, 1:, 1:]
        t1, t2 = numpy.meshgrid(found["t1"][1:], found["t2"][1:], indexing="ij")
        pooled = {"data": c2.ravel(), "t1": numpy.tile(t1.ravel(), angles),
                  "t2": numpy.tile(t2.ravel(), angles),
                  "phi": numpy.repeat(found["phi_angles_list"], n * n)}
        result = fit_mcmc_jax(**pooled, q=0.0054, L=2e6, analysis_mode="static", dt=0.1,
                              initial_values={"D0": 9000.0, "alpha": -0.5, "D_offset": 300.0},
                              cmc_config={"per_shard_mcmc": {"num_warmup": 200, "num_samples": 250}},
                              errors="classical")
        self.assertEqual((result.n_chains, result.n_samples, result.n_warmup), (4, 250, 200))
        for name, true in zip(("D0", "alpha", "D_offset"), golden["st3"]["truth"]["params"]):
            place = result.param_names.index(name)
            self.assertLess(abs(result.parameters[place] - true), 4 * result.uncertainties[place])
            self.assertEqual(result.samples[name].shape, (4, 250))
            self.assertLess(result.r_hat[name], 1.05)
        self.assertEqual(result.get_samples_array().shape, (4, 250, len(result.param_names)))
        self.assertEqual(set(result.get_posterior_stats()["D0"]),
                         {"mean", "std", "median", "hdi_5%", "hdi_95%", "r_hat", "ess_bulk",
                          "ess_tail"})
        self.assertEqual(result.inference_data.posterior["D0"].shape, (4, 250))
        whole = xpcs.Dataset.load(data / "st3_cache.npz")
        numpy.testing.assert_array_equal(result.posterior.fit.dataset.pairs, whole.pairs)
        with self.assertRaisesRegex(ValueError, "must have the same number"):
            fit_mcmc_jax(**{**pooled, "phi": [0.0]}, q=0.0054, L=2e6, analysis_mode="static")
        with self.assertRaisesRegex(ValueError, "must be static or laminar_flow"):
            fit_mcmc_jax(**pooled, q=0.0054, L=2e6, analysis_mode="flow")


if __name__ == "__main__":
    unittest.main(verbosity=1)
