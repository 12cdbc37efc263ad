"""Tests of the exact networks against every trajectory and against the torch component."""

import math
from itertools import product

import flint
import torch
from hypothesis import given, settings

from automata.testing.strategies import strings
from neural.state_regularized.component import StochasticComponent
from theory.registry import claim_named
from theory.state_regularized.shared import mixtures
from theory.state_regularized.shared.limits import (
    epsilon,
    least_margin,
    low_enough,
    most_probable,
    no_ties,
    reachable,
    scores_at,
    transition_table,
)
from theory.state_regularized.shared.networks import (
    SMALL,
    component,
    integers,
    limit,
    margin,
    similarities,
    soft,
    softmax,
    table,
)

ANY = claim_named("theorem-3.1").variant("corrected").cases("ab")
UNTIED = claim_named("theorem-3.2").variant("corrected-eq-5")
MOST_ROUNDINGS = 64  # for a softmax of at most 4 values: products, sums, exponentials and a quotient


def torch_component(w, transition="mixture"):
    """Return the torch component with the weights' centroids and temperature."""
    similarity = "dot" if w.eq == 2 else "euclidean"
    module = StochasticComponent(
        w.n, len(w.S[0]), similarity, transition, 1 / (float(w.m) * math.log(2)), dtype=torch.float64
    )
    module.load_state_dict(
        {"centroids": torch.tensor([[float(v) for v in s] for s in w.S], dtype=torch.float64).T}
    )
    return module


@settings(max_examples=30)
@given(ANY, strings("ab", longest=4, run=0))
def test_the_distribution_is_the_sum_over_all_trajectories(w, string):
    """The sum over all sequences of centroids shares no code with the distribution."""
    total = dict.fromkeys(range(w.n), 0)
    for path in product(range(w.n), repeat=len(string)):
        p, h = 1, w.S[0]
        for j, x in zip(path, string, strict=True):
            p, h = p * softmax(w, similarities(w, component(w, h, x)))[j], w.S[j]
        total[path[-1] if path else 0] += p
    *_, shown = claim_named("theorem-3.1").variant("corrected").reading.recurrence.values(w, string)
    assert list(shown) == list(total.values()) and sum(shown) == 1


@given(ANY)
def test_the_softmax_equals_the_torch_components(w):
    """They agree at temperature 1 / (m ln 2), up to the rounding errors of the softmax."""
    module = torch_component(w)
    for s, x in product(w.S, "ab"):
        u = component(w, s, x)
        with torch.no_grad():
            alpha = module(torch.tensor([[float(v) for v in u]], dtype=torch.float64))[1][0]
        largest = max(abs(float(b)) for b in similarities(w, u)) * float(w.m)
        for computed, exact in zip(alpha.tolist(), softmax(w, similarities(w, u)), strict=True):
            assert abs(computed - exact) <= MOST_ROUNDINGS * (1 + largest) * 2.0**-53


@given(ANY)
def test_a_row_is_a_distribution_with_its_maximum_as_the_limit(w):
    for s, x in product(w.S, "ab"):
        alpha, c = soft(w, s, None, x)
        b = similarities(w, component(w, s, x))
        assert c is None and sum(alpha) == 1 and min(alpha) > 0
        shares = limit(w, b)
        assert sum(shares) == 1
        assert {i for i, v in enumerate(shares) if v} == {i for i, v in enumerate(alpha) if v == max(alpha)}
    assert [list(soft(w, s, None, "a")[0]) for s in w.S] == table(w, "a")


@given(UNTIED.cases("ab"))
def test_without_ties_torchs_limit_moves_according_to_the_table(w):
    module = torch_component(w, "limit")
    for q, x, b in reachable(w):
        u = torch.tensor([[float(v) for v in component(w, w.S[q - 1], x)]], dtype=torch.float64)
        with torch.no_grad():
            h = module(u)[0][0].tolist()
        assert margin(b) > 0 and h == [float(v) for v in w.S[transition_table(w)[q, x] - 1]]


@settings(max_examples=50)
@given(ANY, strings("ab", longest=6, run=0))
def test_a_mixture_equals_torchs(w, string):
    """Torch's soft run has a hidden state and a label that are close to the balls."""
    module, now = torch_component(w), mixtures.start(w)
    h = torch.tensor([[float(v) for v in w.S[0]]], dtype=torch.float64)
    u_matrix = torch.tensor([[float(v) for v in row] for row in w.U], dtype=torch.float64)
    for x in string:
        inside = h @ u_matrix.T + torch.tensor([float(v) for v in w.W[x]], dtype=torch.float64)
        with torch.no_grad():
            h, alpha = module(torch.nn.functional.hardtanh(inside))
        first, second = alpha[0].topk(2).values.tolist()
        if first - second < 1e-6:  # either label may be correct
            return
        now = mixtures.step(w, now, x)
        assert now.label == int(alpha[0].argmax()) + 1


def test_an_unsettled_run_raises():
    tied = next(w for w in integers((2, 1), SMALL, (1,)).small(1) if margin(scores_at(w, 1, "a")) == 0)
    try:
        mixtures.step(tied, mixtures.start(tied), "a")
    except mixtures.UnsettledMixture as error:
        assert "equally probable" in str(error)
    else:
        raise AssertionError("a tie was settled")


@given(UNTIED.cases("ab"))
def test_the_low_temperature_suffices_for_the_induction(w):
    """The theorem's bound leads from 1 - epsilon at a state to 1 - epsilon at the next, exactly."""
    off, gamma, m = epsilon(w), least_margin(w), low_enough(w)
    assert no_ties(w) and 0 < off <= 0.25 and gamma > 0
    with flint.ctx.workprec(128):
        least = 1 / (1 + (w.n - 1) * flint.arb(2) ** -(mixtures.ball(m * gamma / 2)))
        assert not least < 1 - mixtures.ball(off)


def test_the_most_probable_is_the_first_of_the_maxima():
    assert most_probable((1, 3, 3)) == 2
