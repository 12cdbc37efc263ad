"""Tests that a theorem with more assumptions than its stored statement is refused, even if they are
disguised.
"""

import re
from pathlib import Path

import pytest

from proofs_tests.coq.test_mutants import with_text
from ratproof.coq import programs as coq
from ratproof.coq import ties
from ratproof.coq.sources import Statement, source_folder, statements, theorems_of
from ratproof.coq.theorems import TheoremAnswer, ask
from theory.registry import claim_named

PLANTED = {
    "indented": "Section S.\n  Hypothesis wrong : 2 = 2.\n  Theorem t : 2 = 2.\n{exact}\nEnd S.",
    "one_line": "Section S. Hypothesis wrong : 2 = 2.\nTheorem t : 2 = 2.\n{exact}\nEnd S.",
    "context": "Section S. Context (wrong : 2 = 2).\nTheorem t : 2 = 2.\n{exact}\nEnd S.",
    "variable": "Section S. Variable wrong : 2 = 2.\nTheorem t : 2 = 2.\n{exact}\nEnd S.",
    "empty_type": (
        "Section S. Variable wrong : Empty_set.\nTheorem t : 2 = 2.\nProof. destruct wrong. Qed.\nEnd S."
    ),
    "let_admitted": "Section S. Let wrong : 2 = 2. Admitted.\nTheorem t : 2 = 2.\n{exact}\nEnd S.",
    "parameter": "Parameter wrong : 2 = 2.\nTheorem t : 2 = 2.\n{exact}",
    "local_axiom": "#[local] Axiom wrong : 2 = 2.\nTheorem t : 2 = 2.\n{exact}",
    "axiom_in_a_module": ("Module M. Axiom wrong : 2 = 2. End M. Import M.\nTheorem t : 2 = 2.\n{exact}"),
    "declared_module": (
        "Module Type T. Parameter wrong : 2 = 2. End T.\nDeclare Module M : T. Import M.\n"
        "Theorem t : 2 = 2.\n{exact}"
    ),
    "admitted_lemma": "Lemma wrong : 2 = 2. Admitted.\nTheorem t : 2 = 2.\n{exact}",
    "admitted": "Theorem t : 2 = 2. Admitted.",
    "unguarded": (
        "Unset Guard Checking.\nFixpoint wrong (n : nat) : 2 = 2 := wrong n.\n"
        "Theorem t : 2 = 2. Proof. exact (wrong 0). Qed."
    ),
    "another_equality": 'Notation "x = y" := True : type_scope.\nTheorem t : 2 = 2. Proof. exact I. Qed.',
    "another_number": (
        'Definition two := 1.\nNotation "2" := two : nat_scope.\nTheorem t : 2 = 2. Proof. reflexivity. Qed.'
    ),
}
"""Files in which the theorem ``t`` is displayed as ``2 = 2``."""
RIGHT = "Theorem t : 2 = 2. Proof. reflexivity. Qed."
EXACT = "Proof. exact wrong. Qed."


@pytest.fixture(scope="module")
def answers(tmp_path_factory, compiled):
    """Return Coq's answers about the theorem in each planted file, and in a file with a correct proof."""
    root = tmp_path_factory.mktemp("planted") / "coq"
    root.mkdir()
    for name in ("semiring", "sums", "automaton", "paths"):  # for the notations in printed statements
        for suffix in (".v", ".vo"):
            (root / f"{name}{suffix}").symlink_to(compiled / f"{name}{suffix}")
    for name, text in {**PLANTED, "right": RIGHT}.items():
        file = root / f"{name}.v"
        file.write_text(text.replace("{exact}", EXACT) + "\n")
        coq.compile_file(file, root)
    return ask([Statement(f"{name}.t", "", 1, None) for name in (*PLANTED, "right")], root)


def kept(answers: dict[str, TheoremAnswer]) -> Statement:
    """Return a theorem whose stored statement is 2 = 2."""
    return Statement("right.t", "", 1, answers["right.t"].statement)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_hypothesis_is_refused(name, answers):
    """Coq's answer contains the planted premise, axiom or notation."""
    assert answers[f"{name}.t"].problem(kept(answers))


def test_the_stored_statement_is_accepted(answers):
    """If the stored statement were also refused, the tests above would show nothing."""
    assert answers["right.t"].problem(kept(answers)) == ""


def test_a_missing_theorem_is_refused(compiled):
    """A theorem is missing, for example, if its proof was aborted."""
    with pytest.raises(coq.Rejected, match="absent was not found"):
        ask([Statement("semiring.absent", "", 1, None)], compiled)


def test_an_indented_theorem_is_listed():
    assert theorems_of("(* It is. *)\n  Theorem t : True.") == [("t", "It is.", 2)]


def planted(text: str, compiled: Path, root: Path) -> tuple[TheoremAnswer, Statement, bool]:
    """Replace the theorem about retention (``retnet``), and return Coq's answer about the new theorem.

    Also return the stored statement, and whether the new theorem is tied to the claim.
    """
    claim = claim_named("retnet")
    variant = claim.variant("corrected")
    theorem = statements()["linear_recurrences.retnet.retnet"]
    name = "linear_recurrences/retnet.v"
    source = (source_folder() / name).read_text()
    assert source.count(THEOREM) == 1
    with_text(compiled, root, name, source.replace(THEOREM, text))
    coq.compile_file(root / name, root)
    return ask([theorem], root)[theorem.name], theorem, not ties.check_ties([(claim, variant)], root)


THEOREM = "Theorem retnet : commutative (@times K) -> forall w, score retnet_automaton w = retnet_output w."
LEMMA = THEOREM.replace("Theorem retnet", "Lemma retnet_is")
WEAKENED = {
    "it says x = x": f"Theorem retnet (x : nat) : x = x.\nProof. by []. Qed.\n{LEMMA}",
    "an indented hypothesis": (
        f"Section Inner.\n  Hypothesis wrong : forall a b : K, a = b.\n{THEOREM}\n"
        f"Proof. by move=> _ w; exact: wrong. Qed.\nEnd Inner.\n{LEMMA}"
    ),
    "another network": (
        THEOREM.replace("= retnet_output w", "= score retnet_automaton w") + f"\nProof. by []. Qed.\n{LEMMA}"
    ),
}
"""Replacements for the theorem about retention; its original proof becomes the proof of a lemma."""


@pytest.mark.parametrize("weakened", WEAKENED)
def test_a_theorem_that_is_weakened_is_refused_twice(weakened, compiled, tmp_path):
    """The weakened statement differs from the stored one and, even if it were stored, would not imply the
    claim.
    """
    answer, theorem, tied = planted(WEAKENED[weakened], compiled, tmp_path / "coq")
    assert "differs from statements.txt" in answer.problem(theorem)
    assert not tied


def test_every_theorem_is_tied_to_its_claim(compiled):
    assert ties.untied(compiled) == set()


def test_the_derived_proposition_is_about_the_executed_terms():
    """The proposition that is derived for a claim uses a definition that the claim's terms use.

    If the claim's theorem is a refutation, the proposition is a negation.
    """
    for claim, variant in ties.tied_variants():
        theorem = variant.theorem
        assert theorem is not None
        statement = ties.statement(variant)
        assert "not (" in statement or not theorem.refutes, claim.name
        terms = f"{theorem.network} {theorem.automaton} {theorem.score}"
        words = set(re.findall(r"[a-z]\w{3,}", re.sub(r"\{[^{}]*\}", "", terms)))
        assert words & set(re.findall(r"\w+", statement)), claim.name
