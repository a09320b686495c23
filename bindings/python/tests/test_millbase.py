"""The Python module, on the installed wheel: against the table of positions, in bulk, and on hostile input."""

import csv
import importlib.metadata
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import millbase

BINDINGS = Path(__file__).parents[2]
EXAMPLES = BINDINGS / "python" / "examples"
README = (BINDINGS / "python" / "README.md").read_text()
WIN = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0"


def table():
    with open(BINDINGS / "positions.csv") as file:
        next(file)
        return list(csv.DictReader(file))


TABLE = table()


@pytest.fixture(scope="module")
def db():
    return millbase.open()


def test_the_version_is_the_crates():
    manifest = (BINDINGS.parent / "Cargo.toml").read_text()
    assert f'\nversion = "{millbase.__version__}"\n' in manifest


def test_the_wheel_has_the_licences_and_no_link_that_leads_nowhere():
    wheel = importlib.metadata.distribution("millbase")
    assert sorted(wheel.metadata.get_all("License-File")) == ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]
    for name in wheel.metadata.get_all("License-File"):
        assert wheel.read_text(f"licenses/{name}") == (BINDINGS.parent / name).read_text()
    page = wheel.metadata.get_payload()
    assert "# millbase for Python" in page
    assert [link for link in re.findall(r"\]\(([^)]*)\)", page) if not link.startswith("https://")] == []


def test_the_table(db):
    assert len(TABLE) == 1000
    for row in TABLE:
        position = millbase.Position(row["fen"])
        assert position.fen == row["fen"]
        value = db.probe(position)
        assert value.name == row["wdl"]
        assert value.dtw == (int(row["dtw"]) if row["dtw"] else None)
        assert value.wdl == {"win": 1, "draw": 0, "loss": -1}[row["wdl"]]
        assert position.phase == row["phase"]
        turns = db.turns(row["fen"])
        assert len(turns) == int(row["turns"])
        assert sorted(turn.turn for turn in turns) == sorted(position.turns())
        if turns:
            assert turns[0].turn == row["best"]
            assert turns[0].value == value
            assert turns[0].position == position.play(row["best"])
        else:
            assert position.is_over


def test_the_table_in_bulk(db):
    rows = [row for row in TABLE if row["phase"] != "placing" and " r " not in row["fen"]]
    assert len(rows) > 800
    positions = [millbase.Position(row["fen"]) for row in rows]
    white = [position.white for position in positions]
    black = [position.black for position in positions]
    to_move = [int(position.side_to_move == "black") for position in positions]
    for threads in [1, 3]:
        wdl, dtw = db.probe_many(white, black, to_move, threads=threads)
        assert (wdl.dtype, dtw.dtype) == (np.int8, np.int16)
        assert [{1: "win", 0: "draw", -1: "loss"}[value] for value in wdl] == [r["wdl"] for r in rows]
        assert [int(depth) for depth in dtw] == [int(r["dtw"] or -1) for r in rows]


def test_lines(db):
    line = db.line(WIN)
    assert (len(line), line.end) == (21, "over")
    position = millbase.Position(WIN)
    for turn in line.turns:
        position = position.play(turn.turn)
        assert position == turn.position
    assert position.is_over and position.phase == "over" and position.turns() == []
    assert db.turns(position) == []
    assert db.line(WIN, limit=3).end == "limit"


def test_positions():
    start = millbase.Position()
    assert (start.white_in_hand, start.black_in_hand, start.phase) == (9, 9, "placing")
    assert len(start.turns()) == 24
    after = start.play("d6")
    assert (after.white, after.black, after.side_to_move) == (1 << 8, 0, "black")
    assert start == millbase.Position() and hash(start) == hash(millbase.Position())
    assert repr(after) == f"Position('{after.fen}')"
    assert millbase.Position(rules="ten").white_in_hand == 10
    for rules in ["standard", "standard-100", "no-flying", "ten", "twelve", "morabaraba"]:
        for position in [millbase.Position(rules=rules), millbase.Position(WIN, rules=rules)]:
            assert eval("millbase." + repr(position)) == position


