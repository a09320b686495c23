"""Positions as arrays for research: symmetries, canonical form, feature planes, policy targets, and a data set for
`torch.utils.data` that needs no torch.

Sets of stones are arrays of bits, as `Database.probe_many` takes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .actions import ACTIONS, BITS
from ._arrays import LegalTurns, Turns

if TYPE_CHECKING:
    from . import Database

_Sets = npt.NDArray[np.uint32]

_RING, _PLACE = np.divmod(np.arange(24), 8)
_TURNED = [(sign * _PLACE + 2 * quarter) % 8 for sign in (1, -1) for quarter in range(4)]
SYMMETRIES: npt.NDArray[np.uint8] = np.array(
    [8 * ring + place for ring in (_RING, 2 - _RING) for place in _TURNED], dtype=np.uint8
)
"""The 16 symmetries of the board, the identity first: `SYMMETRIES[s, p]` is the bit that the stone on bit `p` has after
symmetry `s`."""


def turned(sets: npt.ArrayLike, symmetry: int) -> _Sets:
    """The sets after a symmetry."""
    given = np.asarray(sets, dtype=np.uint32)
    result = np.zeros_like(given)
    for bit, after in enumerate(SYMMETRIES[symmetry]):
        result |= (given >> np.uint32(bit) & np.uint32(1)) << np.uint32(after)
    return result


def canonical(
    white: npt.ArrayLike, black: npt.ArrayLike, to_move: npt.ArrayLike
) -> tuple[_Sets, _Sets, npt.NDArray[np.uint8]]:
    """The stones of the side to move and of the other side in the form that all positions share that are equal up to
    symmetry and colour, and the symmetry that leads there: of the 16 images the one with the smallest bits."""
    sides = np.asarray(white, dtype=np.uint32), np.asarray(black, dtype=np.uint32)
    is_black = np.asarray(to_move) == 1
    mover, waiting = np.where(is_black, *sides[::-1]), np.where(is_black, *sides)
    images = np.stack(
        [turned(mover, s).astype(np.uint64) << np.uint64(24) | turned(waiting, s) for s in range(len(SYMMETRIES))]
    )
    best = images.argmin(axis=0)
    key = np.take_along_axis(images, best[None], axis=0)[0]
    return (key >> np.uint64(24)).astype(np.uint32), (key & np.uint64(0xFFFFFF)).astype(np.uint32), best.astype(np.uint8)


def planes(
    white: npt.ArrayLike,
    black: npt.ArrayLike,
    to_move: npt.ArrayLike,
    white_in_hand: npt.ArrayLike = 0,
    black_in_hand: npt.ArrayLike = 0,
) -> npt.NDArray[np.float32]:
    """Features of positions, an array of the shape (positions, 5, 24) with points by their numbers in `actions.POINTS`:
    stones of the side to move, of the other side, empty points, and a twelfth of the stones in hand of the side to move
    and of the other side."""
    is_black = np.atleast_1d(np.asarray(to_move) == 1)
    sets = [np.atleast_1d(np.asarray(side, dtype=np.uint32)) for side in (white, black)]
    hands = [np.broadcast_to(np.asarray(hand, dtype=np.float32), is_black.shape) for hand in (white_in_hand, black_in_hand)]
    own, other = np.where(is_black, *sets[::-1]), np.where(is_black, *sets)
    result = np.empty((len(is_black), 5, 24), dtype=np.float32)
    bits = np.array(BITS, dtype=np.uint32)
    for plane, stones in enumerate([own, other, ~(own | other)]):
        result[:, plane] = stones[:, None] >> bits & np.uint32(1)
    result[:, 3] = (np.where(is_black, *hands[::-1]) / 12)[:, None]
    result[:, 4] = (np.where(is_black, *hands) / 12)[:, None]
    return result


_ROWS = np.array([0] * 3 + [1] * 3 + [2] * 3 + [3] * 6 + [4] * 3 + [5] * 3 + [6] * 3)
_COLUMNS = np.array([0, 3, 6, 1, 3, 5, 2, 3, 4, 0, 1, 2, 4, 5, 6, 2, 3, 4, 1, 3, 5, 0, 3, 6])


def on_grid(planes: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Planes as images of 7 x 7 with a7 at the top left, for convolutions; what is no point is 0."""
    result = np.zeros((*planes.shape[:-1], 7, 7), dtype=planes.dtype)
    result[..., _ROWS, _COLUMNS] = planes
    return result


