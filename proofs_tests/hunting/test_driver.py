"""Tests that the driver stores the rows of a hunt with one worker, whatever the workers' behaviour and
order.
"""

import json
import signal
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import FormatError, InputError
from proofs_tests.hunting.scripted import (
    EVERY,
    PRINTED,
    TARGETS,
    WHAT,
    ScriptedWorker,
    example,
    ledger,
    refuted,
    row_of,
)
from ratproof.hunting import search
from ratproof.hunting.progress import HuntProgress
from ratproof.hunting.rounds import Round, RoundRow, rows_from
from ratproof.hunting.search import KILLS, Driver, hunt
from ratproof.hunting.store import HuntLedger
from ratproof.jobs.installation import fingerprint
from ratproof.ladder.counterexample_files import load
from ratproof.process.time_limits import at_most


@given(seed=st.integers(0, 2**32), deaths=st.sampled_from([0.0, 0.2]), jobs=st.integers(1, 9))
def test_every_round_has_its_row_in_any_order_and_if_workers_die(
    seed, deaths, jobs, serial, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("ledger")
    store, crew = ledger(folder), ScriptedWorker(seed, deaths)
    progress = hunt(WHAT, jobs, store, crew=crew)
    assert crew.closed and not progress.errors
    if not progress.incomplete:  # by chance, a round that ran alone may have lost three workers
        assert store.done(5) == EVERY and progress.rounds == 12
        assert store.status() == serial


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """Return the status of a ledger that one worker wrote, without an interruption."""
    store = ledger(tmp_path_factory.mktemp("serial"))
    hunt(WHAT, 1, store, crew=ScriptedWorker())
    return store.status()


@given(cuts=st.lists(st.integers(1, 6), min_size=1, max_size=4), seed=st.integers(0, 99))
def test_an_interrupted_and_resumed_hunt_has_the_rows_of_an_uninterrupted_one(
    cuts, seed, serial, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("ledger")
    for cut in cuts:
        store = ledger(folder)
        hunt(WHAT, 2, store, crew=ScriptedWorker(seed, stop_after=cut))
        store.close()
    store = ledger(folder)
    progress = hunt(WHAT, 2, store, crew=ScriptedWorker(seed))
    assert progress.rounds + progress.resumed == 12
    assert store.status() == serial


def test_a_hunt_does_not_end_while_the_scheduler_is_lost(tmp_path):
    """While the scheduler is lost, there are no free slots, even if no chunk is running."""

    class LostScheduler(ScriptedWorker):
        def free_slots(self):
            return self.random.choice((0, 1)) - len(self.handed)

    progress = hunt(WHAT, 2, ledger(tmp_path), crew=LostScheduler())
    assert progress.rounds == progress.asked_for == 12


def test_a_round_that_ends_its_worker_is_reported_and_skipped(tmp_path):
    deadly = Round("two", 1)
    store = ledger(tmp_path)
    progress = hunt(WHAT, 2, store, crew=ScriptedWorker(deadly=[deadly]))
    assert progress.incomplete == [deadly] and store.done(5) == EVERY - {deadly}
    assert store.status()["incomplete"] == [["two", 1]]
    again = hunt(WHAT, 2, store, crew=ScriptedWorker())  # abandoned rounds run again if requested
    assert again.rounds == 1 and store.status()["incomplete"] == []


@pytest.mark.parametrize("deaths", [KILLS - 1, KILLS])
def test_a_round_is_given_up_after_ending_its_worker_alone_three_times(tmp_path, deaths):
    """The other rounds of its chunk are run separately, and succeed."""
    deadly, handed = Round("one", 0), []

    class Moody(ScriptedWorker):
        def submit(self, chunk):
            handed.append(list(chunk))
            if sum(chunk == [deadly] for chunk in handed) > deaths:
                self.deadly = set()
            super().submit(chunk)

    store = ledger(tmp_path)
    driver = Driver(WHAT, store, HuntProgress(5, 1))
    driver.spent, driver.rounds_done = 0.01, 100  # so that chunks have several rounds
    driver.run(Moody(deadly=[deadly]), lambda progress: None, lambda: False)
    assert KILLS == 3 and driver.progress.incomplete == ([deadly] if deaths == KILLS else [])
    first = next(chunk for chunk in handed if deadly in chunk)
    assert len(first) > 1 and all([one] in handed for one in first)
    assert handed.count([deadly]) == KILLS


def test_a_target_whose_rounds_compared_nothing_is_reported(tmp_path):
    """One round of the target "two" with a case is enough, also if it is in the ledger."""

    def rows(one: Round) -> RoundRow:
        return replace(row_of(one), cases=50 if one.target != "two" or one.number == 4 else 0)

    store = ledger(tmp_path)
    assert hunt(WHAT, 1, store, crew=ScriptedWorker(rows=rows)).without_cases == ["two"]
    resumed = hunt(WHAT, 1, store, crew=ScriptedWorker(rows=rows))
    assert (resumed.rounds, resumed.without_cases, resumed.nothing_compared) == (0, ["two"], False)
    more = replace(WHAT, rounds=5)
    assert hunt(more, 1, store, crew=ScriptedWorker(rows=rows)).without_cases == []
    assert hunt(more, 1, store, crew=ScriptedWorker(rows=rows)).without_cases == []


def test_more_rounds_continue_from_the_existing_ones(tmp_path):
    store = ledger(tmp_path)
    hunt(replace(WHAT, rounds=2), 2, store, crew=ScriptedWorker())
    assert store.status()["rows"] == 6
    progress = hunt(WHAT, 2, store, crew=ScriptedWorker())
    assert (progress.resumed, progress.rounds) == (6, 6)


def test_a_worker_of_another_installation_is_refused(tmp_path):
    other = ScriptedWorker(installation=fingerprint() | {"hypothesis": "1.0"})
    store = ledger(tmp_path)
    with pytest.raises(InputError, match=r"a different installation.*hypothesis is 1.0 there"):
        hunt(WHAT, 1, store, crew=other)
    assert store.status()["rows"] == 0


# Messages from workers.


def test_a_counterexample_is_a_file_before_the_ledger_refers_to_it(tmp_path, monkeypatch):
    """No row refers to a missing file, even if a process is killed between the two writes."""
    add, named = HuntLedger.add, []

    def added(self, seed, row, counterexample):
        named.append(counterexample)
        assert counterexample.is_file()
        add(self, seed, row, counterexample)

    monkeypatch.setattr(HuntLedger, "add", added)
    hunt(PRINTED, 1, ledger(tmp_path, PRINTED), crew=ScriptedWorker(rows=refuted))
    assert len(named) == len(EVERY)


def test_a_counterexample_is_run_again_before_it_counts(tmp_path):
    store = ledger(tmp_path, PRINTED)
    progress = hunt(PRINTED, 1, store, crew=ScriptedWorker(rows=refuted))
    ((_, path),) = progress.finds.values()
    assert store.status()["counterexamples"] == sorted(
        p.name for p in (tmp_path / "counterexamples").iterdir()
    )
    assert path.exists() and len(store.status()["counterexamples"]) == len(EVERY)

    kept = [json.loads(p.read_text()) for p in (tmp_path / "counterexamples").iterdir()]
    assert {data["weights"] for data in kept} == {example("printed").weights}  # not the received description


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"variant": "corrected"},
            "the counterexample must be reproducible, but a replay found no difference",
        ),
        ({}, "is about proposition-7, printed, which is not a target"),
        ({"claim": "proposition-70"}, "there is no claim"),
        ({"string": 7}, "'string' must be a list of symbols, got 7"),
        ({"string": ["no such symbol"]}, "must have only symbols of the comparison"),
        ({"comparison": {"way": "exact"}}, "'comparison' must be as ratproof writes it"),
        ({"claim": None}, "'claim' must be a string, got None"),
    ],
)
def test_a_forged_counterexample_is_refused_with_its_chunk(tmp_path, change, says):
    def forged(one):
        if one.target != "three":
            return row_of(one)
        sent = {**example("printed").to_json(), **change}
        return replace(row_of(one), verdict="refuted", counterexample=sent)

    store = ledger(tmp_path)
    driver = Driver(WHAT, store, HuntProgress(5, 1))
    chunk = [Round(target, 0) for target in TARGETS]
    crew = ScriptedWorker(rows=forged)
    driver.out[id(chunk)] = chunk
    with pytest.raises(InputError, match=says):
        driver._take(chunk, crew._json(rows=[forged(one).to_json() for one in chunk]))
    assert store.status()["rows"] == 0 and not (tmp_path / "counterexamples").exists()


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # the alarm may first go off in a callback
def test_a_counterexample_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "REPLAY", 0.2)
    sent = {**example("printed").to_json(), "variant": "corrected"}
    sent["string"] = list(load(sent, "sent").automata()[0].index) * 100_000

    def rows(one):
        return replace(row_of(one), verdict="refuted", counterexample=sent)

    with pytest.raises(InputError, match=r"a replay must take at most 0.2 s"):
        hunt(WHAT, 1, ledger(tmp_path), crew=ScriptedWorker(rows=rows))
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_time_limit_holds_if_an_alarm_is_lost_in_a_finaliser():
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


