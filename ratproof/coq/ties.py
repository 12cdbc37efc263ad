"""Each theorem, tied to its claim: Coq checks that it gives what the claim says of the very terms that are run.

A theorem whose statement is weakened, that has one hypothesis more, or that is about another automaton, does
not give it.
"""

from __future__ import annotations

import re

from ratproof.coq.bond import some_cases
from ratproof.coq.evaluation import COMPUTED, placeholder_values
from ratproof.coq.sources import requirements
from ratproof.coq.terms import PLACEHOLDER, quantify, variable_name
from theory.claim import Variant
from theory.theorem import Theorem

PRELUDE = """\
From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances fractions evaluation.

Ltac side := first [ eassumption | solve [ intros; first [
    eassumption
  | exact rationals_commute | exact rational_max_plus_commutes | exact rational_max_times_commutes
  | apply of_ring_commutes | apply max_plus_commutes | apply max_times_commutes
  | exact rationals_nontrivial | lazymatch goal with |- is_true _ => exact (erefl true) end | discriminate ] ] ].
Ltac holds thm := cbv beta zeta; intros; solve [
    eapply thm; side
  | symmetry; eapply thm; side
  | etransitivity; [ | solve [ eapply thm; side ] ]; reflexivity ].
Ltac from_all H := intros; first [
    eapply eq_trans; [ eapply H; side | reflexivity ]
  | eapply H | symmetry; eapply H
  | eapply eq_trans; [ | eapply eq_trans; [ eapply H | ] ]; [ reflexivity | .. | reflexivity ] ].
Ltac refuted thm := first [ exact thm | cbv beta zeta; intros; let H := fresh "H" in intro H; solve [
    eapply thm; [ .. | solve [ from_all H; side ] ]; side
  | eapply thm; [ .. | from_all H ]; side ] ].
"""


def statement(variant: Variant) -> str:
    """Return what the claim says of the theorem's terms, as a Coq proposition."""
    theorem = variant.theorem
    assert theorem is not None
    said = _as_recorded(theorem) if theorem.claims else _for_all_weights(variant, theorem)
    return said


def _automaton(theorem: Theorem) -> str:
    """Return the term of the automaton's score."""
    if not theorem.automaton:
        return theorem.score
    return f"{{score}} ({theorem.automaton}) {'{letters}' if '{letters}' in theorem.network else '{word}'}"


def _as_recorded(theorem: Theorem) -> str:
    said = theorem.claims.replace("{network}", f"({theorem.network})")
    said = said.replace("{automaton}", f"({_automaton(theorem)})")
    return PLACEHOLDER.sub(variable_name, said)


def _for_all_weights(variant: Variant, theorem: Theorem) -> str:
    case = some_cases(variant)[-1]
    over = theorem.proved_over or theorem.over
    sides = f"{''.join(f'({g}) -> ' for g in theorem.given)}({_automaton(theorem)}) = ({theorem.network})"
    marked = re.sub(r"\{(word|letters|unit)\}", r"<\1>", sides)
    texts = {name: name for name in COMPUTED} | {"over": over}
    values, marked = placeholder_values(theorem, case, marked, texts)
    own = {
        "word": "seq nat",
        "letters": f"seq 'I_{len(case.alphabet)}",
        "unit": f"'I_{_units(variant, case)}",
    }
    term, types = quantify(marked, values, over)
    types |= {name: kind for name, kind in own.items() if f"<{name}>" in term}
    binders = " ".join(f"({name} : {kind})" for name, kind in types.items())
    body = re.sub(r"<(word|letters|unit)>", r"\1", term)
    return f"forall {binders}, {body}"


def _units(variant: Variant, case: object) -> int:
    recurrence = variant.equality.recurrence
    return len(recurrence.out(case, recurrence.start(case)))


def commands(number: int, variant: Variant) -> list[str]:
    """Return the commands that check one theorem, in a module of its own."""
    theorem = variant.theorem
    assert theorem is not None
    module = "ratproof." + theorem.name.rpartition(".")[0]
    tactic = "refuted" if theorem.refutes else "holds"
    return [
        f"Module Tie{number}.",
        *requirements(module),
        f"Import {module}.",
        f"Goal {statement(variant)}.",
        f"Proof. {tactic} @ratproof.{theorem.name}. Qed.",
        f"End Tie{number}.",
    ]
