"""Tests of equation 5: a decomposed FA-RNN computes the Forward scores of the automaton of its factors."""

from hypothesis import given

from theory.registry import claim_named

CLAIM = "fa-rnn-eq-5"


@given(claim_named(CLAIM).variant("corrected-large-enough").cases("abc"))
def test_there_are_min_v_k_and_k_k_columns(case):
    """All three factors have the smaller of the two numbers of columns."""
    r = min(len(case.alphabet) * case.n, case.n**2)
    assert {len(row) for row in (*case.D_1, *case.D_2, *case.v.values())} == {r}


def step(w, h, v):
    """Return (h D_1 o v) D_2^T (equation 5)."""
    inside = [sum(h[i] * w.D_1[i][r] for i in range(w.n)) * v[r] for r in range(len(v))]
    return [sum(inside[r] * row[r] for r in range(len(v))) for row in w.D_2]


def mixed_difference(of):
    """Return of(1, 1) - of(1, 0) - of(0, 1) + of(0, 0), which is 0 for any function U h + W v + b."""
    return [a - b - c + d for a, b, c, d in zip(of(1, 1), of(1, 0), of(0, 1), of(0, 0), strict=True)]


def test_state_and_word_are_multiplied():
    """The mixed difference of equation 5 is the product itself, and that of a first-order step is 0."""
    w = claim_named(CLAIM).example
    v = w.v[w.alphabet[0]]
    product = step(w, w.alpha_0, v)
    assert any(product)
    of_equation_5 = mixed_difference(lambda s, t: step(w, [s * h for h in w.alpha_0], [t * x for x in v]))
    first_order = mixed_difference(lambda s, t: [3 * s * h + 5 * t * v[0] + 7 for h in w.alpha_0])
    assert of_equation_5 == product and not any(first_order)
