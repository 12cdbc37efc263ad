"""Tests that Coq rejects wrong hypotheses of the theorems about networks of one unit and low temperatures."""

import re

import pytest

from proofs_tests.coq.conftest import Session, require_libraries
from ratproof.coq import reals

THEORY = reals.NOT_RATIONAL
FILES = dict.fromkeys((*THEORY.files, *reals.LOWER_BOUND.files, *reals.LOW_TEMPERATURES.files))
BROKEN = {
    "gates": {
        "absolute values are gates": (
            "| gates_sigmoid f : made_of_gates f -> made_of_gates (fun x => sigmoid (f x)).",
            "| gates_sigmoid f : made_of_gates f -> made_of_gates (fun x => Rabs (f x)).",
        ),
        "denominators may be 0": ("smooth f -> (forall x, f x <> 0) -> smooth", "smooth f -> smooth"),
        "flat only once": (
            "Definition flat f p := forall k, vanish k f p.",
            "Definition flat f p := vanish 2 f p.",
        ),
    },
    "orbits": {
        "phi may be unbounded": ("(far : stays_bounded phi)", "(far : True)"),
        "the orbit may repeat": ("(apart : forall m n, c m = c n -> m = n)", "(apart : True)"),
        "the orbit may be unbounded": ("(bounded : forall n, Rabs (c n) <= M)", "(bounded : True)"),
        "the orbit may return after two steps": (
            "c 2%nat <> c 0%nat -> forall",
            "c 1%nat <> c 0%nat -> forall",
        ),
    },
    "not_rational": {
        "the field need not contain the real numbers": ("    contains_reals of_real -> ~", "    ~"),
        "phi may be constant somewhere": (
            "strictly_monotone (fun t => low <= t <= high) (next^~ x) ->\n  low",
            "strictly_monotone (fun t => low < t < low) (next^~ x) ->\n  low",
        ),
    },
    "real_factors": {
        "the map need not be additive": (
            "(forall x y, of_real (Rplus x y) = (of_real x + of_real y)%R)",
            "(forall x y, of_real (Rplus x y) = of_real (Rplus y x))",
        )
    },
    "terms": {
        "the diagonal need not dominate": ("(x <? 2 * y)%Z", "(x <? 3 * y)%Z"),
        "the least absolute value is too large": (
            "Z.max (fst ends) (- snd ends)",
            "Z.max (snd ends) (- fst ends)",
        ),
        "tanh has the enclosure of the sigmoid": ("tanh_of bits (enclosure", "sigmoid_of bits (enclosure"),
    },
    "lower_bound": {
        "one state more": ("-> (size prefixes <= card Q)%N.", "-> (size prefixes < card Q)%N."),
        "a bound without the checker": (
            "  check bits C numbers unit prefixes suffixes inverse = true ->\n",
            "  ",
        ),
    },
    "one_unit": {
        "an Elman network without its nonlinearity": (
            "run (fun c x => tanh (u * c + v x)) c_0 w",
            "run (fun c x => u * c + v x) c_0 w",
        ),
        "an Elman network that may not read its state": ("first x : u <> 0 -> elman", "first x : elman"),
        "an Elman network that may return": (
            "elman (first ++ [:: x; x]) <> elman first ->",
            "elman (first ++ [:: x]) <> elman first ->",
        ),
        "an SRU that may not read its state": (
            "first x : v <> 0 -> gated_feedback",
            "first x : gated_feedback",
        ),
        "an SRU that may be constant": ("gated_feedback first <> u x -> no", "u x <> 0 -> no"),
        "a GRU whose update gate may not read its state": ("first x : u_z <> 0 ->\n", "first x :\n"),
    },
    "dropped_hypotheses": {
        "the weight of an Elman network's state is 0": ("rational u : u <> 0 -> ~", "rational u : ~"),
        "the weight of a gate's state is 0": ("rational w : w <> 0 -> ~", "rational w : ~"),
        "the weight of a GRU's state is 0": ("rational u_z : u_z <> 0 ->\n", "rational u_z :\n"),
        "a GRU that does not use its update gate": ("rational (gru u_r u_z u_m", "rational (gru u_r 0 u_m"),
        "a hidden unit without its sigmoid": (
            "run (fun h x => sigmoid (r * h + z x)) 0 w",
            "run (fun h x => r * h + z x) 0 w",
        ),
    },
    "low_temperatures": {
        "similarities may be equal": (
            "j != delta i x -> b i x j < b i x (delta i x)",
            "j != delta i x -> b i x j <= b i x (delta i x)",
        ),
        "the gap may be negative": ("  0 < gap -> (forall q", "  (forall q"),
        "the temperature may be negative": ("is_exp e -> 0 < tau ->", "is_exp e -> tau < 0 ->"),
        "each word has a temperature": (
            "exists2 tau, 0 < tau & forall w, 2^-1",
            "forall w, exists2 tau, 0 < tau & 2^-1",
        ),
    },
}
"""Changes of each file's text that make a theorem false or break its proof."""


