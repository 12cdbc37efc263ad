"""Tests that ``verify`` never reports success if something did not run or compared nothing."""

import contextlib
import importlib
import json
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import Phase, core, given, settings
from hypothesis import strategies as st

from automata.errors import InputError, OutputError
from ratproof.evidence.counterexample import Counterexample, Disagreement
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.ledger import recording
from ratproof.evidence.results import Observation, Result, gather, in_order
from ratproof.evidence.subjects import registered
from ratproof.hunting.search import Driver, Hunt, hunt
from ratproof.implementations import corpus as texts
from ratproof.implementations.corpus import Corpus, agree_on_text
from ratproof.ladder.environment import forget_constants, unchanged_afterwards
from ratproof.ladder.junit import junit
from ratproof.ladder.outcome import Outcome
from ratproof.ladder.request import Request
from ratproof.ladder.user_files import outcome_of
from ratproof.ladder.verification import _missing, keep_evidence, tasks_of, verify
from ratproof.main import run
from theory.rational_recurrences.proposition_7 import example_6, figure_1
from theory.reading import NoAutomaton
from theory.registry import claims

pytestmark = pytest.mark.usefixtures("in_tmp_path")


def seen(verdict, variant="corrected", kind="sampled", **more):
    ran = {"ran": "torch", "device": "cpu"} if kind == "sampled" else {}
    fields = {"cases": 1, "seconds": 0.0, **ran, **more}
    return Observation("proposition-7", variant, kind, "holds", verdict, "a test", **fields)


def test_promised_evidence_that_is_missing_is_unknown():
    lacking = _missing(Request(), gather([seen(Verdict.HOLDS)], None), [])
    promised = {
        (c.name, v.name, kind, ran)
        for c in claims().values()
        for v in c.variants
        for kind in v.kinds
        for ran in {"sampled": c.runs_of(v), "exhausted": ("exact",)}.get(kind, (None,))
    }
    assert {(r.claim, r.variant, r.kind, r.ran) for r in lacking} == promised - {
        ("proposition-7", "corrected", "sampled", "torch")
    }
    assert all(r.verdict == Verdict.UNKNOWN and not r.as_expected for r in lacking)
    assert not Outcome(lacking).as_expected


def test_only_requested_evidence_can_be_missing():
    lacking = _missing(Request(claims=("corollary-9",), kinds=("exhausted",)), [], [])
    assert {(r.claim, r.kind) for r in lacking} == {("corollary-9", "exhausted")}


def test_evidence_that_cannot_run_here_is_neither_missing_nor_a_verdict():
    told = [{"claim": "corollary-9", "variant": "corrected", "kind": "proved", "why": "no Coq"}]
    assert _missing(Request(claims=("corollary-9",), kinds=("proved",)), [], told) == []
    outcome = Outcome(gather([seen(Verdict.HOLDS)], None), not_run=told)
    assert outcome.as_expected and [r.kind for r in outcome.results] == ["sampled"]
    assert not Outcome([], not_run=told).as_expected  # nothing ran, so there is no evidence


@pytest.mark.parametrize("verdicts", [(Verdict.HOLDS, Verdict.UNKNOWN), (Verdict.UNKNOWN, Verdict.HOLDS)])
def test_one_test_that_compares_nothing_makes_the_whole_unknown(verdicts):
    (result,) = gather(map(seen, verdicts), None)
    assert result.verdict == Verdict.UNKNOWN
    assert not result.as_expected


def test_a_reason_belongs_to_the_verdict_that_it_explains():
    rows = [seen(Verdict.UNKNOWN, why="the test compared nothing"), seen(Verdict.REFUTED, why="line 7")]
    for order in (rows, rows[::-1]):
        (result,) = gather(order, None)
        assert (result.verdict, result.why) == (Verdict.REFUTED, "line 7")


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("kind", ["sampled", "cross-checked", "exhausted"])
def test_a_wrong_construction_does_not_refute_that_some_automaton_exists(kind):
    """Proposition 7 has an automaton, but not one with twice the weights u."""
    claim = claims()["proposition-7"]

    def doubled(w):
        return figure_1(replace(w, entries={**w.entries, "u": {x: 2 * u for x, u in w.u.items()}}))

    reading = NoAutomaton(example_6, doubled)
    corrected = replace(claim.variant("corrected"), expected="refuted", reading=reading, theorem=None)
    few = lambda size: islice(claim.variant("corrected").small_cases(size), 50)
    corrected = replace(corrected, small_cases=few)
    own = replace(claim, name="mine", layers=(), variants=(replace(corrected, kinds=(kind,), proof=None),))
    with registered(own):
        (result,) = outcome_of([own], "test", examples=5).results
    assert result.verdict == Verdict.UNKNOWN and "no certificate excludes another" in result.why


