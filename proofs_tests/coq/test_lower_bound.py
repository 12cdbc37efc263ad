"""Tests that Coq accepts lower bounds on the number of states, refuses wrong ones, and runs the same cell."""

import json
import re
from fractions import Fraction

import flint
import pytest

from proofs_tests.coq.conftest import PROOF, Session, require_libraries
from ratproof import main
from ratproof.certification.not_rational.hankel_bound import Bound, bound
from ratproof.certification.not_rational.matrix import first_strings
from ratproof.coq import lower_bound, reals
from ratproof.coq.terms_of_cells import Term, cell_term
from theory.not_rational.arithmetic import BALLS
from theory.not_rational.cells import CELLS
from theory.not_rational.weights import some

OF_GATES = [
    *[(name, 1) for name in ("elman", "elman-linear", "gru", "lstm", "rcnn", "rcnn-unigram", "scrn")],
    *[("scrn-context", 1), ("sru", 1), ("sru-feedback", 1), ("lstm", 2), ("gru", 2)],
]


@pytest.fixture(scope="module")
def session(compiled):
    """Return a process of Coq that has run the theory without its proofs."""
    require_libraries(reals.LOWER_BOUND)
    session = Session(PROOF.sub("Admitted.", lower_bound.theory()), compiled)
    yield session
    session.close()


def own_text(result: Bound) -> str:
    """Return the part of the file of a bound that follows the theory."""
    return lower_bound.file_text(result, 64).partition(lower_bound.theory())[2]


def lstm() -> Bound:
    strings = first_strings("ab", 3)
    result = bound(some(CELLS["lstm"]), 0, strings, strings)
    assert isinstance(result, Bound)
    return result


WRONG = {
    "inverse": (
        r"inverse : list \(list Z\) := \[:: \[:: \(-?\d+\)",
        "inverse : list (list Z) := [:: [:: (1)",
    ),
    "repeated row": (
        r"prefixes : list \(list nat\) := .*",
        "prefixes : list (list nat) := [:: [:: ]; [:: 0]; [:: 0]].",
    ),
    "repeated column": (
        r"suffixes : list \(list nat\) := .*",
        "suffixes : list (list nat) := [:: [:: ]; [:: 0]; [:: 0]].",
    ),
    "no inverse": (r"inverse : list \(list Z\) := .*", "inverse : list (list Z) := [:: ]."),
    "one state more": (r"3 <= card Q", "4 <= card Q"),
    "cell": (r"\(Sigmoid", "(Tanh"),
    "unit": (r"unit_after letters 2 0", "unit_after letters 2 1"),
}


def test_coq_accepts_a_bound_and_rejects_wrong_ones(session):
    right, accepted = own_text(lstm()), []
    assert session.accepts(right)
    for name, (before, after) in WRONG.items():
        wrong, count = re.subn(before, after, right)
        assert count
        if session.accepts(wrong):
            accepted.append(name)
    assert accepted == []


def test_coq_and_python_run_the_same_cells(session):
    """The intervals of Coq contain the values of all units after a word, and are narrow."""
    cells, word = [some(CELLS[name], units) for name, units in OF_GATES], ("a", "b", "b", "a")
    lines = []
    for i, cell in enumerate(cells):
        numbers = sum(map(len, cell.start(BALLS)))
        run = f"run_of 64 cell_{i} [:: 0; 1; 1; 0] (nseq {numbers} intervals.zero)"
        lines += [f"Definition cell_{i} : cell := {cell_term(cell)}.", f"Eval vm_compute in {run}."]
    output = session.run(lower_bound.OPENING + "\n".join(lines))
    answers = re.findall(r"= (.*?)\n\s*: ", output, re.DOTALL)
    assert len(answers) == len(cells)
    with flint.ctx.workprec(256):
        for cell, answer in zip(cells, answers, strict=True):
            state, weights = cell.start(BALLS), cell.over(BALLS.number)
            for letter in word:
                state = cell.cell.step(weights, state, cell.letters.index(letter), BALLS)
            values = [value for vector in state for value in vector]
            ends = [int(end) for end in re.findall(r"-?\d+", answer)]
            for value, low, high in zip(values, ends[::2], ends[1::2], strict=True):
                assert low <= value * 2**64 <= high and high - low < 2**20


def test_the_command_writes_a_complete_file_that_coq_accepts(compiled, in_tmp_path, tmp_path, capsys):
    assert main.run(["not-rational", "sru-feedback", "--size", "2", "--kernel", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["states"] == 2
    assert answer["kernel"] == {
        "file": "not_rational_sru_feedback.v",
        "theorem": lower_bound.THEOREM,
        "axioms": list(reals.AXIOMS),
    }
    assert "ratproof Require" not in (tmp_path / "not_rational_sru_feedback.v").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("rwkv-4 --size 2 --kernel", "--kernel is not supported for rwkv-4: the step uses"),
        ("lstm --every-size --kernel", "--every-size cannot be used with --size, --letter, --bits"),
        ("lstm --kernel-file no/folder.v", "folder"),
        ("lstm --kernel-file 3.v", "--kernel-file 3.v: the file name must"),
    ],
)
def test_requests_without_a_file_are_refused(compiled, in_tmp_path, tmp_path, arguments, message, capsys):
    assert main.run(["not-rational", *arguments.split()]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_without_a_bound_there_is_no_file(compiled, in_tmp_path, tmp_path, capsys):
    assert main.run(["not-rational", "sru", "--size", "3", "--kernel"]) == 3
    assert "not_rational_sru.v is not written" in capsys.readouterr().err.replace("\n", " ")
    assert not list(tmp_path.iterdir())


def test_a_fraction_is_a_number_of_the_term():
    x = Term("(Var 0)")
    assert (Fraction(-1, 2) - x + 0).text == "(Minus (Num (-1 # 2)) (Var 0))"
    assert (-x).text == "(Minus (Num (0 # 1)) (Var 0))"
