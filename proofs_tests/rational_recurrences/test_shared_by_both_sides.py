"""Tests of the parts that the recurrence and the construction of a claim share, against a second formulation.

No comparison of the recurrence with the construction would find a mistake in these parts.
"""

from itertools import islice

import pytest

from automata.semirings import MAX_PLUS, MAX_TIMES, REAL
from theory.rational_recurrences import corollary_9, model_c
from theory.reading import NoAutomaton
from theory.registry import claims
from theory.weights import Weights

complement = lambda u, f, z: (u, lambda w, x: (1 - getattr(w, f)[x]) * getattr(w, z)[x])
BOTH = (complement("u1", "f1", "z1"), complement("u2", "f2", "z2"))
TIED = {
    "corollary-10-scrn": [("u", lambda w, x: (1 - w.alpha) * w.z[x])],
    **{
        name: [complement("u", "f", "z")]
        for name in ("corollary-10-sru", "corollary-10-t-rnn", "model-b", "proposition-11-t-lstm")
    },
    "proposition-11-t-gru": [("u", lambda w, x: w.z[x] * w.o[x])],
    "model-c": BOTH,
    "model-f": BOTH,
}


@pytest.mark.parametrize("name", TIED)
def test_derived_weights_are_the_papers(name):
    """An example is u = (1 - f) W_u v (equations 5b, 23b, 25b, 26b)."""
    for variant in claims()[name].variants:
        for w in islice(variant.small_cases(2), 0 if isinstance(variant.reading, NoAutomaton) else 400):
            assert all(getattr(w, u)[x] == of(w, x) for u, of in TIED[name] for x in getattr(w, u))


@pytest.mark.parametrize("claim", [c for c in claims().values() if c.case is Weights], ids=lambda c: c.name)
def test_every_case_is_over_the_semiring_of_the_claim(claim):
    for variant in claim.variants:
        over = MAX_TIMES if (claim.name, variant.name) == ("fa-rnn-viterbi", "corrected") else REAL
        over = MAX_PLUS if "max-plus" in claim.statement or "max-plus" in variant.name else over
        assert {w.over for w in islice(variant.small_cases(1), 5)} == {over}


def test_a_layer_equals_its_units():
    """Corollary 9 splits the weights of a layer for its recurrence and for its automata; here the layer is
    written explicitly.
    """
    recurrence = claims()["corollary-9"].variant("corrected").reading.recurrence
    for w in islice(corollary_9.layer(2).small(2), 300):
        c = w.c_0
        for x, shown in zip("abba", islice(recurrence.values(w, "abba"), 1, None), strict=True):
            c = tuple(f * c_i + u for f, c_i, u in zip(w.f[x], c, w.u[x], strict=True))
            assert shown == c


def test_section_6_1_has_no_complement_in_either_update():
    small = claims()["model-c"].variant("printed-section-6.1").small_cases(1)
    w = next(w for w in small if w.u1 != w.z1 and w.u2 != w.z2)
    bare = model_c.without_complements(w)
    assert (bare.u1, bare.u2) == (w.z1, w.z2)
