"""Tests of the stochastic component against equations 2 to 5 of Wang & Niepert (2019).

They cover similarities, mixtures, samples, limits and noise.
"""

import math

import pytest
import torch
from hypothesis import given

from neural.state_regularized.component import StochasticComponent
from neural.state_regularized.layers import KINDS, SRGRU
from proofs_tests.neural import sr_equations
from proofs_tests.neural.some_sr_networks import (
    D,
    F,
    both_dtypes,
    both_similarities,
    components,
    randomly,
    regularized,
    vectors,
)
from proofs_tests.neural.sr_equations import close, exactly

FALSE_ALARM = 1e-9
"""Probability that a statistical test in this file would fail for a correct network; the seeds are fixed."""


@given(components())
def test_alpha_is_equation_2_or_3_and_h_is_equation_5(drawn):
    component, u = drawn
    h, alpha = component(u)
    centroids = component.centroids.detach().double().numpy()
    near = sr_equations.alphas(
        centroids, exactly(u, sr_equations.dtype_of(component)), component.similarity, component.temperature
    )
    close(alpha, near)
    close(h, sr_equations.mixture(centroids, near))


@given(components(transition="sampled"))
def test_sampled_h_is_exactly_a_centroid_of_positive_probability(drawn):
    component, u = drawn
    many = u.expand(3, 20, -1)
    h, alpha = component(many)
    is_centroid = (h.unsqueeze(-1) == component.centroids).all(dim=-2)
    assert h.shape == many.shape
    assert bool((is_centroid & (alpha > 0)).any(dim=-1).all())


@given(components(transition="limit"))
def test_in_the_limit_h_is_exactly_a_most_probable_centroid(drawn):
    component, u = drawn
    h, alpha = component(torch.stack([u, -u]))
    best = alpha == alpha.max(dim=-1, keepdim=True).values
    assert bool(((h.unsqueeze(-1) == component.centroids).all(dim=-2) & best).any(dim=-1).all())


def test_equations_2_and_3_on_an_example():
    """With u = (1, 0), s_1 = (1, 0), s_2 = (0, 2): u s = (1, 0) and |u - s| = (0, sqrt 5)."""
    for similarity, gap in (("dot", 1), ("euclidean", math.sqrt(5))):
        component = StochasticComponent(2, 2, similarity, temperature=0.5, dtype=D)
        with torch.no_grad():
            component.centroids.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]], dtype=D))
        h, alpha = component(torch.tensor([1.0, 0.0], dtype=D))
        first = 1 / (1 + math.exp(-gap / 0.5))
        assert alpha.tolist() == pytest.approx([first, 1 - first])
        assert h.tolist() == pytest.approx([first, 2 * (1 - first)])


def within_chernoff(counts, alpha):
    """Assert Hoeffding's bound: the mean of n samples deviates by t with probability at most 2 exp(-2
    n t^2).
    """
    n = int(counts.sum())
    t = math.sqrt(math.log(2 * len(alpha) / FALSE_ALARM) / (2 * n))
    assert ((counts / n - alpha).abs() <= t).all()


def choices(component, h):
    """Return how often each centroid was chosen."""
    return (h.unsqueeze(-1) == component.centroids).all(dim=-2).sum(dim=0)


@both_similarities
@pytest.mark.parametrize("temperature", [0.5, 4.0])
def test_equation_4_samples_from_alpha(similarity, temperature):
    """Two vectors in one batch are sampled, each from its own alpha."""
    component = randomly(StochasticComponent(4, 3, similarity, "sampled", temperature, dtype=D), seed=1)
    torch.manual_seed(2)
    u = vectors(3, 2, 3)
    h, _ = component(u.expand(100_000, 2, 3))
    for one in range(2):
        near = sr_equations.alphas(
            component.centroids.detach().numpy(), exactly(u[one], "float64"), similarity, temperature
        )
        assert near.value.max() < 0.95
        within_chernoff(choices(component, h[:, one]), torch.tensor(near.value))


def test_equation_4_samples_independently_for_every_sequence_and_step():
    component = StochasticComponent(2, 2, transition="sampled", dtype=D)
    torch.manual_seed(2)
    first, second = (component(torch.zeros(100_000, 2, dtype=D))[0] for _ in range(2))
    pairs = torch.stack([(a == component.centroids[:, 0]).all(dim=-1).long() for a in (first, second)])
    within_chernoff(torch.bincount(pairs[0] * 2 + pairs[1], minlength=4), torch.full((4,), 0.25, dtype=D))
    within_chernoff(
        torch.bincount(pairs[0, :-1] * 2 + pairs[0, 1:], minlength=4), torch.full((4,), 0.25, dtype=D)
    )


