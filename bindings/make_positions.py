"""Makes positions.csv, the table of positions and answers that all bindings are tested against.

    python3 bindings/make_positions.py PROGRAM > bindings/positions.csv

The native program answers. The positions are those of tests/data/moving.csv with at most nine stones,
whose values come from an independent solution and must be the program's, and random ones: of the
moving phase, with stones in hand, with a removal owed, and where the game is over.
"""

import csv
import json
import random
import subprocess
import sys
from pathlib import Path

COUNT = 1000
SIDES = [(3, 3), (4, 3), (3, 4), (4, 4), (5, 3), (3, 5), (5, 4), (4, 5), (6, 3), (3, 6)]
chance = random.Random(18)


def text(white, black, side, phase, action, in_hand=(0, 0), owed=(0, 0)):
    letters = ["O" if p in white else "@" if p in black else "*" for p in range(24)]
    board = "/".join("".join(letters[ring : ring + 8]) for ring in (0, 8, 16))
    numbers = (len(white), in_hand[0], len(black), in_hand[1], *owed)
    return " ".join([board, side, phase, action, *map(str, numbers), "-1 -1 -1 -1 0 0 1"])


def stones(white, black):
    drawn = chance.sample(range(24), white + black)
    return set(drawn[:white]), set(drawn[white:])


def some(number):
    """A position's text; not every one is legal."""
    white, black = chance.choice(SIDES)
    side = chance.choice("wb")
    if number % 20 == 0:
        # The last stones in hand, as few as the small databases answer.
        sets = stones(*chance.choice([(3, 3), (2, 3), (3, 2), (2, 2)]))
        in_hand = (1, 1) if side == "w" else (0, 1)
        return text(*sets, side, "p", "p", in_hand)
    if number % 20 == 1:
        owed = (1, 0) if side == "w" else (0, 1)
        return text(*stones(white, black), side, "m", "r", owed=owed)
    if number % 20 == 2:
        sets = stones(2, black) if side == "w" else stones(white, 2)
        return text(*sets, side, "o", "?")
    return text(*stones(white, black), side, "m", "s")


def answers(program, fens):
    run = subprocess.run(
        [program, "--json", "probe", "-"], input="\n".join(fens), capture_output=True, text=True
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


program = sys.argv[1]
known = {}
with open(Path(__file__).parent.parent / "tests/data/moving.csv") as file:
    next(file)
    for row in csv.DictReader(file):
        numbers = row["fen"].split()[4:]
        if int(numbers[0]) + int(numbers[2]) <= 9:
            known[row["fen"]] = (row["wdl"], row["dtw"])
asked = [*known, *(some(number) for number in range(4 * COUNT))]
rows = {}
for fen, answer in zip(asked, answers(program, asked), strict=True):
    if "error" in answer:
        continue
    value = (answer["wdl"], "" if answer["dtw"] is None else str(answer["dtw"]))
    if fen in known and value != known[fen]:
        sys.exit(f"{fen}: the program says {value}, but it is known that {known[fen]}")
    best = answer["turns"][0]["turn"] if answer["turns"] else ""
    rows.setdefault(answer["position"], (*value, len(answer["turns"]), best, answer["phase"]))
    if len(rows) == COUNT:
        break
assert len(rows) == COUNT and sum(fen in rows for fen in known) > 20
print("# what the native program answers from the databases with at most nine stones; see make_positions.py")
print("fen,wdl,dtw,turns,best,phase")
for fen, row in rows.items():
    print(",".join([fen, *map(str, row)]))
