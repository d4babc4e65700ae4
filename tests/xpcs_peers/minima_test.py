"""Fits of 7 thousand to a million points beside the minima of independent solvers and what homodyne reported.

usage: minima_test.py PROGRAM      the data are made anew by the recipe of golden-peers.json
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}; ./dev test installs tools/requirements-tables.txt")
    sys.exit(77)

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "xpcs"
sys.path.insert(0, str(DATA))
import make_peers  # noqa: E402

PEERS = json.loads((DATA / "golden-peers.json").read_text())
RECIPES = PEERS["generator"]["datasets"]
MINIMA = {(entry["dataset"], entry["mode"]): entry for entry in PEERS["nlsq_minimum"]["entries"]}
SCALING = {"individual": "individual", "auto": "averaged"}


class MinimaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.fits = {}

    def fit(self, name, mode):
        """fit.json of a data set, with homodyne's weights."""
        if (name, mode) not in self.fits:
            config = make_peers.write_analysis(name, RECIPES[name], self.folder)
            self.fits[name, mode] = self.fit_config(config, self.folder / f"{name}-{mode}", mode)
        return self.fits[name, mode]

    def fit_config(self, config, output, mode):
        words = [sys.argv[1], "xpcs", "fit", config, "-o", output, "-q", "-t", "2", "--sigma", "0.01", "--errors", "classical"]
        done = subprocess.run([*words, "--scaling", SCALING[mode]], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((output / "fit.json").read_text())

    def test_every_size_has_the_minimum_of_an_independent_solver(self):
        for (name, mode), expected in MINIMA.items():
            with self.subTest(data=name, mode=mode):
                found = self.fit(name, mode)
                # There both triangles count.
                self.assertAlmostEqual(2 * found["chi_squared"] / expected["chi2_min"], 1, delta=1e-9)
                for value, x, error in zip(found["values"], expected["x"], expected["unc"]):
                    self.assertLess(abs(value["value"] - x), 2e-4 * error, value["name"])
                    # s² there counts each pair twice, which makes errors smaller by √2.
                    self.assertAlmostEqual(value["error"] / error / math.sqrt(2), 1, delta=0.01)

    def test_is_no_worse_than_homodyne_at_a_million_points(self):
        for name, mode in (("lam_1M", "auto"), ("st_1M", "individual")):
            for version in ("lock", "newest"):
                theirs = PEERS["homodyne_runs"]["runs"][version][name]["reported_chi2"]
                ours = 2 * self.fit(name, mode)["chi_squared"]
                self.assertLess(ours, theirs * (1 + 1e-10))
                self.assertAlmostEqual(ours / theirs, 1, delta=1e-3)

    def test_a_hundred_thousand_points_determine_the_flow(self):
        """Where homodyne's model does not depend on the parameters."""
        found = self.fit("lam_101k", "individual")
        physical = found["values"][-7:]
        for value, truth, start in zip(physical, RECIPES["lam_101k"]["truth"], make_peers.START):
            self.assertLess(abs(value["value"] - truth), 4 * value["error"], value["name"])
            self.assertNotEqual(value["value"], start)
        for version in ("lock", "newest"):
            theirs = PEERS["homodyne_runs"]["runs"][version]["lam_101k"]["parameters"][-7:]
            self.assertGreater(abs(theirs[0] - RECIPES["lam_101k"]["truth"][0]), 4 * physical[0]["error"])

    def test_shared_scales_are_told_to_miss_the_truth(self):
        """Errors of auto scaling where contrasts differ by 7 %: both results are in the file."""
        found = self.fit("lam_1M", "auto")
        truth = RECIPES["lam_1M"]["truth"]
        self.assertGreater(abs(found["values"][2]["value"] - truth[0]), 10 * found["values"][2]["error"])
        self.assertTrue(found["individual"]["better"])
        for value, expected in zip(found["individual"]["values"][-7:], truth):
            self.assertLess(abs(value["value"] - expected), 4 * value["error"], value["name"])

    def fit_of_measured(self, scale):
        """Of a measured matrix, with the wavevector `scale` times as large and bounds that belong to it."""
        diffusion = scale**-2
        name = f"measured-{scale}"
        config = self.folder / f"{name}.yaml"
        config.write_text(
            "analysis_mode: static\n"
            f"analyzer_parameters: {{dt: 1.0, start_frame: 1, end_frame: -1, scattering: {{wavevector_q: {0.0054 * scale!r}}}}}\n"
            f"initial_parameters: {{parameter_names: [D0, alpha, D_offset], values: [{1000 * diffusion!r}, 0, 0]}}\n"
            "parameter_space:\n  bounds:\n"
            f"    - {{name: D0, min: {100 * diffusion!r}, max: {1e5 * diffusion!r}}}\n"
            f"    - {{name: D_offset, min: {-1e5 * diffusion!r}, max: {1e5 * diffusion!r}}}\n"
            f"experimental_data: {{data_folder_path: {DATA}, data_file_name: nsls2_two_time_350.npy}}\n"
        )
        return self.fit_config(config, self.folder / name, "individual")

    def test_a_measured_matrix_has_the_minimum_of_scipy(self):
        """SciPy 1.17.1 (trf, scales eliminated by linear least squares) ends there from four starts."""
        found = self.fit_of_measured(1)
        self.assertAlmostEqual(found["chi_squared"] / 3133064.6052, 1, delta=1e-6)

    def test_units_of_a_measured_matrix_change_nothing(self):
        one, ten = self.fit_of_measured(1), self.fit_of_measured(10)
        self.assertAlmostEqual(one["chi_squared"] / ten["chi_squared"], 1, delta=1e-9)
        self.assertAlmostEqual(one["condition"] / ten["condition"], 1, delta=1e-6)
        for a, b, ratio in zip(one["values"], ten["values"], [1, 1, 100, 1, 100]):
            self.assertAlmostEqual(a["value"] / b["value"] / ratio, 1, delta=1e-6, msg=a["name"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