_NUMBERS = np.argsort(np.array(BITS))


def first_actions(turns: LegalTurns) -> npt.NDArray[np.int64]:
    """The number of each turn's placement or move, see `actions`."""
    origin, target = (np.where(bits < 0, 0, _NUMBERS[bits]) for bits in (turns.origin, turns.target))
    if (turns.target < 0).any():
        raise ValueError("a pass has no number")
    return np.where(turns.origin < 0, target, 24 + 24 * origin + target)


def positions_of(turns: LegalTurns) -> npt.NDArray[np.int64]:
    """The index of the position of each turn."""
    return np.repeat(np.arange(len(turns)), np.diff(turns.starts))


def good(turns: Turns) -> npt.NDArray[np.bool_]:
    """For each turn, whether it keeps the value's result: turns are sorted, so it is as good as the first."""
    return turns.wdl == turns.wdl[turns.starts[:-1][positions_of(turns)]]


def policy(turns: Turns) -> npt.NDArray[np.float32]:
    """Policy targets, an array of the shape (positions, 600): all turns that keep the result share the probability
    alike. The number is that of the placement or move; turns that differ in the removal add up. A row without turns
    is 0."""
    return _shares(turns, good(turns), first_actions(turns), ACTIONS)


def removal_policy(turns: Turns) -> npt.NDArray[np.float32]:
    """The same for removals of one stone, an array of the shape (positions, 24): what the turns that keep the result
    and remove a stone remove. A row without them is 0."""
    removes = good(turns) & (turns.removed > 0)
    bits = np.zeros(len(removes), dtype=np.int64)
    bits[removes] = np.log2(turns.removed[removes]).astype(np.int64)
    return _shares(turns, removes, _NUMBERS[bits], 24)


def _shares(
    turns: Turns, counted: npt.NDArray[np.bool_], numbers: npt.NDArray[np.int64], width: int
) -> npt.NDArray[np.float32]:
    counts = np.zeros((len(turns), width), dtype=np.float32)
    np.add.at(counts, (positions_of(turns)[counted], numbers[counted]), 1)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


class Batches:
    """Batches of random positions with features and targets: a data set for `torch.utils.data.DataLoader` with
    `batch_size=None`, which may shuffle the batches and make them in several processes, or a plain iterable.

    Each batch is a dictionary of arrays: `planes`, `wdl` and `dtw` as in `Sample`, with `turns` also `policy` and
    `removal_policy`; with `grid` the planes are images. The same seed gives the same positions.
    """

    def __init__(
        self,
        database: Database,
        families: str | Iterable[str],
        n: int,
        batch: int = 1024,
        seed: int = 0,
        turns: bool = False,
        grid: bool = False,
    ) -> None:
        if n < 0 or batch < 1:
            raise ValueError(f"n must be at least 0 and batch at least 1, not {n} and {batch}")
        self.database = database
        self.families = families if isinstance(families, str) else list(families)
        self.n, self.batch, self.seed, self.turns, self.grid = n, batch, seed, turns, grid

    def __len__(self) -> int:
        """The number of batches, of which the last may be shorter."""
        return -(-self.n // self.batch)

    def __getitem__(self, index: int) -> dict[str, npt.NDArray[Any]]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} batches, and none with the index {index}")
        start = index % len(self) * self.batch
        size = min(self.batch, self.n - start)
        sample = self.database.sample(self.families, size, self.seed, self.turns, start=start)
        features = planes(sample.white, sample.black, sample.to_move, sample.white_in_hand, sample.black_in_hand)
        arrays: dict[str, npt.NDArray[Any]] = {
            "planes": on_grid(features) if self.grid else features,
            "wdl": sample.wdl,
            "dtw": sample.dtw,
        }
        if sample.turns is not None:
            arrays |= {"policy": policy(sample.turns), "removal_policy": removal_policy(sample.turns)}
        return arrays

    def __iter__(self) -> Iterator[dict[str, npt.NDArray[Any]]]:
        return (self[index] for index in range(len(self)))
