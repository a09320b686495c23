"""Research: legal turns in bulk, symmetries, features, targets, tables, records, and the environments of others."""

import copy
import csv
import json
import os
import pickle
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import millbase
from millbase import actions, openspiel, research

BINDINGS = Path(__file__).parents[2]
WIN = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0"


def needed(module):
    """A module that another package has; without it, a test is skipped, but not where CI is set."""
    return pytest.importorskip(module) if not os.environ.get("CI") else __import__(module)


@pytest.fixture(scope="module")
def db():
    return millbase.open()


@pytest.fixture(scope="module")
def positions():
    with open(BINDINGS / "positions.csv") as file:
        next(file)
        rows = [row for row in csv.DictReader(file) if " r " not in row["fen"]]
    return [millbase.Position(row["fen"]) for row in rows]


def arrays(positions):
    given = {
        "white": np.array([position.white for position in positions], np.uint32),
        "black": np.array([position.black for position in positions], np.uint32),
        "to_move": np.array([int(position.side_to_move == "black") for position in positions], np.uint8),
    }
    for name in ["white_in_hand", "black_in_hand"]:
        given[name] = np.array([getattr(position, name) for position in positions], np.uint8)
    return given


def name(bit):
    return actions.POINTS[actions.BITS.index(bit)]


def test_legal_turns_are_those_of_each_position(positions):
    found = millbase.legal_turns(**arrays(positions))
    assert len(found) == len(positions) > 900
    for number, position in enumerate(positions):
        texts = []
        for turn in range(found.starts[number], found.starts[number + 1]):
            origin = name(found.origin[turn]) + "-" if found.origin[turn] >= 0 else ""
            removed = ["x" + name(bit) for bit in range(24) if found.removed[turn] >> bit & 1]
            texts.append(origin + name(found.target[turn]) + "".join(removed))
        assert texts == position.turns()
    twelve = millbase.legal_turns([0], [0], [0], white_in_hand=[12], black_in_hand=[12], rules="twelve")
    assert len(twelve.target) == 24 and (twelve.origin == -1).all()
    with pytest.raises(millbase.PositionError, match="index 1"):
        millbase.legal_turns([7, 7], [0x700, 7], [0, 0])


def test_symmetries_keep_values_and_have_one_form(db):
    assert len({tuple(symmetry) for symmetry in research.SYMMETRIES}) == 16
    sample = db.sample("5-4", 400, seed=5)
    white, black, to_move = sample.white, sample.black, sample.to_move
    forms = research.canonical(white, black, to_move)
    for symmetry in range(16):
        turned = [research.turned(side, symmetry) for side in (white, black)]
        values = db.probe_many(*turned, to_move)
        assert (values.wdl == sample.wdl).all() and (values.dtw == sample.dtw).all()
        again = research.canonical(*turned, to_move)
        assert (again[0] == forms[0]).all() and (again[1] == forms[1]).all()
    # The other colours are the same position.
    again = research.canonical(black, white, 1 - to_move)
    assert (again[0] == forms[0]).all() and (again[1] == forms[1]).all()
    own = [research.turned([side], symmetry)[0] for side, symmetry in zip(white, forms[2])]
    assert (np.array(own) == forms[0]).all()
    assert len(set(zip(*(side.tolist() for side in forms[:2])))) > 150


