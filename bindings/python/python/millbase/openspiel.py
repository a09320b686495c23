"""The game `nine_mens_morris` of the research library OpenSpiel: its states as positions and positions as its states.
Only `replay` needs OpenSpiel.

Its rules are `standard`, except that it knows no repetition and draws the game after 200 turns. `actions` has its
numbers of actions.

>>> from millbase import Position, openspiel
>>> openspiel.position(openspiel.text(Position())) == Position()
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from .actions import BITS, decode, encode, legal
from . import Position, PositionError

_BOARD = """\
.------.------.
|      |      |
| .----.----. |
| |    |    | |
| | .--.--. | |
| | |     | | |
.-.-.     .-.-.
| | |     | | |
| | .--.--. | |
| |    |    | |
| .----.----. |
|      |      |
.------.------.
"""

_PLACES = [place for place, letter in enumerate(_BOARD) if letter == "."]
_CAPTURE = "Last move formed a mill. Capture time!"


def position(state: Any) -> Position:
    """The position of a state, or of its text."""
    given = str(state)
    letters = [given[place] if place < len(given) else "" for place in _PLACES]
    mover = re.search(r"^Current player: ([WB])$", given, re.MULTILINE)
    hands = re.search(r"^Men to deploy: (\d+) (\d+)$", given, re.MULTILINE)
    if not mover or not hands or not set(letters) <= set("WB."):
        raise PositionError("the text is not that of a state of nine_mens_morris")
    white, black = (sum(1 << bit for bit, letter in zip(BITS, letters) if letter == side) for side in "WB")
    in_hand = int(hands[1]), int(hands[2])
    side = {"W": "white", "B": "black"}[mover[1]]
    if _CAPTURE not in given:
        return Position.from_bits(white, black, side, *in_hand)
    board = "".join("O" if white >> bit & 1 else "@" if black >> bit & 1 else "*" for bit in range(24))
    board = "/".join([board[:8], board[8:16], board[16:]])
    counts = f"{white.bit_count()} {in_hand[0]} {black.bit_count()} {in_hand[1]}"
    owed = "1 0" if side == "white" else "0 1"
    return Position(f"{board} {side[0]} {'p' if any(in_hand) else 'm'} r {counts} {owed}")


def text(position: Position, turn_number: int = 0) -> str:
    """The text of the state of a position after this number of turns."""
    if position.rules != "standard":
        raise PositionError(f"the game has the rules standard, not {position.rules}")
    letters = list(_BOARD)
    for bit, place in zip(BITS, _PLACES):
        letters[place] = "W" if position.white >> bit & 1 else "B" if position.black >> bit & 1 else "."
    hands = position.white_in_hand, position.black_in_hand
    men = position.white.bit_count() + hands[0], position.black.bit_count() + hands[1]
    return (
        f"{''.join(letters)}\nCurrent player: {position.side_to_move[0].upper()}\n"
        f"Turn number: {turn_number}\nMen to deploy: {hands[0]} {hands[1]}\nNum men: {men[0]} {men[1]}\n"
        f"{_CAPTURE if position.removals_owed else ''}"
    )


def turns(actions: Iterable[int]) -> tuple[list[str], list[int]]:
    """The turns of a game's actions from the empty board, as of `state.history()`, and the actions of a last turn that
    still lacks its removal."""
    now, played, done = Position(), list[str](), list[int]()
    for action in actions:
        if action not in legal(now, done):
            raise PositionError(f"action {action} is not legal after {len(played)} turns")
        done.append(action)
        if not legal(now, done):
            played.append(decode(done))
            now, done = now.play(played[-1]), []
    return played, done


def replay(turns: Iterable[str]) -> Any:
    """The state of OpenSpiel after these turns from the empty board."""
    state = import_module("pyspiel").load_game("nine_mens_morris").new_initial_state()
    for turn in turns:
        for action in encode(turn):
            if action not in state.legal_actions():
                raise PositionError(f"{turn} is not a legal turn here")
            state.apply_action(action)
    return state
