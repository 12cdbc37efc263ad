"""Tests that certificates of ``equivalent --kernel`` are accepted for every semiring, and wrong ones are
rejected.
"""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from automata.equivalence import Different, Equivalent, equivalent
from automata.errors import InputError
from automata.io import json_format
from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, Semiring
from automata.wfsa import WFSA
from proofs_tests.coq.conftest import Session
from ratproof import main
from ratproof.coq import certificate
from ratproof.coq import programs as coq
from ratproof.coq.links import link_proof

NAMES = ("A.json", "B.json")
BEGIN, END = "From Coq Require Import", "(* The automata. "
"""Text before and after the theory in a file; the theory is the same in all files."""


@pytest.fixture(scope="module")
def session(compiled):
    """Return a process of Coq that has run the theory with which all files begin, and the theory."""
    answer = equivalent(*two(REAL))
    assert isinstance(answer, Equivalent)
    text = certificate.file_text(link_proof(*two(REAL), answer, NAMES), NAMES)
    theory = text[text.index(BEGIN) : text.index(END)]
    session = Session(theory, compiled)
    yield session, theory
    session.close()


@pytest.fixture
def theory_once(session, monkeypatch):
    """Let Coq run only the part of each file that differs. The test of the command checks complete files."""

    def run_own_part(file: Path, *_: object) -> str:
        _, same, own = file.read_text().partition(session[1])
        assert same, "another theory"
        return session[0].run(own)

    monkeypatch.setattr(coq, "compile_file", run_own_part)


def two(k: Semiring, factor: Any = "1/2") -> tuple[WFSA, WFSA]:
    """Return an automaton with one state, and an equivalent automaton with three states.

    The second has a dead end and a final epsilon transition.
    """
    one = WFSA.from_edges(k, 1, "ab", [(0, k.one)], [(0, k.one)], [(0, 0, "a", factor), (0, 0, "b", k.one)])
    arrows = [(0, 0, "a", factor), (0, 0, "b", k.one), (0, 1, "", k.one), (0, 2, "b", factor)]
    return one, WFSA.from_edges(k, 3, "ab", [(0, k.one)], [(1, k.one)], arrows)


SIX = [
    (REAL, "1/2"),
    (COUNTING, 3),
    (BOOLEAN, True),
    (MAX_PLUS, "-1/2"),
    (MIN_PLUS, "1/2"),
    (MAX_TIMES, "1/2"),
]


@pytest.mark.parametrize(("k", "factor"), SIX, ids=[k.name for k, _ in SIX])
def test_equal_automata(k, factor, theory_once, tmp_path):
    """The automata have epsilon transitions and dead ends."""
    a, b = two(k, factor)
    answer = equivalent(a, b)
    assert isinstance(answer, Equivalent)
    path = tmp_path / "equal.v"
    assert certificate.write(str(path), a, b, answer, NAMES) == "equivalent"
    assert "Theorem equivalent : forall word, value A word = value B word." in path.read_text()


@pytest.mark.parametrize(("k", "factor"), SIX, ids=[k.name for k, _ in SIX])
def test_different_automata(k, factor, theory_once, tmp_path):
    _, b = two(k, factor)
    other = WFSA.from_edges(k, 1, "ab", [(0, k.one)], [(0, k.one)], [(0, 0, "b", k.one)])
    answer = equivalent(other, b)
    assert isinstance(answer, Different)
    assert certificate.write(str(tmp_path / "apart.v"), other, b, answer, NAMES) == "different"


def test_a_file_about_other_automata_is_not_accepted(theory_once, tmp_path):
    """After the file was written, a number, the claimed equation, or the proof is changed."""
    a, b = two(REAL)
    answer = equivalent(a, b)
    assert isinstance(answer, Equivalent)
    text = certificate.file_text(link_proof(a, b, answer, NAMES), NAMES)
    path = tmp_path / "wrong.v"
    near = Fraction(1, 2) + Fraction(1, 2**40)
    for right, wrong in (
        ("w 1 2", f"w {near.numerator} {near.denominator}"),
        ("w 1 1", "w 2 1"),
        ("value A word = value B", "value A word = 0 + value A"),
    ):
        start = text.index("(* The automata.")
        path.write_text(text[:start] + text[start:].replace(right, wrong, 1))
        with pytest.raises(coq.Rejected):
            certificate.check_file(path)
    path.write_text(text.replace("vm_cast_no_check (erefl true).\nQed.", "admit.\nAdmitted."))
    with pytest.raises(coq.Rejected, match="has assumptions"):
        certificate.check_file(path)


