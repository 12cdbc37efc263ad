"""Derivation of each claim from its theorem, checked by Coq.

The statement is built from the claim's record (:class:`~theory.theorem.Theorem`). It uses the same terms that
:mod:`ratproof.coq.bond` runs on numbers, with a variable for each weight. A theorem does not imply this
statement if it is weaker, has another hypothesis, or is about another network or automaton.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ratproof.coq.bond import some_cases
from ratproof.coq.evaluation import placeholder_values
from ratproof.coq.programs import output_of
from ratproof.coq.sources import requirements
from ratproof.coq.terms import PLACEHOLDER, quantify, variable_name
from theory.claim import Claim, Variant
from theory.registry import claims
from theory.theorem import Theorem

PRELUDE = """\
From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances fractions evaluation.

(* Discharge a premise: from the context, by a law of the semiring, or by computation. *)
Ltac premise := first [ eassumption | solve [ intros; first [
    eassumption
  | exact rationals_commute | exact rational_max_plus_commutes | exact rational_max_times_commutes
  | apply of_ring_commutes | apply max_plus_commutes | apply max_times_commutes
  | lazymatch goal with |- is_true _ => exact (erefl true) end
  | discriminate ] ] ].

(* Close the goal with the theorem or its mirror image, up to definitions on the left. *)
Ltac holds thm := cbv beta zeta; intros; solve [
    eapply thm; premise
  | symmetry; eapply thm; premise
  | etransitivity; [ | solve [ eapply thm; premise ] ]; reflexivity ].

(* Refute the goal with the theorem, or with its counterexample to H. *)
Ltac counterexample H := intros; first [
    eapply eq_trans; [ eapply H; premise | reflexivity ]
  | eapply H
  | symmetry; eapply H
  | eapply eq_trans; [ | eapply eq_trans; [ eapply H | ] ]; [ reflexivity | .. | reflexivity ] ].
Ltac refuted thm := first [ exact thm | cbv beta zeta; intros; let H := fresh "H" in intro H; solve [
    eapply thm; [ .. | solve [ counterexample H; premise ] ]; premise
  | eapply thm; [ .. | counterexample H ]; premise ] ].
"""
DEFINITIONS = {
    "score": "ratproof.automaton.score",
    "epsilon_score": "ratproof.paths.epsilon_score",
    "sampled": "ratproof.state_regularized.theorem_3_1.sampled",
}
"""The definitions in theorems, which :data:`~ratproof.coq.evaluation.COMPUTED` replaces for evaluation."""
SIDES = ("network", "automaton")
MARK = "tied "


def tied_variants() -> list[tuple[Claim, Variant]]:
    """Return the variants that Coq must derive from their theorems: all without a reason in ``untied``."""
    return [
        (claim, variant)
        for claim in claims().values()
        for variant in claim.variants
        if variant.theorem is not None and not variant.theorem.untied
    ]


@cache
def untied(root: Path) -> set[tuple[str, str]]:
    """Return the variants that their theorems do not imply, in a compiled development."""
    return check_ties(tied_variants(), root)


def check_ties(variants: list[tuple[Claim, Variant]], root: Path) -> set[tuple[str, str]]:
    """Return the variants that their theorems do not imply.

    Raises:
        Rejected: If a term of a claim uses a name that the development does not define.
    """
    modules = dict.fromkeys(_module(variant) for _, variant in variants)
    lines = [PRELUDE, *(f"Require {module}." for module in modules)]
    for number, (_, variant) in enumerate(variants):
        lines += _commands(number, variant)
    tied = {int(number) for number in re.findall(rf"{MARK}(\d+)", output_of("\n".join(lines) + "\n", root))}
    return {(claim.name, v.name) for number, (claim, v) in enumerate(variants) if number not in tied}


def statement(variant: Variant) -> str:
    """Return the statement of a variant as a Coq proposition about the terms of its theorem."""
    theorem = variant.theorem
    assert theorem is not None
    return _as_recorded(theorem) if theorem.claims else _for_all_weights(variant, theorem)


def _module(variant: Variant) -> str:
    assert variant.theorem is not None
    return "ratproof." + variant.theorem.name.rpartition(".")[0]


def _commands(number: int, variant: Variant) -> list[str]:
    """Return the Coq commands that print a mark with ``number`` if the theorem implies the statement."""
    theorem, module = variant.theorem, _module(variant)
    assert theorem is not None
    tactic = "refuted" if theorem.refutes else "holds"
    return [
        f"Module Tie{number}.",
        *requirements(module),
        f"Import {module}.",
        "Goal True. Proof. tryif (let proof := constr:(ltac:("
        f"{tactic} @ratproof.{theorem.name}) : {statement(variant)}) in pose proof proof)"
        f' then idtac "{MARK}{number}" else idtac. exact I. Qed.',
        f"End Tie{number}.",
    ]


def _automaton(theorem: Theorem) -> str:
    """Return the Coq term of the automaton's score."""
    if not theorem.automaton:
        return theorem.score
    return f"{{score}} ({theorem.automaton}) {'{letters}' if '{letters}' in theorem.network else '{word}'}"


def _equal(left: str, right: str) -> str:
    """Return a Coq equation, written so that no file's notations can change its meaning."""
    return f"@Coq.Init.Logic.eq _ ({left}) ({right})"


def _as_recorded(theorem: Theorem) -> str:
    sides = {"network": theorem.network, "automaton": _automaton(theorem)}
    text = theorem.claims
    for left, right in (SIDES, SIDES[::-1]):
        text = text.replace(f"{{{left}}} = {{{right}}}", _equal(sides[left], sides[right]))
    for side, term in sides.items():
        text = text.replace(f"{{{side}}}", f"({term})")
    return PLACEHOLDER.sub(lambda match: DEFINITIONS.get(match[1]) or variable_name(match), text)


def _for_all_weights(variant: Variant, theorem: Theorem) -> str:
    case = some_cases(variant)[-1]
    over = theorem.proved_over or theorem.over
    hypotheses = "".join(f"({hypothesis}) -> " for hypothesis in theorem.hypotheses)
    equation = hypotheses + _equal(_automaton(theorem), theorem.network)
    values, text = placeholder_values(
        theorem, case, re.sub(r"\{(word|letters|unit)\}", r"<\1>", equation), {**DEFINITIONS, "over": over}
    )
    recurrence = variant.reading.recurrence
    units = len(recurrence.out(case, recurrence.start(case)))
    own = {"word": "seq nat", "letters": f"seq 'I_{len(case.alphabet)}", "unit": f"'I_{units}"}
    term, types = quantify(text, values, over)
    types |= {name: kind for name, kind in own.items() if f"<{name}>" in term}
    binders = " ".join(f"({name} : {kind})" for name, kind in types.items())
    return f"forall {binders}, " + re.sub(r"<(word|letters|unit)>", r"\1", term)
