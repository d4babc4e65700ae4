"""Scripts of dist_classicrl run with another import: its tests' numbers, and its faults left out."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import gymnasium as gym
import numpy as np

import lockstep
from lockstep.compat.dist_classicrl.algorithms.base_algorithms.q_learning_optimal import (
    OptimalQLearningBase)
from lockstep.compat.dist_classicrl.algorithms.buffers.experience_replay import ExperienceReplay
from lockstep.compat.dist_classicrl.algorithms.runtime.parallel_runtime import ParallelQLearning
from lockstep.compat.dist_classicrl.algorithms.runtime.single_thread_runtime import (
    SingleThreadQLearning)
from lockstep.compat.dist_classicrl.environments.rigged_two_armed_bandit import RiggedTwoArmedBanditEnv
from lockstep.compat.dist_classicrl.environments.tiktaktoe_mod import TicTacToeEnv
from lockstep.compat.dist_classicrl.schedules import (ConstantSchedule, ExponentialSchedule,
                                                      LinearSchedule)
from lockstep.compat.dist_classicrl.utils import (_make_dummy_vec_env, compute_radix,
                                                  decode_to_multi_discrete, encode_multi_discrete)
from lockstep.compat.dist_classicrl.wrappers import (DummyVecWrapper,
                                                     FlattenMultiDiscreteObservationsWrapper)

del sys.argv[1:]
ones = (np.array([1, 1]), np.array([0, 0]))


class AlgorithmTest(unittest.TestCase):
    def test_learning_has_the_numbers_of_its_tests(self):
        q = OptimalQLearningBase(3, 2, discount_factor=0.5)
        q.set_q_value(2, 0, 2.0)
        q.single_learn(0, 1, 1.0, 2, False, 1.0)
        self.assertEqual(q.get_q_value(0, 1), 2.0)
        q.set_q_value(2, 1, 2.5)
        q.single_learn(0, 0, 0.0, 2, False, 1.0, np.array([0, 1]))
        self.assertEqual(q.get_q_value(0, 0), 1.25)
        # Two transitions of one pair, to 2.5 and to 3.5: in turn the last one stays, together they add.
        for learn, wanted in (("learn", 3.5), ("learn_iter", 3.5), ("learn_vec", 6.0)):
            q = OptimalQLearningBase(4, 2, discount_factor=0.5)
            q.q_table[3] = (3.0, 1.0)
            getattr(q, learn)(*ones, np.array([1.0, 2.0]), np.array([3, 3]), np.zeros(2, bool), 1.0)
            self.assertEqual(q.q_table[1, 0], wanted)

    def test_an_end_without_a_legal_action_is_no_nan(self):
        for learn in ("learn", "learn_vec"):
            q = OptimalQLearningBase(2, 2)
            getattr(q, learn)([0], [0], [1.0], [1], [True], 1.0, np.zeros((1, 2), int))
            self.assertEqual(q.q_table[0, 0], 1.0)
        with self.assertRaises(ValueError):
            q.learn([0], [0], [1.0], [1], [False], 1.0, np.zeros((1, 2), int))

    def test_choices(self):
        q = OptimalQLearningBase(2, 200, seed=3)
        q.q_table[0, [5, 7]] = 1.0
        self.assertEqual(set(q.choose_actions(np.zeros(200, int), 0.0)), {5, 7})
        self.assertEqual(q.choose_action(0, 0.0, deterministic=True), 5)
        mask = np.zeros(200, int)
        mask[[1, 2]] = 1
        self.assertEqual(set(q.choose_actions(np.zeros(100, int), 0.5, action_masks=np.tile(mask, (100, 1)))),
                         {1, 2})
        self.assertEqual(q.choose_masked_action(0, np.zeros(200, int), 0.0), -1)
        self.assertGreater(len(set(q.choose_actions(np.zeros(300, int), 1.0))), 100)
        with self.assertRaises(lockstep.InputError):
            q.choose_action(2, 0.0)

    def test_values_and_files(self):
        q = OptimalQLearningBase(np.int64(2), np.int64(2))
        q.add_q_values(np.array([0, 0]), np.array([1, 1]), np.array([0.5, 0.3]))
        self.assertAlmostEqual(q.get_q_value(0, 1), 0.8)
        self.assertEqual(q.get_actions_q_values([1]).shape, (2, 1))
        with tempfile.TemporaryDirectory() as folder:
            q.save(f"{folder}/table")
            self.assertTrue(np.array_equal(np.load(f"{folder}/table.npy"), q.q_table))
            other = OptimalQLearningBase(2, 2)
            other.load(f"{folder}/table.npy")
            self.assertTrue(np.array_equal(other.q_table, q.q_table))

    def test_schedules_go_by_transitions(self):
        schedules = ConstantSchedule(0.3), LinearSchedule(1.0, -0.1), ExponentialSchedule(1.0, 0.2, 0.5)
        for schedule in schedules:
            schedule.update(2)
        self.assertEqual([round(s.get_value(), 12) for s in schedules], [0.3, 0.8, 0.25])
        schedules[2].update(9)
        self.assertEqual(schedules[2].get_value(), 0.2)

    def test_codes(self):
        radix = compute_radix([3] * 9)
        self.assertEqual(radix.tolist(), [3**k for k in range(8, -1, -1)])
        cells = np.array([1, 2, 0, 0, 1, 0, 0, 2, 1])
        self.assertTrue(np.array_equal(
            decode_to_multi_discrete([3] * 9, encode_multi_discrete(cells, radix), radix), cells))
        replay = ExperienceReplay(3, seed=0)
        for n in range(5):
            replay.push((n, 0, 1.0, n + 1, False))
        self.assertEqual(sorted(replay.sample(3)[0]), [2, 3, 4])


def bandits(copies=1, length=5):
    return _make_dummy_vec_env(copies, RiggedTwoArmedBanditEnv, {"episode_len": length})


def games(copies):
    return DummyVecWrapper([FlattenMultiDiscreteObservationsWrapper(TicTacToeEnv()) for _ in range(copies)])


class RuntimeTest(unittest.TestCase):
    def test_bandit(self):
        for runtime, env, steps, histories, rate in (
                (SingleThreadQLearning, bandits(), 5, [5.0], 6.0),
                (ParallelQLearning, [bandits(), bandits()], 10, [5.0, 5.0], 11.0)):
            q = OptimalQLearningBase(1, 2, discount_factor=1.0, seed=0)
            q.q_table[0, 0] = -100.0  # the second arm is taken
            exploration = LinearSchedule(-20.0, 1.0)
            trained = runtime(q, ConstantSchedule(1.0), exploration)
            mean, history, _, state = trained.run_steps(steps, env, None)
            self.assertEqual((mean, history), (5.0, histories))
            self.assertEqual(q.q_table[0, 1], 1.0)
            self.assertEqual(exploration.get_value(), rate - 21)

    def test_intervals_go_on_where_the_last_ended(self):
        q = OptimalQLearningBase(1, 2, discount_factor=1.0, seed=0)
        q.q_table[0, 0] = -100.0
        runtime = SingleThreadQLearning(q, ConstantSchedule(0.1), ConstantSchedule(0.0))
        # An episode of 5 in intervals of 2 (there: reset at each, and a division by zero).
        history, totals, _, state = runtime.train(bandits(), 10, bandits(), 2, val_steps=5)
        self.assertEqual((history, totals), ([5.0, 5.0], [5.0] * 5))
        self.assertTrue(np.isnan(runtime.run_steps(1, bandits(), None)[0]))

    def test_a_cut_episode_counts_what_follows(self):
        class Cut(gym.Env):
            """Starts in 0, is cut in 1; what 1 is worth is told."""
            observation_space, action_space = gym.spaces.Discrete(2), gym.spaces.Discrete(1)

            def reset(self, *, seed=None, options=None):
                return 0, {}

            def step(self, action):
                return 1, 0.0, False, True, {}
        modes = [gym.vector.SyncVectorEnv([Cut], autoreset_mode=mode)
                 for mode in gym.vector.AutoresetMode if mode.name != "DISABLED"]
        for env in (DummyVecWrapper([Cut()]), *modes):
            q = OptimalQLearningBase(2, 1, discount_factor=0.5)
            q.q_table[1, 0] = 8.0
            runtime = SingleThreadQLearning(q, ConstantSchedule(1.0), ConstantSchedule(0.0))
            runtime.run_steps(4, env, None)
            self.assertEqual(q.q_table.tolist(), [[4.0], [8.0]])

    def test_tictactoe_is_learned_and_judged_by_different_games(self):
        for runtime, env in ((SingleThreadQLearning, games(16)), (ParallelQLearning, [games(8), games(8)])):
            q = OptimalQLearningBase(3**9, 9, discount_factor=0.99, seed=0)
            trained = runtime(q, ConstantSchedule(0.3), ConstantSchedule(0.3))
            _, totals, _, _ = trained.train(env, 2000, games(4), 1000, val_episodes=200)
            self.assertGreater(totals[-1], 100)  # of 200; even draws have 0 in the mean
            _, returns = trained.evaluate_episodes(games(4), 200)
            self.assertGreater(len(set(returns)), 1)

    @unittest.skipUnless(importlib.util.find_spec("mpi4py"), "needs mpi4py")
    def test_the_distributed_runtime_alone_and_of_three(self):
        script = pathlib.Path(tempfile.mkdtemp()) / "bandit.py"
        script.write_text("""
