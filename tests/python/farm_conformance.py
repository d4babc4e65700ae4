"""What every farm does, as tests/conformance/runtime/task_farm_test.cpp has it of the C++ ones."""

import functools
import pathlib
import tempfile

import farm_functions as of

from lockstep.farm import TaskCancelled, TaskCrashed


class Conformance:
    """With farm(**retries), a new one or one that may be used again; `workers` and `is_remote`."""

    workers = 2
    is_remote = True

    def folder(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return pathlib.Path(made.name)

    def test_gives_results_by_number(self):
        self.assertEqual(self.farm().map(of.number, range(50)), list(range(50)))

    def test_runs_nothing_for_no_tasks(self):
        self.assertEqual(self.farm().map(of.number, []), [])
        self.assertEqual(list(self.farm().map_unordered(of.number, [])), [])

    def test_tells_how_many_work(self):
        self.assertEqual(self.farm().n_workers, self.workers)

    def test_carries_inputs_and_outputs_of_any_length(self):
        texts = [b"a" * length for length in (0, 1, 7, 1000, 65536, 65537, 3000000)]
        self.assertEqual(self.farm().map(of.number, texts), texts)

    def test_serves_many_batches(self):
        for _ in range(5):
            self.assertEqual(self.farm().map(of.number, range(5)), list(range(5)))

    def test_gives_every_result_once_as_it_comes(self):
        self.assertEqual(sorted(self.farm().map_unordered(of.number, range(30))), [(k, k) for k in range(30)])

    def test_keeps_failures_apart_by_task(self):
        for k, found in enumerate(self.farm().map(of.fail_if_odd, range(10), errors="return")):
            self.assertEqual(repr(found), repr(ValueError(f"odd {k}") if k % 2 else "even"))

    def test_raises_the_error_of_the_lowest_task(self):
        with self.assertRaisesRegex(ValueError, "^odd 1$") as raised:
            self.farm().map(of.fail_if_odd, range(40), cost=range(40))
        self.assertRegex(raised.exception.__notes__[0], "in task 1:\n(.|\n)*fail_if_odd")
        with self.assertRaisesRegex(ValueError, "^odd 7$"):
            self.farm().map(of.fail_if_odd, [7, 2])

    def test_hands_on_the_text_of_what_a_task_raises(self):
        with self.assertRaisesRegex(Exception, "this and that"):
            self.farm().submit(of.fail_strangely).result()

    def test_refuses_what_cannot_travel(self):
        if not self.is_remote:
            self.skipTest("nothing travels")
        import threading

        with self.assertRaisesRegex(TypeError, "cannot take"):
            self.farm().map(of.number, [threading.Lock()])
        with self.assertRaisesRegex(TypeError, "cannot travel"):
            self.farm().submit(of.unfit).result()
        self.assertEqual(self.farm().map(of.number, [1]), [1])

    def test_begins_the_costly_then_the_lowest(self):
        if self.workers != 1:
            self.skipTest("several workers end in any order")
        mark = self.folder() / "order"
        self.farm().map(functools.partial(of.note, str(mark)), range(6), cost=[1, 5, 2, 5, 9, 0])
        self.assertEqual(mark.read_text().split(), ["4", "1", "3", "2", "0", "5"])

    def test_refuses_costs_of_another_number(self):
        with self.assertRaisesRegex(ValueError, "cost has 1 numbers, items has 2"):
            self.farm().map(of.number, [1, 2], cost=[1])

    def test_cancels_what_is_left_when_the_caller_has_enough(self):
        mark = self.folder() / "order"
        results = self.farm().map_unordered(functools.partial(of.note, str(mark)), range(2000), chunk=1)
        next(results)
        results.close()
        self.assertLess(len(mark.read_text().split()), 2000)
        self.assertEqual(self.farm().map(of.number, [1]), [1])

    def test_keeps_promises_of_single_tasks(self):
        farm = self.farm()
        futures = [farm.submit(pow, k, exp=2) for k in range(5)]
        self.assertEqual([each.result() for each in reversed(futures)], [16, 9, 4, 1, 0])
        self.assertTrue(all(each.done() and each.wait(0) and each.attempts == 1 for each in futures))
        self.assertEqual(futures[0].result(), 0)
        self.assertIsNone(futures[0].exception())

    def test_cancels_tasks_that_have_not_begun(self):
        farm = self.farm()
        futures = [farm.submit(of.nap, 0.2) for _ in range(self.workers + 3)]
        self.assertTrue(futures[-1].cancel())
        self.assertTrue(futures[-1].cancelled())
        with self.assertRaisesRegex(TaskCancelled, "was cancelled before it began"):
            futures[-1].result()
        self.assertEqual(futures[0].result(), 0.2)
        self.assertFalse(futures[0].cancel())

    def test_retries_a_task_whose_worker_died(self):
        if not self.is_remote:
            self.skipTest("its workers are the process itself")
        folder = self.folder()
        future = self.farm().submit(of.die_once, str(folder / "once"))
        self.assertEqual((future.result(), future.attempts), ("alive", 2))
        tasks = [(str(folder / "third"), k) for k in range(8)]
        self.assertEqual(self.farm().map(of.die_once_at_three, tasks, chunk=4), list(range(8)))

    def test_gives_up_a_task_whose_workers_die(self):
        if not self.is_remote:
            self.skipTest("its workers are the process itself")
        found = self.farm().map(of.die, range(1), errors="return")
        self.assertIsInstance(found[0], TaskCrashed)
        self.assertRegex(str(found[0]), "^task 0 was tried 2 times: its .*worker")
        self.assertEqual(self.farm().map(of.number, range(4)), list(range(4)))

    def test_uses_a_worker_for_many_tasks_that_are_no_ranks(self):
        found = set(self.farm().map(of.who, range(20)))
        self.assertLessEqual(len(found), self.workers)
        if self.is_remote:
            self.assertEqual({backend for _, backend in found}, {"local"})

    def test_gives_the_same_results_in_the_same_order_whoever_runs_them(self):
        self.assertEqual(self.farm().map(of.digest, range(40), cost=lambda seed: seed % 7),
                         [of.digest(seed) for seed in range(40)])
