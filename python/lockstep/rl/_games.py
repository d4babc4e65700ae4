"""Games of PettingZoo, by its interface for players who move in turn (AEC)."""

from __future__ import annotations

import time

import numpy as np

from lockstep.rl._environments import Environment
from lockstep.rl._learner import Learner
from lockstep.rl._results import Evaluation, Training, refuse
from lockstep.rl._table import QTable

_first_rows = 1024


def _content(observation):
    """What makes two observations one: their bytes."""
    if isinstance(observation, dict):
        return tuple((key, _content(observation[key])) for key in sorted(observation))
    if isinstance(observation, (tuple, list)):
        return tuple(_content(part) for part in observation)
    array = np.asarray(observation)
    return array.dtype.str, array.shape, array.tobytes()


class GameEnvironment(Environment):
    """A game whose players share a table, each as it sees the board. Rows are in order of first sight.

    Parameters
    ----------
    env : pettingzoo.AECEnv
        Observations with "action_mask" beside "observation", or info["action_mask"]; all actions
        are legal where there is neither.
    against : {"self", "random"}
        Who else plays: the table itself, or moves drawn evenly.
    encoder : function of an observation (without its mask), optional
        What is hashed in its place: any hashable.
    max_states : int
    """

    route = "game"

    def __init__(self, env, against="self", encoder=None, max_states=1_000_000):
        if against not in ("self", "random"):
            refuse(f"against is {against!r}: must be 'self' or 'random'")
        self.env, self.against, self.encoder = env, against, encoder or _content
        self.max_states = int(max_states)
        self.name = str((getattr(env, "metadata", None) or {}).get("name", type(env).__name__))
        spaces = [env.action_space(agent) for agent in env.possible_agents]
        if any(type(s).__name__ != "Discrete" or int(s.start) != 0 or s.n != spaces[0].n for s in spaces):
            refuse(f"{self.name}: players must have the same Discrete actions from 0")
        self.actions = int(spaces[0].n)
        if self.actions > 64:
            refuse(f"{self.name} has {self.actions} actions: a learner takes at most 64")
        self._rows: dict = {}
        self._legal: list = []

    @property
    def states(self) -> int:
        """Rows so far: of observations that were met."""
        return len(self._rows)

    def row_of(self, observation) -> int:
        """The row of an observation, its mask included or not; -1: it was never met."""
        if isinstance(observation, dict) and "action_mask" in observation:
            observation = observation["observation"]
        return self._rows.get(self.encoder(observation), -1)

    def _seen(self, observation, info):
        """(row, legal actions as bools), with a new row for what is new."""
        mask = None
        if isinstance(observation, dict) and "action_mask" in observation:
            mask, observation = observation["action_mask"], observation["observation"]
        elif isinstance(info, dict):
            mask = info.get("action_mask")
        key = self.encoder(observation)
        row = self._rows.get(key)
        if row is None:
            row = len(self._rows)
            if row >= self.max_states:
                refuse(f"{self.name} has shown more than {self.max_states} observations: give "
                       "max_states, or an encoder that joins some")
            self._rows[key] = row
            self._legal.append(np.zeros(self.actions, bool))
        legal = np.ones(self.actions, bool) if mask is None else np.asarray(mask).astype(bool)
        if legal.shape != (self.actions,):
            refuse(f"{self.name}: action_mask has the shape {legal.shape}, must have ({self.actions},)")
        self._legal[row] |= legal
        return row, legal

    def _episode(self, seed, choose_for):
        """Plays one game and yields (agent, row, legal, reward since its last move, over).

        `choose_for(agent, row, legal)` says the move.
        """
        env = self.env
        env.reset(seed=seed) if seed is not None else env.reset()
        for agent in env.agent_iter():
            last = env.last()
            if not isinstance(last, tuple) or len(last) != 5:
                refuse(f"{self.name} breaks a rule of PettingZoo: last() must return the five of "
                       "(observation, reward, termination, truncation, info)")
            observation, reward, terminated, truncated, info = last
            if terminated or truncated:
                row, legal = (-1, None) if terminated else self._seen(observation, info)
                yield agent, row, legal, float(reward), bool(terminated), True
                env.step(None)
                continue
            row, legal = self._seen(observation, info)
            yield agent, row, legal, float(reward), False, False
            env.step(choose_for(agent, row, legal))

    def train(self, *, steps=100_000, output=None, on_progress=None, **options):
        """Learns from so many moves of the learning players.

        Options are those of Learner; `duplicates` does not count.
        """
        table = _Player(self, options)
        learns_as = None
        seed, began, games, totals = int(options.get("seed", 0)), time.perf_counter(), 0, 0.0
        told = began
        table.begin(seed)
        seats = list(self.env.possible_agents)
        while table.learner.transitions < steps:
            if self.against == "random":
                learns_as = seats[games % len(seats)]
            pending: dict = {}
            paid = dict.fromkeys(seats, 0.0)
            moves = table.moves(learns_as)
            for agent, row, legal, reward, terminated, over in self._episode(
                    seed if games == 0 else None, moves):
                paid[agent] += reward
                before = pending.pop(agent, None)
                if before is not None and table.learner.transitions < steps:
                    table.learn(*before, reward, max(row, 0), legal, terminated, over and not terminated)
                if not over and (learns_as is None or agent == learns_as):
                    pending[agent] = (row, table.choose(row, legal))
                    moves.planned = pending[agent][1]
            games += 1
            totals += paid[learns_as or seats[0]]
            if on_progress is not None and time.perf_counter() - told > 1:
                told = time.perf_counter()
                on_progress({"phase": "training", "step": "move", "done": table.learner.transitions,
                             "total": steps, "seconds": told - began})
        seconds = time.perf_counter() - began
        q_table = table.q_table()
        summary = {"environment": self.name, "against": self.against, "options": options,
                   "transitions": table.learner.transitions, "episodes": games, "seconds": seconds,
                   "steps_per_second": table.learner.transitions / seconds,
                   "return_mean": totals / games, "td_error": table.learner.td_error,
                   "digest": q_table.digest}
        if output is not None:
            import pathlib
            q_table.save(pathlib.Path(output) / "training" / "q_table.npy")
        return Training(output, summary, q_table)

    def evaluate(self, policy, *, episodes=1000, seed=1):
        """Returns of the greedy policy against random players, in each seat in turn."""
        values = np.asarray(policy.q_table if isinstance(policy, Training) else policy)
        random = _Draws(seed)
        returns, lengths = [], []
        seats = list(self.env.possible_agents)

        def move(agent, row, legal):
            if agent == seat and row < len(values):
                return int(np.where(legal, values[row], -np.inf).argmax())
            return random.one_of(legal)

        for number in range(episodes):
            seat = seats[number % len(seats)]
            paid, steps = 0.0, 0
            for agent, _, _, reward, _, over in self._episode(seed if number == 0 else None, move):
                steps += not over
                paid += reward if agent == seat else 0.0
            returns.append(paid)
            lengths.append(steps)
        returns = np.array(returns)
        spread = returns.std(ddof=1) if episodes > 1 else 0.0
        return Evaluation(mean=float(returns.mean()), half_width=float(1.96 * spread / episodes**0.5),
                          returns=returns, lengths=np.array(lengths))


