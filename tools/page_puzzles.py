#!/usr/bin/env python3
"""Chooses the puzzles of the page from many.

    millbase puzzles make --json --goal win --count 4000 --seed 1 > win.json
    millbase puzzles make --json --goal draw --count 2000 --seed 1 > draw.json
    tools/page_puzzles.py win.json draw.json > page/files/puzzles.json

Takes the same number of each level, two thirds of them wins, with the pairs of stones mixed. A puzzle is a list: position,
goal, rating, solution. The solution has a word for each turn: the turn, and in those of the solver after `|` others
that are equally good.
"""

import json
import sys
from collections import defaultdict

COUNT = 300
MOST_ALTERNATIVES = 6
LEVELS = ["beginner", "easy", "medium", "hard", "expert", "master"]


def is_short(puzzle):
    return all(len(step["best"]) <= MOST_ALTERNATIVES for step in puzzle["solution"][::2])


def word(number, step):
    others = [turn for turn in step["best"] if turn != step["turn"]] if number % 2 == 0 else []
    return "|".join([step["turn"]] + others)


def take(puzzles, level, count):
    """Puzzles of a level, with the numbers of stones mixed."""
    by_stones = defaultdict(list)
    for puzzle in puzzles:
        if puzzle["level"] == level:
            board = puzzle["position"].split()[0]
            by_stones[board.count("O"), board.count("@")].append(puzzle)
    taken = []
    while len(taken) < count and any(by_stones.values()):
        for group in by_stones.values():
            if group and len(taken) < count:
                taken.append(group.pop(0))
    return taken


def main():
    puzzles = []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            puzzles += [puzzle for puzzle in json.load(file)["puzzles"] if is_short(puzzle)]
    wins = [puzzle for puzzle in puzzles if puzzle["goal"] == "win"]
    draws = [puzzle for puzzle in puzzles if puzzle["goal"] == "draw"]
    chosen = []
    for level in LEVELS:
        count = COUNT // len(LEVELS)
        some = take(wins, level, 2 * count // 3)
        chosen += some + take(draws, level, count - len(some))
    if len(chosen) < COUNT:
        sys.exit(f"only {len(chosen)} of {COUNT} puzzles: make more")
    chosen.sort(key=lambda puzzle: (puzzle["rating"], puzzle["position"]))
    rows = []
    for puzzle in chosen:
        position = " ".join(puzzle["position"].split()[:10])
        solution = " ".join(word(number, step) for number, step in enumerate(puzzle["solution"]))
        rows.append(json.dumps([position, puzzle["goal"], puzzle["rating"], solution]))
    print('{"version":1,"puzzles":[\n' + ",\n".join(rows) + "\n]}")


if __name__ == "__main__":
    main()
