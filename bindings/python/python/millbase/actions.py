"""Actions as numbers, as the research library OpenSpiel numbers them: a turn is one action, or two where it removes
a stone.

Points are numbered by rows from a7: a7 is 0, d7 is 1, g1 is 23. A number below 24 is a placement, or the removal that
is due; 24 + 24 * from + to is a move.

>>> encode("d6-d5xb4")
(127, 10)
>>> decode([127, 10])
'd6-d5xb4'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import Position, PositionError

ACTIONS = 600
"""The number of actions."""

POINTS = tuple("a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split())
"""The names of the points, by their numbers."""

BITS = (23, 16, 17, 15, 8, 9, 7, 0, 1, 22, 14, 6, 2, 10, 18, 5, 4, 3, 13, 12, 11, 21, 20, 19)
"""The bits of the points in sets of stones, by their numbers."""

_NUMBERS = {name: number for number, name in enumerate(POINTS)}


def encode(turn: str) -> tuple[int, ...]:
    """The actions of a turn's text: its placement or move, then its removals."""
    try:
        step, *removed = turn.split("x")
        points = [_NUMBERS[name] for name in step.split("-")] if step else []
        first = [24 + 24 * points[0] + points[1]] if len(points) == 2 else points
        actions = (*first, *(_NUMBERS[name] for name in removed))
    except KeyError:
        actions = ()
    if not actions:
        raise PositionError(f"'{turn}' is not a turn that has actions")
    return actions


def decode(actions: Sequence[int]) -> str:
    """The text of the turn with these actions, of which the first places or moves a stone."""
    if not actions or any(not 0 <= action < (24 if place else ACTIONS) for place, action in enumerate(actions)):
        raise PositionError(f"{list(actions)} are not the actions of a turn")
    step, *removed = actions
    name = POINTS[step] if step < 24 else f"{POINTS[step // 24 - 1]}-{POINTS[step % 24]}"
    return "x".join([name, *(POINTS[point] for point in removed)])


def legal(position: Position, done: Iterable[int] = ()) -> list[int]:
    """The legal actions after those of the turn that are done already, in order; none when the game is over."""
    done = tuple(done)
    turns = (encode(turn) for turn in position.turns())
    return sorted({turn[len(done)] for turn in turns if turn[: len(done)] == done and len(turn) > len(done)})