def test_samples(db):
    sample = db.sample("5-4", 3000, seed=3, turns=True)
    again = db.sample("5-4", 1000, seed=3, threads=2)
    other = db.sample("5-4", 1000, seed=4)
    assert (sample.white[:1000] == again.white).all() and (sample.white[:1000] != other.white).any()
    assert (sample.dtw[:1000] == again.dtw).all() and again.turns is None
    counts = [int(bits).bit_count() for bits in sample.white]
    assert set(counts) == {4, 5} and 0.4 < counts.count(4) / 3000 < 0.6
    assert {0, 1} <= set(sample.wdl) and {-1, 0, 1} == set(db.sample("3-3", 1000).wdl)
    wdl, dtw = db.probe_many(sample.white, sample.black, sample.to_move)
    assert (wdl == sample.wdl).all() and (dtw == sample.dtw).all()
    turns = sample.turns
    assert len(turns.starts) == 3001 and turns.starts[-1] == len(turns.origin) == len(turns.dtw)
    # The first turn is a best one.
    assert (turns.wdl[turns.starts[:-1]] == sample.wdl).all()
    assert (turns.dtw[turns.starts[:-1]] == sample.dtw).all()
    assert (turns.removed != 0).any() and (turns.origin >= 0).all() and (turns.target >= 0).all()


def test_turns_are_ranked_on_several_threads(db):
    # The thread that asks waits for the others: the work is not its own.
    shares = []
    samples = []
    for threads in [1, 3]:
        own, all = time.thread_time(), time.process_time()
        samples.append(db.sample("5-4", 20_000, seed=7, turns=True, threads=threads))
        shares.append((time.thread_time() - own) / (time.process_time() - all))
    assert shares[0] > 0.9 and shares[1] < 0.5, shares
    for name in ["starts", "origin", "target", "removed", "wdl", "dtw"]:
        one, three = [getattr(sample.turns, name) for sample in samples]
        assert (one == three).all(), name
    assert db.sample("5-4", 0, turns=True, threads=3).turns.starts.tolist() == [0]
    assert len(db.sample("5-4", 2, turns=True, threads=5000).turns.starts) == 3


def test_two_million_a_second(db):
    sample = db.sample("5-4", 200_000, seed=1)
    best = 0
    for _ in range(40):
        # The time of this thread, as other work may share the core.
        start = time.thread_time()
        wdl, _ = db.probe_many(sample.white, sample.black, sample.to_move)
        best = max(best, len(wdl) / (time.thread_time() - start))
        if best > 2e6:
            break
    print(f"{best / 1e6:.1f} million a second")
    assert best > 2e6


def test_the_lock_is_released(db):
    sample = db.sample("5-4", 500_000, seed=2)
    counted, done = 0, threading.Event()

    def probe():
        db.probe_many(sample.white, sample.black, sample.to_move)
        done.set()

    thread = threading.Thread(target=probe)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0)
    thread.join()
    assert counted > 3


@pytest.mark.parametrize(
    "work",
    [
        "db.sample('6-3', 30_000_000)",
        "db.probe_many(*arrays)",
    ],
)
def test_ctrl_c_works(work):
    code = f"""if True:
        import millbase, numpy as np, signal, sys
        # The tests may run in the background of a shell, where the signal is ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        db = millbase.open()
        sample = db.sample('5-4', 400_000)
        arrays = [np.tile(array, 100) for array in (sample.white, sample.black, sample.to_move)]
        print('ready', flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            sys.exit(77)
    """
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 77


@pytest.mark.parametrize(
    "text",
    ["", "rubbish", "\0", "w" * 100_000, "\ud7ff☃ w m s 3 0 3 0 0 0", WIN.replace(" w ", " x "), WIN.replace("3 0 4", "3 0 5")],
)
def test_wrong_positions_are_exceptions(db, text):
    for ask in [db.probe, db.turns, db.line, millbase.Position]:
        with pytest.raises(millbase.PositionError, match="the "):
            ask(text)