def test_a_table_has_the_rows_of_the_databases(db, tmp_path):
    parts = list(db.table("3-3", turns=True, size=10_000))
    assert [len(part) for part in parts[:-1]] == [10_000] * (len(parts) - 1)
    rows = {field: np.concatenate([getattr(part, field) for part in parts]) for field in vars(parts[0])}
    values = db.probe_many(rows["white"], rows["black"], rows["to_move"])
    assert (values.wdl == rows["wdl"]).all() and (values.dtw == rows["dtw"]).all()
    forms = research.canonical(rows["white"], rows["black"], rows["to_move"])
    assert len(set(zip(forms[0].tolist(), forms[1].tolist()))) == len(rows["white"])
    rows = {field: column[::40] for field, column in rows.items()}
    turns = db.turns_many(rows["white"], rows["black"], rows["to_move"], threads=2)
    at = research.positions_of(turns)
    first = turns.starts[:-1][at]
    best = (turns.wdl == turns.wdl[first]) & (turns.dtw == turns.dtw[first])
    count = len(rows["white"])
    assert (np.bincount(at[research.good(turns)], minlength=count) == rows["good_turns"]).all()
    assert (np.bincount(at[best], minlength=count) == rows["best_turns"]).all()
    for field, sets in [("best_from", turns.origin), ("best_to", turns.target)]:
        expected = np.zeros(count, np.uint32)
        np.bitwise_or.at(expected, at[best], np.uint32(1) << sets[best].astype(np.uint32))
        assert (expected == rows[field]).all()
    expected = np.zeros(count, np.uint32)
    np.bitwise_or.at(expected, at[best], turns.removed[best])
    assert (expected == rows["best_removed"]).all()
    # Who stops early waits for nothing; without turns there are no columns of turns.
    for part in db.table("4-3"):
        assert part.good_turns is None and len(part) == 65536
        break
    with pytest.raises(millbase.MissingError, match="9-9"):
        next(db.table("9-9"))
    with pytest.raises(millbase.MissingError, match="placing-03.mill is missing"):
        next(db.table("placed-3"))
    for wrong, sentence in [("9", "neither a pair"), ("12-3", "at most 9 stones")]:
        with pytest.raises(millbase.PositionError, match=sentence):
            db.table(wrong)
    with pytest.raises(ValueError, match="size"):
        db.table("3-3", size=0)


def test_records_are_those_of_the_program(db):
    published = json.loads((BINDINGS.parent / "page" / "files" / "records.json").read_text())
    published = {record["pair"]: record for record in published["pairs"]}
    for pair in ["3-3", "4-3"]:
        record = db.records(pair, limit=1)
        assert record["zugzwangs"]["positions"] == published[pair]["zugzwangs"]["positions"]
        for own, other in zip(record["tables"], published[pair]["tables"], strict=True):
            for result in ["win", "loss"]:
                if other[result] is None:
                    assert own[result] is None
                else:
                    assert {key: own[result][key] for key in ["dtw", "positions"]} == {
                        key: other[result][key] for key in ["dtw", "positions"]
                    }
                    assert str(db.probe(own[result]["first"][0])) == f"{result} in {own[result]['dtw']}"
    assert len(db.records("3-3", limit=5)["zugzwangs"]["first"]) == min(
        5, published["3-3"]["zugzwangs"]["positions"]
    )
    with pytest.raises(millbase.MissingError):
        db.records("6-4")


def test_planes_and_targets(db, positions):
    given = arrays(positions)
    planes = research.planes(**given)
    assert planes.shape == (len(positions), 5, 24) and planes.dtype == np.float32
    assert (planes[:, :3].sum(axis=1) == 1).all()
    for position, plane in zip(positions[::37], planes[::37]):
        own, other = position.white, position.black
        hands = [position.white_in_hand, position.black_in_hand]
        if position.side_to_move == "black":
            own, other, hands = other, own, hands[::-1]
        assert [bit for bit in range(24) if plane[0][actions.BITS.index(bit)]] == [b for b in range(24) if own >> b & 1]
        assert [bit for bit in range(24) if plane[1][actions.BITS.index(bit)]] == [b for b in range(24) if other >> b & 1]
        assert np.allclose(plane[3:], np.array(hands)[:, None] / 12)
    grid = research.on_grid(planes)
    assert grid.shape == (len(positions), 5, 7, 7) and grid[:, 2, 3, 3].sum() == 0
    corner, middle = actions.POINTS.index("g1"), actions.POINTS.index("b4")
    assert (grid[:, :, 6, 6] == planes[:, :, corner]).all() and (grid[:, :, 3, 1] == planes[:, :, middle]).all()

    sample = db.sample("4-4", 300, seed=2, turns=True)
    targets, removals = research.policy(sample.turns), research.removal_policy(sample.turns)
    assert targets.shape == (300, actions.ACTIONS) and np.allclose(targets.sum(axis=1), 1)
    seen = 0
    for number in range(300):
        position = millbase.Position.from_bits(int(sample.white[number]), int(sample.black[number]))
        ranked = db.turns(position)
        good = [actions.encode(turn.turn) for turn in ranked if turn.value.wdl == ranked[0].value.wdl]
        expected, removed = np.zeros(600), np.zeros(24)
        for first, *rest in good:
            expected[first] += 1 / len(good)
            for point in rest:
                removed[point] += 1
        assert np.allclose(targets[number], expected, atol=1e-6)
        assert np.allclose(removals[number], removed / max(removed.sum(), 1), atol=1e-6)
        seen += removed.sum() > 0
    assert seen > 10


