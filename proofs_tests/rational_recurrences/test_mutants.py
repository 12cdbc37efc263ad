"""Rational recurrences broken on purpose: each break is refuted, or leaves something unproved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from automata import paths
from automata.viterbi import viterbi
from proofs_tests.breaks import BREAKS
from ratproof.record.counterexample import Disagreement
from ratproof.rungs.exhausted import exhaust
from theory import registry
from theory.rational_recurrences import back_tracing
from theory.registry import claim_named

HOLDING = [("back-tracing", "corrected")]


@pytest.mark.parametrize("what", BREAKS)
@pytest.mark.parametrize(("claim", "name"), [pytest.param(*pair, id="-".join(pair)) for pair in HOLDING])
def test_a_break_is_refuted(monkeypatch, claim, name, what):
    whole = claim_named(claim)
    parts = BREAKS[what]
    variants = tuple(
        v.changed(**{k: f(v.part(k)) for k, f in parts.items()}) if v.name == name else v
        for v in whole.variants
    )
    monkeypatch.setitem(registry._registered, claim, replace(whole, variants=variants))
    with pytest.raises(Disagreement):
        exhaust(claim, claim_named(claim).variant(name), longest=3)


def test_back_tracing_that_loses_the_first_transition_is_refuted(monkeypatch):
    def without_first(automaton, string):
        best = viterbi(automaton, string)
        if best is None:
            return automaton.semiring.zero
        return paths.path_score(automaton, (best.start, best.edges[1:] or best.edges))

    whole = claim_named("back-tracing")
    broken = whole.variant("corrected").changed(algorithm=back_tracing.summed(without_first))
    monkeypatch.setitem(registry._registered, whole.name, replace(whole, variants=(broken,)))
    with pytest.raises(Disagreement):
        exhaust("back-tracing", broken, longest=3)