@both_similarities
@both_dtypes
@pytest.mark.parametrize("transition", ["mixture", "sampled", "limit"])
@pytest.mark.parametrize("temperature", [1e-7, 1e-30, 1e-44, 1e-300, 5e-324])
def test_at_a_low_temperature_alpha_is_one_hot_at_the_most_similar_centroid(
    similarity, dtype, transition, temperature
):
    """Theorem 3.2: tau goes to 0, so that b / tau exceeds every float."""
    component = randomly(StochasticComponent(5, 3, similarity, transition, temperature, dtype=dtype), seed=4)
    u = torch.cat([vectors(5, 20, 3, dtype=dtype), 100 * vectors(6, 20, 3, dtype=dtype)])
    h, alpha = component(u)
    best = component.similarities(u).argmax(dim=-1)
    assert torch.equal(alpha, torch.eye(5, dtype=dtype)[best])
    assert torch.equal(h, component.centroids.T[best])


@pytest.mark.parametrize("temperature", [1e9, 1e300])
@both_dtypes
def test_at_a_high_temperature_alpha_is_uniform(dtype, temperature):
    component = randomly(StochasticComponent(4, 3, temperature=temperature, dtype=dtype), seed=4)
    assert component(vectors(5, 6, 3, dtype=dtype))[1].tolist() == [[pytest.approx(0.25, abs=1e-6)] * 4] * 6


@pytest.mark.parametrize("temperature", [1e-300, 0.2, 1.0])
@both_similarities
def test_gradients_are_finite_at_every_temperature(similarity, temperature):
    component = randomly(StochasticComponent(4, 3, similarity, temperature=temperature), seed=4)
    h, alpha = component(vectors(5, 6, 3, dtype=F))
    (h.sum() + alpha[:, 0].sum()).backward()
    assert bool(component.centroids.grad.isfinite().all())


def test_centroids_are_initially_uniform():
    """On [-0.5, 0.5] (section 3.3), the empirical distribution is t away with probability at most 2 exp(-2 n
    t^2) (Massart).
    """
    torch.manual_seed(6)
    numbers = SRGRU(2, 100, k=1000).cell.component.centroids.detach().double().flatten().sort().values
    n = len(numbers)
    t = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * n))
    assert numbers[0] >= -0.5 and numbers[-1] <= 0.5
    assert (numbers + 0.5 - torch.arange(1, n + 1) / n).abs().max() <= t + 1 / n


@regularized
def test_noise_is_only_in_training(kind):
    noisy, quiet = (
        randomly(KINDS[kind](2, 3, k=4, num_layers=2, noise=noise), seed=7) for noise in (0.5, 0.0)
    )
    v = vectors(8, 5, 3, 2, dtype=F)
    assert torch.equal(noisy(v)[0], quiet(v)[0])
    assert torch.equal(noisy(v)[0], noisy(v)[0])
    noisy.train(), quiet.train()
    assert torch.equal(quiet(v)[0], quiet.eval()(v)[0])
    assert not torch.equal(noisy(v)[0], quiet(v)[0])
    assert not torch.equal(noisy(v)[0], noisy(v)[0])


@pytest.mark.parametrize("temperature", [0.25, 4.0])
def test_noise_is_gaussian_and_added_to_the_logits(temperature):
    """The difference log alpha_1 - log alpha_2 is (b_1 - b_2) / tau plus noise of variance 2 noise^2; Laurent
    and Massart bound its estimate.
    """
    noise, n = 0.3, 100_000
    component = randomly(
        StochasticComponent(2, 3, temperature=temperature, noise=noise, dtype=D), seed=9
    ).train()
    torch.manual_seed(10)
    u = vectors(11, 3)
    log = component(u.expand(n, 3))[1].detach().log()
    b = component.similarities(u).detach()
    off = log[:, 0] - log[:, 1] - (b[0] - b[1]) / temperature
    x = math.log(4 / FALSE_ALARM)
    assert abs(float(off.mean())) <= noise * math.sqrt(2) * math.sqrt(2 * x / n)
    difference = float((off**2).mean()) / (2 * noise**2) - 1
    assert -2 * math.sqrt(x / n) <= difference <= 2 * math.sqrt(x / n) + 2 * x / n
