#!/usr/bin/env python3
"""Draws the statistics of the databases as SVG.

    millbase stats --histogram --json | tools/plot.py docs

writes docs/depths.svg, how many positions are won and lost in how many turns, and
docs/outcomes.svg, which share of each table's positions is won, drawn and lost. Needs nothing but
Python; the pictures follow the reader's choice of a light or a dark look.
"""

import json
import math
import sys
from collections import Counter
from html import escape
from pathlib import Path

FONT = "text { font: 12px system-ui, sans-serif; }"
CLASSES = """
.title { font-size: 17px; font-weight: 600; }
.small { font-size: 11px; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
"""
# For each class: the colours of the light and of the dark theme.
COLOURS = {
    ".back": ("#ffffff", "#161b22"),
    "text": ("#24292f", "#e6edf3"),
    ".soft": ("#59636e", "#9198a1"),
    ".line": ("#d1d9e0", "#3d444d"),
    ".win": ("#2f7fc1", "#4a9be0"),
    ".draw": ("#c4cad1", "#6b747e"),
    ".loss": ("#d9722e", "#e5833f"),
}


def style():
    """The style rules; the second colours are for the dark theme."""
    light, dark = (
        "".join(f"{name} {{ fill: {pair[look]}; }}\n" for name, pair in COLOURS.items())
        for look in (0, 1)
    )
    return f"{FONT}{CLASSES}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}"


STONES = range(3, 10)
MARGIN = 24
# The grid of all tables: the place of its first cell from the left, the size and distance of cells.
LEFT, CELL, STEP = 76, 112, 120


class Picture:
    """An SVG that grows line by line."""

    def __init__(self, title, about, width, height):
        self.size = width, height
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{style()}\n</style>",
        ]
        self.box(0, 0, width, height, "back")
        self.text(MARGIN, MARGIN + 14, title, "title")
        for number, line in enumerate(about):
            self.text(MARGIN, MARGIN + 36 + 18 * number, line, "soft")

    def box(self, x, y, width, height, style, note=None):
        inside = f"<title>{escape(note)}</title>" if note else ""
        if width > 0 and height > 0:
            self.lines.append(
                f'<rect class="{style}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" '
                f'height="{height:.2f}">{inside}</rect>'
            )

    def boxes(self, boxes, style):
        """Many boxes as one shape."""
        shape = "".join(f"M{x:.1f} {y:.1f}h{w:.2f}v{h:.1f}h-{w:.2f}z" for x, y, w, h in boxes)
        self.lines.append(f'<path class="{style}" d="{shape}"/>')

    def text(self, x, y, text, style=""):
        self.lines.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{style}">{escape(text)}</text>')

    def line(self, x1, x2, y):
        """A line to the right."""
        self.box(x1, y - 0.5, x2 - x1, 1, "line")

    def legend(self, x, y, entries):
        for style, text in entries:
            self.box(x, y - 10, 12, 12, style)
            self.text(x + 18, y, text)
            x += 36 + 7 * len(text)

    def write(self, path):
        path.write_text("\n".join([*self.lines, "</svg>", ""]), encoding="utf-8")
        print(path)


def grid(picture, top, height, label, tables, draw):
    """Draws each table in its cell: a row for the side to move, a column for the other one. The
    rows' labels are so far below the top of their cells."""
    middle = LEFT + (STEP * len(STONES) - STEP + CELL) / 2
    picture.text(middle, top - 26, "stones of the other side", "soft middle")
    picture.text(MARGIN, top - 26, "to move", "soft")
    for column, other in enumerate(STONES):
        picture.text(LEFT + STEP * column + CELL / 2, top - 8, str(other), "middle")
    for row, mover in enumerate(STONES):
        y = top + height * row
        picture.text(MARGIN + 20, y + label, str(mover), "middle")
        for column, other in enumerate(STONES):
            if (mover, other) in tables:
                draw(LEFT + STEP * column, y, tables[mover, other])


def share(part, whole):
    """A percentage that is 0 or 100 only if it is exact."""
    percent = 100 * part / whole
    if 0 < percent < 0.5:
        return "<1"
    if 99.5 <= percent and part < whole:
        return ">99"
    return f"{percent:.0f}"