@pytest.fixture(scope="module")
def session(compiled):
    """Return a process of Coq that has run the theories, each file as a module."""
    require_libraries(reals.LOWER_BOUND, reals.EXPONENTIAL)
    session = Session("\n".join(map(reals.inline_module, FILES)), compiled)
    yield session
    session.close()


def text_of(name: str) -> str:
    """Return the text of a file, whose imports are modules of the session.

    Their names are qualified, because libraries have modules with the same names, such as ``functions``.
    """

    def qualified(imports: re.Match[str]) -> str:
        return " ".join(f"Top.{module}" if module in FILES else module for module in imports[0].split(" "))

    text = reals.inline_module(name).partition("\n")[2].removesuffix(f"End {name}.\n")
    return re.sub(r"^Import .*(?=\.$)", qualified, text, flags=re.MULTILINE)


def test_coq_rejects_a_broken_file(session):
    accepted = []
    for name, changes in BROKEN.items():
        text = text_of(name)
        for change, (before, after) in changes.items():
            assert text.count(before) == 1
            if session.accepts(text.replace(before, after)):
                accepted.append(change)
    assert accepted == []
    assert [name for name in BROKEN if not session.accepts(text_of(name))] == []


INSTANCE = """
From Coq Require Import Reals Lra.
From mathcomp Require Import all_ssreflect ssralg.
From ratproof Require Import semiring sums automaton instances.
Import one_unit.
Open Scope R_scope.

Theorem instance (F : fieldType) (of_real : R -> F) n (A : wfa (of_ring F) bool_eqType (place n)) :
  of_real 1 = GRing.one F -> (forall x y, of_real (x + y) = GRing.add (of_real x) (of_real y)) ->
  (forall x y, of_real (x * y) = GRing.mul (of_real x) (of_real y)) ->
  ~ forall w, score A w = of_real (foldl (fun c x => tanh (-3 * c + if x then 5 else 0)) 0 w).
Proof.
move=> one plus times; pose v (x : bool) := if x then 5 else 0.
apply: (@elman_is_no_automaton bool_eqType (-3) v 0 [::] true) => //; first lra.
rewrite /elman /= => two; have tanh0 : tanh 0 = 0 by rewrite /tanh /sinh Ropp_0 exp_0; lra.
have c1 := tanh_between (-3 * 0 + 5); have := @tanh_increasing 0 (-3 * tanh (-3 * 0 + 5) + 5); lra.
Qed.
Print Assumptions instance.
"""


def test_a_network_of_given_weights_is_no_automaton(session):
    """The statement is about score and foldl only, so it does not depend on the definitions of the theory."""
    assert reals.printed_axioms(session.run(INSTANCE)) == [set(reals.AXIOMS)]


def test_the_real_numbers_are_a_field_that_contains_the_real_numbers(session):
    text = """From mathcomp Require Import all_ssreflect ssralg.
From mathcomp.analysis Require Import Rstruct.
From Coq Require Import Reals.
Import real_factors.
Lemma field_exists : @contains_reals [fieldType of R] id. Proof. by []. Qed.
"""
    session.run(text)


def test_each_file_is_compiled_by_prove():
    files = {file.stem for file in reals.source_folder().glob("*.v")}
    assert files == {name for real_theory in reals.THEORIES for name in real_theory.files}
