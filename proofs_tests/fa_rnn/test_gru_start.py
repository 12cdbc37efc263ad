"""Tests that an FA-GRU is within derived bounds around its FA-RNN, which may be far apart."""

from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automata.semirings import REAL
from theory.fa_rnn import gru_start
from theory.registry import claim_named
from theory.weights import Weights

CLAIM = "fa-rnn-gru-start"
CORRECTED, PRINTED = (claim_named(CLAIM).variant(name) for name in ("corrected", "printed-uniform"))


@given(
    CORRECTED.cases("ab").filter(lambda w: all(sum(row) <= 1 for table in w.T.values() for row in table)),
    st.text("ab", max_size=6),
)
@settings(max_examples=50, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_the_bounds_are_close_while_counts_stay_small(case, sentence):
    """If the rows of T sum to at most 1, m = sum of h_1, and no gate so far is below 1 - e, then after t
    words the sum of (u - l) is at most 4 e t m (1 + e)^t.
    """
    now, m, largest = gru_start.start(case), gru_start.ball(sum(case.alpha_0)), gru_start.ball(0)
    for t, word in enumerate(sentence, start=1):
        largest = largest.max(gru_start.room(1 - gru_start.least_gate(case, now, word)))
        now = gru_start.step(case, now, word)
        width = sum((up - low for low, up in zip(now.lower, now.upper, strict=True)), start=gru_start.ball(0))
        assert not width > 4 * largest * t * m * (1 + largest) ** t


@given(CORRECTED.cases("ab"))
def test_the_lower_bound_is_two_gates_times_the_recurrence(case):
    """After one word the lower bound is (1 - e)^2 h_1 T."""
    now = gru_start.start(case)
    e, first = 1 - gru_start.least_gate(case, now, "a"), gru_start.step(case, now, "a")
    for low, h in zip(first.lower, first.plain, strict=True):
        assert abs(low - gru_start.ball(h) * (1 - e) ** 2) < 1e-9


def test_the_states_are_within_the_bounds_if_the_gates_are_almost_0():
    """The counts double with each a, so that the gates are below 2^-64 after some words."""
    zeros, reads = ((0,) * 3,) * 3, ((0, 0, Fraction(-3, 2)), (0, 0, Fraction(-3, 2)), (0, 0, 0))
    entries = {
        "alpha_0": (1, 1, 0),
        "T": {"a": ((1, 1, 0), (1, 1, 0), (0, 0, 0)), "b": ((0, 0, 1), (0, 0, 0), (0, 0, 0))},
        **{name: dict.fromkeys("ab", (0, 0, 0)) for name in ("Wf", "Wr")},
        "Uf": reads,
        "Ur": zeros,
        "b": 10,
        "alpha_inf": (0, 0, 1),
    }
    case = Weights(REAL, "ab", entries, ("K", 3))
    now = gru_start.start(case)
    for _ in range(12):
        now = gru_start.step(case, now, "a")
        assert gru_start.between(case, now) == gru_start.between(case, gru_start.step(case, now, "b")) == (1,)


def test_small_states_are_compared_although_the_gates_are_almost_1():
    one, half = Fraction(1), Fraction(1, 2)
    entries = {
        "alpha_0": (1, 1, 1),
        "T": {"a": ((1, 1, 1), (0, 1, 1), (1, 1, 1)), "b": ((1, 0, 0), (1, 1, 0), (1, 0, 0))},
        "Wf": {"a": (0, 1, -3 * half), "b": (-3 * half, 1, half)},
        "Wr": {"a": (-1, 0, 0), "b": (-3 * half, 1, -1)},
        "Uf": ((one, half, 1), (0, half, 1), (-1, half, -3 * half)),
        "Ur": ((-3 * half, half, half), (1, half, 0), (-1, 0, half)),
        "b": 10,
        "alpha_inf": (0, 1, 1),
    }
    case = Weights(REAL, "ab", entries, ("K", 3))
    now = gru_start.start(case)
    for word in "aaaaaabb":
        now = gru_start.step(case, now, word)
        assert gru_start.between(case, now) == (1,)


def test_a_long_sentence_separates_the_networks_although_the_automaton_is_deterministic():
    """The word a swaps two states, the gates are sigma(4), and no count exceeds 1."""
    zeros = ((0, 0), (0, 0))
    entries = {
        "alpha_0": (1, 0),
        "T": {"a": ((0, 1), (1, 0))},
        **{name: {"a": (0, 0)} for name in ("Wf", "Wr")},
        "Uf": zeros,
        "Ur": zeros,
        "b": 4,
        "alpha_inf": (0, 1),
    }
    case = Weights(REAL, "a", entries, ("K", 2))
    runs, now = [], gru_start.start(case)
    for _ in range(100):
        now = gru_start.step(case, now, "a")
        runs.append(now)
    assert all(sum(run.plain) == 1 for run in runs)
    assert all(gru_start.near(case, run) == (1,) for run in runs[:10])
    assert gru_start.near(case, runs[-1]) == (0,)
    assert any("the sentence is short" in text for text in claim_named(CLAIM).hypotheses)


def first_word(m, f, r):
    """Return a and b in h_1 = a + b h_1, which is equation 7 at t = 1 with one state and h_0 = 1.

    m is the product of D_1, z_1 and D_2.
    """
    return (1 - f) + f * r * m, f * (1 - r) * m


def test_equation_7_at_the_first_word_may_have_no_solution():
    """h_1 occurs on both sides, because the reset gate uses it: with gates at 1/2 and m = 4 the equation is
    h_1 = 3/2 + h_1. With h_1 = h_0 T[BOS] instead, the first word determines it.
    """
    half = Fraction(1, 2)
    assert first_word(m=4, f=half, r=half) == (Fraction(3, 2), 1)
    a, b = first_word(m=1, f=half, r=half)
    assert a / (1 - b) == 1 and first_word(m=1, f=1, r=1) == (1, 0)
