#!/usr/bin/env python3
"""Chooses the puzzles of the page from many, which `make` finds in three minutes with all databases (`millbase build --placing`).

    millbase puzzles make --json --goal win --count 2000 --seed 2 > win.json
    millbase puzzles make --json --goal win --turns 1-4 --count 500 --seed 1 > quick.json
    millbase puzzles make --json --goal win --theme sacrifice --count 30 --seed 5 > sacrifice.json
    millbase puzzles make --json --goal draw --count 400 --seed 1 > draw.json
    millbase puzzles make --json --goal draw --count 150 --seed 1 \\
        --from placed-10,placed-12,placed-13,placed-14,placed-15,placed-16,placed-17 > placing.json
    millbase puzzles make --json --goal draw --count 100 --seed 1 --from 3-3,4-3,5-3,6-3,7-3,8-3 > flying.json
    tools/page_puzzles.py win.json quick.json sacrifice.json draw.json placing.json flying.json > page/files/puzzles.json

Takes the same number of each level and, as far as there are enough, of each kind: to win or to hold, while placing, moving or
flying; of a kind, themes and pairs of stones are mixed. A puzzle is a list: position, goal, rating, solution, themes. The
solution has a word for each turn: the turn, and in those of the solver after `|` others that are equally good.
"""

import json
import sys
from collections import defaultdict
from itertools import islice

COUNT = 300
MOST_ALTERNATIVES = 6
LEVELS = ["beginner", "easy", "medium", "hard", "expert", "master"]
# The themes that the page offers besides the kinds.
THEMES = ["zwickmuehle", "sacrifice", "blockade"]


def is_short(puzzle):
    return all(len(step["best"]) <= MOST_ALTERNATIVES for step in puzzle["solution"][::2])


def word(number, step):
    others = [turn for turn in step["best"] if turn != step["turn"]] if number % 2 == 0 else []
    return "|".join([step["turn"]] + others)


def kind(puzzle):
    board, side, phase = puzzle["position"].split()[:3]
    stones = board.count("O" if side == "w" else "@")
    return puzzle["goal"], "placing" if phase == "p" else "flying" if stones == 3 else "moving"


def themes(puzzle):
    return " ".join(theme for theme in puzzle["themes"] if theme in THEMES)


def stones(puzzle):
    board = puzzle["position"].split()[0]
    return board.count("O"), board.count("@")


def mixed(puzzles, *keys):
    """The puzzles with the values of the first key in turn, and so on; those that are equal by all keys the quickest first."""
    if not keys:
        yield from sorted(puzzles, key=lambda puzzle: puzzle["turns"])
        return
    first, *rest = keys
    groups = defaultdict(list)
    for puzzle in puzzles:
        groups[first(puzzle)].append(puzzle)
    heaps = [mixed(group, *rest) for group in groups.values()]
    while heaps:
        for heap in list(heaps):
            puzzle = next(heap, None)
            if puzzle is None:
                heaps.remove(heap)
            else:
                yield puzzle


def main():
    puzzles = {}
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            # The same puzzle may stand in several files.
            puzzles.update((puzzle["position"], puzzle) for puzzle in json.load(file)["puzzles"] if is_short(puzzle))
    chosen = []
    for level in LEVELS:
        of_level = [puzzle for puzzle in puzzles.values() if puzzle["level"] == level]
        chosen += islice(mixed(of_level, kind, themes, stones), COUNT // len(LEVELS))
    if len(chosen) < COUNT:
        sys.exit(f"only {len(chosen)} of {COUNT} puzzles: make more")
    chosen.sort(key=lambda puzzle: (puzzle["rating"], puzzle["position"]))
    rows = []
    for puzzle in chosen:
        position = " ".join(puzzle["position"].split()[:10])
        solution = " ".join(word(number, step) for number, step in enumerate(puzzle["solution"]))
        row = [position, puzzle["goal"], puzzle["rating"], solution, themes(puzzle)]
        rows.append(json.dumps(row))
    print('{"version":1,"puzzles":[\n' + ",\n".join(rows) + "\n]}")


if __name__ == "__main__":
    main()
