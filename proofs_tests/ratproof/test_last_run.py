"""Tests of the stored last run of ``verify``: failures run again, and changed sources invalidate its
verdicts.
"""

import importlib
import json
from pathlib import Path

import pytest

from proofs_tests.processes import python
from ratproof.api.report import report_of
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.results import Result
from ratproof.ladder import last_run
from ratproof.ladder.outcome import Outcome
from ratproof.ladder.request import Request
from ratproof.ladder.verification import verify
from ratproof.main import run
from ratproof.report import show
from theory.registry import claims

pytestmark = pytest.mark.usefixtures("in_tmp_path")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write a minimal package whose sources determine the verdicts."""
    (tmp_path / "some_claims").mkdir()
    (tmp_path / "some_claims" / "__init__.py").write_text("half = 1 / 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(last_run, "PACKAGES", ("some_claims",))
    importlib.invalidate_caches()
    return tmp_path / "some_claims"


def kept(request: Request, outcome: Outcome) -> None:
    """Store a run of the current sources."""
    last_run.keep(request, outcome, last_run.digest())


def results(*verdicts: tuple[str, str, Verdict]) -> list[Result]:
    return [Result(c, "corrected", k, "holds", v, None, None, None) for c, k, v in verdicts]


def test_failed_runs_only_the_unexpected_results():
    several = results(
        ("fa-rnn-eq-4", "decided", Verdict.REFUTED),
        ("fa-rnn-eq-4", "exhausted", Verdict.HOLDS),
        ("corollary-9", "proved", Verdict.UNKNOWN),
    )
    kept(Request(), Outcome(several))
    assert last_run.unexpected() == (("fa-rnn-eq-4", "decided"), ("corollary-9", "proved"))
    outcome = verify(Request(only=last_run.unexpected()))
    assert outcome.as_expected
    expected = {("fa-rnn-eq-4", "decided"), ("corollary-9", "proved")}
    assert {(r.claim, r.kind) for r in outcome.results} == expected
    assert last_run.unexpected() == ()


def test_failed_without_a_last_run_is_refused(capsys):
    assert run(["verify", "--failed"]) == 2
    assert "contains none" in capsys.readouterr().err
    last_run.LAST.parent.mkdir()
    for text in ("{}", '{"results": [{}]}', '{"results": [3]}', "[]"):
        last_run.LAST.write_text(text)
        assert run(["verify", "--failed"]) == 2 and "contains none" in capsys.readouterr().err


@pytest.mark.parametrize("unended", [{"interrupted": True}, {"errors": ["a worker died"]}])
def test_failed_after_a_run_that_did_not_end_is_refused_unless_it_had_failures(unended, capsys):
    kept(Request(), Outcome(results(("proposition-7", "exhausted", Verdict.HOLDS)), **unended))
    assert run(["verify", "--failed"]) == 2
    assert "requires a previous run that ended" in capsys.readouterr().err
    kept(Request(), Outcome(results(("proposition-7", "exhausted", Verdict.REFUTED)), **unended))
    assert last_run.unexpected() == (("proposition-7", "exhausted"),)


def test_failed_without_failures_runs_nothing_and_succeeds(capsys):
    several = results(("proposition-7", "exhausted", Verdict.REFUTED))
    kept(Request(), Outcome(several))
    for narrower in (["--kind", "decided"], ["corollary-9"]):
        assert run(["verify", "--failed", *narrower]) == 0
        assert "no selected evidence was unexpected" in capsys.readouterr().out
        assert run(["verify", "--failed", "--json", *narrower]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["results"] == [] and answer["as_expected"] and "nothing to run" in answer["notes"][0]
    for unknown in (["--kind", "decide"], ["proposition-77"]):
        assert run(["verify", "--failed", *unknown]) == 2


def test_a_run_stops_at_its_first_unexpected_result(monkeypatch, capsys):
    for variant in claims()["fa-rnn-eq-4"].variants:
        expected = {"holds": "refuted", "refuted": "holds"}[variant.expected]
        monkeypatch.setitem(variant.__dict__, "expected", expected)
    assert run(["verify", "fa-rnn-eq-4", "--kind", "exhausted", "-x"]) == 1
    output = " ".join(capsys.readouterr().out.split())
    assert output.count("expected verdict") == 1
    assert "stopped at the first unexpected result" in output


def test_verdicts_of_a_complete_run_hold_while_the_sources_are_unchanged(package):
    assert last_run.current_verdicts() is None
    kept(Request(kinds=("decided",)), Outcome(results(("proposition-7", "decided", Verdict.HOLDS))))
    assert last_run.current_verdicts() is None  # a partial run
    kept(Request(), Outcome([], interrupted=True))
    assert last_run.current_verdicts() is None  # a run that was stopped
    kept(Request(jobs=2), Outcome(results(("proposition-7", "decided", Verdict.HOLDS))))
    assert json.loads(str(last_run.current_verdicts()))["results"][0]["claim"] == "proposition-7"
    assert last_run.main("copy.json") == 0
    (package / "__init__.py").write_text("half = 1 / 3\n")
    assert last_run.current_verdicts() is None and last_run.main("copy.json") == 1


def test_the_digest_is_independent_of_the_working_folder(tmp_path):
    """``python -m`` also searches the working folder for packages, and a clone contains one."""
    project = Path(last_run.__file__).parents[2]
    program = "from ratproof.ladder.last_run import digest; print(digest())"
    digests = [python("-c", program, cwd=folder, check=True).stdout for folder in (project, tmp_path)]
    assert digests[0] == digests[1] != ""


def on_cuda(verdict: Verdict = Verdict.HOLDS) -> Result:
    return Result("proposition-7", "corrected", "sampled", "holds", verdict, "torch", "cuda", None, 5)


def keep_on_cuda(result: Result) -> last_run.SourceDigests:
    digests = last_run.digest()
    outcome = Outcome([result], device="cuda")
    last_run.keep(Request(device="cuda"), outcome, digests)
    return digests


def test_a_complete_run_on_the_other_device_is_stored_and_shown(package):
    digests = keep_on_cuda(on_cuda())
    kept = last_run.saved_on_other_device("cpu", digests)
    assert kept is not None and (kept.device, kept.results) == ("cuda", (on_cuda(),))
    assert last_run.saved_on_other_device("cuda", digests) is None  # a run is not shown next to itself
    on_cpu = Result("proposition-7", "corrected", "sampled", "holds", Verdict.HOLDS, "torch", "cpu", None, 3)
    report = report_of(Outcome([on_cpu], other_device=kept), show).text
    row = next(line for line in report.splitlines() if line.startswith("  corrected"))
    assert row.split()[:4] == ["corrected", "·", "✓", "✓"]  # exact arithmetic (not run), CPU, GPU
    assert "On cuda: the run of" in report and "1 of 1 verdicts as expected, 3 cases" in report


def test_a_run_of_other_sources_is_not_shown(package):
    keep_on_cuda(on_cuda())
    (package / "__init__.py").write_text("half = 1 / 3\n")
    assert last_run.saved_on_other_device("cpu", last_run.digest()) is None


@pytest.mark.parametrize("field", ["results", "gpu", "when", "versions"])
@pytest.mark.parametrize("value", ["absent", None, 3, [3], [{}], {"a": 1}])
def test_an_invalid_stored_run_is_not_shown(package, field, value):
    digests = keep_on_cuda(on_cuda())
    path = last_run.WHOLE["cuda"]
    data = json.loads(path.read_text())
    del data[field]
    path.write_text(json.dumps(data if value == "absent" else data | {field: value}))
    kept = last_run.saved_on_other_device("cpu", digests)
    if kept is not None:  # the value has a valid type
        assert isinstance(kept.sentence(), str) and kept.results == (on_cuda(),)


def test_an_unexpected_mark_of_the_other_device_is_shown(package):
    kept = last_run.saved_on_other_device("cpu", keep_on_cuda(on_cuda(Verdict.REFUTED)))
    on_cpu = Result("proposition-7", "corrected", "sampled", "holds", Verdict.HOLDS, "torch", "cpu", None, 3)
    assert kept is not None
    report = report_of(Outcome([on_cpu], other_device=kept), show).text
    row = next(line for line in report.splitlines() if line.startswith("  corrected"))
    assert row.split()[:4] == ["corrected", "·", "✓", "!"] and "0 of 1 verdicts as expected" in report


@pytest.mark.parametrize(
    "change",
    [{"facts": None}, {"facts": 5}, {"variant": []}, {"device": "cpu"}, {"expected": "zzz"}, {"ran": 3}],
    ids=str,
)
def test_an_impossible_row_invalidates_the_file(package, change):
    digests = keep_on_cuda(on_cuda())
    path = last_run.WHOLE["cuda"]
    data = json.loads(path.read_text())
    data["results"][0] |= change
    path.write_text(json.dumps(data))
    assert last_run.saved_on_other_device("cpu", digests) is None


def test_unprintable_characters_of_a_stored_run_are_escaped(package):
    digests = keep_on_cuda(on_cuda())
    path = last_run.WHOLE["cuda"]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"gpu": "H200\n634 of 634 verdicts\x1b[2J"}))
    kept = last_run.saved_on_other_device("cpu", digests)
    assert kept is not None and "\n" not in kept.sentence() and "\x1b" not in kept.sentence()
