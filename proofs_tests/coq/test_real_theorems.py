"""Tests that theorems over the real numbers have their axioms and stored statements, and imply the claims."""

import re
from dataclasses import replace

import pytest

from proofs_tests.coq.conftest import require_libraries
from ratproof.coq import reals
from ratproof.coq.real_theorems import ask_theories, ask_theory, real_statements, real_variants, theory_of
from ratproof.coq.sources import kept_statements

NAMED = sorted({theorem.name for theorem in real_variants().values()})


@pytest.mark.parametrize("group", reals.TOGETHER, ids=lambda group: group[-1].files[-1])
def test_each_theorem_is_accepted_and_implies_its_claims(group, compiled):
    require_libraries(*group)
    answer = ask_theories(group, compiled)
    names = [name for real_theory in group for name in real_theory.theorems]
    assert {name: answer.problem(name) for name in names} == dict.fromkeys(names, "")
    assert answer.tied == {key for key, theorem in real_variants().items() if theorem.name in names}


def test_every_statement_is_stored():
    listed = [name for real_theory in reals.THEORIES for name in real_theory.theorems]
    assert list(kept_statements(reals.source_folder())) == listed


@pytest.mark.parametrize("name", NAMED)
def test_each_theorem_of_a_claim_exists_and_has_a_description(name):
    assert re.match(r"(?!and |or |but ).*\.$", real_statements()[name].says) and theory_of(name)


ELMAN = (
    "Theorem elman_networks_are_not_rational u : u <> 0 ->"
    " ~ forall (S : eqType) (v : S -> R), rational (elman u v 0)."
)
BOUND = "Proof. by move=> _ positive leads; apply: theorem_3_2_bound. Qed."
SECTION = "Section Network."
RATIONAL = "contains_reals of_real /\\ forall w, score A w = of_real (unit w)."
NO_AUTOMATON = "Proof. by move=> no [F [of_real [Q [A [field scores]]]]]; apply: (no F of_real Q A). Qed."
TRIVIAL = "Proof. by move=> _ [F [of_real [Q [A []]]]]. Qed."
SAME = (
    "by move=> fg [F [of_real [Q [A [field scores]]]]]; exists F, of_real, Q, A; split=> // w; rewrite -fg."
)
WEAKENED = {
    "it says nothing": (
        "dropped_hypotheses.elman_networks_are_not_rational",
        {
            ELMAN: "Theorem elman_networks_are_not_rational u : u <> 0 -> u <> 0.\nProof. by []. Qed.\n"
            + ELMAN.replace("Theorem elman_networks", "Lemma elman_units")
        },
    ),
    "it has a hypothesis": (
        "low_temperatures.following_is_at_least",
        {SECTION: f"{SECTION}\nVariable wrong : False.", BOUND: "Proof. by case: wrong. Qed."},
    ),
    "it has an axiom": (
        "low_temperatures.following_is_at_least",
        {SECTION: f"Axiom wrong' : False.\n{SECTION}", BOUND: "Proof. by case: wrong'. Qed."},
    ),
    "it has unguarded recursion": (
        "low_temperatures.following_is_at_least",
        {
            SECTION: f"#[bypass_check(guard)] Fixpoint wrong (n : nat) : False := wrong n.\n{SECTION}",
            BOUND: "Proof. by case: (wrong 0%N). Qed.",
        },
    ),
    "its definition is weaker, and its file prints marks": (
        "dropped_hypotheses.elman_networks_are_not_rational",
        {
            RATIONAL: f"False /\\ {RATIONAL}",
            NO_AUTOMATON: f'{TRIVIAL}\nGoal True. idtac "0". idtac "1". Abort.',
            SAME: "by move=> _ [F [of_real [Q [A []]]]].",
        },
    ),
    "its file defines a name of the claim": (
        "dropped_hypotheses.elman_networks_are_not_rational",
        {
            "(* Some automaton, over": (
                "Definition contains_reals (F : fieldType) (of_real : R -> F) : Prop := False.\n"
                "(* Some automaton, over"
            ),
            NO_AUTOMATON: TRIVIAL,
        },
    ),
}
"""Theorems, each with changes of its file that keep the theorem's name."""


@pytest.mark.parametrize("case", WEAKENED)
def test_a_weakened_theorem_is_refused(case, compiled, tmp_path, monkeypatch):
    name, changes = WEAKENED[case]
    real_theory, stored = replace(theory_of(name), theorems=(name,)), real_statements()
    for file in real_theory.files:
        text = (reals.source_folder() / f"{file}.v").read_text()
        for before, after in changes.items() if name.startswith(f"{file}.") else ():
            assert text.count(before) == 1
            text = text.replace(before, after)
        (tmp_path / f"{file}.v").write_text(text)
    monkeypatch.setattr(reals, "source_folder", lambda: tmp_path)
    monkeypatch.setattr("ratproof.coq.real_theorems.real_statements", lambda: stored)
    require_libraries(real_theory)
    answer = ask_theories.__wrapped__((real_theory,), compiled)
    implied = {key for key, theorem in real_variants().items() if theorem.name == name} & answer.tied
    assert answer.problem(name) or not implied


def test_a_theorem_with_fewer_axioms_than_listed_is_refused(compiled, monkeypatch):
    require_libraries(reals.RUNNING_BOUND)
    answer = ask_theory(reals.RUNNING_BOUND, compiled)
    (name,) = reals.RUNNING_BOUND.theorems
    monkeypatch.setattr(reals, "THEORIES", (replace(reals.RUNNING_BOUND, axioms=reals.AXIOMS),))
    assert "has assumptions" in answer.problem(name)
