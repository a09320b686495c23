"""What the library's answers are made of where plain Python will do: arrays, lines and choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from . import RankedTurn, Value


class Values(NamedTuple):
    """The values of many positions, as arrays of one length."""

    wdl: npt.NDArray[np.int8]
    """1 for a win of the side to move, 0 for a draw, -1 for a loss, -128 where no database has the value."""
    dtw: npt.NDArray[np.int16]
    """Turns to the end; -1 for a draw, and where there is no depth or no value."""
    missing: npt.NDArray[np.bool_]
    """True where no database has the value."""


@dataclass(frozen=True, eq=False)
class LegalTurns:
    """The legal turns of many positions, in the order of their texts. Those of position `i` are the elements from
    `starts[i]` to `starts[i + 1]`."""

    starts: npt.NDArray[np.int64]
    """Where the turns of each position begin, and the number of all turns."""
    origin: npt.NDArray[np.int8]
    """The bit of the point that a stone leaves, -1 for none."""
    target: npt.NDArray[np.int8]
    """The bit of the point that a stone comes to, -1 for none."""
    removed: npt.NDArray[np.uint32]
    """The bits of the stones that are removed."""

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class Turns(LegalTurns):
    """The turns of many positions with their values, best first."""

    wdl: npt.NDArray[np.int8]
    """1 where the turn wins, 0 where it draws, -1 where it loses."""
    dtw: npt.NDArray[np.int16]
    """Turns to the end, this turn counted, -1 for a draw."""
    missing: npt.NDArray[np.bool_]
    """True for each position whose turns no database can rank: none are here."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Random positions with their values, as arrays of one length. In positions of the moving phase, White is
    to move."""

    white: npt.NDArray[np.uint32]
    """The bits of White's stones."""
    black: npt.NDArray[np.uint32]
    """The bits of Black's stones."""
    to_move: npt.NDArray[np.uint8]
    """0 where White is to move, 1 where Black is: only after an odd number of placements."""
    white_in_hand: npt.NDArray[np.uint8]
    black_in_hand: npt.NDArray[np.uint8]
    wdl: npt.NDArray[np.int8]
    """1 for a win of the side to move, 0 for a draw, -1 for a loss."""
    dtw: npt.NDArray[np.int16]
    """Turns to the end, -1 for a draw."""
    turns: Turns | None
    """All turns of the positions, if they were asked for."""

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.white)


@dataclass(frozen=True, eq=False)
class Rows:
    """A part of a table, as arrays of one length: the columns of `millbase dataset`. In positions of the moving phase,
    White is to move."""

    white: npt.NDArray[np.uint32]
    """The bits of White's stones."""
    black: npt.NDArray[np.uint32]
    """The bits of Black's stones."""
    to_move: npt.NDArray[np.uint8]
    """0 where White is to move, 1 where Black is."""
    white_in_hand: npt.NDArray[np.uint8]
    black_in_hand: npt.NDArray[np.uint8]
    wdl: npt.NDArray[np.int8]
    """1 for a win of the side to move, 0 for a draw, -1 for a loss."""
    dtw: npt.NDArray[np.int16]
    """Turns to the end; -1 for a draw, and where the files hold no depths."""
    good_turns: npt.NDArray[np.uint16] | None
    """How many turns keep the result; None, as those below, if turns were not asked for."""
    best_turns: npt.NDArray[np.uint16] | None
    """How many turns have the best value: of the good ones those that win soonest or lose latest."""
    best_from: npt.NDArray[np.uint32] | None
    """The bits of the points that stones leave in the best turns."""
    best_to: npt.NDArray[np.uint32] | None
    """The bits of the points that stones come to in the best turns."""
    best_removed: npt.NDArray[np.uint32] | None
    """The bits of the points that lose stones in the best turns."""

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.white)


@dataclass(frozen=True)
class Line(Sequence["RankedTurn"]):
    """A game in which both sides always make their best turn: a sequence of turns."""

    turns: tuple[RankedTurn, ...]
    """The turns; each value is for the side that makes the turn."""
    end: Literal["over", "repetition", "quiet", "limit"]
    """Why the line ends."""

    def __len__(self) -> int:
        return len(self.turns)

    @overload
    def __getitem__(self, index: int) -> RankedTurn: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RankedTurn, ...]: ...
    def __getitem__(self, index: int | slice) -> RankedTurn | tuple[RankedTurn, ...]:
        return self.turns[index]

    def __str__(self) -> str:
        return " ".join(turn.turn for turn in self.turns)


@dataclass(frozen=True)
class Choice:
    """The turn that a player chooses, and what it expects."""

    turn: str
    value: Value | None
    """The exact value of the turn, if it is known without a search."""
    score: tuple[Literal["win", "loss", "estimate"], int | None]
    """What the search found for the side to move: a win or a loss with the number of turns to it, None if that
    is unknown, or an estimate: hundredths of the
    logarithm of the odds to win under `standard`, of a stone under other rules."""
    depth: int
    """The depth of the search, in turns."""
    nodes: int
    """The number of positions visited."""
    line: tuple[str, ...]
    """The turns that both sides are expected to make, this one first."""
