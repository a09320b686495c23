#!/usr/bin/env python3
"""Writes the tables of docs/RECORDS.md from the answer of `millbase records --json`:

    millbase records --json > page/files/records.json && tools/records.py page/files/records.json > docs/RECORDS.md
"""

import json
import sys

HEAD = """# Records

With this page you can look up the positions of the standard rules that take longest to win or lose, and the mutual zugzwangs of the
moving phase. `millbase records` names them, with `--limit` more of each kind; [records.json](../page/files/records.json) has a best line from
each position here, and the server answers it at [`GET /records`](FRONTENDS.md#http). `millbase line POSITION` plays one out.

Counts are of distinct positions up to the 16 symmetries, whether or not a game can reach them. Depths are in turns of both sides.

## Deepest wins and losses

| pair | to move | value | positions | one of them |
|---|---:|---|---:|---|"""


def rows(before, entry):
    for result in ("win", "loss"):
        record = entry[result]
        if record:
            yield (*before, f"{result} in {record['dtw']}", f"{record['positions']:,}", first(record))


def first(named):
    # The fields after the removals are the same in all of these positions.
    return " ".join(f"`{' '.join(position.split()[:10])}`" for position in named["first"][:1])


def write(table):
    for row in table:
        print("|", " | ".join(map(str, row)), "|")


answer = json.load(open(sys.argv[1]))
print(HEAD)
for pair in answer["pairs"]:
    for table in pair["tables"]:
        write(rows((pair["pair"], table["to_move"]), table))
print("""
## Mutual zugzwangs

Whichever side is to move loses, or has lost because it is blocked. With equal sides, positions that differ in the colours alone count once.

| pair | positions | one of them |
|---|---:|---|""")
write((pair["pair"], f"{pair['zugzwangs']['positions']:,}", first(pair["zugzwangs"])) for pair in answer["pairs"])
print("""
## The placing phase

The deepest positions for each number of placements that has a file.

| placements | value | positions | one of them |
|---:|---|---:|---|""")
for ply in answer["placing"]:
    write(rows((ply["ply"],), ply))