def outcomes(tables):
    about = ["Positions of each table, in percent, for the side to move. Distinct under the 16"
             " symmetries, reachable in a game or not."]
    height = 62
    picture = Picture("Nine Men's Morris after the placing: won, drawn, lost", about,
                      LEFT + STEP * 7 + MARGIN - 8, 132 + height * 7)
    kinds = [("win", "wins"), ("draw", "draws"), ("loss", "losses")]
    names = [("win", "won"), ("draw", "drawn"), ("loss", "lost")]
    picture.legend(picture.size[0] - 204, MARGIN + 14, names)

    def draw(x, y, table):
        whole = table["positions"]
        start = x
        for style, field in kinds:
            width = CELL * table[field] / whole
            note = f"{table['pair']}, {table['to_move']} to move: {table[field]:,} {field}"
            picture.box(start, y, width, 24, style, note)
            start += width
        numbers = [share(table[field], whole) for _, field in kinds]
        picture.text(x + CELL / 2, y + 40, " · ".join(numbers), "small middle soft")

    grid(picture, 132, height, 16, tables, draw)
    return picture


def depths_of(table):
    """Wins and losses by depth."""
    wins, losses = Counter(), Counter()
    for entry in table["histogram"]:
        by_depth = {"win": wins, "loss": losses}.get(entry["wdl"])
        if by_depth is not None:
            by_depth[entry["dtw"]] += entry["positions"]
    return wins, losses


def log_height(count, most):
    """The height of a bar as a share of the tallest; a single position stays visible."""
    return (math.log10(count) + 0.3) / (math.log10(most) + 0.3)


def mirrored(picture, x, y, width, height, wins, losses, deepest, most):
    """Wins as bars above the line y, losses below it. Wins have odd depths and losses even ones, so
    that bars two turns wide touch."""
    turn = width / (deepest + 2)
    for by_depth, style in (wins, "win"), (losses, "loss"):
        boxes = []
        for depth, count in sorted(by_depth.items()):
            tall = height * log_height(count, most)
            boxes.append((x + turn * depth, y - tall if style == "win" else y, 2 * turn, tall))
        if boxes:
            picture.boxes(boxes, style)
    picture.line(x, x + width, y)


def depths(tables):
    each = {key: depths_of(table) for key, table in tables.items()}
    wins = sum((pair[0] for pair in each.values()), Counter())
    losses = sum((pair[1] for pair in each.values()), Counter())
    deepest = max([*wins, *losses])
    about = ["How many positions are won or lost in how many turns, on a logarithmic scale: all"
             " tables, and each for itself.", "Distinct under the 16 symmetries, reachable in a"
             " game or not. The numbers are the deepest win and loss."]
    tall, height = 130, 84
    middle = 112 + tall
    top = middle + tall + 110
    picture = Picture("Nine Men's Morris after the placing: turns to the end", about,
                      LEFT + STEP * 7 + MARGIN - 8, top + height * 7 + 10)
    picture.legend(picture.size[0] - 132, MARGIN + 14, [("win", "won"), ("loss", "lost")])

    width = picture.size[0] - LEFT - MARGIN
    most = max([*wins.values(), *losses.values()])
    for power in range(2, int(math.log10(most)) + 1, 2):
        for sign in -1, 1:
            y = middle + sign * tall * log_height(10**power, most)
            picture.line(LEFT, LEFT + width, y)
            count = f"{10 ** (power - 6):,} million" if power >= 6 else f"{10**power:,}"
            picture.text(LEFT - 8, y + 4, count, "small soft end")
    mirrored(picture, LEFT, middle, width, tall, wins, losses, deepest, most)
    for depth in range(0, deepest + 1, 20):
        x = LEFT + width / (deepest + 2) * (depth + 1)
        picture.text(x, middle + tall + 18, str(depth), "small soft middle")
    picture.text(LEFT + width / 2, middle + tall + 38, "turns", "soft middle")

    most = max(max([*a.values(), *b.values()], default=1) for a, b in each.values())

    def draw(x, y, table):
        wins, losses = each[table["to_move"], table["other"]]
        mirrored(picture, x, y + 38, CELL, 34, wins, losses, deepest, most)
        for by_depth, place in (wins, 16), (losses, 68):
            if by_depth:
                picture.text(x + CELL, y + place, str(max(by_depth)), "small soft end")

    grid(picture, top, height, 42, tables, draw)
    return picture


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    folder = Path(sys.argv[1])
    answer = json.load(sys.stdin)
    tables = {(table["to_move"], table["other"]): table for table in answer["tables"]}
    if not tables or not all("histogram" in table for table in tables.values()):
        sys.exit("plot.py: expected the output of `millbase stats --histogram --json` on stdin")
    depths(tables).write(folder / "depths.svg")
    outcomes(tables).write(folder / "outcomes.svg")


if __name__ == "__main__":
    main()
