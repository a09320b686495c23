"""An environment of Gymnasium in which the perfect player, or a weaker one, is the opponent. Needs the extra `gym`:
`pip install 'millbase[gym]'`.

>>> import gymnasium, millbase.gym
>>> env = gymnasium.make("millbase/NineMensMorris-v0")
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from . import Database, Position, open
from .actions import ACTIONS, encode, legal
from .research import on_grid, planes

_Planes = npt.NDArray[np.float32]
_Info = dict[str, Any]


class NineMensMorris(gymnasium.Env[_Planes, np.int64]):
    """The agent plays a side against a player of this package.

    An action is a number of `millbase.actions`; a turn that removes a stone takes two. `info["action_mask"]` has the
    legal actions, `info["position"]` the text of the position. An observation is six images of 7 x 7: the five planes
    of `millbase.research` for the agent, and one with the stone that the agent has just placed or moved if a removal
    is due. The reward is 1 for a win and -1 for a loss at the end, otherwise 0; an illegal action loses. The game is
    truncated after `most_turns` turns of both sides, and after 100 that neither place nor remove a stone.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        database: Database | None = None,
        side: str = "white",
        level: int = 30,
        nodes: int = 20_000,
        most_turns: int = 400,
        render_mode: str | None = None,
    ) -> None:
        """`side` is that of the agent, 'white' or 'black', or 'random'. The opponent has a level from 0 to 30, and
        searches at most `nodes` positions where the databases have no answer."""
        if side not in ("white", "black", "random"):
            raise ValueError(f"side must be 'white', 'black' or 'random', not '{side}'")
        self.database = database or open()
        rules = self.database.rules
        if not isinstance(rules, str) and (rules.get("blocked") == "passes" or rules.get("first_to_move") == "black"):
            raise ValueError("by these rules a side may have to pass, which no action of this environment does")
        self.side, self.level, self.nodes, self.most_turns = side, level, nodes, most_turns
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(ACTIONS)
        self.observation_space = gymnasium.spaces.Box(0, 1, (6, 7, 7), np.float32)
        self.position = Position(rules=self.database.rules)
        self.agent = "white"
        self._done: list[int] = []
        self._turns = self._quiet = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Planes, _Info]:
        """Begins a game, from the text of `options["position"]` if there is one."""
        super().reset(seed=seed)
        self.position = Position((options or {}).get("position"), self.database.rules)
        self.agent = str(self.np_random.choice(["white", "black"])) if self.side == "random" else self.side
        self._done, self._turns, self._quiet = [], 0, 0
        self._answer()
        return self._observe(), self._info()

    def step(self, action: np.int64) -> tuple[_Planes, float, bool, bool, _Info]:
        """Plays an action of the agent and, after a whole turn, the opponent's turn."""
        if int(action) not in self._legal():
            return self._observe(), -1.0, True, False, self._info()
        self._done.append(int(action))
        if not self._legal():
            self._play(next(turn for turn in self.position.turns() if encode(turn) == tuple(self._done)))
            self._done = []
            self._answer()
        over = self.position.is_over
        value = self.database.probe(self.position).wdl if over else 0
        reward = float(value if self.position.side_to_move == self.agent else -value)
        truncated = not over and (self._turns >= self.most_turns or self._quiet >= 100)
        return self._observe(), reward, over, truncated, self._info()

    def render(self) -> str | None:  # type: ignore[override]
        """The text of the position."""
        return self.position.fen if self.render_mode == "ansi" else None

    def _legal(self) -> list[int]:
        return [] if self.position.is_over else legal(self.position, self._done)

    def _play(self, turn: str) -> None:
        self.position = self.position.play(turn)
        self._turns += 1
        self._quiet = self._quiet + 1 if "-" in turn and "x" not in turn else 0

    def _answer(self) -> None:
        """Plays the opponent's turn, if it is its turn."""
        if self.position.is_over or self.position.side_to_move == self.agent:
            return
        seed = int(self.np_random.integers(1, 2**63))
        choice = self.database.choose(self.position, (), self.level, seed, None, self.nodes)
        if choice is not None:
            self._play(choice.turn)

    def _observe(self) -> _Planes:
        now = self.position
        to_move = [int(self.agent == "black")]
        features = planes([now.white], [now.black], to_move, [now.white_in_hand], [now.black_in_hand])
        due = np.zeros((1, 1, 24), dtype=np.float32)
        if self._done:
            due[0, 0, self._done[0] % 24] = 1
        return on_grid(np.concatenate([features, due], axis=1))[0]

    def _info(self) -> _Info:
        mask = np.zeros(ACTIONS, dtype=np.int8)
        mask[self._legal()] = 1
        return {"action_mask": mask, "position": self.position.fen}


gymnasium.register("millbase/NineMensMorris-v0", entry_point="millbase.gym:NineMensMorris")
