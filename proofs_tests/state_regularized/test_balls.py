"""Tests that ball arithmetic decides cases of state-regularized networks in which precision was once lost."""

from fractions import Fraction

import flint
import pytest

from automata.errors import InputError
from automata.semirings import REAL
from theory.state_regularized import no_drift
from theory.state_regularized.shared import mixtures, networks
from theory.weights import Weights


def network(alphabet, eq, m, S, U, W):
    """Return the weights of a network, as fractions."""
    rows = lambda table: tuple(tuple(map(Fraction, row)) for row in table)
    entries = {"eq": Fraction(eq), "m": Fraction(m), "S": rows(S), "U": rows(U)}
    entries["W"] = {x: tuple(map(Fraction, row)) for x, row in W.items()}
    return Weights(REAL, alphabet, entries, ("k", len(S)))


LONG = network("ab", 2, 2, [(2, 3), (-1, -2), (-1, 2)], [(2, -2), (2, 3)], {"a": (3, 1), "b": (3, -2)})
WIDE = network("a", 2, 3, [(3,) * 30, (-3,) * 30], [(0,) * 30] * 30, {"a": (1,) * 30})


@pytest.mark.parametrize(
    ("case", "string"), [(LONG, "ababaaababbaaaabaaaaaaabbaaaabbaabbbab"), (WIDE, "a")], ids=["long", "wide"]
)
def test_the_norm_of_a_mixture_is_decided(case, string):
    assert list(no_drift.network.values(case, string)) == [(1,)] * (len(string) + 1)


def test_an_undecided_norm_is_an_error_and_not_a_refutation(monkeypatch):
    monkeypatch.setattr(no_drift, "BITS", 64)
    with pytest.raises(no_drift.UnsettledNorm, match="64 bits do not decide"):
        list(no_drift.network.values(WIDE, "a"))


def test_errors_of_similarities_hardly_enlarge_the_largest_probability():
    """Otherwise, the balls of a network that contracts would grow with each symbol."""
    similarities = flint.arb(0, 1e-10), flint.arb(-10, 1e-10)
    largest, smallest = mixtures.distribution(similarities, flint.arb(100))
    assert largest.rad() < 1e-15 and largest > 1 - 1e-15 and smallest < 1e-300


def test_equation_3_requires_one_unit():
    case = network("a", 3, 1, [(0, 1), (1, 0)], [(1, 0), (0, 1)], {"a": (0, 0)})
    for similarities in (
        lambda: networks.similarities(case, (Fraction(0), Fraction(1))),
        lambda: mixtures.scores(case, mixtures.start(case).h, "a"),
    ):
        with pytest.raises(InputError, match="must have one unit, got 2"):
            similarities()