def test_symbols_and_names_that_are_special_to_coq(theory_once, tmp_path):
    """Names contain quotes, comment signs, line ends, and identifiers that Coq uses for other purposes."""
    symbols = ['"', "*)", "(*", "\n", "Qed.", "é", "∀"]
    a = WFSA(REAL, [1], [1], {x: [[i]] for i, x in enumerate(symbols)})
    answer = equivalent(a, a)
    assert isinstance(answer, Equivalent)
    certificate.write(str(tmp_path / "odd.v"), a, a, answer, ('a "*)" (* file', "b\n"))


@pytest.mark.parametrize("states", [0, 1])
def test_empty_automata(states, theory_once, tmp_path):
    """Automata without states, or without symbols, are accepted."""
    a = WFSA(REAL, [0] * states, [0] * states, {})
    answer = equivalent(a, a)
    assert isinstance(answer, Equivalent)
    certificate.write(str(tmp_path / "empty.v"), a, a, answer, NAMES)


def test_automata_beyond_the_kernel_are_refused(tmp_path):
    """Epsilon cycles, whose sums are limits, and the log semiring are not supported."""
    cycle = WFSA.from_edges(REAL, 1, "a", [(0, 1)], [(0, 1)], [(0, 0, "", "1/2"), (0, 0, "a", 1)])
    logarithms = WFSA.from_edges(LOG, 1, "a", [(0, 0)], [(0, 0)], [(0, 0, "a", 0)])
    for automaton, says in ((cycle, "form a cycle"), (logarithms, "the log semiring")):
        answer = equivalent(automaton, automaton)
        assert isinstance(answer, Equivalent)
        with pytest.raises(InputError, match=says):
            certificate.write(str(tmp_path / "no.v"), automaton, automaton, answer, NAMES)
    assert list(tmp_path.iterdir()) == []


def test_the_command(compiled, in_tmp_path, tmp_path, capsys):
    for name, automaton in zip(NAMES, two(REAL), strict=True):
        Path(name).write_text(json.dumps(json_format.to_json(automaton)))
    assert main.run(["equivalent", "A.json", "B.json", "--kernel", "--json"]) == 0
    expected = {"file": "equivalent_A_B.v", "theorem": "equivalent"}
    assert json.loads(capsys.readouterr().out)["kernel"] == expected
    assert main.run(["equivalent", "A.json", "B.json", "--kernel-file", "a-b.v"]) == 2
    assert "letters, digits and underscores" in capsys.readouterr().err
    assert main.run(["equivalent", "A.json", "B.json", "--kernel-file", "no/a.v"]) == 2
    assert (
        capsys.readouterr().err
        == f"ratproof: --kernel-file no/a.v: the folder {tmp_path / 'no'} must exist\n"
    )
    # The file does not depend on other files.
    alone = tmp_path / "alone"
    alone.mkdir()
    assert "Closed under the global context" in coq.compile_file(
        (tmp_path / "equivalent_A_B.v").rename(alone / "equivalent_A_B.v"), alone
    )


def test_without_coq(in_tmp_path, tmp_path, monkeypatch, capsys):
    """Commands that need Coq explain in one line how to install it, with exit status 2. ``verify`` runs the
    other evidence, and reports the evidence in Coq as not run.
    """
    monkeypatch.setenv("PATH", str(tmp_path))
    for arguments in (
        ["prove"],
        ["verify", "--kind", "kernel-checked"],
        ["equivalent", "A.json", "A.json", "--kernel"],
    ):
        Path("A.json").write_text(json.dumps(json_format.to_json(two(REAL)[0])))
        assert main.run(arguments) == 2
        captured = capsys.readouterr()
        assert re.fullmatch(
            r"ratproof: coqc is not on the path; install it with apt-get install coq .*\n", captured.err
        )
        assert captured.out == ""
    assert main.run(["verify", "model-c", "--json", "--examples", "5"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert "kernel-checked" not in {result["kind"] for result in report["results"]}
    assert [row["variant"] for row in report["not_run"]] == ["corrected", "printed-section-6.1"]
    assert all("apt-get" in row["why"] for row in report["not_run"])


def test_another_version_of_coq(tmp_path, monkeypatch, capsys):
    """The error message contains the version of Coq, and blames no theorem."""
    program = tmp_path / "coqc"
    program.write_text("#!/bin/sh\necho 8.20.0 4.14.1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert main.run(["prove"]) == 2
    assert "Coq must be 8.16, with mathcomp 1.15, got 8.20.0" in capsys.readouterr().err


def test_a_rejected_file_is_reported():
    message = str(coq.Rejected("A.v, line 3", "no such lemma"))
    assert message == "A.v, line 3: Coq does not accept it: no such lemma"