class _Draws:
    """Even draws by a counter."""

    def __init__(self, seed):
        self._generator = np.random.Generator(np.random.Philox(key=seed))
        self._left: list = []

    def one_of(self, legal) -> int:
        if not self._left:
            self._left = self._generator.random(4096).tolist()
        choices = np.flatnonzero(legal)
        if not len(choices):
            refuse("a player has to move and has no legal action")
        return int(choices[int(self._left.pop() * len(choices))])


class _Moves:
    """What a game is told: the move that was planned, else one drawn evenly."""

    def __init__(self, draws, learns_as):
        self.draws, self.learns_as, self.planned = draws, learns_as, None

    def __call__(self, agent, row, legal):
        if self.learns_as is None or agent == self.learns_as:
            return self.planned
        return self.draws.one_of(legal)


class _Player:
    """A learner of one move at a time, whose table grows."""

    def __init__(self, game, options):
        self.game = game
        self.learner = Learner(max(_first_rows, game.states), game.actions, **options)
        self._draws = None
        self._state, self._action = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._next, self._reward = np.zeros(1, np.int64), np.zeros(1)
        self._over, self._cut = np.zeros(1, bool), np.zeros(1, bool)
        self._all = np.ones((1, game.actions), bool)

    def begin(self, seed):
        self._draws = _Draws(seed)

    def moves(self, learns_as):
        return _Moves(self._draws, learns_as)

    def choose(self, row, legal) -> int:
        while row >= self.learner.states:
            self.learner.grow(2 * self.learner.states)
        self._state[0] = row
        self.learner.choose(self._state, out=self._action, masks=legal[None])
        return int(self._action[0])

    def learn(self, row, action, reward, following, legal, terminated, truncated):
        while following >= self.learner.states:
            self.learner.grow(2 * self.learner.states)
        self._state[0], self._action[0], self._reward[0] = row, action, reward
        self._next[0], self._over[0], self._cut[0] = following, terminated, truncated
        masks = self._all if legal is None else legal[None]
        self.learner.learn(self._state, self._action, self._reward, self._next, self._over, self._cut,
                           masks)

    def q_table(self) -> QTable:
        whole = self.learner.q_table
        count = self.game.states
        legal = np.array(self.game._legal, bool).reshape(count, self.game.actions)
        # A pair that is illegal has no value, whatever all began with.
        return QTable(np.where(legal, whole.values[:count], 0.0), whole.visits[:count].copy(), legal)