def test_batches_are_a_data_set(db):
    batches = research.Batches(db, ["4-4", "5-3"], 1000, batch=300, seed=4, turns=True, grid=True)
    sample = db.sample(["4-4", "5-3"], 1000, seed=4)
    assert len(batches) == 4 and [len(batch["wdl"]) for batch in batches] == [300, 300, 300, 100]
    assert (np.concatenate([batch["dtw"] for batch in batches]) == sample.dtw).all()
    last = pickle.loads(pickle.dumps(batches))[-1]
    assert (last["wdl"] == sample.wdl[900:]).all() and last["planes"].shape == (100, 5, 7, 7)
    assert last["policy"].shape == (100, 600) and last["removal_policy"].shape == (100, 24)
    with pytest.raises(IndexError):
        batches[4]
    with pytest.raises(ValueError):
        research.Batches(db, "4-4", 10, batch=0)


def test_values_with_a_default_and_a_second_folder(db, tmp_path):
    larger = "OOO*****/O*O**O**/*@*@*@*@ w m s 6 0 4 0 0 0"
    assert db.get(larger) is None and db.get_wdl(larger, 7) == 7 and db.get_dtw(larger, -5) == -5
    assert str(db.get(WIN)) == "win in 21" and (db.get_wdl(WIN), db.get_dtw(WIN)) == (1, 21)
    drawn = next(turn.position for turn in db.turns(WIN) if turn.value.name == "draw")
    assert (db.get_wdl(drawn), db.get_dtw(drawn), db.get_dtw(drawn, 99)) == (0, None, 99)
    with pytest.raises(millbase.PositionError):
        db.get("rubbish")
    # Two folders, of which each has a file under rules that have none built in.
    folders = [tmp_path / "one", tmp_path / "two"]
    bundle = os.environ["MILLBASE_BUNDLE"]
    for folder in folders:
        folder.mkdir()
    shutil.copy(BINDINGS.parent / "db" / "4-3.mill", folders[0])
    opened = millbase.open(folders[0])
    opened.add_folder(folders[0])
    with pytest.warns(UserWarning, match="two has no databases"):
        opened.add_folder(folders[1])
    with pytest.raises(millbase.FolderError):
        opened.add_folder(tmp_path / "none")
    assert str(opened.probe(WIN)) == "win in 21"
    walking = "OO*@****/*@******/@O****** w m s 3 0 3 0 0 0"
    with pytest.warns(UserWarning):
        second = millbase.open(folders[1], rules="no-flying")
    assert second.get(walking) is None
    with pytest.warns(UserWarning):
        second.add_folder(bundle)
    with pytest.warns(UserWarning):
        again = pickle.loads(pickle.dumps(second))
    assert again.probe(walking) == second.probe(walking)
    assert second.pairs == ["3-3", "4-3"]
    second.close()
    with pytest.raises(ValueError, match="closed"):
        second.add_folder(bundle)


def test_positions_are_keys():
    one, other = millbase.Position(WIN), millbase.Position(WIN + " -1 -1 -1 -1 0 0 1")
    assert one == other and hash(one) == hash(other) and len({one, other, one.play("a1-e4")}) == 2
    assert one != WIN and one != millbase.Position(WIN, rules="no-flying")
    assert copy.copy(one) in {other: 1}


PLAYTHROUGH = (BINDINGS.parent / "tests" / "data" / "games" / "actions.txt").read_text()


def test_actions_are_numbers(positions):
    assert actions.encode("d6-d5xb4") == (127, 10) and actions.decode([127, 10]) == "d6-d5xb4"
    for position in positions:
        for turn in position.turns():
            assert actions.decode(actions.encode(turn)) == turn
    win = millbase.Position("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0")
    assert len(actions.legal(win)) == len({turn.split("x")[0] for turn in win.turns()})
    for wrong in [[], [600], [-1], [3, 30]]:
        with pytest.raises(millbase.PositionError, match="not the actions"):
            actions.decode(wrong)
    for wrong in ["pass", "d6-z9", ""]:
        with pytest.raises(millbase.PositionError):
            actions.encode(wrong)