def test_a_claim_that_is_named_twice_runs_once():
    request = Request(claims=("proposition-7", "proposition-7"), kinds=("exhausted",))
    assert len(tasks_of(request)) == 1


def test_each_row_of_a_kind_has_a_counterexample_file_of_its_own(in_tmp_path, capsys):
    run(["verify", "proposition-7", "--kind", "sampled", "--json", "--examples", "5"])
    rows = [r for r in json.loads(capsys.readouterr().out)["results"] if r["variant"] == "printed"]
    assert len(rows) == 2 == len({row["kept"] for row in rows})
    for row in rows:
        kept = json.loads(Path(row["kept"]).read_text())
        assert kept["weights"] == row["counterexample"]["weights"]


RUNGS = (("sampled", "exact"), ("sampled", "torch"), ("decided", None))


@given(st.permutations(list(product(claims()["theorem-3.2"].variants, RUNGS))))
def test_results_are_in_the_order_of_the_claims_whatever_their_arrival(order):
    results = gather((seen(Verdict.HOLDS, v.name, kind, ran=ran) for v, (kind, ran) in order), None)
    names = [v.name for v in claims()["theorem-3.2"].variants]
    sorted_results = in_order(results, {"proposition-7": names})
    assert [(r.variant, (r.kind, r.ran)) for r in sorted_results] == list(product(names, RUNGS))


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        (OutputError(".ratproof/x/y.json: cannot be written: Permission denied"), ".ratproof/x"),
        (InputError("the symbol is half a character"), ".ratproof/counterexamples"),
    ],
)
def test_counterexamples_that_cannot_be_saved_are_reported_once(refusal, says):
    different = Counterexample("proposition-7", "printed", {}, "c_0 = 1", [], 0, "1", "0", "0")
    reason = str(refusal).rpartition(": ")[2]
    with mock.patch("ratproof.ladder.verification._keep", side_effect=refusal):
        for count, what in ((1, "the counterexample was"), (3, "3 counterexamples were")):
            results = gather(
                [seen(Verdict.REFUTED, str(n), counterexample=different) for n in range(count)], None
            )
            (note,) = keep_evidence(results, None)
            assert note.startswith(f"{what} not saved: {says}") and note.endswith(f": {reason}")


def test_an_empty_run_is_not_as_expected():
    assert not Outcome([]).as_expected
    assert not Outcome(
        [Result("c", "v", "sampled", "holds", Verdict.HOLDS, "exact", None, None)], interrupted=True
    ).as_expected


def test_a_named_claim_and_kind_run_for_every_variant_even_if_counterexamples_cannot_be_saved(tmp_path):
    (tmp_path / ".ratproof").write_text("in the way")
    outcome = verify(Request(claims=("fa-rnn-eq-4",), kinds=("exhausted",)))
    assert outcome.as_expected
    assert {r.facts["letters"] for r in outcome.results} == {2}  # strings over one and two letters
    assert len(outcome.results) == len(claims()["fa-rnn-eq-4"].variants)
    assert any("not saved" in note for note in outcome.notes)


