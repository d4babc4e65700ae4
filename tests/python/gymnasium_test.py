"""Environments of Gymnasium by all routes: exact values, how episodes end, and broken rules."""

import pathlib
import sys
import tempfile
import unittest

import gymnasium as gym
import numpy as np
from gymnasium import spaces

import lockstep
from lockstep import rl

del sys.argv[1:]
modes = list(gym.vector.AutoresetMode)


class Corridor(gym.Env):
    """Two rooms. Action 0 stays and pays 1, action 1 goes on: from room 1 it ends the episode with 4.

    Cut after three steps, of which the values know nothing: with gamma 0.5 to stay is worth 2 for
    ever, to go on from room 1 is worth 4, from room 0 0.5 max(2, 4) = 2. So
    Q = [[1 + 0.5 * 2, 2], [1 + 0.5 * 4, 4]] = [[2, 2], [3, 4]].
    Who takes a cut for an end learns less than 2 to stay, and who bootstraps from the first state of
    the next episode learns 2 where 3 is right.
    """

    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(2)

    def __init__(self, limit=3):
        self.limit = limit

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.room, self.steps = int(self.np_random.integers(2)), 0
        return self.room, {}

    def step(self, action):
        self.steps += 1
        cut = self.steps >= self.limit
        if action == 0:
            return self.room, 1.0, False, cut, {}
        if self.room == 1:
            return self.room, 4.0, True, cut, {}
        self.room = 1
        return 1, 0.0, False, cut, {}


corridor = [[2, 2], [3, 4]]
settings = {"discount_factor": 0.5, "learning_rate": 0.5, "epsilon": 1.0}


class EndsTest(unittest.TestCase):
    def close(self, training):
        np.testing.assert_allclose(training.q_table.values, corridor, atol=1e-6)

    def test_scalar_steps(self):
        env = rl.make(Corridor())
        self.assertEqual(env.route, "step")
        for algorithm in ("q_learning", "dyna_q"):
            self.close(env.train(steps=3000, algorithm=algorithm, **settings))
        # A limit that Gymnasium keeps, which is taken over.
        self.close(rl.make(gym.wrappers.TimeLimit(Corridor(10**9), 3)).train(steps=3000, **settings))

    def test_every_way_of_resetting(self):
        for mode in modes:
            vector = gym.vector.SyncVectorEnv([Corridor] * 5, autoreset_mode=mode)
            env = rl.make(vector)
            self.assertEqual(env.autoreset, mode.name.lower())
            training = env.train(steps=5001, **settings)
            self.close(training)
            self.assertEqual(training.summary["transitions"], 5001)
            self.assertEqual(int(training.q_table.visits.sum()), 5001)
            self.assertEqual(training.digest, rl.make(vector).train(steps=5001, **settings).digest)

    def test_resets_are_no_transitions(self):
        # An episode of one step: half of the vector steps of next_step are resets.
        class Short(Corridor):
            def step(self, action):
                return 0, 1.0, True, False, {}

            def reset(self, *, seed=None, options=None):
                return 1, {}
        for mode in modes:
            env = rl.make(gym.vector.SyncVectorEnv([Short] * 3, autoreset_mode=mode))
            training = env.train(steps=300, **settings)
            self.assertEqual(training.summary["episodes"], 300)
            self.assertEqual(training.q_table.visits[0].sum(), 0)
            played = rl.evaluate(env, training, episodes=30)
            self.assertEqual((played.mean, len(played.returns)), (1.0, 30))


