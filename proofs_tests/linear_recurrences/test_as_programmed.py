"""Tests that exp, softplus and log space in the claims agree with torch if paper and program differ."""

from fractions import Fraction

import flint
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from automata.semirings import REAL
from proofs_tests.automata.examples import some_cases
from theory.linear_recurrences import mamba_theorem_1, min_gru, mlstm
from theory.weights import Weights

NUMBERS = st.fractions(-6, 6, max_denominator=20)


def ball(x):
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


@given(NUMBERS)
def test_zero_order_hold_of_softplus_is_the_sigmoid_and_delta_b_is_larger(z):
    """Mamba's Theorem 1 is computed in balls: exp(-softplus(z)) = 1 - sigmoid(z), and softplus(z) >
    sigmoid(z).
    """
    with flint.ctx.workprec(200):
        delta, gate = (1 + ball(z).exp()).log(), 1 / (1 + (-ball(z)).exp())
        held = ((-delta).exp() - 1) / (delta * mamba_theorem_1.A) * delta
        assert held.overlaps(gate) and held.rad() < 1e-40
        assert (-delta).exp().overlaps(1 - gate)
        assert delta > gate


def test_the_first_token_at_z_0_is_log_2_in_programs():
    delta = F.softplus(torch.zeros((), dtype=torch.float64))
    assert float(delta) == pytest.approx(0.6931471805599453) and float(torch.sigmoid(torch.zeros(()))) == 0.5


POSITIVE = st.fractions(Fraction(1, 8), 8, max_denominator=8)
WORD = st.text("ab", min_size=1, max_size=6)


def cases():
    by_letter = lambda value: st.fixed_dictionaries({"a": value, "b": value})
    vector = st.tuples(NUMBERS, NUMBERS)
    return st.fixed_dictionaries(
        {name: by_letter(POSITIVE) for name in "fi"}
        | {name: by_letter(vector) for name in "qk"}
        | {"v": by_letter(NUMBERS), "s_0": st.just((Fraction(0), Fraction(0)))}
    ).map(lambda entries: Weights(REAL, "ab", entries, ("K", 2)))


def hidden_as_programmed(w, word, least):
    """Return C q / max(|n q|, least) of mLSTM, computed as implementations do.

    The memory C and the normaliser n are divided by the stabiliser M, and ``least`` is a function of M.
    """
    ones = Weights(w.over, w.alphabet, {**w.entries, "v": {"a": Fraction(1), "b": Fraction(1)}}, w.size)
    state, normaliser = (mlstm.AS_PROGRAMMED.start(case) for case in (w, ones))
    for x in word:
        state, normaliser = mlstm.stabilised_step(w, state, x), mlstm.stabilised_step(ones, normaliser, x)
    return state[2] / max(abs(normaliser[2]), least(state[0]))


def hidden(w, word):
    *_, (value,) = mlstm.HIDDEN.values(w, word)
    return value


@some_cases(cases(), WORD)
def test_the_programs_denominator_cancels_the_stabiliser(w, word):
    """Exactly, for all gates: max(|n q|, exp(-m)) of stabilised values corresponds to max(|n q|, 1) of the
    others.
    """
    assert hidden_as_programmed(w, word, lambda m: 1 / m) == hidden(w, word)


def test_with_1_in_its_place_it_does_not():
    """If the minimum of the denominator is 1, it does not cancel the stabiliser. In the smallest example, the
    input gate and the forget gate of the only token are 1/2.
    """
    half, one = Fraction(1, 2), (Fraction(1), Fraction(0))
    entries = {"f": half, "i": half, "q": one, "k": one, "v": Fraction(1)}
    w = Weights(REAL, "a", {n: {"a": value} for n, value in entries.items()} | {"s_0": (0, 0)}, ("K", 2))
    assert (hidden(w, "a"), hidden_as_programmed(w, "a", lambda m: 1)) == (half, 1)


def g(x):
    return torch.where(x >= 0, x + 0.5, torch.sigmoid(x))


@some_cases(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8), NUMBERS)
def test_the_scan_in_log_space_equals_the_step_from_g_of_the_initial_state(tokens, first):
    """A scan of logarithms by cumulative sums equals the step (1 - z) h + z g(h~) from g(h_0)."""
    z, candidate = (torch.tensor([float(t[i]) for t in tokens], dtype=torch.float64) for i in range(2))
    start = torch.tensor([float(first)], dtype=torch.float64)
    kept = torch.cat([torch.zeros(1, dtype=torch.float64), -F.softplus(z)]).cumsum(0)
    values = torch.cat([g(start).log(), g(candidate).log() - F.softplus(-z)])
    scanned = (kept + torch.logcumsumexp(values - kept, 0)).exp()[1:]
    h, stepped = g(start), []
    for gate, new in zip(torch.sigmoid(z), g(candidate), strict=True):
        h = (1 - gate) * h + gate * new
        stepped.append(float(h))
    assert scanned.tolist() == pytest.approx(stepped, rel=1e-9)


@given(st.fractions(0, 9, max_denominator=9))
def test_g_is_the_programs_on_the_drawn_weights(x):
    assert float(min_gru.g(x)) == pytest.approx(
        float(g(torch.tensor(float(x), dtype=torch.float64))), rel=1e-12
    )
