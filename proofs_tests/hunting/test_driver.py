"""The driver: whatever workers do, in whatever order, the rows are those of one worker that does it all."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import FormatError, InputError, LimitReached, OutputError
from ratproof.hunting import search
from ratproof.hunting.installation import fingerprint
from ratproof.hunting.merging import merge
from ratproof.hunting.progress import HuntProgress
from ratproof.hunting.rounds import Round, Row, rows_from, seed_of
from ratproof.hunting.search import KILLS, Driver, Hunt, hunt
from ratproof.hunting.store import Ledger, locked
from ratproof.process.time_limits import at_most
from ratproof.runner.counterexample_files import load
from ratproof.sides.comparison import counterexample
from ratproof.sides.exact import Exact
from theory.registry import claims

TARGETS = ["one", "two", "three"]
WHAT = Hunt(("proposition-7",), 5, rounds=4)
PRINTED = replace(WHAT, variant="printed")


def row_of(one: Round) -> Row:
    """What a round of these targets shows, without running anything."""
    digest = f"{seed_of(WHAT.seed, one):032x}"
    return Row(one.target, one.number, digest, "holds", 50, 0.01, "exact", ("epsilon",))


class Scripted:
    """Workers that answer in a random order, die now and then, and always of some rounds."""

    seconds_a_chunk, jobs = 0.05, 2

    def __init__(self, seed=0, deaths=0.0, deadly=(), rows=row_of, installation=None, stop_after=None):
        self.random, self.deaths, self.deadly, self.rows = random.Random(seed), deaths, set(deadly), rows
        self.installation = installation or fingerprint()
        self.said, self.handed, self.notes, self.closed = [(None, self._json(targets=TARGETS))], [], [], False
        self.left = stop_after

    def _json(self, **said):
        return json.dumps({"installation": self.installation, **said}).encode()

    def room(self):
        return 4 - len(self.handed)

    def submit(self, chunk):
        self.handed.append(chunk)

    def ready(self, seconds):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
        yield from self.said
        self.said = []
        if not self.handed:
            return
        chunk = self.handed.pop(self.random.randrange(len(self.handed)))
        if self.deadly & set(chunk) or self.random.random() < self.deaths:
            yield chunk, None
        else:
            yield chunk, self._json(rows=[self.rows(one).to_json() for one in chunk])

    def close(self):
        self.closed = True


def ledger(folder, what=WHAT):
    return Ledger(folder, what.about())


EVERY = {Round(target, number) for target in TARGETS for number in range(4)}


@given(seed=st.integers(0, 2**32), deaths=st.sampled_from([0.0, 0.2]), jobs=st.integers(1, 9))
def test_every_round_has_its_row_in_any_order_and_with_workers_that_die(seed, deaths, jobs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    store, crew = ledger(folder), Scripted(seed, deaths)
    progress = hunt(WHAT, jobs, store, crew=crew)
    assert crew.closed and not progress.errors
    if not progress.incomplete:  # three deaths of one round alone, by chance
        assert store.done(5) == EVERY and progress.rounds == 12
        assert store.status() == serial(tmp_path_factory.mktemp("serial"))


def serial(folder):
    store = ledger(folder)
    hunt(WHAT, 1, store, crew=Scripted())
    return store.status()


@given(cuts=st.lists(st.integers(1, 6), min_size=1, max_size=4), seed=st.integers(0, 99))
def test_a_hunt_that_was_interrupted_and_resumed_has_the_rows_of_one_that_was_not(
    cuts, seed, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("ledger")
    for cut in cuts:
        store = ledger(folder)
        hunt(WHAT, 2, store, crew=Scripted(seed, stop_after=cut))
        store.close()
    store = ledger(folder)
    progress = hunt(WHAT, 2, store, crew=Scripted(seed))
    assert progress.rounds + progress.resumed == 12
    assert store.status() == serial(tmp_path_factory.mktemp("serial"))


def test_a_round_that_ends_its_worker_is_named_and_left_out_and_the_rest_goes_on(tmp_path):
    deadly = Round("two", 1)
    store = ledger(tmp_path)
    progress = hunt(WHAT, 2, store, crew=Scripted(deadly=[deadly]))
    assert progress.incomplete == [deadly] and store.done(5) == EVERY - {deadly}
    assert store.status()["incomplete"] == [["two", 1]]
    again = hunt(WHAT, 2, store, crew=Scripted())  # when it is asked for again, it is tried again
    assert again.rounds == 1 and store.status()["incomplete"] == []


@pytest.mark.parametrize("deaths", [KILLS - 1, KILLS])
def test_a_round_is_given_up_when_its_worker_has_ended_three_times_alone(tmp_path, deaths):
    """And all that it was handed with is run alone, and then is no longer suspect."""
    deadly, handed = Round("one", 0), []

    class Moody(Scripted):
        def submit(self, chunk):
            handed.append(list(chunk))
            if sum(chunk == [deadly] for chunk in handed) > deaths:
                self.deadly = set()
            super().submit(chunk)

    store = ledger(tmp_path)
    driver = Driver(WHAT, store, HuntProgress(5, 1))
    driver.spent, driver.made = 0.01, 100  # so that chunks have several rounds
    driver.run(Moody(deadly=[deadly]), lambda progress: None, lambda: False)
    assert KILLS == 3 and driver.progress.incomplete == ([deadly] if deaths == KILLS else [])
    first = next(chunk for chunk in handed if deadly in chunk)
    assert len(first) > 1 and all([one] in handed for one in first)
    assert handed.count([deadly]) == KILLS


def test_more_rounds_go_on_from_those_that_are_there(tmp_path):
    store = ledger(tmp_path)
    hunt(replace(WHAT, rounds=2), 2, store, crew=Scripted())
    assert store.status()["rows"] == 6
    progress = hunt(WHAT, 2, store, crew=Scripted())
    assert (progress.resumed, progress.rounds) == (6, 6)


def test_a_worker_of_another_installation_is_refused(tmp_path):
    other = Scripted(installation=fingerprint() | {"hypothesis": "1.0"})
    store = ledger(tmp_path)
    with pytest.raises(InputError, match=r"another installation.*hypothesis is 1.0 there"):
        hunt(WHAT, 1, store, crew=other)
    assert store.status()["rows"] == 0


# What workers send.


def test_a_counterexample_is_a_file_before_the_ledger_names_it(tmp_path, monkeypatch):
    """Whatever is killed in between, no row names a file that is not there."""
    add, named = Ledger.add, []

    def added(self, seed, row, counterexample):
        named.append(counterexample)
        assert counterexample.is_file()
        add(self, seed, row, counterexample)

    monkeypatch.setattr(Ledger, "add", added)
    hunt(PRINTED, 1, ledger(tmp_path, PRINTED), crew=Scripted(rows=refuted))
    assert len(named) == len(EVERY)


def refuted(one: Round) -> Row:
    """A row with a counterexample that is one, but for what it says of its weights."""
    sent = {**found("printed").to_json(), "weights": "none"}
    return replace(row_of(one), verdict="refuted", counterexample=sent)


def found(variant):
    claim = claims()["proposition-7"].variant(variant)
    comparison = Exact("proposition-7", variant, next(claim.small_cases(1)))
    return counterexample(comparison, next(iter(comparison.compare([""]))))


def test_a_counterexample_is_run_again_before_it_counts(tmp_path):
    store = ledger(tmp_path, PRINTED)
    progress = hunt(PRINTED, 1, store, crew=Scripted(rows=refuted))
    ((_, path),) = progress.finds.values()
    assert store.status()["counterexamples"] == sorted(
        p.name for p in (tmp_path / "counterexamples").iterdir()
    )
    assert path.exists() and len(store.status()["counterexamples"]) == len(EVERY)

    kept = [json.loads(p.read_text()) for p in (tmp_path / "counterexamples").iterdir()]
    assert {data["weights"] for data in kept} == {found("printed").weights}  # not what was sent


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"variant": "corrected"}, "run again here, the two sides agree"),
        ({}, "is one of proposition-7, printed, which is not hunted"),
        ({"claim": "proposition-70"}, "there is no claim"),
        ({"string": 7}, "field string is 7"),
        ({"string": ["no such symbol"]}, "for which the comparison has no weights"),
        ({"comparison": {"way": "exact"}}, "comparison is not as ratproof writes it"),
        ({"claim": None}, "field claim is None"),
    ],
)
def test_a_forged_counterexample_is_refused_with_all_its_chunk(tmp_path, change, says):
    def forged(one):
        if one.target != "three":
            return row_of(one)
        sent = {**found("printed").to_json(), **change}
        return replace(row_of(one), verdict="refuted", counterexample=sent)

    store = ledger(tmp_path)
    driver = Driver(WHAT, store, HuntProgress(5, 1))
    chunk = [Round(target, 0) for target in TARGETS]
    crew = Scripted(rows=forged)
    driver.out[id(chunk)] = chunk
    with pytest.raises(InputError, match=says):
        driver._take(chunk, crew._json(rows=[forged(one).to_json() for one in chunk]))
    assert store.status()["rows"] == 0 and not (tmp_path / "counterexamples").exists()


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # it may ring in a callback first
def test_a_counterexample_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "REPLAY", 0.2)
    sent = {**found("printed").to_json(), "variant": "corrected"}
    sent["string"] = list(load(sent, "sent").automata()[0].index) * 100_000

    def rows(one):
        return replace(row_of(one), verdict="refuted", counterexample=sent)

    with pytest.raises(InputError, match=r"takes longer than 0.2 s to run again here"):
        hunt(WHAT, 1, ledger(tmp_path), crew=Scripted(rows=rows))
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_limit_on_time_is_kept_where_an_alarm_is_lost_in_a_finaliser():
    class Deaf:
        def __del__(self):
            while True:
                pass

    def run():
        Deaf()
        while True:
            pass

    with pytest.raises(InputError, match="too long"), at_most(0.05, InputError("too long")):
        run()


def test_a_hunt_that_goes_on_finds_again_what_was_found_before_it_was_interrupted(tmp_path):
    """So that its exit status is that of one that was not interrupted."""

    def rows(one):
        wrong = replace(row_of(one), verdict="error", why="it broke")
        return {Round("one", 0): refuted(one), Round("two", 0): wrong}.get(one, row_of(one))

    store = ledger(tmp_path, PRINTED)
    whole = hunt(PRINTED, 1, store, crew=Scripted(rows=rows))
    again = hunt(PRINTED, 1, store, crew=Scripted(rows=rows))
    assert (again.rounds, again.resumed) == (0, 12)
    assert again.finds == whole.finds and len(whole.finds) == 1
    assert again.errors == whole.errors == ["two, round 0: it broke"]


def test_a_chunk_that_is_delivered_twice_is_taken_once(tmp_path):
    class Twice(Scripted):
        def ready(self, seconds):
            for said in super().ready(seconds):
                yield said
                yield said

    store = ledger(tmp_path)
    progress = hunt(WHAT, 1, store, crew=Twice(deaths=0.2))
    assert progress.rounds + len(progress.incomplete) == 12
    assert len(store.done(5)) == progress.rounds
    assert hunt(WHAT, 1, crew=Twice()).rounds == 12  # without a ledger, too


@pytest.mark.parametrize(
    "greeting", [b"{", b"[]", b"{}", b'{"targets": []}', b'{"targets": [7]}', b'{"targets": ["one", "one"]}']
)
def test_a_greeting_that_is_none_is_refused(tmp_path, greeting):
    crew = Scripted()
    crew.said = [(None, greeting)]
    with pytest.raises(FormatError, match="a worker"):
        hunt(WHAT, 1, ledger(tmp_path), crew=crew)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"target": "four"}, "whose target is 'four'"),
        ({"number": 7}, "whose number is 7"),
        ({"number": True}, "whose number is True"),
        ({"digest": "00"}, "whose digest is '00'"),
        ({"verdict": "proved"}, "whose verdict is 'proved'"),
        ({"cases": -1}, "whose cases is -1"),
        ({"cases": 10**30}, "whose cases is 1000"),
        ({"target": [["one"]]}, "whose target is "),
        ({"way": "\x1b[2J"}, "whose way is "),
        ({"corners": ["a corner"]}, "whose corners is "),
        ({"corners": ["epsilon", "epsilon"]}, "whose corners is "),
        ({"why": "\ud800"}, "whose why is "),
        ({"why": "x" * 10_000}, "whose why is "),
        ({"test": "\ud800"}, "whose test is "),
        ({"seconds": 1e10}, "whose seconds is 1"),
        ({"seconds": float("nan")}, "is no JSON"),
        ({"verdict": "refuted"}, "whose counterexample is None"),
        ({"counterexample": {}}, "whose counterexample is {}"),
        ({"counterexample": "x"}, "whose counterexample is 'x'"),
        ({"more": 1}, "fields are not those"),
    ],
)
def test_a_row_that_is_none_is_refused(wrong, says):
    one = Round("one", 0)
    said = row_of(one).to_json() | wrong
    with pytest.raises(FormatError, match=says):
        rows_from(json.dumps({"rows": [said]}).encode(), [one])


@pytest.mark.parametrize("text", [b"", b"\x80\x04N.", b"[]", b'{"rows": []}', b"[" * 100000])
def test_what_is_no_list_of_rows_is_refused(text):
    with pytest.raises(FormatError, match="a worker sent"):
        rows_from(text, [Round("one", 0)])


def test_more_than_rounds_have_to_say_is_refused(monkeypatch):
    one = Round("one", 0)
    text = json.dumps({"rows": [row_of(one).to_json()]}).encode()
    monkeypatch.setattr("ratproof.hunting.rounds.MOST_SENT", len(text))
    assert rows_from(text, [one]) == [row_of(one)]
    with pytest.raises(FormatError, match=r"a worker sent .* bytes, where at most"):
        rows_from(text + b" ", [one])


# The ledger.


def test_a_row_that_is_delivered_twice_is_one_and_one_with_another_digest_is_refused(tmp_path):
    store, row = ledger(tmp_path), row_of(Round("one", 0))
    store.add(5, row, None)
    store.add(5, replace(row, seconds=9.0), None)
    assert store.status()["rows"] == 1 and next(store.rows())[6] == row.seconds  # the first one
    with pytest.raises(InputError, match="a round is always the same"):
        store.add(5, replace(row, digest="0" * 32), None)


def test_a_merged_ledger_is_the_union(tmp_path):
    for name, targets in (("a", TARGETS[:2]), ("b", TARGETS[1:])):
        crew = Scripted(rows=lambda one: refuted(one) if one.target == "three" else row_of(one))
        crew.said = [(None, crew._json(targets=targets))]
        store = ledger(tmp_path / name, PRINTED)
        hunt(PRINTED, 1, store, crew=crew)
        store.close()
    assert merge(tmp_path / "a", tmp_path / "b") == {"rows": 4, "counterexamples": 4}
    assert Ledger(tmp_path / "a").status()["rows"] == 12
    assert merge(tmp_path / "a", tmp_path / "b")["rows"] == 0


def test_unequal_digests_are_named_and_nothing_is_merged(tmp_path):
    one, other = ledger(tmp_path / "a"), ledger(tmp_path / "b")
    one.add(5, row_of(Round("one", 0)), None)
    other.add(5, row_of(Round("two", 0)), None)
    other.add(5, replace(row_of(Round("one", 0)), digest="f" * 32), None)
    one.close()
    other.close()
    with pytest.raises(
        InputError, match=r"seed 5, one, round 0 has the digest f+, where.*nothing was merged"
    ):
        merge(tmp_path / "a", tmp_path / "b")
    assert Ledger(tmp_path / "a").status()["rows"] == 1


def test_unequal_verdicts_are_refused_too(tmp_path):
    one, other = ledger(tmp_path / "a"), ledger(tmp_path / "b")
    one.add(5, row_of(Round("one", 0)), None)
    other.add(5, replace(row_of(Round("one", 0)), verdict="unknown"), None)
    one.close()
    other.close()
    with pytest.raises(InputError, match=r"has the verdict unknown, where.*holds"):
        merge(tmp_path / "a", tmp_path / "b")


def test_a_ledger_of_another_hunt_is_refused(tmp_path):
    ledger(tmp_path).close()
    with pytest.raises(InputError, match="its rounds have variant None, where 'printed' is asked for"):
        ledger(tmp_path, replace(WHAT, variant="printed"))
    about = WHAT.about() | {"installation": fingerprint() | {"numpy": "1.0"}}
    with pytest.raises(InputError, match=r"of another installation.*numpy"):
        Ledger(tmp_path, about)


def test_rounds_that_were_given_up_are_those_of_both(tmp_path):
    """But for those that one of the two has done."""
    one, other = ledger(tmp_path / "a"), ledger(tmp_path / "b")
    one.add(5, row_of(Round("one", 0)), None)
    other.add(5, row_of(Round("two", 0)), None)
    one.give_up(5, Round("two", 0), "its worker ended")
    other.give_up(5, Round("one", 0), "its worker ended")
    other.give_up(5, Round("three", 9), "its worker ended")
    one.close()
    other.close()
    assert merge(tmp_path / "a", tmp_path / "b") == {"rows": 1, "counterexamples": 0}
    assert Ledger(tmp_path / "a").status()["incomplete"] == [["three", 9]]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("digest", "00"),
        ("digest", b"\xff"),
        ("number", -1),
        ("verdict", "proved"),
        ("cases", 2**62),
        ("corners", "{"),
        ("counterexample", "../../one.json"),
        ("counterexample", "no-such-file.json"),
        ("seed", "five"),
    ],
)
def test_a_row_that_no_round_has_is_not_merged(tmp_path, column, value):
    for name in "ab":
        store = ledger(tmp_path / name)
        store.add(5, row_of(Round("one" if name == "a" else "two", 0)), None)
        store.add(5, row_of(Round("three", 0)), None)
        store.close()
    with sqlite3.connect(tmp_path / "b" / "ledger.sqlite") as data:
        data.execute(f"UPDATE rounds SET {column} = ? WHERE target = 'two'", (value,))
    before = Ledger(tmp_path / "a").status()
    with pytest.raises(FormatError, match=r"b.ledger.sqlite"):
        merge(tmp_path / "a", tmp_path / "b")
    assert Ledger(tmp_path / "a").status() == before


def test_a_counterexample_that_is_not_what_its_name_says_is_not_merged(tmp_path):
    for name in "ab":
        store = ledger(tmp_path / name, PRINTED)
        if name == "b":
            hunt(PRINTED, 1, store, crew=Scripted(rows=refuted))
        store.close()
    some, *_, last = sorted((tmp_path / "b" / "counterexamples").iterdir())
    last.write_text(some.read_text())
    with pytest.raises(FormatError, match="holds something else than its name says"):
        merge(tmp_path / "a", tmp_path / "b")
    assert Ledger(tmp_path / "a").status()["rows"] == 0 and not (tmp_path / "a" / "counterexamples").exists()


def test_nothing_is_merged_where_the_disk_fails_in_between(tmp_path, monkeypatch):
    for name in "ab":
        store = ledger(tmp_path / name)
        if name == "b":
            hunt(WHAT, 1, store, crew=Scripted())
        store.close()
    put, made = Ledger.put, []

    def failing(self, row):
        made.append(row)
        if len(made) == 7:
            raise sqlite3.OperationalError("database or disk is full")
        return put(self, row)

    monkeypatch.setattr(Ledger, "put", failing)
    with pytest.raises(OutputError, match="disk is full"):
        merge(tmp_path / "a", tmp_path / "b")
    assert Ledger(tmp_path / "a").status()["rows"] == 0


def test_nobody_merges_into_a_ledger_that_is_written_to(tmp_path):
    for name in "ab":
        ledger(tmp_path / name).close()
    with locked(tmp_path / "a"), pytest.raises(InputError, match="another hunt writes to it"):
        merge(tmp_path / "a", tmp_path / "b")


def test_a_ledger_that_was_closed_is_one_file_that_is_read_where_nothing_can_be_written(tmp_path):
    """SQLite writes beside a file with a write-ahead log even to read it."""
    store = ledger(tmp_path)
    store.add(5, row_of(Round("one", 0)), None)
    said = store.status()
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]
    assert (tmp_path / "ledger.sqlite").read_bytes()[18:20] == b"\x01\x01"  # it needs no log to be read
    assert Ledger(tmp_path).status() == said
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]


def test_a_hunt_that_was_killed_as_it_began_goes_on(tmp_path, monkeypatch):
    """Whose a ledger is stands in it at once or not at all."""

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


def test_a_file_that_is_no_ledger_is_refused(tmp_path):
    with pytest.raises(InputError, match="is no folder of a hunt"):
        Ledger(tmp_path)
    (tmp_path / "ledger.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(InputError, match="is no ledger"):
        Ledger(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE rounds SET verdict = 'refuted' WHERE target = 'two'",  # without a counterexample
        "UPDATE rounds SET counterexample = 'one.json' WHERE target = 'two'",  # of what holds
        "UPDATE rounds SET verdict = 'nonsense' WHERE target = 'two'",
        "UPDATE rounds SET number = -3 WHERE target = 'two' AND number = 0",
        "UPDATE rounds SET number = 'abc' WHERE target = 'two' AND number = 0",
        "UPDATE rounds SET target = x'ff' WHERE target = 'two'",
        "UPDATE rounds SET why = CAST(x'ff' AS TEXT) WHERE target = 'two'",
        "DELETE FROM about",  # of unknown origin
    ],
)
def test_a_hunt_does_not_go_on_from_rows_that_no_hunt_writes(tmp_path, change):
    """It would say that nothing was found."""
    store = ledger(tmp_path)
    hunt(WHAT, 1, store, crew=Scripted())
    store.close()
    with sqlite3.connect(tmp_path / "ledger.sqlite") as data:
        data.execute(change)
    for read in (lambda: hunt(WHAT, 1, ledger(tmp_path), crew=Scripted()), lambda: Ledger(tmp_path).status()):
        with pytest.raises(FormatError, match=r"ledger.sqlite"):
            read()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE planned SET rounds = 'x'",
        "UPDATE planned SET target = x'ff' WHERE target = 'two'",
        "UPDATE planned SET rounds = -1",
        "INSERT INTO given_up VALUES (5, 'two', 'x', '')",
        "INSERT INTO given_up VALUES (5, 'two', -5, '')",
        "UPDATE rounds SET seed = 'z' WHERE target = 'two'",
    ],
)
def test_what_was_planned_or_given_up_is_read_as_strictly(tmp_path, change):
    store = ledger(tmp_path)
    hunt(WHAT, 1, store, crew=Scripted())
    store.close()
    with sqlite3.connect(tmp_path / "ledger.sqlite") as data:
        data.execute(change)
    for read in (Ledger, ledger):
        with pytest.raises(FormatError, match=r"ledger.sqlite"):
            read(tmp_path)


def test_more_rounds_than_can_be_listed_are_not(tmp_path):
    store = ledger(tmp_path)
    store.plan(5, TARGETS, 10**8)
    with pytest.raises(LimitReached, match="more than 1,000,000 rounds were asked for"):
        store.status()


@pytest.mark.parametrize("name", ["ledger.sqlite", "lock"])
def test_a_place_where_no_ledger_can_be_is_refused_before_work(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(InputError) as refused, locked(tmp_path):
        ledger(tmp_path)
    assert not isinstance(refused.value, OutputError)
