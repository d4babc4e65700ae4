"""posterior.nc as ArviZ opens it with both of its netCDF engines, and its diagnostics beside ours.

usage: arviz_test.py PROGRAM      ArviZ 0.23 and 1.3 are known to pass
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

warnings.filterwarnings("ignore")
try:
    import arviz
    import h5netcdf
    import h5py
    import netCDF4
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}; ./dev test installs tools/requirements-tables.txt")
    sys.exit(77)

ENGINES = {"h5netcdf": h5netcdf, "netcdf4": netCDF4}
CHAINS, DRAWS = 4, 300
SAMPLERS = {"nuts": ["--n-warmup", "200"], "importance": []}
STATISTICS = {"lp", "energy", "acceptance_rate", "n_steps", "tree_depth", "diverging", "step_size"}


class ArvizTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.run_program("init", cls.folder / "first", "--mode", "static")
        for sampler, more in SAMPLERS.items():
            cls.run_program("sample", cls.folder / "first/config.yaml", "-o", cls.folder / sampler, "-q", "-t", "1", "--sampler", sampler,
                            "--n-chains", CHAINS, "--n-samples", DRAWS, *more)

    @staticmethod
    def run_program(*words):
        done = subprocess.run([sys.argv[1], "xpcs", *map(str, words)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr

    def opened(self, sampler):
        return [arviz.from_netcdf(str(self.folder / sampler / "posterior.nc"), engine=engine) for engine in ENGINES]

    def test_holds_the_draws_of_the_archive(self):
        for sampler in SAMPLERS:
            archive = numpy.load(self.folder / sampler / "posterior.npz")
            for data in self.opened(sampler):
                posterior = data["posterior"]
                self.assertEqual(set(posterior.data_vars), set(archive["param_names"]))
                for k, name in enumerate(archive["param_names"]):
                    self.assertEqual(posterior[name].dims, ("chain", "draw"))
                    numpy.testing.assert_array_equal(posterior[name].values, archive["samples"][:, :, k])
                numpy.testing.assert_array_equal(data["sample_stats"]["lp"].values, archive["log_density"])
                self.assertEqual(posterior["D_offset"].attrs["units"], "Å²/s")
                self.assertEqual(posterior.attrs["inference_library"], "lockstep")

    def test_statistics_of_chains_are_named_as_arviz_has_them(self):
        for data in self.opened("nuts"):
            statistics = data["sample_stats"]
            self.assertEqual(set(statistics.data_vars), STATISTICS)
            self.assertEqual(statistics["diverging"].dtype, bool)
            self.assertEqual(statistics["n_steps"].shape, (CHAINS, DRAWS))
            self.assertTrue((statistics["n_steps"] < 2 ** (statistics["tree_depth"] + 1)).all())
            self.assertTrue((statistics["acceptance_rate"] <= 1).all())
        for data in self.opened("importance"):
            self.assertEqual(set(data["sample_stats"].data_vars), {"lp"})

    def test_diagnostics_are_ours(self):
        record = json.loads((self.folder / "nuts/posterior.json").read_text())
        figures = {
            "rhat": arviz.rhat,
            "ess_bulk": arviz.ess,
            "ess_tail": lambda draws: arviz.ess(draws, method="tail", prob=(0.05, 0.95)),
            "mcse": arviz.mcse,
        }
        for data in self.opened("nuts"):
            for quantity in record["quantities"]:
                draws = numpy.ascontiguousarray(data["posterior"][quantity["name"]].values)
                for figure, of in figures.items():
                    with self.subTest(quantity=quantity["name"], figure=figure):
                        self.assertAlmostEqual(float(of(draws)) / quantity[figure], 1, delta=1e-10)
            energies = numpy.ascontiguousarray(data["sample_stats"]["energy"].values)
            of_formula = numpy.square(numpy.diff(energies, axis=1)).mean(axis=1) / energies.var(axis=1, ddof=1)
            numpy.testing.assert_allclose(of_formula, record["e_bfmi"], rtol=1e-10)
            self.assertEqual(int(data["sample_stats"]["diverging"].sum()), record["divergences"])


if __name__ == "__main__":
    print("ArviZ", arviz.__version__, "h5py", h5py.__version__)
    unittest.main(argv=sys.argv[:1])
