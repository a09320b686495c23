import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Literal, NoReturn, TypedDict, TypeVar, final

import numpy as np
import numpy.typing as npt

from ._arrays import Choice, LegalTurns, Line, Rows, Sample, Turns, Values
from ._errors import CorruptError, Error, FolderError, MissingError, PositionError

__all__ = [
    "Choice",
    "CorruptError",
    "Database",
    "Error",
    "FolderError",
    "LegalTurns",
    "Line",
    "MissingError",
    "Position",
    "PositionError",
    "RankedTurn",
    "Rows",
    "Sample",
    "Turns",
    "Value",
    "Values",
    "__version__",
    "legal_turns",
    "open",
    "read_games",
]

__version__: str

# A name, the path of a file with settings, or a mapping with the keys of such files.
_Rules = str | os.PathLike[str] | Mapping[str, str | int | bool | None]

# The parameter of `__new__` in some classes says that only the library makes their objects: no argument fits.

@final
class Value:
    """The value of a position for its side to move."""

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

    def __new__(cls, fen: str | None = None, rules: _Rules = "standard") -> Position:
        """Reads a position's text; without one, the empty board with White to place."""
    @staticmethod
    def from_bits(
        white: int,
        black: int,
        side_to_move: str = "white",
        white_in_hand: int = 0,
        black_in_hand: int = 0,
        rules: _Rules = "standard",
    ) -> Position:
        """The position with these stones and no pending removal: bits as `white` and `black` have them, and
        stones in hand."""
    @property
    def fen(self) -> str:
        """The position's text in its canonical form."""
    @property
    def rules(self) -> str | dict[str, str | int | bool]:
        """The name of the rules, or their settings if they have none."""
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
    def removals_owed(self) -> int:
        """How many stones the side to move still has to remove after closing mills, 0 to 3."""
    @property
    def quiet_turns(self) -> int:
        """The quiet turns before the position, which rules with a limit count; the text has them only under such rules."""
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
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

_Numbers = npt.NDArray[np.integer] | npt.NDArray[np.bool_] | Sequence[int]

_Default = TypeVar("_Default")

class _Named(TypedDict):
    positions: int
    first: list[str]

class _Deepest(_Named):
    dtw: int | None

class _TableRecord(TypedDict):
    to_move: int
    other: int
    win: _Deepest | None
    loss: _Deepest | None

class _PairRecord(TypedDict):
    pair: str
    tables: list[_TableRecord]
    zugzwangs: _Named