def test_a_resumed_hunt_finds_the_earlier_counterexamples_again(tmp_path):
    """The exit status of the resumed hunt is that of an uninterrupted hunt."""

    def rows(one):
        wrong = replace(row_of(one), verdict="error", why="it broke")
        return {Round("one", 0): refuted(one), Round("two", 0): wrong}.get(one, row_of(one))

    store = ledger(tmp_path, PRINTED)
    first = hunt(PRINTED, 1, store, crew=ScriptedWorker(rows=rows))
    again = hunt(PRINTED, 1, store, crew=ScriptedWorker(rows=rows))
    assert (again.rounds, again.resumed) == (0, 12)
    assert again.finds == first.finds and len(first.finds) == 1
    assert again.errors == first.errors == ["two, round 0: it broke"]


def test_a_chunk_that_is_delivered_twice_is_added_once(tmp_path):
    class Twice(ScriptedWorker):
        def ready(self, seconds):
            for message in super().ready(seconds):
                yield message
                yield message

    store = ledger(tmp_path)
    progress = hunt(WHAT, 1, store, crew=Twice(deaths=0.2))
    assert progress.rounds + len(progress.incomplete) == 12
    assert len(store.done(5)) == progress.rounds
    assert hunt(WHAT, 1, crew=Twice()).rounds == 12  # also without a ledger


