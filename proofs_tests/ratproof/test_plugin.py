"""The pytest plugin: which markers it refuses, and what it makes of what a test does. Its runs are in this
process, where all that they import is there already.
"""

from __future__ import annotations

import io
import textwrap
from contextlib import redirect_stderr, redirect_stdout

import pytest

from ratproof.evidence.kinds import Verdict

HEAD = """
from ratproof.ladder.evidence import evidence
from ratproof.ladder.rungs.agreement import agree
from ratproof.implementations.exact import ExactComparison
from ratproof.evidence.ledger import ledger
from automata.semirings import REAL
from theory.weights import Weights
from fractions import Fraction

def cell(start):
    # f = 0, u = 1
    return Weights(REAL, "a", {"c_0": Fraction(start), "f": {"a": Fraction(0)}, "u": {"a": Fraction(1)}})

def compare(variant):
    # f = 0, u = 1, c_0 as the variant has it: "a" tells all readings apart
    agree(ExactComparison("proposition-7", variant.name, cell(variant.name == "printed")), ["aa"])
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run within this process. Not pytester's: it drops all that was imported, and torch cannot be imported
    twice.
    """

    def run(body, *arguments, listener=None):
        path = tmp_path / f"{tmp_path.name}.py"  # a name that no other module has
        path.write_text(HEAD + textwrap.dedent(body))
        plugins = ("no:cacheprovider", "no:unraisableexception", "ratproof.ladder.plugin")
        options = ("-q", "--import-mode=importlib", *(f"-p{name}" for name in plugins))
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            names = map(str, arguments or (f"{path}::test_it",))
            status = pytest.main([*options, *names], plugins=[listener] if listener else [])
        return pytest.RunResult(status, out.getvalue().splitlines(), err.getvalue().splitlines(), 0.0)

    monkeypatch.chdir(tmp_path)
    return run


def test_a_marker_that_names_no_claim_is_refused(run):
    result = run('@evidence("proposition-99", kind="sampled")\ndef test_it(): pass')
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no claim 'proposition-99'*"])


def test_a_marker_that_names_no_variant_is_refused(run):
    result = run('@evidence("proposition-7", kind="sampled", variants=("misprinted",))\ndef test_it(): pass')
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*proposition-7 has no variant 'misprinted'*"])


def test_a_marker_that_names_no_kind_is_refused(run):
    result = run('@evidence("proposition-7", kind="believed")\ndef test_it(): pass')
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no kind of evidence 'believed'*"])


def test_a_claim_that_lacks_a_kind_that_it_promises_is_refused(run, tmp_path):
    body = '@evidence("proposition-7", kind="sampled")\ndef test_it(variant): compare(variant)'
    result = run(body, tmp_path)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*proposition-7, variant corrected, promises to be gradient, and no test shows it*"]
    )


def test_a_variant_that_is_refuted_as_expected_passes_and_one_that_holds_too(run):
    result = run(
        '@evidence("proposition-7", kind="sampled", variants=("corrected", "printed",'
        ' "printed-equation-3b"))\ndef test_it(variant): compare(variant)'
    )
    result.assert_outcomes(passed=3)


def test_a_variant_that_should_be_refuted_and_holds_fails(run):
    result = run("""
        @evidence("proposition-7", kind="sampled", variants=("printed",))
        def test_it(): ledger().add(1)
        """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*proposition-7, variant printed: expected refuted, found holds*"])


def test_a_variant_that_should_hold_and_is_refuted_fails(run):
    result = run("""
        @evidence("proposition-7", kind="sampled", variants=("corrected",))
        def test_it():
            wrong = ExactComparison("proposition-7", "printed", cell(1))
            agree(wrong, ["a"])
        """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*on the empty string the network gives 1, the automaton 0*"])


@pytest.mark.parametrize("body", ["raise ZeroDivisionError", "assert 1 == 2", "import sys; sys.exit(0)"])
def test_a_crash_is_no_refutation(run, body):
    result = run(
        f'@evidence("proposition-7", kind="sampled", variants=("printed",))\ndef test_it():\n    {body}'
    )
    result.assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("statement", "verdict"), [("assert numpy.False_", Verdict.REFUTED), ("helper()", Verdict.UNKNOWN)]
)
def test_an_assertion_of_the_test_itself_refutes_what_should_hold(run, tmp_path, statement, verdict):
    """One in code that the test calls is a crash."""
    observations = []

    class Listener:
        def pytest_ratproof_observed(self, observation):
            observations.append(observation)

    result = run(
        f"""
        import numpy
        from proofs_tests.ratproof.test_plugin import helper

        @evidence("proposition-7", kind="sampled", variants=("corrected",))
        def test_it():
            ledger().add(1)
            {statement}
        """,
        listener=Listener(),
    )
    result.assert_outcomes(failed=1)
    (observation,) = observations
    assert observation.verdict == verdict and (verdict == Verdict.UNKNOWN or statement in observation.why)


def helper():
    raise AssertionError


def test_a_test_that_compares_nothing_shows_nothing(run):
    result = run('@evidence("proposition-7", kind="sampled", variants=("corrected",))\ndef test_it(): pass')
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*found unknown; the test compared nothing*"])


def test_other_projects_runs_load_nothing_of_it(pytester):
    """Their marks, fixtures and options are theirs."""
    path = pytester.makepyfile("""
        import sys

        import pytest

        @pytest.fixture
        def device():
            return "theirs"

        @pytest.mark.evidence("of theirs")
        def test_theirs(device, pytestconfig):
            assert device == "theirs" and not any(m.partition(".")[0] == "ratproof" for m in sys.modules)
        """)
    pytester.runpytest_subprocess("-p", "no:cacheprovider", path).assert_outcomes(passed=1)


def test_evidence_of_the_three_papers_runs_first(run, tmp_path):
    file = tmp_path / f"{tmp_path.name}.py"
    result = run(
        """
        @evidence("gla", kind="sampled", variants=("corrected",))
        def test_of_a_group(): pass

        @evidence("proposition-7", kind="sampled", variants=("corrected",))
        def test_of_a_paper(): pass
        """,
        *("--ratproof-evidence", "--collect-only", f"{file}::test_of_a_group", f"{file}::test_of_a_paper"),
    )
    tests = [line.partition("::")[2] for line in result.outlines if "::" in line]
    assert tests == ["test_of_a_paper", "test_of_a_group"]
