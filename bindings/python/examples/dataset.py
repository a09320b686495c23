"""Writes random positions with their values to a Parquet file for machine learning.

    python3 dataset.py --to positions.parquet [--db FOLDER] [--pair 5-4] [-n 100000] [--turns]

Needs pyarrow. Each row is a position: the bits of both sides' stones, the side to move, win (1), draw
(0) or loss (-1), and turns to the end (null for a draw); with --turns also lists of its turns.
"""

import argparse

import pyarrow as pa
import pyarrow.parquet as pq

import millbase

parser = argparse.ArgumentParser()
parser.add_argument("--to", required=True)
parser.add_argument("--db")
parser.add_argument("--pair", default="5-4")
parser.add_argument("-n", type=int, default=100_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--turns", action="store_true")
options = parser.parse_args()

database = millbase.open(options.db)
sample = database.sample(options.pair, options.n, options.seed, turns=options.turns)
columns = {name: getattr(sample, name) for name in ["white", "black", "to_move", "wdl"]}
columns["dtw"] = pa.array(sample.dtw, mask=sample.dtw < 0)
if options.turns:
    turns = sample.turns
    for name in ["origin", "target", "removed", "wdl", "dtw"]:
        lists = pa.LargeListArray.from_arrays(turns.starts, pa.array(getattr(turns, name)))
        columns[f"turn_{name}"] = lists
table = pa.table(columns).replace_schema_metadata(
    {"millbase": millbase.__version__, "pair": options.pair, "seed": str(options.seed)}
)
pq.write_table(table, options.to)
print(f"{table.num_rows} positions of {options.pair} in {options.to}")