class RouteTest(unittest.TestCase):
    def test_tables_are_imported(self):
        for name, limit, gamma, wanted in (
                ("FrozenLake-v1", 100, 0.99, 0.542025932), ("FrozenLake8x8-v1", 200, 0.99, 0.414640362),
                ("CliffWalking-v1", 0, 1, -13), ("CliffWalkingSlippery-v1", 0, 1, -64.709175910),
                ("Taxi-v4", 200, 1, 7.93)):
            env = rl.make(gym.make(name))
            self.assertEqual(env.route, "table", name)
            self.assertAlmostEqual(rl.solve(env, gamma=gamma).start[0], wanted, 8, name)
            if limit:
                self.assertIn(f"at most {limit} steps", env.rules)
            own = rl.make(name).train(steps=3000, mode="serial")
            self.assertEqual(env.train(steps=3000, mode="serial").digest, own.digest, name)

    def test_a_table_that_does_not_say_all_is_left(self):
        hidden = rl.make(gym.make("Taxi-v4", fickle_passenger=True))
        paid = rl.make(gym.wrappers.TransformReward(gym.make("FrozenLake-v1"), lambda r: 2 * r))

        class Changed(type(gym.make("CliffWalking-v1").unwrapped)):
            def step(self, action):
                following, reward, *rest = super().step(action)
                return following, reward / 2, *rest
        self.assertEqual([env.route for env in (hidden, paid, rl.make(Changed()))], ["step"] * 3)

    def test_frozen_lake_by_steps_comes_near_its_exact_value(self):
        env = rl.make("FrozenLake-v1", route="step")
        training = rl.train(env, steps=200_000, epsilon=0.5)
        exact = rl.evaluate(rl.make("FrozenLake-v1"), training)
        self.assertGreater(exact.value, 0.99 * 0.542025932)
        self.assertLessEqual(exact.value, exact.optimum + 1e-9)
        self.assertEqual(training.digest, rl.train(env, steps=200_000, epsilon=0.5).digest)
        self.assertNotEqual(training.digest, env.train(steps=1000, seed=1).digest)
        # The stationary policy that is best for gamma 0.99 ends well in 0.740165 of 100 steps.
        played = rl.evaluate(env, rl.solve(rl.make("FrozenLake-v1")).policy, episodes=4000)
        self.assertAlmostEqual(played.mean, 0.740165, delta=3 * played.half_width / 1.96)

    def test_blackjack_by_steps_is_near_its_published_optimum(self):
        env = rl.make(gym.make("Blackjack-v1"))
        self.assertEqual((env.route, env.states, env.actions), ("step", 704, 2))
        self.assertEqual(env.row_of((20, 10, 0)), (20 * 11 + 10) * 2)
        training = rl.train(env, steps=300_000, epsilon=1.0, discount_factor=1.0)
        exact = rl.evaluate(rl.make("Blackjack"), training, gamma=1)
        self.assertAlmostEqual(exact.optimum, -0.043113105, 8)
        self.assertGreater(exact.value, -0.075852)  # that of sticking from 17

    def test_vectorised_environments(self):
        class Lakes(gym.vector.VectorEnv):
            """Corridors in NumPy, with int32 and float32 as many have them."""
            metadata = {"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP}

            def __init__(self, num_envs=1):
                self.num_envs = num_envs
                self.single_observation_space = self.single_action_space = spaces.Discrete(2)

            def reset(self, *, seed=None, options=None):
                self.rng = np.random.default_rng(seed)
                self.rooms = self.rng.integers(2, size=self.num_envs).astype(np.int32)
                return self.rooms.copy(), {}

            def step(self, actions):
                over = (actions == 1) & (self.rooms == 1)
                rewards = np.where(actions == 0, 1, np.where(over, 4, 0)).astype(np.float32)
                self.rooms = np.where(actions == 1, 1, self.rooms).astype(np.int32)
                cut = ~over & (self.rng.random(self.num_envs) < 0.3)
                ended = over | cut
                info = {"final_obs": self.rooms.copy(), "_final_obs": ended} if ended.any() else {}
                fresh = self.rng.integers(2, size=self.num_envs)
                self.rooms = np.where(ended, fresh, self.rooms).astype(np.int32)
                return self.rooms.copy(), rewards, over, cut, info

        gym.register("LockstepLakes-v0", entry_point=Corridor, vector_entry_point=Lakes)
        self.addCleanup(gym.registry.pop, "LockstepLakes-v0")
        env = rl.make("LockstepLakes-v0", num_envs=64)
        self.assertEqual(env.route, "vector")
        np.testing.assert_allclose(env.train(steps=20000, **settings).q_table.values, corridor, atol=1e-6)
        self.assertEqual(rl.make("LockstepLakes-v0").route, "step")


class SpacesTest(unittest.TestCase):
    """Each finite space numbers its points, and no other."""

    def test_rows_and_points(self):
        finite = [spaces.Discrete(5, start=-2), spaces.MultiDiscrete([2, 3]), spaces.MultiBinary(3),
                  spaces.MultiDiscrete([[2, 2], [3, 1]]),
                  spaces.Tuple((spaces.Discrete(3), spaces.MultiBinary(2))),
                  spaces.Dict({"b": spaces.Discrete(2), "a": spaces.Tuple((spaces.Discrete(3, start=7),))})]
        for space in finite:
            description = rl._spaces.describe(space, "observation_space")
            numbered = lockstep._core.rl.Space(description)
            points = rl._spaces.points(description)
            self.assertEqual([numbered.number_of(point) for point in points], list(range(numbered.size)))
            space.seed(1)
            samples = [space.sample() for _ in range(20)]
            batch = gym.vector.utils.concatenate(
                space, samples, gym.vector.utils.create_empty_array(space, 20))
            rows = rl._spaces.rows_of(description, batch)
            self.assertEqual(rows.tolist(), [numbered.number_of(sample) for sample in samples])
            for wrong in (None, 99, -9, "x", 1.5, (), (1, 2, 3, 4, 5), {}, {"a": 1}, np.zeros(7), [[[]]],
                          object(), 2**80, np.nan):
                self.assertEqual(numbered.number_of(wrong), -1, (space, wrong))

    def test_infinite_and_large_spaces_are_refused(self):
        for space, text in ((spaces.Box(0, 1), "Box"), (spaces.Text(3), "Text"),
                            (spaces.MultiDiscrete([2**20, 2**20]), "2147483647 points"),
                            (spaces.MultiDiscrete([2**10] * 3), "more memory than there is")):
            env = Corridor()
            env.observation_space = space
            with self.assertRaisesRegex(lockstep.InputError, text):
                rl.make(env).train(steps=10)
        env = Corridor()
        env.action_space = spaces.Discrete(65)
        with self.assertRaisesRegex(lockstep.InputError, "65 actions"):
            rl.make(env)

    def test_actions_have_starts_and_parts(self):
        seen = []

        class Told(Corridor):
            action_space = spaces.Tuple((spaces.Discrete(2, start=3), spaces.MultiBinary(1)))

            def step(self, action):
                seen.append((action[0], action[1].tolist()))
                return super().step(int(self.action_space.contains(action)))
        rl.make(Told()).train(steps=200, epsilon=1.0)
        self.assertEqual({(a, tuple(b)) for a, b in seen}, {(3, (0,)), (3, (1,)), (4, (0,)), (4, (1,))})


class RulesTest(unittest.TestCase):
    def test_a_broken_rule_is_named(self):
        good = (0, 1.0, False, False, {})
        for broken, text in (
                (None, "step\\(\\) returned NoneType"), ([*good], "step\\(\\) returned list"),
                (good[:4], "a tuple of 4, must return the five"), ((2, *good[1:]), "the observation 2"),
                (("0", *good[1:]), "the observation '0'"), ((0, "1", *good[2:]), "reward is '1' \\(str\\)"),
                ((0, None, *good[2:]), "reward is None"), ((0, 1j, *good[2:]), "reward is 1j"),
                ((0, float("nan"), *good[2:]), "no finite number|nan"),
                ((0, 1.0, 1, False, {}), "terminated is 1 \\(int\\), must be a bool"),
                ((0, 1.0, False, None, {}), "truncated is None"), ((0, 1.0, False, False, None), "info is None"),
                ((0, 1.0, np.zeros(2, bool), False, {}), "terminated is array")):
            env = Corridor()
            env.step = lambda action, broken=broken: broken
            with self.assertRaisesRegex(lockstep.Error, text):
                rl.make(env).train(steps=10)
        for broken, text in ((0, "reset\\(\\) returned int"), ((0,), "a tuple of 1"),
                             ((5, {}), "reset\\(\\) returned the observation 5")):
            env = Corridor()
            env.reset = lambda *, seed=None, options=None, broken=broken: broken
            with self.assertRaisesRegex(lockstep.InputError, text):
                rl.make(env).train(steps=10)

    def test_numbers_of_numpy_are_numbers(self):
        class Numpy(Corridor):
            def step(self, action):
                room, reward, over, cut, info = super().step(action)
                return np.array(room), np.float32(reward), np.bool_(over), np.bool_(cut), info
        values = rl.make(Numpy()).train(steps=3000, **settings).q_table.values
        np.testing.assert_allclose(values, corridor, atol=1e-6)

    def test_what_an_environment_raises_comes_through(self):
        class Raising(Corridor):
            count = 0

            def step(self, action):
                self.count += 1
                if self.count == 50:
                    raise KeyError("room")
                return super().step(action)
        with self.assertRaisesRegex(KeyError, "room"):
            rl.make(Raising()).train(steps=100)

        class Interrupted(Corridor):
            def step(self, action):
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            rl.make(Interrupted()).train(steps=100)

    def test_vector_environments_are_held_to_the_rules(self):
        for place, broken, text in ((0, np.array([0, 9]), "copy 1 that is not in"),
                                    (1, np.array(["a", "b"]), "rewards must be an array"),
                                    (2, np.array([0, 1]), "terminations is an array of int"),
                                    (3, np.zeros(3, bool), "truncations is an array of bool")):
            vector = gym.vector.SyncVectorEnv([Corridor] * 2)
            step = vector.step

            def wrong(actions, step=step, place=place, broken=broken):
                result = list(step(actions))
                result[place] = broken
                return tuple(result)
            vector.step = wrong
            with self.assertRaisesRegex(lockstep.InputError, text):
                rl.make(vector).train(steps=10)

    def test_options_that_do_not_fit_are_refused(self):
        env = rl.make(Corridor())
        with self.assertRaisesRegex(lockstep.InputError, "mode serial"):
            env.train(mode="threads")
        with self.assertRaisesRegex(lockstep.InputError, "resume is not for"):
            env.train(resume=True)
        with self.assertRaisesRegex(lockstep.InputError, "solve\\(\\) needs a table"):
            rl.solve(env)
        with self.assertRaisesRegex(lockstep.InputError, "publishes no table"):
            rl.make(Corridor(), route="table")
        with self.assertRaisesRegex(lockstep.InputError, "no environment"):
            rl.make(object())
        with self.assertRaises(gym.error.DeprecatedEnv):
            rl.make("Taxi-v3", route="step")

    def test_output_is_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            training = rl.make(Corridor()).train(steps=500, output=folder)
            self.assertEqual(rl.QTable.load(folder).digest, training.digest)
            self.assertTrue((pathlib.Path(folder) / "training/q_table.npy").is_file())


if __name__ == "__main__":
    unittest.main(verbosity=2)
