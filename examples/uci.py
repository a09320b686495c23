"""Plays a game with the engine process: millbase uci.

    python3 examples/uci.py [path of the program]

The engine plays White as well as it can, and Black badly where your frontend asks a person.
"""

import random
import subprocess
import sys


class Engine:
    """The engine process."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.ask("uci", "uciok")

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def ask(self, line, answer):
        """Says a line and waits for the answer; returns it and what came before it."""
        self.say(line)
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if lines[-1].startswith(answer):
                return lines
        raise RuntimeError("the engine has ended")

    def set(self, option, value):
        self.say(f"setoption name {option} value {value}")

    def best_move(self, moves, milliseconds):
        """One action: 'd6', 'd6-d5', or 'xb4' where a mill was closed; None when the game is over."""
        self.say("position startpos" + (" moves " + " ".join(moves) if moves else ""))
        best = self.ask(f"go movetime {milliseconds}", "bestmove")[-1].split()[1]
        return None if best == "none" else best

    def position(self, moves):
        """The position after the moves, as text."""
        self.say("position startpos" + (" moves " + " ".join(moves) if moves else ""))
        lines = self.ask("d", "Value:")
        return next(line[len("Fen: "):] for line in lines if line.startswith("Fen: "))

    def quit(self):
        self.say("quit")
        self.process.wait()


def main():
    engine = Engine(sys.argv[1] if len(sys.argv) > 1 else "millbase")
    engine.set("Threads", 1)
    # engine.set("MillbasePath", "/where/the/databases/are")
    weak = Engine(sys.argv[1] if len(sys.argv) > 1 else "millbase")
    weak.set("SkillLevel", 0)
    weak.set("Seed", random.randrange(1, 1_000_000))
    engine.ask("isready", "readyok")
    moves = []
    while len(moves) < 200:
        # After an action that closes a mill the same side is asked again.
        side = engine.position(moves).split()[1]
        player = engine if side == "w" else weak
        move = player.best_move(moves, 20)
        if move is None:
            print("White wins" if side == "b" else "Black wins")
            break
        print(side, move)
        moves.append(move)
    engine.quit()
    weak.quit()


if __name__ == "__main__":
    main()
