"""Tests that ledgers are merged atomically, and that a resumed hunt validates them like ``status``."""

import json
import sqlite3
from contextlib import suppress
from dataclasses import replace

import pytest

from automata.errors import FormatError, InputError, LimitReached, OutputError
from proofs_tests.hunting.scripted import PRINTED, TARGETS, WHAT, ScriptedWorker, ledger, refuted, row_of
from ratproof.hunting import seal
from ratproof.hunting.merging import merge
from ratproof.hunting.rounds import Round
from ratproof.hunting.search import hunt
from ratproof.hunting.store import HuntLedger, locked
from ratproof.jobs.installation import fingerprint


def test_duplicate_rows_are_merged_and_other_digests_are_refused(tmp_path):
    store, row = ledger(tmp_path), row_of(Round("one", 0))
    store.add(5, row, None)
    store.add(5, replace(row, seconds=9.0), None)
    assert store.status()["rows"] == 1 and next(store.rows())[6] == row.seconds  # the first one
    with pytest.raises(InputError, match="a round is deterministic"):
        store.add(5, replace(row, digest="0" * 32), None)


def test_a_merged_ledger_is_the_union(tmp_path):
    for name, targets in (("a", TARGETS[:2]), ("b", TARGETS[1:])):
        crew = ScriptedWorker(rows=lambda one: refuted(one) if one.target == "three" else row_of(one))
        crew.messages = [(None, crew._json(targets=targets))]
        store = ledger(tmp_path / name, PRINTED)
        hunt(PRINTED, 1, store, crew=crew)
        store.close()
    assert merge(tmp_path / "a", tmp_path / "b") == {"rows": 4, "counterexamples": 4}
    assert HuntLedger(tmp_path / "a").status()["rows"] == 12
    assert merge(tmp_path / "a", tmp_path / "b")["rows"] == 0


def test_unequal_digests_are_reported_and_nothing_is_merged(tmp_path):
    one, other = ledger(tmp_path / "a"), ledger(tmp_path / "b")
    one.add(5, row_of(Round("one", 0)), None)
    other.add(5, row_of(Round("two", 0)), None)
    other.add(5, replace(row_of(Round("one", 0)), digest="f" * 32), None)
    one.close()
    other.close()
    with pytest.raises(
        InputError, match=r"seed 5, one, round 0: the digest must be .* got f+;.*nothing was merged"
    ):
        merge(tmp_path / "a", tmp_path / "b")
    assert HuntLedger(tmp_path / "a").status()["rows"] == 1


def test_unequal_verdicts_are_refused(tmp_path):
    one, other = ledger(tmp_path / "a"), ledger(tmp_path / "b")
    one.add(5, row_of(Round("one", 0)), None)
    other.add(5, replace(row_of(Round("one", 0)), verdict="unknown"), None)
    one.close()
    other.close()
    with pytest.raises(InputError, match=r"the verdict must be holds, .* got unknown"):
        merge(tmp_path / "a", tmp_path / "b")


def test_a_ledger_of_another_hunt_is_refused(tmp_path):
    ledger(tmp_path).close()
    with pytest.raises(InputError, match="variant must be 'printed', as requested, got None"):
        ledger(tmp_path, replace(WHAT, variant="printed"))
    about = WHAT.about() | {"installation": fingerprint() | {"numpy": "1.0"}}
    with pytest.raises(InputError, match=r"a different installation.*numpy"):
        HuntLedger(tmp_path, about)


def test_rounds_that_were_given_up_are_united(tmp_path):
    """Rounds that one of the two ledgers has done are excluded."""
    one, other = ledger(tmp_path / "a"), ledger(tmp_path / "b")
    one.add(5, row_of(Round("one", 0)), None)
    other.add(5, row_of(Round("two", 0)), None)
    one.give_up(5, Round("two", 0), "its worker ended")
    other.give_up(5, Round("one", 0), "its worker ended")
    other.give_up(5, Round("three", 9), "its worker ended")
    one.close()
    other.close()
    assert merge(tmp_path / "a", tmp_path / "b") == {"rows": 1, "counterexamples": 0}
    assert HuntLedger(tmp_path / "a").status()["incomplete"] == [["three", 9]]


def test_a_counterexample_that_does_not_match_its_name_is_not_merged(tmp_path):
    for name in "ab":
        store = ledger(tmp_path / name, PRINTED)
        if name == "b":
            hunt(PRINTED, 1, store, crew=ScriptedWorker(rows=refuted))
        store.close()
    some, *_, last = sorted((tmp_path / "b" / "counterexamples").iterdir())
    last.write_text(some.read_text())
    with pytest.raises(FormatError, match="the content does not match the file name"):
        merge(tmp_path / "a", tmp_path / "b")
    assert HuntLedger(tmp_path / "a").status()["rows"] == 0
    assert not (tmp_path / "a" / "counterexamples").exists()


def test_nothing_is_merged_if_the_disk_fails_in_between(tmp_path, monkeypatch):
    for name in "ab":
        store = ledger(tmp_path / name)
        if name == "b":
            hunt(WHAT, 1, store, crew=ScriptedWorker())
        store.close()
    put, rows = HuntLedger.put, []

    def failing(self, row):
        rows.append(row)
        if len(rows) == 7:
            raise sqlite3.OperationalError("database or disk is full")
        return put(self, row)

    monkeypatch.setattr(HuntLedger, "put", failing)
    with pytest.raises(OutputError, match="disk is full"):
        merge(tmp_path / "a", tmp_path / "b")
    assert HuntLedger(tmp_path / "a").status()["rows"] == 0


