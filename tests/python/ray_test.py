"""The farm on a Ray cluster: conformance, studies, and a cluster that dies."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

source = pathlib.Path(sys.argv[2])
del sys.argv[1:]

from farm_conformance import Conformance  # noqa: E402

from lockstep.farm import Farm  # noqa: E402

try:
    import ray  # noqa: F401
except ImportError:
    print("skipped: Ray is not installed")
    sys.exit(0)

brief = {"training.stopping_rules": [{"type": "iteration_limit", "limit": 2}]}


class RayTest(Conformance, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Short, for the names of Ray's sockets.
        cls.place = tempfile.TemporaryDirectory(prefix="r", ignore_cleanup_errors=True)
        cls.made = Farm("ray", 2, folder=cls.place.name)

    @classmethod
    def tearDownClass(cls):
        cls.made.shutdown()
        left = [each for each in pathlib.Path("/proc").glob("[0-9]*/cmdline") if cls.place.name in _text(each)]
        cls.place.cleanup()
        assert not left, left

    def farm(self):
        return self.made

    def test_writes_inside_the_folder_of_the_run(self):
        self.assertTrue(any((pathlib.Path(self.place.name) / "ray").glob("session_*")))

    def test_studies_have_the_digests_of_a_sequential_farm(self):
        from lockstep import ray

        folder = self.folder()
        overrides = [brief, {"training.stopping_rules": [{"type": "iteration_limit", "limit": 3}]}]
        grid = {"alpha": [0.1, 0.5], "steps": [2000]}
        found = []
        for name, farm in (("ray", self.made), ("here", Farm("sequential"))):
            runs = ray.sddp_study(source / "cases/sddp/1dtoy", overrides, output=folder / name / "sddp", farm=farm, threads=1)
            sweep = ray.rl_sweep("FrozenLake", grid, output=folder / name / "rl", farm=farm)
            self.assertEqual([point["alpha"] for point, _ in sweep], [0.1, 0.5])
            self.assertEqual(runs[1].output, str(folder.resolve() / name / "sddp/0001"))
            found.append([[run.summary[part]["digest"] for run in runs for part in ("training", "simulation")],
                          [run.summary["digest"] for _, run in sweep]])
        self.assertEqual(found[0], found[1])
        self.assertNotEqual(*found[0][1])

    def test_shards_have_the_draws_of_a_sequential_farm(self):
        from lockstep import xpcs

        truth = {"D0": 1.0e4, "alpha": -0.5, "D_offset": 10.0}
        data = xpcs.simulate(truth, phi=[0.0, 60.0], dt=0.1, q=0.005, frames=60, seed=4)
        there, here = (xpcs.sample(data, shards=4, sampler="importance", n_samples=200, farm=farm).summary["posterior"]["consensus"]
                       for farm in (self.made, "sequential"))
        self.assertEqual((there["farm"]["name"], there["farm"]["workers"]), ("ray", 2))
        self.assertEqual(there["digest"], here["digest"])

    def test_a_cluster_that_is_not_there_is_one_sentence(self):
        dead = ("from lockstep.farm import Farm\n"
                "try: Farm('ray', 1, address='127.0.0.1:9')\n"
                "except ConnectionError as error: print(error)\n")
        ended = subprocess.run([sys.executable, "-c", dead], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(ended.stdout, "there is no Ray cluster at 127.0.0.1:9: nobody answers\n")

    def test_a_cluster_that_dies_ends_tasks_and_leaves_the_caller_alive(self):
        script = pathlib.Path(__file__).with_name("ray_dying.py")
        ended = subprocess.run([sys.executable, script, self.place.name], capture_output=True, text=True, timeout=90)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("CommError: the Ray cluster at", ended.stdout)


def _text(path):
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""


if __name__ == "__main__":
    unittest.main(verbosity=2)
