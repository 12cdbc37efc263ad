"""Tests that a claim is refuted if the network and the automaton compute a gate by different formulas."""

from dataclasses import replace
from fractions import Fraction

import pytest

from proofs_tests.breaks import put
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.implementation import ExactRecurrence
from ratproof.ladder.rungs.sampled import sampled
from theory.linear_recurrences import longhorn, mamba_theorem_1, min_lstm, rg_lru
from theory.registry import claim_named

PRINTED = {
    "longhorn": (longhorn.LAYER, longhorn.CASES),
    "min-lstm": (min_lstm.LAYER, min_lstm.CASES),
    "rg-lru": (rg_lru.LAYER, rg_lru.CASES),
}
NETWORKS = [
    ("longhorn", "delta is beta", {"delta": lambda w, x: w.beta[x]}),
    ("longhorn", "no beta below", {"delta": lambda w, x: w.beta[x] / (1 + longhorn.square(w, x))}),
    (
        "longhorn",
        "|k| for |k|^2",
        {"delta": lambda w, x: w.beta[x] / (1 + w.beta[x] * sum(map(abs, w.k[x])))},
    ),
    (
        "min-lstm",
        "gates exchanged",
        {"f_part": min_lstm.LAYER.printed["i_part"], "i_part": min_lstm.LAYER.printed["f_part"]},
    ),
    ("min-lstm", "f not normalised", {**min_lstm.LAYER.printed, "f_part": lambda w, x: w.f[x]}),
    ("rg-lru", "no root", {"m": lambda w, x: 1 - w.a[x] ** 2}),
    ("rg-lru", "the complement", {"m": lambda w, x: 1 - w.a[x]}),
]
AUTOMATA = [
    ("longhorn", "delta", lambda w, x: w.beta[x]),
    ("min-lstm", "f_part", min_lstm.LAYER.printed["i_part"]),
    ("min-lstm", "i_part", min_lstm.LAYER.printed["f_part"]),
    ("rg-lru", "m", lambda w, x: 1 - w.a[x] ** 2),
    ("mamba-theorem-1", "z", lambda w, x: 1 / (1 + w.e_z[x])),
    ("mamba-theorem-1", "Delta", lambda w, x: 1 + mamba_theorem_1.softplus(w, x)),
    ("mamba-theorem-1", "decay", lambda w, x: Fraction(2) ** w.Delta[x]),
    ("mamba-theorem-1", "held", lambda w, x: w.Delta[x]),
]


def assert_refuted(claim):
    changed = claim_named(claim)
    with pytest.raises(Disagreement):
        sampled(changed, changed.variant("corrected"), ExactRecurrence(), changed.effort)


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(
    ("claim", "formulas"),
    [(claim, wrong) for claim, _, wrong in NETWORKS],
    ids=[" ".join(n[:2]) for n in NETWORKS],
)
def test_a_wrong_formula_of_the_network_is_refuted(monkeypatch, claim, formulas):
    layer = replace(PRINTED[claim][0], printed=formulas)
    put(monkeypatch, claim, "corrected", recurrence=lambda _: layer.recurrence)
    assert_refuted(claim)


def derived(cases, name, formula):
    """Return the cases in which the weight ``name`` is derived by another formula."""
    if not hasattr(cases, "entries"):
        return replace(cases, of=lambda size: derived(cases.of(size), name, formula))
    entries = (replace(e, derived=formula) if e.name == name else e for e in cases.entries)
    return replace(cases, entries=tuple(entries))


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("claim", "name", "formula"), AUTOMATA, ids=[" ".join(a[:2]) for a in AUTOMATA])
def test_a_wrong_formula_of_the_automaton_is_refuted(monkeypatch, claim, name, formula):
    cases = PRINTED[claim][1] if claim in PRINTED else mamba_theorem_1.CASES
    put(monkeypatch, claim, "corrected", cases=lambda _: derived(cases, name, formula).random)
    assert_refuted(claim)
