"""Tests that every command refuses a ledger that another program changed."""

import json
import shutil
import sqlite3

import pytest

from automata.errors import FormatError, InputError, OutputError
from proofs_tests.hunting.scripted import PRINTED, TARGETS, ScriptedWorker, ledger, refuted, row_of
from ratproof.hunting import seal
from ratproof.hunting.rounds import Round
from ratproof.hunting.search import hunt
from ratproof.hunting.store import HuntLedger
from ratproof.main import run

OTHERS = {
    "about": {"name": "'nobody'", "value": "'1'"},
    "rounds": {
        "seed": "6",
        "target": "'four'",
        "number": "77",
        "digest": f"'{'0' * 32}'",
        "verdict": "'unknown'",
        "cases": "49",
        "seconds": "0.02",
        "way": "'network'",
        "corners": "'[]'",
        "counterexample": "'one.json'",
        "why": "'so'",
    },
    "planned": {"seed": "6", "target": "'four'", "rounds": "3"},
    "given_up": {"seed": "6", "target": "'four'", "number": "9", "why": "'so'"},
    "seal": {"value": f"'{'0' * 64}'"},
}
"""Another valid value for each column."""
CHANGES = [
    *(
        f"UPDATE {table} SET {column} = {value} WHERE rowid = (SELECT max(rowid) FROM {table})"
        for table, columns in OTHERS.items()
        for column, value in columns.items()
    ),
    "UPDATE rounds SET verdict = 'holds', counterexample = NULL",
    *(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})" for table in OTHERS),
    *(f"DELETE FROM {table}" for table in OTHERS),
    "INSERT INTO seal SELECT value FROM seal",
    "INSERT INTO planned VALUES (6, 'one', 1)",
    "CREATE TRIGGER forgets AFTER INSERT ON rounds BEGIN DELETE FROM rounds; END",
    "CREATE VIEW of AS SELECT * FROM rounds",
    "CREATE TABLE more (x)",
    "CREATE INDEX fast ON rounds (verdict)",
    "DROP TABLE given_up",
    "ALTER TABLE rounds ADD COLUMN more",
]


@pytest.fixture(scope="module")
def spoilt(tmp_path_factory):
    """Return a ledger with counterexamples and an incomplete round; tests change copies of it."""
    folder = tmp_path_factory.mktemp("sealed") / "ledger"
    store = ledger(folder, PRINTED)
    deadly = Round("two", 3)
    crew = ScriptedWorker(
        deadly=[deadly], rows=lambda one: refuted(one) if one.target == "three" else row_of(one)
    )
    hunt(PRINTED, 1, store, crew=crew)
    store.close()
    state = HuntLedger(folder).status()
    assert (state["rows"], state["incomplete"], len(state["counterexamples"])) == (11, [["two", 3]], 4)
    return folder


@pytest.mark.parametrize("change", CHANGES)
def test_a_ledger_that_no_hunt_left_is_refused_and_not_changed(spoilt, tmp_path, change, capsys):
    bad, good = tmp_path / "bad", tmp_path / "good"
    for folder in (bad, good):
        shutil.copytree(spoilt, folder)
    with sqlite3.connect(bad / "ledger.sqlite") as data:
        data.execute(change)
    data.close()
    before = [(folder / "ledger.sqlite").read_bytes() for folder in (bad, good)]
    commands = [
        ["hunt", "proposition-7", "--variant", "printed", "--seed", "5", "--rounds", "4", "--ledger", bad],
        ["campaign", "status", bad],
        ["campaign", "status", bad, "--json"],
        ["campaign", "merge", bad, good],
        ["campaign", "merge", good, bad],
    ]
    for command in commands:
        assert run([str(part) for part in command]) == 2
        captured = capsys.readouterr()
        *_, sentence = captured.err.strip().splitlines()
        assert captured.out == "" and "ledger.sqlite: " in sentence and "Traceback" not in captured.err
    assert [(folder / "ledger.sqlite").read_bytes() for folder in (bad, good)] == before


@pytest.mark.parametrize("change", ["another", "nothing", "no file"])
def test_a_counterexample_that_differs_from_the_ledgers_entry_is_refused(spoilt, tmp_path, change):
    """A replaced file on which both implementations agree would count as no counterexample."""
    shutil.copytree(spoilt, tmp_path / "bad")
    first, second, *_ = sorted((tmp_path / "bad" / "counterexamples").iterdir())
    if change == "another":
        first.write_text(second.read_text())
    elif change == "nothing":
        first.write_text(json.dumps(json.loads(first.read_text()) | {"string": ["a", "a"]}))
    else:
        first.unlink()
    with pytest.raises(FormatError, match=first.name):
        HuntLedger(tmp_path / "bad")


@pytest.mark.parametrize("letter", [b"\xfc", b"\n", b"X"])
def test_a_damaged_file_gives_a_one_line_error(spoilt, tmp_path, letter):
    """SQLite's message may contain invalid characters or several lines."""
    shutil.copytree(spoilt, tmp_path / "bad")
    path = tmp_path / "bad" / "ledger.sqlite"
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE rounds", b"CREAT" + letter + b" TABLE rounds"))
    with pytest.raises(InputError, match=r"ledger.sqlite") as refused:
        HuntLedger(tmp_path / "bad")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "body", ["DELETE FROM rounds WHERE target = 'one'", "UPDATE rounds SET verdict = 'unknown'"]
)
def test_rows_that_a_trigger_removes_during_a_hunt_are_not_reported_as_saved(tmp_path, body):
    store = ledger(tmp_path)
    store.add(5, row_of(Round("one", 0)), None)
    with sqlite3.connect(tmp_path / "ledger.sqlite") as data:
        data.execute(f"CREATE TRIGGER forgets AFTER INSERT ON rounds BEGIN {body}; END")
    data.close()

    def goes_on():
        for target in TARGETS[1:]:
            store.add(5, row_of(Round(target, 0)), None)
        store.close()

    with pytest.raises(OutputError, match=r"ledger.sqlite"):
        goes_on()


def test_the_seal_does_not_depend_on_the_order_of_work(tmp_path):
    """Rounds may be done in any order, given up and done later, or merged."""
    seals = set()
    for folder, order in (("a", TARGETS), ("b", TARGETS[::-1])):
        store = ledger(tmp_path / folder)
        for target in order:
            store.give_up(5, Round(target, 0), "its worker ended")
            store.add(5, row_of(Round(target, 0)), None)
            store.plan(5, [target], 1)
        seals |= set(store.data.execute("SELECT value FROM seal"))
        store.close()
        HuntLedger(tmp_path / folder)
    assert len(seals) == 1


def test_a_ledger_can_be_read_while_a_hunt_adds_rows(tmp_path, monkeypatch):
    """A row that is added between the reading of the rows and of the seal is no foreign change."""
    store, kept = ledger(tmp_path), seal._kept
    store.add(5, row_of(Round("one", 0)), None)

    def after_another_row(data, path):
        monkeypatch.undo()
        store.add(5, row_of(Round("two", 0)), None)
        return kept(data, path)

    monkeypatch.setattr(seal, "_kept", after_another_row)
    reader = HuntLedger(tmp_path)
    assert reader.status()["rows"] == 2


def test_all_fields_of_a_status_are_from_one_moment(tmp_path, monkeypatch):
    store, digest = ledger(tmp_path), HuntLedger.digest
    reader = HuntLedger(tmp_path)

    def of_more_rows(self):
        store.add(5, row_of(Round("one", 0)), None)
        return digest(self)

    before = reader.status()
    monkeypatch.setattr(HuntLedger, "digest", of_more_rows)
    assert reader.status() == before