def test_a_ledger_in_use_is_not_merged_into(tmp_path):
    for name in "ab":
        ledger(tmp_path / name).close()
    with locked(tmp_path / "a"), pytest.raises(InputError, match="is in use by another hunt"):
        merge(tmp_path / "a", tmp_path / "b")


def test_a_closed_ledger_is_one_file_readable_without_write_access(tmp_path):
    """SQLite creates files next to a database with a write-ahead log, even when it only reads the
    database.
    """
    store = ledger(tmp_path)
    store.add(5, row_of(Round("one", 0)), None)
    before = store.status()
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]
    assert (tmp_path / "ledger.sqlite").read_bytes()[18:20] == b"\x01\x01"  # it is readable without its log
    assert HuntLedger(tmp_path).status() == before
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]


def test_a_hunt_killed_at_its_start_can_be_resumed(tmp_path, monkeypatch):
    """The owner of a ledger is written atomically."""

    class Killed(BaseException):
        pass

    def killed(value, dumps=json.dumps, written=[]):  # noqa: B006
        written.append(value)
        if len(written) == 2:
            raise Killed
        return dumps(value)

    with monkeypatch.context() as patch:
        patch.setattr("ratproof.hunting.store.json.dumps", killed)
        with pytest.raises(Killed):
            ledger(tmp_path)
    assert ledger(tmp_path).status()["rows"] == 0


def test_a_file_that_is_not_a_ledger_is_refused(tmp_path):
    with pytest.raises(InputError, match="the folder of a hunt must contain"):
        HuntLedger(tmp_path)
    (tmp_path / "ledger.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(InputError, match="is not a ledger of a hunt"):
        HuntLedger(tmp_path)


def change_and_seal(folder, change):
    """Change a ledger, and its seal if the seal of the changed rows can be computed."""
    with sqlite3.connect(folder / "ledger.sqlite") as data:
        data.execute(change)
        with suppress(TypeError, sqlite3.OperationalError):  # a value is not text
            rows = [(table, row) for table in seal.KEYS for row in data.execute(f"SELECT * FROM {table}")]
            total = sum(seal.hash_of(*row) for row in rows) % (1 << 256)
            data.execute("UPDATE seal SET value = ?", (f"{total:064x}",))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE rounds SET verdict = 'refuted' WHERE target = 'two'",  # without a counterexample
        "UPDATE rounds SET counterexample = 'one.json' WHERE target = 'two'",  # of a claim that holds
        "UPDATE rounds SET verdict = 'refuted', counterexample = '../../one.json' WHERE target = 'two'",
        "UPDATE rounds SET verdict = 'proved' WHERE target = 'two'",
        "UPDATE rounds SET number = -3 WHERE target = 'two' AND number = 0",
        "UPDATE rounds SET number = 'abc' WHERE target = 'two' AND number = 0",
        "UPDATE rounds SET target = x'ff' WHERE target = 'two'",
        "UPDATE rounds SET why = CAST(x'ff' AS TEXT) WHERE target = 'two'",
        "UPDATE rounds SET seed = 'z' WHERE target = 'two'",
        "UPDATE rounds SET digest = '00' WHERE target = 'two'",
        "UPDATE rounds SET digest = x'ff' WHERE target = 'two'",
        "UPDATE rounds SET cases = 1 << 62 WHERE target = 'two'",
        "UPDATE rounds SET corners = '{' WHERE target = 'two'",
        "UPDATE planned SET rounds = 'x'",
        "UPDATE planned SET rounds = -1",
        "UPDATE planned SET target = x'ff' WHERE target = 'two'",
        "INSERT INTO given_up VALUES (5, 'two', 'x', '')",
        "INSERT INTO given_up VALUES (5, 'two', -5, '')",
        "DELETE FROM about",  # its origin is unknown
    ],
)
def test_rows_that_no_hunt_writes_are_neither_resumed_nor_merged(tmp_path, change):
    """A hunt that resumed from such rows would report that there is no counterexample."""
    bad, good = tmp_path / "bad", tmp_path / "good"
    for folder in (bad, good):
        store = ledger(folder)
        hunt(WHAT, 1, store, crew=ScriptedWorker())
        store.close()
    change_and_seal(bad, change)
    before = HuntLedger(good).status()
    for read in (
        lambda: ledger(bad),
        lambda: HuntLedger(bad),
        lambda: merge(good, bad),
        lambda: merge(bad, good),
    ):
        with pytest.raises(FormatError, match=r"bad.ledger.sqlite"):
            read()
    assert HuntLedger(good).status() == before


def test_more_rounds_than_can_be_listed_are_not(tmp_path):
    store = ledger(tmp_path)
    store.plan(5, TARGETS, 10**8)
    with pytest.raises(LimitReached, match="more than 1,000,000 requested rounds"):
        store.status()


@pytest.mark.parametrize("name", ["ledger.sqlite", "lock"])
def test_an_impossible_path_of_a_ledger_is_refused_before_work(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(InputError) as refused, locked(tmp_path):
        ledger(tmp_path)
    assert not isinstance(refused.value, OutputError)
