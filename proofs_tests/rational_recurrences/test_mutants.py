"""Tests that mutations of rational recurrences are refuted or leave something unproved."""

from dataclasses import replace

import pytest

from automata import paths
from automata.viterbi import viterbi
from ratproof.evidence.counterexample import Disagreement
from ratproof.ladder.rungs.exhausted import exhaust
from ratproof.ladder.rungs.proved import NotProved, prove
from theory import registry
from theory.rational_recurrences import closed_sums, cnn_max_pooled, sopa
from theory.registry import claim_named


def test_back_tracing_that_loses_the_first_transition_is_refuted(monkeypatch):
    def without_first(automaton, string):
        best = viterbi(automaton, string)
        if best is None:
            return automaton.semiring.zero
        return paths.path_score(automaton, (best.start, best.edges[1:] or best.edges))

    claim = claim_named("back-tracing")
    broken = claim.variant("corrected").changed(algorithm=closed_sums.of_string(without_first))
    monkeypatch.setitem(registry._registered, claim.name, replace(claim, variants=(broken,)))
    with pytest.raises(Disagreement):
        exhaust("back-tracing", broken, longest=3)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("left_out", sopa.left_out_once),
        ("left_out_once", sopa.left_out),
        ("read", lambda w, h, x: tuple(w.over.times(v, s) for v, s in zip(h, w.s[x], strict=True))),
    ],
)
def test_another_soft_pattern_is_refuted_and_not_proved(monkeypatch, name, wrong):
    claim = claim_named("sopa")
    variant = claim.variant("corrected-one-epsilon" if name == "left_out_once" else "corrected")
    if name == "read":
        monkeypatch.setattr(sopa, name, wrong)
    else:
        variant = variant.changed(recurrence=sopa.soft_pattern(wrong))
        monkeypatch.setitem(registry._registered, "sopa", replace(claim, variants=(variant,)))
    with pytest.raises(Disagreement):
        exhaust("sopa", variant, longest=3)
    if variant.proof is not None:
        with pytest.raises(NotProved):
            prove(variant)


def test_a_reversed_filter_is_refuted_and_not_proved(monkeypatch):
    claim = claim_named("cnn-max-pooled")
    turned = lambda w: cnn_max_pooled.chain(
        replace(w, entries={**w.entries, "f": {x: f[::-1] for x, f in w.f.items()}})
    )
    variant = claim.variant("corrected").changed(construction=turned)
    monkeypatch.setitem(registry._registered, claim.name, replace(claim, variants=(variant,)))
    with pytest.raises(Disagreement):
        exhaust(claim.name, variant, longest=3)
    with pytest.raises(NotProved):
        prove(variant)


@pytest.mark.parametrize("name", ["corrected", "corrected-equation-6", "corrected-equation-13"])
def test_a_closed_sum_without_its_last_term_is_refuted(monkeypatch, name):
    closed_sum = closed_sums.closed_sum
    monkeypatch.setattr(closed_sums, "closed_sum", lambda k, u, f, string: closed_sum(k, u, f, string[:-1]))
    with pytest.raises(Disagreement):
        exhaust("closed-sums", claim_named("closed-sums").variant(name), longest=3)