@final
class Database:
    """The databases of one set of rules. Threads may share it. It pickles by its path; as a context manager it
    closes at the end."""

    def __new__(cls, _: NoReturn, /) -> Database: ...
    @property
    def rules(self) -> str | dict[str, str | int | bool]:
        """The name of the rules, or their settings if they have none."""
    @property
    def pairs(self) -> list[str]:
        """The pairs whose files can be used, as '9-8'."""
    def add_folder(self, path: str | os.PathLike[str]) -> None:
        """Adds the files of another folder or bundle for the pairs and plies that have none yet."""
    def get(self, position: str | Position, default: _Default = None) -> Value | _Default:  # type: ignore[assignment]
        """The value of a position for its side to move; `default` where no database has the answer."""
    def get_wdl(
        self,
        position: str | Position,
        default: _Default = None,  # type: ignore[assignment]
    ) -> Literal[1, 0, -1] | _Default:
        """1 for a win, 0 for a draw, -1 for a loss; `default` where no database has the answer."""
    def get_dtw(self, position: str | Position, default: _Default = None) -> int | _Default:  # type: ignore[assignment]
        """The turns to the end; `default` for a draw, and where no database has the depth."""
    def probe(self, position: str | Position) -> Value:
        """The value of a position for its side to move."""
    def turns(self, position: str | Position) -> list[RankedTurn]:
        """All turns of a position with their values, best first; none when the game is over."""
    def line(self, position: str | Position, limit: int = 300) -> Line:
        """The game that follows when both sides always make their best turn."""
    def choose(
        self,
        position: str | Position,
        turns: Iterable[str] = (),
        level: int = 30,
        seed: int = 0,
        seconds: float | None = 1.0,
        nodes: int | None = None,
        depth: int | None = None,
    ) -> Choice | None:
        """The turn that a player of a level from 0 to 30 chooses after these turns from a position, None if the
        game is over. The search ends at the first of its limits."""
    def probe_many(
        self,
        white: _Numbers,
        black: _Numbers,
        to_move: _Numbers,
        threads: int = 1,
        *,
        white_in_hand: _Numbers | None = None,
        black_in_hand: _Numbers | None = None,
    ) -> Values:
        """The values of many positions without a pending removal: win (1), draw (0) or loss (-1), turns to the
        end, and where no database has the value."""
    def turns_many(
        self,
        white: _Numbers,
        black: _Numbers,
        to_move: _Numbers,
        threads: int = 1,
        *,
        white_in_hand: _Numbers | None = None,
        black_in_hand: _Numbers | None = None,
    ) -> Turns:
        """All turns of many positions, which are given as to `probe_many`."""
    def sample(
        self,
        pair: str | Iterable[str],
        n: int,
        seed: int = 0,
        turns: bool = False,
        threads: int = 1,
        *,
        start: int = 0,
    ) -> Sample:
        """`n` random positions that are not over, with their values: of a pair, as '5-4', of those after some
        placements, as 'placed-12', or of several of these in turn. The same seed gives the same positions, of which
        these are those from number `start` on."""
    def table(self, family: str, turns: bool = False, size: int = 65536) -> Iterator[Rows]:
        """The positions of a pair, as '5-4', or of a file of the placing phase, as 'placed-8', in parts of `size` rows:
        each once up to symmetry, with their values and, if asked for, what their turns are worth."""
    def records(self, pair: str, limit: int = 1) -> _PairRecord:
        """The deepest wins and losses and the mutual zugzwangs of a pair, with at most `limit` positions of each kind:
        the fields of `millbase records --json`, without lines."""
    def close(self) -> None:
        """Closes the files; what is asked later raises ValueError."""
    def __enter__(self) -> Database: ...
    def __exit__(
        self,
        type: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def __copy__(self) -> Database: ...
    def __deepcopy__(self, memo: object, /) -> Database: ...

def open(
    path: str | os.PathLike[str] | None = None, rules: _Rules = "standard", cache_bytes: int = 268435456
) -> Database:
    """Opens the databases of a folder or of a bundle, which `millbase bundle` makes; without one, those with at
    most nine stones, which are part of the module. The caches take at most `cache_bytes` bytes."""

def legal_turns(
    white: _Numbers,
    black: _Numbers,
    to_move: _Numbers,
    *,
    white_in_hand: _Numbers | None = None,
    black_in_hand: _Numbers | None = None,
    rules: _Rules = "standard",
) -> LegalTurns:
    """The legal turns of many positions without values, which are given as to `Database.probe_many`; no database is
    needed."""

class _Tag(TypedDict):
    name: str
    value: str

class _NotedTurn(TypedDict):
    turn: str
    marks: str
    comment: str
    variations: list[_NotedLine]

class _NotedLine(TypedDict):
    comment: str
    turns: list[_NotedTurn]

class _Remark(TypedDict):
    line: int
    column: int
    cuts: bool
    rules: str | None
    reason: str
    fields: dict[str, str]
    message: str

class _Game(TypedDict):
    rules: str | None
    tags: list[_Tag]
    start: str
    position: str
    line: _NotedLine
    result: Literal["1-0", "0-1", "1/2-1/2"] | None
    remarks: list[_Remark]

def read_games(games: str, rules: _Rules | None = None) -> list[_Game]:
    """Reads the games and positions of a text in any form of docs/NOTATION.md; `rules` are those of games that
    name none. Parts that cannot be read are named in `remarks`, with line and column from 1."""
