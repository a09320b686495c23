#!/usr/bin/env python3
"""Measures how late the engine answers `go movetime`: tools/movetime.py millbase uci --threads 1"""

import statistics
import subprocess
import sys
import time

POSITIONS = [
    "startpos",
    "startpos moves d6 f4 d2 b4 a1 g7",
    "startpos moves d6 f4 d2 b4 a1 g7 g1 a7 d7 d1",
    "fen OO*OO*O*/@*@*@*@*/*O*@*O@* w m s 7 0 6 0 0 0",
    "fen ***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0",
    "fen O*OO*O*O/@*@*@*@O/*O*@@*@@ w m s 8 0 8 0 0 0",
]
TIMES = [1, 10, 50, 100, 200, 500]
REPEATS = 4


def main():
    engine = subprocess.Popen(
        sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )

    def ask(line, answer):
        engine.stdin.write(line + "\n")
        for line in engine.stdout:
            if line.startswith(answer):
                return
        sys.exit("the engine has ended")

    late = []
    for wished in TIMES:
        for position in POSITIONS * REPEATS:
            engine.stdin.write(f"ucinewgame\nposition {position}\n")
            ask("isready", "readyok")
            start = time.perf_counter()
            ask(f"go movetime {wished}", "bestmove")
            late.append(1000 * (time.perf_counter() - start) - wished)
    engine.stdin.write("quit\n")
    print(f"{len(late)} searches, {sum(ms > 50 for ms in late)} more than 50 ms late,", end=" ")
    print(f"median {statistics.median(late):.1f} ms, latest {max(late):.1f} ms")


if __name__ == "__main__":
    main()
