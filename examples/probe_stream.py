"""Asks for the values of many positions over one pipe: millbase --json probe -

    python3 examples/probe_stream.py [path of the program] < positions.txt

Prints, for each position, its value and its best turn.
"""

import json
import subprocess
import sys
import threading


def answers(program, positions):
    """The answer to each position, in order, as they come."""
    process = subprocess.Popen(
        [program, "--json", "--quiet", "probe", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def write():
        for position in positions:
            process.stdin.write(position.strip() + "\n")
        process.stdin.close()

    # Writing while reading: neither pipe may fill up with nobody to empty it.
    threading.Thread(target=write, daemon=True).start()
    for line in process.stdout:
        yield json.loads(line)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "millbase"
    for answer in answers(program, sys.stdin):
        if "error" in answer:
            print("error:", answer["error"]["message"])
            continue
        depth = "" if answer["dtw"] is None else f" in {answer['dtw']}"
        turns = answer["turns"]
        best = turns[0]["turn"] if turns else "none"
        print(f"{answer['wdl']}{depth}, best turn {best}, from the {answer['source']}")


if __name__ == "__main__":
    main()
