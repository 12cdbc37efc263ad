"""Mutations of claims, which must be refuted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from ratproof.evidence.counterexample import Disagreement
from ratproof.ladder.rungs.exhausted import exhaust
from theory import registry
from theory.registry import claim_named

FIRST_CASES = settings(derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
"""Settings for the search in a test: the same cases in every run, without shrinking."""


def of_automata(change):
    return lambda construction: lambda w: [change(a) for a in construction(w)]


def of_step(change):
    return lambda recurrence: replace(
        recurrence, step=lambda w, state, x: change(w, state, x, recurrence.step)
    )


def other_letter(w, state, x, step):
    return step(w, state, w.alphabet[-1 - w.alphabet.index(x)])


def read_twice(w, state, x, step):
    return step(w, step(w, state, x), x)


BREAKS = {
    "a transposed table": {
        "construction": of_automata(lambda a: a.replace(matrices=a.matrices.transpose(0, 2, 1)))
    },
    "a start that is shifted": {
        "construction": of_automata(lambda a: a.replace(initial=np.roll(a.initial, 1)))
    },
    "ends that are shifted": {"construction": of_automata(lambda a: a.replace(final=np.roll(a.final, 1)))},
    "the other letter": {"recurrence": of_step(other_letter)},
    "each letter read twice": {"recurrence": of_step(read_twice)},
}


def put(monkeypatch, claim, name, **parts):
    """Replace parts of a claim's variant for the duration of the test."""
    own_claim = claim_named(claim)
    variants = tuple(
        v.changed(**{k: change(v.part(k)) for k, change in parts.items()}) if v.name == name else v
        for v in own_claim.variants
    )
    monkeypatch.setitem(registry._registered, claim, replace(own_claim, variants=variants))


def assert_refuted(monkeypatch, claim, name, what):
    """Assert that short strings refute a variant of a claim after a mutation."""
    put(monkeypatch, claim, name, **BREAKS[what])
    with pytest.raises(Disagreement):
        exhaust(claim, claim_named(claim).variant(name), longest=3)
