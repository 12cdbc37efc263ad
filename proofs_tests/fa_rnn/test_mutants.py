"""Tests that mutations of FA-RNN claims are refuted or leave something unproved."""

import pytest

from ratproof.evidence.counterexample import Disagreement
from ratproof.ladder.rungs.exhausted import exhaust
from ratproof.ladder.rungs.proved import NotProved, prove
from theory.fa_rnn import eq_6, eq_9, eq_10, gru_start, soft_logic, viterbi
from theory.fa_rnn.shared import networks
from theory.registry import claim_named


def swapped_factors(of, j):
    """Return component j of equation 5 with D_1 and D_2 exchanged."""
    inside = lambda s: of.sum(lambda i: of.times(of.at("h", i), of.at("D_2", i, s)))
    return of.sum(lambda s: of.times(of.times(inside(s), of.at("v", s)), of.at("D_1", j, s)), "r")


@pytest.mark.parametrize(
    ("module", "function", "wrong", "claim"),
    [
        (networks, "place_5", swapped_factors, "fa-rnn-eq-5"),
        (
            networks,
            "place_4",
            lambda of, j: of.sum(lambda i: of.times(of.at("h", i), of.at("T", j, i))),
            "fa-rnn-eq-4",
        ),
        (
            networks,
            "a",
            lambda of, s: of.sum(lambda i: of.times(of.at("h", i), of.at("D_1", i, s))),
            "fa-rnn-eq-5",
        ),
        (
            eq_10,
            "within",
            lambda of, name, row, i, column, s: of.at(name + row, i, s) if row == column else of.one,
            "fa-rnn-eq-10",
        ),
        (eq_9, "state_after_first", eq_9.state_before_first, "fa-rnn-eq-9"),
    ],
    ids=[
        "factors turned round",
        "matrices turned round",
        "no word",
        "ones between the blocks",
        "unfolded the other way",
    ],
)
def test_another_step_is_not_proved(monkeypatch, module, function, wrong, claim):
    monkeypatch.setattr(module, function, wrong)
    variant = claim_named(claim).variant("corrected")
    if function == "state_after_first":
        variant = variant.changed(construction=eq_9.reconstructed(wrong))
    with pytest.raises(NotProved):
        prove(variant)


def shares_exchanged(of, s):
    turned = of.sum(lambda d: of.times(of.at("u", d), of.at("G", d, s)), "D")
    return of.plus(of.times(eq_6.rest(of), of.at("v", s)), of.times(of.at("beta"), turned))


def one_share_for_both(of, s):
    turned = of.sum(lambda d: of.times(of.at("u", d), of.at("G", d, s)), "D")
    return of.times(of.at("beta"), of.plus(of.at("v", s), turned))


@pytest.mark.parametrize("wrong", [shares_exchanged, one_share_for_both])
def test_another_mixture_of_equation_6_is_refuted_and_not_proved(monkeypatch, wrong):
    variant = claim_named("fa-rnn-eq-6").variant("corrected")
    monkeypatch.setattr(eq_6, "row", wrong)
    with pytest.raises(Disagreement):
        exhaust("fa-rnn-eq-6", variant, longest=2)
    with pytest.raises(NotProved):
        prove(variant)


@pytest.mark.parametrize("size", [networks.any_size_4, networks.any_size_5, eq_10.any_size])
def test_symbolic_sizes_are_not_proved_for_another_step(monkeypatch, size):
    """The identities for symbolic sizes hold, and no identity holds after the steps were changed."""
    assert all(identity.holds for identity in size())
    for module, name in ((networks, "of_factors"), (eq_10, "of_factors")):
        monkeypatch.setattr(module, name, lambda of, i, j: of.times(of.at("D_1", i, 1), of.at("D_2", j, 1)))
    monkeypatch.setattr(
        networks, "place_4", lambda of, j: of.sum(lambda i: of.times(of.at("h", i), of.at("T", j, i)))
    )
    assert not any(identity.holds for identity in size())


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        (
            "least_gate",
            lambda w, now, x: (
                gru_start.sigma(gru_start.ball(w.b)) if w.b else gru_start.sigma(gru_start.ball(30))
            ),
        ),
        ("gated_step", lambda w, h, first, table, x: gru_start.times(tuple(2 * v for v in h), table)),
    ],
    ids=["a bound that forgets what gates read", "another network"],
)
def test_a_wrong_bound_is_refuted(monkeypatch, function, wrong):
    monkeypatch.setattr(gru_start, function, wrong)
    with pytest.raises(Disagreement):
        exhaust("fa-rnn-gru-start", claim_named("fa-rnn-gru-start").variant("corrected"), longest=3)


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("disjunction", lambda values: values[0] if len(values) == 1 else sum(values)),
        ("conjunction", lambda values: values[0] if len(values) == 1 else max(0, sum(values) - len(values))),
        ("negation", lambda a: -a),
    ],
)
def test_another_connective_is_refuted(monkeypatch, function, wrong):
    monkeypatch.setattr(soft_logic, function, wrong)
    with pytest.raises(Disagreement):
        exhaust("fa-rnn-soft-logic", claim_named("fa-rnn-soft-logic").variant("corrected"), longest=2)


@pytest.mark.parametrize(
    "wrong",
    [lambda values: sum(values), lambda values: min(1, sum(values[:2]))],
    ids=["a sum", "of two only"],
)
def test_another_nested_or_is_refuted(monkeypatch, wrong):
    monkeypatch.setattr(soft_logic, "nested_disjunction", wrong)
    with pytest.raises(Disagreement):
        exhaust("fa-rnn-soft-logic", claim_named("fa-rnn-soft-logic").variant("corrected-nested"), longest=2)


def test_nested_ors_of_counts_are_right_with_a_single_minimum(monkeypatch):
    """With a single minimum instead of nested minima, all cases agree.

    The nesting therefore caused the refutation.
    """
    monkeypatch.setattr(soft_logic, "nested_disjunction", soft_logic.disjunction)
    exhaust("fa-rnn-soft-logic", claim_named("fa-rnn-soft-logic").variant("printed-nested"), longest=3)


def test_factors_over_maxima_and_products_are_right(monkeypatch):
    """With factors of the tensor over max-times, all cases agree, so the semiring of the factors caused the
    refutation.
    """
    of_maxima = lambda w: {
        x: tuple(
            tuple(max(d * n * e for d, n, e in zip(row, w.v[x], column, strict=True)) for column in w.D_2)
            for row in w.D_1
        )
        for x in w.alphabet
    }
    monkeypatch.setattr(viterbi, "rebuilt", of_maxima)
    exhaust("fa-rnn-viterbi", claim_named("fa-rnn-viterbi").variant("printed-factors"), longest=3)