@pytest.mark.parametrize(
    "greeting", [b"{", b"[]", b"{}", b'{"targets": []}', b'{"targets": [7]}', b'{"targets": ["one", "one"]}']
)
def test_a_malformed_greeting_is_refused(tmp_path, greeting):
    crew = ScriptedWorker()
    crew.messages = [(None, greeting)]
    with pytest.raises(FormatError, match="a worker"):
        hunt(WHAT, 1, ledger(tmp_path), crew=crew)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"target": "four"}, "whose 'target' is invalid: 'four'"),
        ({"number": 7}, "whose 'number' is invalid: 7"),
        ({"number": True}, "whose 'number' is invalid: True"),
        ({"digest": "00"}, "whose 'digest' is invalid: '00'"),
        ({"verdict": "proved"}, "whose 'verdict' is invalid: 'proved'"),
        ({"cases": -1}, "whose 'cases' is invalid: -1"),
        ({"cases": 10**30}, "whose 'cases' is invalid: 1000"),
        ({"target": [["one"]]}, "whose 'target' is invalid"),
        ({"way": "\x1b[2J"}, "whose 'way' is invalid"),
        ({"corners": ["a corner"]}, "whose 'corners' is invalid"),
        ({"corners": ["epsilon", "epsilon"]}, "whose 'corners' is invalid"),
        ({"why": "\ud800"}, "whose 'why' is invalid"),
        ({"why": "x" * 10_000}, "whose 'why' is invalid"),
        ({"test": "\ud800"}, "whose 'test' is invalid"),
        ({"seconds": 1e10}, "whose 'seconds' is invalid: 1"),
        ({"seconds": float("nan")}, "must be JSON"),
        ({"verdict": "refuted"}, "whose 'counterexample' is invalid: None"),
        ({"counterexample": {}}, "whose 'counterexample' is invalid: {}"),
        ({"counterexample": "x"}, "whose 'counterexample' is invalid: 'x'"),
        ({"more": 1}, "missing or unknown fields"),
    ],
)
def test_a_malformed_row_is_refused(wrong, says):
    one = Round("one", 0)
    row = row_of(one).to_json() | wrong
    with pytest.raises(FormatError, match=says):
        rows_from(json.dumps({"rows": [row]}).encode(), [one])


@pytest.mark.parametrize("text", [b"", b"\x80\x04N.", b"[]", b'{"rows": []}', b"[" * 100000])
def test_a_malformed_list_of_rows_is_refused(text):
    with pytest.raises(FormatError, match="a worker's message must be"):
        rows_from(text, [Round("one", 0)])


def test_unexpected_fields_of_rows_are_refused(monkeypatch):
    one = Round("one", 0)
    text = json.dumps({"rows": [row_of(one).to_json()]}).encode()
    monkeypatch.setattr("ratproof.hunting.rounds.MOST_SENT", len(text))
    assert rows_from(text, [one]) == [row_of(one)]
    with pytest.raises(FormatError, match=r"a worker's message must have at most"):
        rows_from(text + b" ", [one])
