"""Tables, learners and environments of lockstep.rl: exact values, the program's digests, bad input."""

import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import lockstep
from lockstep import rl

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
del sys.argv[1:]


def command(*words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


# A machine that wears out, docs/rl/own-problem.md: worth 37300/49 at the start with gamma 0.9.
machine = {
    0: {0: [(0.75, 0, 100.0, False), (0.25, 1, 100.0, False)]},
    1: {0: [(2 / 3, 1, 60.0, False), (1 / 3, 2, 60.0, False)], 1: [(1.0, 0, -30.0, False)]},
    2: {2: [(1.0, 0, -150.0, False)]},
}


class EnvironmentTest(Folder):
    def test_every_origin_has_the_exact_value_of_the_machine(self):
        wanted = 37300 / 49
        file = rl.make(source / "examples/rl/machine_repair.json")
        table = rl.make(machine, start=0, gamma=0.9)
        transitions, rewards = np.zeros((3, 3, 3)), np.zeros((3, 3))
        for s, row in machine.items():
            for a, outcomes in row.items():
                for p, following, reward, _ in outcomes:
                    transitions[s, a, following] = p
                    rewards[s, a] = reward
        arrays = rl.make(transitions, rewards, start=0, gamma=0.9)
        for env in (file, table, arrays):
            value, lower, upper = rl.solve(env).start
            self.assertAlmostEqual(value, wanted, 6)
            self.assertLessEqual(lower, wanted)
            self.assertGreaterEqual(upper, wanted)
            training = rl.train(env, steps=200000)
            self.assertAlmostEqual(rl.evaluate(env, training).value, wanted, 6)
            self.assertEqual(training.q_table.greedy().tolist(), [0, 1, 2])
            self.assertAlmostEqual(rl.evaluate(env, [0, 0, 2]).optimum, wanted, 6)
            self.assertLess(rl.evaluate(env, [0, 0, 2]).value, wanted - 1)

    def test_a_table_has_the_digest_of_its_model_file_under_the_program(self):
        env = rl.make(machine, start=0, gamma=0.9, time_limit=50)
        env.save_model(self.folder / "machine.json")
        for threads, extra in ((1, {}), (3, {}), (2, {"algorithm": "expected-sarsa", "mode": "vector"})):
            ours = env.train(steps=50000, threads=threads, seed=7, **extra)
            words = [w for k, v in extra.items() for w in (f"--{k}", v)]
            command("rl", "train", self.folder / "machine.json", "--steps", 50000, "--seed", 7, "-q",
                    "-o", self.folder / "out", *words)
            theirs = json.loads(command("rl", "summary", self.folder / "out", "--json"))
            self.assertEqual(ours.digest, theirs["digest"])
            self.assertEqual(ours.summary["options"], theirs["options"])
            self.assertTrue(np.array_equal(rl.QTable.load(self.folder / "out"), ours.q_table))
        filed = env.train(steps=50000, seed=7, output=self.folder / "filed")
        self.assertEqual(filed.digest, env.train(steps=50000, seed=7).digest)
        self.assertTrue((self.folder / "filed/training/metrics.jsonl").is_file())
        self.assertAlmostEqual(rl.evaluate(filed)["optimum"]["value"], 37300 / 49, 6)

    def test_named_environments_leave_files_by_name_alone(self):
        env = rl.make("FrozenLake", is_slippery=False)
        self.assertEqual((env.states, env.actions, env.route), (16, 4, "native"))
        by_name = rl.train("FrozenLake", steps=20000, set={"is_slippery": False},
                           output=self.folder / "out")
        in_memory = rl.train(env, steps=20000)
        self.assertEqual(in_memory.digest, by_name.digest)
        self.assertIsNone(in_memory.output)
        self.assertEqual(in_memory.q_table, by_name.q_table)
        for other in (pickle.loads(pickle.dumps(env)), pickle.loads(pickle.dumps(rl.make(machine)))):
            self.assertIn(other.states, (16, 3))

    def test_published_optima(self):
        for name, parameters, gamma, wanted in (
                ("FrozenLake", {}, 0.99, 0.542025932), ("FrozenLake", {}, 0.9, 0.068890905),
                ("CliffWalking", {}, 1, -13), ("CliffWalkingSlippery", {}, 1, -64.709175910),
                ("Taxi-v3", {}, 1, 7.93), ("Taxi-v4", {"is_rainy": True}, 1, 3.954574517),
                ("Blackjack", {}, 1, -0.043113105), ("Blackjack", {"sab": False}, 1, -0.046555977)):
            value, _, _ = rl.solve(rl.make(name, **parameters), gamma=gamma).start
            self.assertAlmostEqual(value, wanted, 8, name)

    def test_progress_may_end_the_work(self):
        def stop(report):
            raise RuntimeError("enough")
        with self.assertRaisesRegex(RuntimeError, "enough"):
            rl.train(rl.make(machine), steps=1000, on_progress=stop)

    def test_wrong_input_is_named(self):
        wrong = {0: {0: [(0.5, 0, 1.0, False)]}}
        for make, text in (
                (lambda: rl.make(wrong), "0.5"),
                (lambda: rl.make({0: {0: [(1.0, 7, 1.0, False)]}}), "state 7|7"),
                (lambda: rl.make({0: {0: [(1.0, 0, 1.0)]}}), "must be the four"),
                (lambda: rl.make({1: {0: [(1.0, 1, 1.0, False)]}}), "states 0 to 0"),
                (lambda: rl.make(np.zeros((2, 3, 4)), np.zeros((2, 3))), "must have"),
                (lambda: rl.make(np.ones((1, 1, 1)), np.zeros((2, 3))), "rewards has the shape"),
                (lambda: rl.make(machine, start=9), "start is 9"),
                (lambda: rl.make("FrozenLak"), "FrozenLake"),
                (lambda: rl.make(machine).evaluate([0, 1]), "each of 3 states"),
                (lambda: rl.make(machine).train(stepps=1), "has no option"),
                (lambda: rl.make(machine).train(resume=True), "give output"),
                (lambda: rl.make(machine).train(steps=0), "steps: .0. must be a whole number")):
            with self.assertRaisesRegex((lockstep.InputError, TypeError), text):
                make()


class TableTest(Folder):
    def setUp(self):
        super().setUp()
        self.table = rl.make(machine, gamma=0.9).train(steps=5000).q_table

    def test_is_an_array_without_a_copy(self):
        values = np.asarray(self.table)
        self.assertTrue(np.shares_memory(values, self.table.values))
        self.assertFalse(values.flags.writeable)
        self.assertEqual(values.shape, (3, 3))
        self.assertEqual(np.asarray(self.table, np.float32).dtype, np.float32)
        kept = values[0, 0]
        del self.table
        self.assertEqual(values[0, 0], kept)

    def test_illegal_actions_are_never_the_best(self):
        self.assertEqual(self.table.values[2, 0], 0)
        self.assertLess(self.table.values[1, 0] * 0, 1)
        low = rl.QTable(np.full((1, 2), -1.0), legal=[[False, True]])
        self.assertEqual(low.greedy().tolist(), [1])
        self.assertEqual(rl.QTable(np.zeros((1, 2)), legal=[[False, False]]).greedy().tolist(), [-1])

    def test_is_written_read_and_pickled_by_content(self):
        path = self.table.save(self.folder / "values")
        self.assertTrue(np.array_equal(np.load(path), self.table.values))
        self.assertTrue(np.array_equal(rl.QTable.load(path).values, self.table.values))
        again = pickle.loads(pickle.dumps(self.table))
        self.assertEqual(again, self.table)
        self.assertEqual(again.digest, self.table.digest)
        other = rl.QTable(np.array(self.table.values) + 1, self.table.visits)
        self.assertNotEqual(other, self.table)
        with self.assertRaises(lockstep.IoError):
            rl.QTable.load(self.folder / "missing.npy")
        (self.folder / "bad.npy").write_bytes(b"no array")
        with self.assertRaises(lockstep.InputError):
            rl.QTable.load(self.folder / "bad.npy")


class LearnerTest(unittest.TestCase):
    def test_updates_in_turn_and_at_once(self):
        # Two transitions of one pair with alpha 1: 3.5 in turn, 5 at once (gamma 0.5).
        s, a = np.array([1, 1]), np.array([0, 0])
        arguments = (s, a, np.array([1.0, 1.0]), np.array([1, 1]), np.zeros(2, bool), np.zeros(2, bool))
        for duplicates, wanted in (("sequential", 1 + 0.5 * (1 + 0.5 * 4)), ("accumulating", 2.0)):
            values = np.zeros((2, 2))
            values[1] = (4.0, 0.0)
            learner = rl.Learner(2, 2, values=values, discount_factor=0.5, learning_rate=1.0,
                                 duplicates=duplicates)
            learner.learn(*arguments)
            # In turn: 4 -> 3 -> 2.5. At once both lose 1 from 4.
            self.assertEqual(values[1, 0], 2.5 if duplicates == "sequential" else wanted)
            self.assertEqual(learner.q_table.visits[1, 0], 2)

    def test_a_long_batch_is_learned_as_written_out(self):
        # Q-learning as the textbook has it, one transition after the other; 1/n; more than a block of 256.
        for actions in (2, 3, 4, 6, 9):
            rng = np.random.default_rng(actions)
            count, states, gamma = 1000, 7, 0.9
            s, following = (rng.integers(states, size=count) for _ in range(2))
            a, rewards = rng.integers(actions, size=count), rng.normal(size=count)
            over, masks = rng.random(count) < 0.1, rng.random((count, actions)) < 0.7
            masks[:, 0] = True
            for legal in (None, masks):
                wanted, visits = np.zeros((states, actions)), np.zeros((states, actions), int)
                for i in range(count):
                    usable = wanted[following[i]][legal[i] if legal is not None else slice(None)]
                    target = rewards[i] + (0 if over[i] else gamma * usable.max())
                    visits[s[i], a[i]] += 1
                    wanted[s[i], a[i]] += (target - wanted[s[i], a[i]]) / visits[s[i], a[i]]
                learner = rl.Learner(states, actions, discount_factor=gamma, learning_rate="1/n")
                learner.learn(s, a, rewards, following, over, np.zeros(count, bool), legal)
                np.testing.assert_allclose(learner.q_table, wanted, rtol=1e-12, atol=1e-12)
                np.testing.assert_array_equal(learner.q_table.visits, visits)
                self.assertEqual(learner.transitions, count)

    def test_choices_of_a_long_batch_are_those_of_its_rows(self):
        # An array of masks in which all is legal takes another way to the same choices.
        values = np.random.default_rng(3).integers(3, size=(50, 4)).astype(float)
        states = np.random.default_rng(4).integers(50, size=1000)
        for ties in (True, False):
            plain, masked = (rl.Learner(50, 4, values=values.copy(), epsilon=0.3, random_ties=ties) for _ in range(2))
            everything = np.ones((1000, 4), bool)
            for _ in range(3):
                np.testing.assert_array_equal(plain.choose(states), masked.choose(states, masks=everything))
            greedy = plain.choose(states, greedy=True)
            np.testing.assert_array_equal(greedy, values[states].argmax(axis=1))
        self.assertTrue(plain.choose(states).flags.writeable)

    def test_a_batch_with_a_fault_is_refused_as_a_whole(self):
        count = 600
        good = [np.zeros(count, np.int64), np.zeros(count, np.int64), np.ones(count),
                np.zeros(count, np.int64), np.zeros(count, bool), np.zeros(count, bool)]
        learner = rl.Learner(4, 2)
        for place, value, text in ((0, -(2**63), r"observations\[599\]"), (1, 2, r"actions\[599\] is 2"),
                                   (2, -np.inf, r"rewards\[599\] is -inf"), (3, 2**63 - 1, r"next_observations\[599\]")):
            wrong = [each.copy() for each in good]
            wrong[place][599] = value
            with self.assertRaisesRegex(lockstep.InputError, text):
                learner.learn(*wrong)
            self.assertEqual((learner.transitions, np.abs(learner.q_table).max()), (0, 0))
        after_the_end = [each.copy() for each in good]
        after_the_end[3][599], after_the_end[4][599] = -1, True  # nobody looks at what follows an end
        learner.learn(*after_the_end)
        self.assertEqual(learner.transitions, count)
        with self.assertRaisesRegex(lockstep.InputError, r"observations\[599\] is 9, must be from 0 to 3"):
            learner.choose(np.append(good[0][:599], 9))

    def test_ends_cut_short_count_what_follows(self):
        for terminated, truncated, wanted in ((True, False, 1.0), (False, True, 6.0), (True, True, 1.0)):
            values = np.array([[0.0], [10.0]])
            learner = rl.Learner(2, 1, values=values, discount_factor=0.5, learning_rate=1.0)
            learner.learn(np.array([0]), np.array([0]), np.array([1.0]), np.array([1]),
                          np.array([terminated]), np.array([truncated]))
            self.assertEqual(values[0, 0], wanted)

    def test_masks_hold_in_choices_and_targets(self):
        values = np.array([[5.0, -1.0, -2.0]])
        learner = rl.Learner(1, 3, values=values, discount_factor=1.0, learning_rate=1.0, epsilon=0.5)
        masks = np.tile([False, True, True], (1000, 1))
        chosen = learner.choose(np.zeros(1000, np.int64), masks=masks)
        self.assertEqual(set(chosen), {1, 2})
        self.assertAlmostEqual((chosen == 2).mean(), 0.25, delta=0.05)
        self.assertEqual(learner.choose(np.zeros(1, np.int64), masks=masks[:1], greedy=True)[0], 1)
        learner.learn(np.array([0]), np.array([2]), np.array([0.0]), np.array([0]), np.zeros(1, bool),
                      np.zeros(1, bool), masks[:1])
        self.assertEqual(values[0, 2], -1.0)

    def test_the_same_seed_chooses_the_same(self):
        zeros = np.zeros(64, np.int64)
        first, again, other = (rl.Learner(1, 4, seed=seed, epsilon=1.0) for seed in (1, 1, 2))
        a, b, c = (np.array([x.choose(zeros) for _ in range(20)]) for x in (first, again, other))
        self.assertTrue(np.array_equal(a, b))
        self.assertFalse(np.array_equal(a, c))
        self.assertEqual(len(np.unique(a[:, 0])), 4)

    def test_nothing_is_converted(self):
        learner = rl.Learner(4, 2)
        flags = np.zeros(3, bool)
        good = [np.zeros(3, np.int64), np.zeros(3, np.int64), np.zeros(3), np.zeros(3, np.int64), flags, flags]
        names = ("observations", "actions", "rewards", "next_observations", "terminated", "truncated")
        for place, name in enumerate(names):
            wrong = list(good)
            wrong[place] = good[place].astype(np.float32)
            with self.assertRaisesRegex(TypeError, f"{name} is an array of float32"):
                learner.learn(*wrong)
            wrong[place] = np.zeros(6, good[place].dtype)[::2]
            with self.assertRaisesRegex(TypeError, "not C-contiguous"):
                learner.learn(*wrong)
            wrong[place] = np.zeros(2, good[place].dtype)
            with self.assertRaisesRegex(lockstep.InputError, "has [23] entries"):
                learner.learn(*wrong)
            wrong[place] = None
            with self.assertRaises(TypeError):
                learner.learn(*wrong)
        for place, value, text in ((0, 4, r"observations\[0\] is 4"), (1, -1, r"actions\[0\] is -1"),
                                   (2, np.nan, r"rewards\[0\] is nan"), (3, 99, "next_observations")):
            wrong = [each.copy() for each in good]
            wrong[place][0] = value
            with self.assertRaisesRegex(lockstep.InputError, text):
                learner.learn(*wrong)
        with self.assertRaisesRegex(lockstep.InputError, "must be q_learning"):
            rl.Learner(4, 2, algorithm="q_lambda")
        with self.assertRaisesRegex(lockstep.InputError, "1 to 64 actions"):
            rl.Learner(4, 65)
        frozen = np.zeros((4, 2))
        frozen.flags.writeable = False
        with self.assertRaisesRegex(TypeError, "read-only"):
            rl.Learner(4, 2, values=frozen)


if __name__ == "__main__":
    unittest.main(verbosity=2)