import hashlib
from lockstep.compat.dist_classicrl.algorithms.base_algorithms.q_learning_optimal import OptimalQLearningBase
from lockstep.compat.dist_classicrl.algorithms.runtime.q_learning_async_dist import DistAsyncQLearning, RANK
from lockstep.compat.dist_classicrl.schedules import ConstantSchedule
from lockstep.compat.dist_classicrl.environments import RiggedTwoArmedBanditEnv
from lockstep.compat.dist_classicrl.utils import _make_dummy_vec_env
q = OptimalQLearningBase(1, 2, 1.0, seed=0)
q.q_table[0, 0] = -100
env = _make_dummy_vec_env(400, RiggedTwoArmedBanditEnv, {"episode_len": 5})
trained = DistAsyncQLearning(q, ConstantSchedule(1.0), ConstantSchedule(0.0))
history, totals, *_ = trained.train(env, 10, env, 2000, val_steps=2000)
if RANK == 0:
    print(len(history), set(history), set(totals), q.q_table[0, 1])
""")
        alone = subprocess.run([sys.executable, script], capture_output=True, text=True)
        self.assertEqual(alone.stdout, "800 {5.0} {2000.0} 1.0\n", alone.stderr)
        if shutil.which("mpirun"):
            environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                        "OMPI_MCA_rmaps_base_oversubscribe": "1"}
            three = subprocess.run(["mpirun", "-n", "3", sys.executable, script], capture_output=True,
                                   text=True, env=environment, timeout=120)
            self.assertEqual(three.stdout, "800 {5.0} {2000.0} 1.0\n", three.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