def test_games_of_open_spiel_are_ours():
    games = [json.loads(line) for line in PLAYTHROUGH.splitlines() if line.startswith("[")]
    assert games
    for game in games:
        played, rest = openspiel.turns(game)
        assert [action for turn in played for action in actions.encode(turn)] + rest == game
    with pytest.raises(millbase.PositionError, match="action 0 is not legal after 1 turns"):
        openspiel.turns([0, 0])
    with pytest.raises(millbase.PositionError, match="not that of a state"):
        openspiel.position("rubbish")
    with pytest.raises(millbase.PositionError, match="not ten"):
        openspiel.text(millbase.Position(rules="ten"))


def test_states_of_open_spiel_are_our_positions():
    pyspiel = needed("pyspiel")
    game = pyspiel.load_game("nine_mens_morris")
    random = np.random.default_rng(1)
    captures = ends = states = 0
    for _ in range(12):
        state, turns, done = game.new_initial_state(), [], []
        now = millbase.Position()
        while not state.is_terminal():
            position = openspiel.position(state)
            assert openspiel.text(position, len(turns)) == str(state)
            assert actions.legal(now, done) == state.legal_actions()
            if done:
                captures += 1
                assert position.removals_owed == 1
                assert sorted(actions.encode(turn)[0] for turn in position.turns()) == state.legal_actions()
            else:
                assert position == now
            action = int(random.choice(state.legal_actions()))
            state.apply_action(action)
            done.append(action)
            if not actions.legal(now, done):
                turns.append(actions.decode(done))
                now, done = now.play(turns[-1]), []
            states += 1
        assert openspiel.turns(state.history()) == (turns, [])
        assert str(openspiel.replay(turns)) == str(state)
        if now.is_over:
            ends += 1
            assert state.returns() == ([-1, 1] if now.side_to_move == "white" else [1, -1])
    assert states > 500 and captures > 20 and ends > 0
    with pytest.raises(millbase.PositionError, match="a7 is not a legal turn"):
        openspiel.replay(["a7", "a7"])


def test_the_environment_of_gymnasium(db):
    needed("gymnasium")
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    import millbase.gym

    check_env(millbase.gym.NineMensMorris(db, level=0, nodes=50), skip_render_check=True)
    env = gymnasium.make("millbase/NineMensMorris-v0", database=db, nodes=100, render_mode="ansi")
    # From a won position the perfect agent wins as fast as the table says.
    observation, info = env.reset(seed=1, options={"position": WIN})
    assert observation.shape == (6, 7, 7) and env.render().startswith("***O**@*")
    rewards, taken, ended = [], 0, False
    while not ended:
        turn = db.turns(info["position"])[0].turn
        for action in actions.encode(turn):
            assert info["action_mask"][action] == 1
            observation, reward, ended, truncated, info = env.step(action)
            assert not truncated
            rewards.append(reward)
        taken += 1
    assert taken == 11 and rewards[-1] == 1 and set(rewards[:-1]) <= {0}
    # Black's agent is answered first; an illegal action loses.
    env = gymnasium.make("millbase/NineMensMorris-v0", database=db, side="black", nodes=100)
    _, info = env.reset(seed=2)
    assert millbase.Position(info["position"]).black_in_hand == 9 and info["action_mask"].sum() == 23
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert env.step(illegal)[1:4] == (-1.0, True, False)
    # The same seed gives the same game.
    games = []
    for _ in range(2):
        env = millbase.gym.NineMensMorris(db, side="random", level=3, nodes=100, most_turns=30)
        _, info = env.reset(seed=7)
        random, game, ended = np.random.default_rng(3), [], False
        while not ended:
            action = int(random.choice(np.flatnonzero(info["action_mask"])))
            _, _, terminated, truncated, info = env.step(action)
            ended = terminated or truncated
            game.append(info["position"])
        games.append(game)
    assert games[0] == games[1] and len(games[0]) >= 15
    with pytest.raises(ValueError, match="side must be"):
        millbase.gym.NineMensMorris(db, side="red")
    with pytest.raises(millbase.PositionError):
        env.reset(options={"position": "rubbish"})


def test_the_modules_say_what_the_readme_says():
    readme = (BINDINGS / "python" / "README.md").read_text()
    for program in re.findall(r"```python\n(.*?)```", readme.split("## Research")[1].split("## Exceptions")[0], re.DOTALL):
        exec(program, {"db": millbase.open()})
