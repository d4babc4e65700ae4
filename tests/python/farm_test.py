"""Farms of this machine: conformance, shutdown, retries."""

import sys
import unittest

del sys.argv[1:]

import farm_functions as of  # noqa: E402
from farm_conformance import Conformance  # noqa: E402

from lockstep.farm import Farm, TaskCancelled  # noqa: E402


class OneFarm(Conformance):
    made = None

    def farm(self):
        if type(self).made is None:
            type(self).made = Farm(self.backend, self.workers)
        return self.made

    @classmethod
    def tearDownClass(cls):
        if cls.made is not None:
            cls.made.shutdown()

    def test_retries_what_failed_as_often_as_it_is_told(self):
        with Farm(self.backend, self.workers, retries_of_failed=2) as farm:
            future = farm.submit(of.fail_if_odd, 1)
            self.assertIsInstance(future.exception(), ValueError)
            self.assertEqual(future.attempts, 3)

    def test_drains_or_drops_when_it_shuts_down(self):
        with Farm(self.backend, self.workers) as farm:
            futures = [farm.submit(of.nap, 0.01) for _ in range(10)]
        self.assertEqual([each.result(0) for each in futures], [0.01] * 10)
        farm.shutdown()
        with self.assertRaisesRegex(RuntimeError, "was shut down"):
            farm.submit(of.number, 1)
        farm = Farm(self.backend, self.workers)
        futures = [farm.submit(of.nap, 0.2) for _ in range(10)]
        farm.shutdown(wait=False)
        self.assertTrue(all(each.done() for each in futures))
        with self.assertRaises(TaskCancelled):
            futures[-1].result()

    def test_refuses_to_have_no_workers(self):
        for wrong in (0, -1, 1.5, True, "2"):
            with self.assertRaisesRegex(ValueError, "n_workers is"):
                Farm(self.backend, wrong)
        with self.assertRaisesRegex(ValueError, "retries_of_failed is -1"):
            Farm(self.backend, retries_of_failed=-1)


class SequentialTest(OneFarm, unittest.TestCase):
    backend, workers, is_remote = "sequential", 1, False


class ThreadsTest(OneFarm, unittest.TestCase):
    backend, is_remote = "threads", False


class ProcessesTest(OneFarm, unittest.TestCase):
    backend = "processes"


class OneProcessTest(OneFarm, unittest.TestCase):
    backend, workers = "processes", 1


class FarmTest(unittest.TestCase):
    def test_refuses_a_backend_that_does_not_exist(self):
        with self.assertRaisesRegex(ValueError, "'sequential', 'threads', 'processes' or 'ray'"):
            Farm("gpu")


if __name__ == "__main__":
    unittest.main(verbosity=2)