def test_several_kinds_of_evidence_may_be_requested(in_tmp_path, capsys):
    both = ["--kind", "decided", "--kind", "proved"]
    assert run(["verify", "fa-rnn-eq-4", *both, "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert {result["kind"] for result in results} == {"decided", "proved"}
    assert run(["verify", "fa-rnn-eq-4", *both, "--kind", "gradient"]) == 2
    assert "no selected claim has evidence of kind 'gradient'" in capsys.readouterr().err


def test_decided_evidence_saves_its_certificates(in_tmp_path, tmp_path, capsys):
    assert run(["verify", "proposition-7", "--kind", "decided", "--examples", "5"]) == 0
    assert "5 certificates of decided verdicts" in capsys.readouterr().out
    kept = sorted((tmp_path / ".ratproof" / "certificates").iterdir())
    assert len(kept) == 5  # four certificates about automata, and one about a cell that is not an automaton
    for file in kept:
        assert run(["check-certificate", str(file)]) == 0


def test_an_unwritable_junit_file_is_refused_before_anything_runs(in_tmp_path, monkeypatch):
    monkeypatch.setattr("ratproof.ladder.verification.show_all", None)
    with pytest.raises(InputError, match="--junit"):
        verify(Request(junit="nowhere/at/all/j.xml"))


def corpus(scale=1.0):
    vectors = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32) * np.float32(scale)
    return Corpus("c.txt", [["a", "b"], ["c", "a", "b"]], ["a", "b", "c"], vectors, 0, 2)


RIGHT_STATES = texts._states


@pytest.mark.parametrize("row", [0, 1], ids=["first sentence", "second sentence"])
@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("error", [float("nan"), float("inf"), 1e-3])
def test_one_wrong_state_anywhere_in_a_corpus_is_detected(row, unit, error, monkeypatch):
    def wrong(layer, embeddings, codes):
        states = RIGHT_STATES(layer, embeddings, codes)
        states[row, 2, unit] += error
        return states

    monkeypatch.setattr(texts, "_states", wrong)
    # If the sentence is run alone, by different code, it does not differ, and this is also reported.
    with pytest.raises((Disagreement, AssertionError)):
        agree_on_text("proposition-7", "corrected", corpus(), "cpu")


def test_a_corpus_on_which_everything_may_overflow_shows_nothing(monkeypatch):
    monkeypatch.setattr(texts, "bound_table", lambda a, batch, *_: _unbounded(batch))
    with recording() as book, contextlib.suppress(Disagreement):
        agree_on_text("proposition-7", "corrected", corpus(), "cpu")
    assert book.cases == 0
    assert book.facts["scores_compared"] == 0


def _unbounded(batch):
    shape = (len(batch), batch.codes.shape[1] + 1)
    return np.zeros(shape), np.full(shape, np.inf)


def test_a_hunt_without_time_for_a_case_exits_with_3(tmp_path, capsys):
    progress = hunt(Hunt(("proposition-7",), 0, minutes=1e-6, folder=tmp_path / "kept"), 1)
    assert progress.nothing_compared and not progress.errors
    assert run(["hunt", "proposition-7", "--minutes", "1e-6", "--jobs", "1", "--keep", str(tmp_path)]) == 3
    assert "the time limit was reached before the first case" in capsys.readouterr().out


def test_a_hunt_whose_rounds_compared_nothing_exits_with_3(tmp_path, monkeypatch):
    def one_empty_round(self, *arguments):
        self.progress.rounds += 1

    monkeypatch.setattr(Driver, "run", one_empty_round)
    assert run(["hunt", "proposition-7", "--minutes", "1", "--jobs", "1", "--keep", str(tmp_path)]) == 3


def test_a_hunt_whose_folder_is_a_file_is_refused_at_once(tmp_path):
    (tmp_path / "kept").write_text("")
    with pytest.raises(InputError, match="cannot be created"):
        hunt(Hunt((), 0, minutes=1.0, folder=tmp_path / "kept"), 1)


@pytest.mark.parametrize(
    "command",
    [["verify", "fa-rnn-eq-4"], ["check", str(Path(__file__).parents[2] / "ratproof/examples/my_claim.py")]],
    ids=["verify", "check"],
)
def test_a_run_preserves_the_settings_of_hypothesis(command, in_tmp_path):
    """If the settings remained, later tests and runs in this process would draw as few cases."""
    before = repr(settings()), core.global_force_seed
    run([*command, "--kind", "cross-checked", "--examples", "3", "--seed", "5"])
    assert (repr(settings()), core.global_force_seed) == before


def test_the_cases_do_not_depend_on_other_imports(tmp_path, monkeypatch):
    """Hypothesis prefers constants of the imported local modules."""
    (tmp_path / "magic_numbers.py").write_text(f"NUMBERS = {list(range(1000, 3000, 50))}\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def drawn():
        numbers = []

        @settings(max_examples=300, derandomize=True, phases=[Phase.generate])
        @given(st.integers(0, 5000))
        def collect(number):
            numbers.append(number)

        collect()
        return numbers

    with unchanged_afterwards():
        forget_constants()
        before = drawn()
        importlib.import_module("magic_numbers")
        assert drawn() == before


def test_a_junit_file_is_xml_even_if_a_file_name_is_no_unicode():
    suite = ElementTree.fromstring(junit(Outcome([], errors=["\udcff"]), "my\udcff.py"))
    assert suite.get("name") == suite[0].get("classname") == "my\\udcff.py"


def test_a_folder_instead_of_a_file_is_reported_once(capsys):
    assert run(["verify", "proposition-7", "--kind", "proved", "--junit", "."]) == 2
    assert capsys.readouterr().err == "ratproof: --junit .: cannot be written: the path is a folder\n"
