import os
from typing import Literal, NoReturn, Sequence, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "CorruptError",
    "Database",
    "Error",
    "Line",
    "MissingError",
    "Position",
    "PositionError",
    "RankedTurn",
    "Sample",
    "Turns",
    "Value",
    "__version__",
    "open",
]

__version__: str

class Error(Exception):
    """A question without an answer. Arguments of another type are a TypeError instead."""

class PositionError(Error):
    """A text, a turn or bit masks that are not what they should be."""

class MissingError(Error):
    """No database here has the answer."""

class CorruptError(Error):
    """A file cannot be used: it is damaged, or of other rules or another version."""

# The parameter of `__new__` in some classes says that only the library makes their objects: no argument fits.

@final
class Value:
    """What a position is worth to its side to move."""

    def __new__(cls, _: NoReturn, /) -> Value: ...
    @property
    def wdl(self) -> Literal[1, 0, -1]:
        """1 for a win, 0 for a draw, -1 for a loss."""
    @property
    def name(self) -> Literal["win", "draw", "loss"]: ...
    @property
    def dtw(self) -> int | None:
        """Turns to the end; None for a draw, and where the files hold no depths."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """A position under some rules. It never changes: `play` returns another one."""

    def __new__(cls, fen: str | None = None, rules: str = "standard") -> Position:
        """Reads a position's text; without one, the empty board with White to place."""
    @property
    def fen(self) -> str:
        """The position's text in its canonical form."""
    @property
    def rules(self) -> str | None: ...
    @property
    def white(self) -> int:
        """The bits of White's stones: bit 0 is d5, the order is that of the position's text."""
    @property
    def black(self) -> int: ...
    @property
    def white_in_hand(self) -> int: ...
    @property
    def black_in_hand(self) -> int: ...
    @property
    def side_to_move(self) -> Literal["white", "black"]: ...
    @property
    def phase(self) -> Literal["placing", "moving", "flying", "over"]: ...
    @property
    def is_over(self) -> bool: ...
    def turns(self) -> list[str]:
        """The legal turns, in the order of their texts."""
    def play(self, turn: str) -> Position:
        """The position after a legal turn."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RankedTurn:
    """A turn with its value for the side that makes it, and the position after it."""

    def __new__(cls, _: NoReturn, /) -> RankedTurn: ...
    @property
    def turn(self) -> str:
        """The turn's text, as 'd6-d5xb4'."""
    @property
    def value(self) -> Value: ...
    @property
    def position(self) -> Position: ...

@final
class Line:
    """A game in which both sides always make their best turn."""

    def __new__(cls, _: NoReturn, /) -> Line: ...
    @property
    def turns(self) -> list[RankedTurn]: ...
    @property
    def end(self) -> Literal["over", "repetition", "limit"]: ...
    def __len__(self) -> int: ...

@final
class Turns:
    """The turns of many positions, best first. Those of position `i` are the elements from
    `starts[i]` to `starts[i + 1]`."""

    def __new__(cls, _: NoReturn, /) -> Turns: ...
    @property
    def starts(self) -> npt.NDArray[np.int64]: ...
    @property
    def origin(self) -> npt.NDArray[np.int8]: ...
    @property
    def target(self) -> npt.NDArray[np.int8]: ...
    @property
    def removed(self) -> npt.NDArray[np.uint32]: ...
    @property
    def wdl(self) -> npt.NDArray[np.int8]: ...
    @property
    def dtw(self) -> npt.NDArray[np.int16]: ...

@final
class Sample:
    """Positions with their values, as arrays of one length."""

    def __new__(cls, _: NoReturn, /) -> Sample: ...
    @property
    def white(self) -> npt.NDArray[np.uint32]: ...
    @property
    def black(self) -> npt.NDArray[np.uint32]: ...
    @property
    def to_move(self) -> npt.NDArray[np.uint8]: ...
    @property
    def wdl(self) -> npt.NDArray[np.int8]: ...
    @property
    def dtw(self) -> npt.NDArray[np.int16]: ...
    @property
    def turns(self) -> Turns | None: ...

_Numbers = npt.NDArray[np.integer] | Sequence[int]

@final
class Database:
    """The databases of one set of rules. Threads may share it."""

    def __new__(cls, _: NoReturn, /) -> Database: ...
    @property
    def rules(self) -> str | None: ...
    @property
    def pairs(self) -> list[str]:
        """The pairs whose files can be used, as '9-8'."""
    def probe(self, position: str | Position) -> Value:
        """What a position is worth to its side to move."""
    def turns(self, position: str | Position) -> list[RankedTurn]:
        """All turns of a position with their values, best first; none when the game is over."""
    def line(self, position: str | Position, limit: int = 300) -> Line:
        """The game that follows when both sides always make their best turn."""
    def probe_many(
        self, white: _Numbers, black: _Numbers, to_move: _Numbers, threads: int = 1
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
        """The values of many positions of the moving phase: win (1), draw (0) or loss (-1), and
        turns to the end, -1 for a draw."""
    def sample(
        self, pair: str, n: int, seed: int = 0, turns: bool = False, threads: int = 1
    ) -> Sample:
        """`n` random positions of a pair that are not over, with their values. The same seed gives
        the same positions."""

def open(path: str | os.PathLike[str] | None = None, rules: str = "standard") -> Database:
    """Opens the databases of a folder; without one, those with at most nine stones, which are part
    of the module."""