def test_wrong_types_are_exceptions(db):
    for wrong in [None, 3, b"bytes", ["list"], "\udcff"]:
        with pytest.raises((TypeError, UnicodeEncodeError)):
            db.probe(wrong)
    # The README lists which exceptions are Python's own.
    for error, ask in [
        (TypeError, lambda: db.line(WIN, limit=1.5)),
        (OverflowError, lambda: db.line(WIN, limit=-1)),
        (OverflowError, lambda: db.sample("3-3", -1)),
        (UnicodeEncodeError, lambda: millbase.Position("\udcff")),
        (ValueError, lambda: db.probe_many([[1], [1, 2]], [1], [2])),
    ]:
        with pytest.raises(error):
            ask()
        assert not issubclass(error, millbase.Error) and error.__name__ in README
    with pytest.raises(millbase.PositionError, match="not a legal turn of white"):
        millbase.Position(WIN).play("a7-a4")
    with pytest.raises(millbase.PositionError):
        millbase.Position(WIN).play("rubbish")
    with pytest.raises(millbase.PositionError, match="must be one of standard"):
        millbase.open(rules="chess")
    with pytest.raises(millbase.PositionError, match="other rules"):
        db.probe(millbase.Position(rules="ten"))


@pytest.mark.parametrize(
    "white, black, to_move, sentence",
    [
        ([7], [56], [0, 0], "differ in length: expected 1 elements, found 2"),
        ([7], [], [0], "differ in length"),
        ([7, 7], [56, 7], [0, 0], "index 1 are not a position: .* share points"),
        ([7, 1 << 24], [56, 56], [0, 0], "index 1 .* above the 24"),
        ([7], [56], [2], "the side to move is 2"),
        ([0], [56], [0], "has 0 stones"),
        ([0xFFF], [0x7000], [0], "has 12 stones"),
        ([-1], [56], [0], "white has numbers that do not fit"),
        ([7], [56], [256], "to_move has numbers that do not fit"),
        ([7.0], [56], [0], "array of whole numbers"),
        ([[7]], [56], [0], "one dimension"),
        (["x"], [56], [0], "array of whole numbers"),
    ],
)
def test_wrong_arrays_are_exceptions(db, white, black, to_move, sentence):
    with pytest.raises(millbase.PositionError, match=sentence):
        db.probe_many(white, black, to_move)


def test_arrays_of_any_kind(db):
    expected = db.probe_many([7], [0x38 << 8], [0])
    wide = np.array([7, 0, 7, 0], dtype=np.int64)[::2]
    black = np.full(2, 0x38 << 8, dtype=np.uint32)
    wdl, dtw = db.probe_many(wide, black, np.zeros(2, dtype=bool))
    assert list(wdl) == [expected[0][0]] * 2 and list(dtw) == [expected[1][0]] * 2
    assert [len(array) for array in db.probe_many([], [], [])] == [0, 0]
    # The index of an error counts from the beginning of all parts.
    many = np.full(200_000, 7, dtype=np.uint32)
    many[170_000] = 0
    blacks = np.full(200_000, 0x38 << 8, dtype=np.uint32)
    for threads in [1, 2, 7]:
        with pytest.raises(millbase.PositionError, match="index 170000 "):
            db.probe_many(many, blacks, np.zeros(200_000, dtype=np.uint8), threads=threads)


def test_missing_and_damaged_databases(db, tmp_path):
    ask = "O*O*O*O*/O*O*O***/@*@*@*@* w m s 7 0 4 0 0 0"
    with pytest.raises(millbase.MissingError, match="7-4 is missing; build it with the program millbase"):
        db.probe(ask)
    with pytest.raises(millbase.MissingError):
        db.sample("9-9", 10)
    with pytest.raises(millbase.PositionError):
        db.sample("nine", 10)
    with pytest.raises(millbase.PositionError, match="at most 9"):
        db.sample("10-3", 10)
    with pytest.raises(millbase.Error, match="cannot be used"):
        millbase.open(tmp_path / "nowhere")
    whole = (BINDINGS.parent / "db" / "4-3.mill").read_bytes()
    for number, bytes in enumerate([b"", whole[:50], whole[:-1], whole[:9000] + b"x" + whole[9001:]]):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "4-3.mill").write_bytes(bytes)
        damaged = millbase.open(folder)
        with pytest.raises(millbase.CorruptError, match="4-3.mill is corrupted"):
            damaged.sample("4-3", 3000)
        assert damaged.sample("3-3", 10).wdl.shape == (10,)
    with pytest.raises(millbase.MissingError, match="too many stones are still in hand"):
        db.probe(millbase.Position())
    other_version = tmp_path / "version"
    other_version.mkdir()
    (other_version / "4-3.mill").write_bytes(whole[:8] + b"\x63" + whole[9:])
    with pytest.raises(millbase.CorruptError, match="4-3.mill has format version 99"):
        millbase.open(other_version).probe(WIN)
    other_rules = tmp_path / "no-flying"
    other_rules.mkdir()
    (other_rules / "4-3.mill").write_bytes(whole)
    with pytest.raises(millbase.CorruptError, match="4-3.mill was built for the rules standard"):
        millbase.open(tmp_path, rules="no-flying").probe(WIN)
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "4-3.mill").write_bytes(whole)
    assert str(millbase.open(os.fspath(tmp_path / "whole")).probe(WIN)) == "win in 21"


