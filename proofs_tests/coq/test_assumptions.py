"""Every theorem of theory/coq is closed under the global context, and each claim's theorem is there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from proofs_tests.coq.statements import AGREED, as_text
from ratproof.coq import programs as coq
from ratproof.coq import sources
from ratproof.coq.assumptions import CLOSED, theorem_assumptions
from ratproof.coq.development_report import theorem_variants
from ratproof.coq.sources import UNPROVED_COMMAND, modules, statements, unproved_commands
from theory.claim import KERNEL
from theory.registry import claims

NAMED = sorted(
    {v.theorem.name for claim in claims().values() for v in claim.variants if v.theorem is not None}
)


def test_nothing_is_assumed(compiled: Path) -> None:
    """Print Assumptions, of every theorem."""
    assert {
        name: assumed for name, assumed in theorem_assumptions(compiled).items() if assumed != CLOSED
    } == {}
    assert theorem_assumptions(compiled).keys() == statements().keys()


def test_coqchk_finds_no_axiom_of_ours(compiled: Path) -> None:
    """It lists fields of mathcomp's sealed modules, which it cannot look into."""
    assert [name for name in coq.run_coqchk(compiled, modules()) if name.startswith("ratproof.")] == []


def test_no_file_leaves_something_unproved() -> None:
    assert unproved_commands() == []


@pytest.mark.parametrize(
    "word", ["Admitted", "Axiom", "Parameter", "Conjecture", "admit", "give_up", "bypass_check"]
)
def test_words_that_leave_something_unproved_are_seen(word: str) -> None:
    assert UNPROVED_COMMAND.search(f"Lemma l : 1 = 2.\nProof. {word}.")


@pytest.mark.parametrize("name", NAMED)
def test_each_theorem_that_a_claim_names_is_there_and_says_a_sentence(name: str) -> None:
    statement = statements()[name]
    assert re.match(r"(?!and |or |but ).*\.$", statement.says) and statement.text.startswith("Theorem ")


def test_every_proved_variant_is_kernel_checked_too() -> None:
    assert [
        (c.name, v.name)
        for c in claims().values()
        for v in c.variants
        if "proved" in v.kinds and KERNEL not in v.kinds
    ] == []


def test_an_axiom_is_reported(tmp_path: Path, compiled: Path) -> None:
    """A file with an axiom compiles, and Print Assumptions names it."""
    file = tmp_path / "bad.v"
    file.write_text(
        "Axiom false : False.\nTheorem all : 1 = 2.\nProof. destruct false. Qed.\nPrint Assumptions all.\n"
    )
    assert CLOSED not in coq.compile_file(file, compiled) and "false" in coq.compile_file(file, compiled)


def test_coqchk_reports_an_axiom_that_no_theorem_uses(tmp_path: Path, compiled: Path) -> None:
    """And recursion that Coq does not check."""
    root = tmp_path / "coq"
    shutil.copytree(compiled, root)
    file = root / "slip.v"
    file.write_text(
        "Axiom h : 1 = 2.\nUnset  Guard Checking.\nFixpoint f (n : nat) : nat := f n.\nTheorem fine :"
        " True.\nProof.\nexact I. Qed.\n"
    )
    coq.compile_file(file, root)
    axioms = coq.run_coqchk(root, ["ratproof.slip"])
    assert "ratproof.slip.h" in axioms and "ratproof.slip.f" in axioms


@pytest.mark.parametrize(
    "slip",
    [
        "Hypothesis h : 1 = 2.\n",
        "Context (h : 1 = 2).\n",
        "  Theorem t : 1 = 1. Proof. by []. Qed.\n",
        "Unset   Guard Checking.\n",
    ],
)
def test_what_the_reader_of_the_source_would_miss_is_reported(
    slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slip.v").write_text("Module M.\nSection S.\nVariable x : nat.\nEnd S.\nEnd M.\n" + slip)
    monkeypatch.setattr(sources, "source_folder", lambda: tmp_path)
    assert len(unproved_commands()) == 1


def test_statements_are_those_that_were_agreed_on() -> None:
    """A statement that is weakened by a slip is noticed: ``statements.txt`` has all, with what their sections
    take for granted.

    After a change on purpose: ``python -m proofs_tests.coq.statements``.
    """
    assert AGREED.read_text(encoding="utf-8") == as_text()


def test_each_theorem_of_a_variant_is_known_by_its_name():
    named = theorem_variants()
    assert named["rational_recurrences.proposition_7.printed_is_refuted"] == ["proposition-7, printed"]
    every = [v for claim in claims().values() for v in claim.variants if v.theorem is not None]
    assert sum(map(len, named.values())) == len(every) > 0