def test_the_dataset_is_written_and_read(db, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet") if not os.environ.get("CI") else __import__(
        "pyarrow.parquet"
    ).parquet
    path = tmp_path / "positions.parquet"
    command = [sys.executable, EXAMPLES / "dataset.py", "--to", path, "-n", "500", "--seed", "5", "--turns"]
    subprocess.run(command, check=True)
    read = parquet.read_table(path)
    sample = db.sample("5-4", 500, seed=5, turns=True)
    assert read.column("white").to_pylist() == list(sample.white)
    assert read.column("wdl").to_pylist() == list(sample.wdl)
    depths = [None if depth < 0 else depth for depth in sample.dtw]
    assert read.column("dtw").to_pylist() == depths
    turns = read.column("turn_wdl").to_pylist()
    assert [turn[0] for turn in turns] == list(sample.wdl)


def test_the_network_learns():
    command = [sys.executable, EXAMPLES / "train.py", "-n", "30000", "--epochs", "5"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    print(text)
    commonest, network = [float(part.split("%")[0].split()[-1]) for part in text.splitlines()[1].split(";")]
    assert network > commonest + 3


def test_the_stubs_name_everything():
    stubs = (Path(millbase.__file__).parent / "__init__.pyi").read_text()
    for name in millbase.__all__:
        assert name in stubs
        for member in vars(getattr(millbase, name)) if isinstance(getattr(millbase, name), type) else []:
            assert member.startswith("_") or member in stubs, f"{name}.{member}"
    assert (Path(millbase.__file__).parent / "py.typed").exists()


def mypy(folder, *arguments):
    """Runs a program of mypy in a folder; what it says where it finds errors, else an empty text."""
    if not os.environ.get("CI"):
        pytest.importorskip("mypy")
    ran = subprocess.run([sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True)
    return ran.stdout + ran.stderr if ran.returncode else ""


def test_the_stubs_are_those_of_the_module(tmp_path):
    assert mypy(tmp_path, "mypy.stubtest", "millbase") == ""


def test_the_stubs_refuse_what_the_module_refuses(tmp_path):
    # mypy also says where an error that is expected here does not come.
    code = """if True:
        import millbase
        db = millbase.open()
        sample = db.sample("3-3", 10, turns=True)
        class Own(millbase.Position): ...  # type: ignore[misc]
        millbase.Value()  # type: ignore[call-arg]
        millbase.Database()  # type: ignore[call-arg]
        sample.wdl = sample.wdl  # type: ignore[misc]
        assert sample.turns
        sample.turns.starts = sample.turns.starts  # type: ignore[misc]
        position: millbase.Position = millbase.Position(rules="ten").play("d6")
    """
    (tmp_path / "code.py").write_text(code)
    assert mypy(tmp_path, "mypy", "--strict", "code.py") == ""
    for line in code.splitlines():
        if "ignore[" in line and "class" not in line:
            with pytest.raises((TypeError, AttributeError)):
                exec(line.strip(), {"millbase": millbase, "sample": millbase.open().sample("3-3", 10, turns=True)})
    with pytest.raises(TypeError):
        type("Own", (millbase.Position,), {})
