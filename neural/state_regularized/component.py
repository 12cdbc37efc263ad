"""The stochastic component (Wang & Niepert 2019, section 3).

It maps a vector u to one of k centroids, or to a mixture of centroids.

>>> component = StochasticComponent(k=3, hidden_size=2, temperature=0.5)
>>> h, alpha = component(torch.zeros(4, 2))
>>> h.shape, alpha.shape, bool(torch.allclose(alpha.sum(dim=-1), torch.ones(4)))
(torch.Size([4, 2]), torch.Size([4, 3]), True)
"""

from __future__ import annotations

import math
from typing import Any, Literal

import torch
from torch import Tensor, nn

from automata.checks import checked_integer
from automata.errors import InputError
from neural.unrolled import one_of

Similarity = Literal["dot", "euclidean"]
Transition = Literal["mixture", "sampled", "limit"]
SPREAD = 0.5
"""Centroids are initialised uniformly in [-0.5, 0.5] (section 3.3)."""
COLD = 2.0**-32
"""At this temperature or above, b / temperature is finite in float32 for all b up to 2^95."""


class StochasticComponent(nn.Module):
    """A module that maps a vector u to one of k centroids, or to a mixture of centroids.

    The probabilities of the centroids are alpha = softmax(b / temperature), where b_i is the similarity of u
    to the centroid s_i.

    Args:
        k: the number of centroids; at least 2.
        hidden_size: d.
        similarity: b_i is the ``"dot"`` product u s_i (equation 2), or minus the ``"euclidean"`` distance
            (equation 3).
        transition: how the next state h is computed. ``"mixture"`` is sum_i alpha_i s_i (equation 5).
            ``"sampled"`` draws one centroid from alpha (equation 4; no gradient flows through the choice).
            ``"limit"`` is the most probable centroid. Without ties, it is the limit of the other two
            transitions for temperature -> 0 (Theorem 3.2).
        temperature: tau > 0.
        noise: the standard deviation of Gaussian noise on b / temperature, in training only.
        device, dtype: as in torch.

    Attributes:
        centroids: S, one centroid per column, shape ``(d, k)``.
    """

    def __init__(
        self,
        k: int,
        hidden_size: int,
        similarity: Similarity = "dot",
        transition: Transition = "mixture",
        temperature: float = 1.0,
        noise: float = 0.0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.k = checked_integer("k", k, least=2)
        self.similarity = one_of("similarity", similarity, ("dot", "euclidean"))
        self.transition = one_of("transition", transition, ("mixture", "sampled", "limit"))
        self.temperature = temperature
        self.noise = checked_noise(noise)
        self.centroids = nn.Parameter(
            torch.empty(hidden_size, k, device=device, dtype=dtype).uniform_(-SPREAD, SPREAD)
        )

    @property
    def temperature(self) -> float:
        """Return the temperature tau."""
        return self._temperature

    @temperature.setter
    def temperature(self, value: float) -> None:
        self._temperature = checked_temperature(value)

    def similarities(self, u: Tensor) -> Tensor:
        """Return the similarities b of u, shape ``(..., d)``, to the centroids, shape ``(..., k)``."""
        if self.similarity == "dot":
            return u @ self.centroids
        return -torch.linalg.vector_norm(u.unsqueeze(-1) - self.centroids, dim=-2)

    def forward(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Return the new hidden state h, shape ``(..., d)``, and alpha, shape ``(..., k)``.

        The argument u has shape ``(..., d)``.
        """
        b = self.similarities(u)
        if self.temperature < COLD:
            # b / temperature may overflow; subtracting the maximum prevents this and does not change alpha
            b = b - b.amax(dim=-1, keepdim=True).detach()
        logits = b / max(self.temperature, torch.finfo(b.dtype).tiny)  # the divisor must not round to 0
        if self.training and self.noise:
            logits = logits + self.noise * torch.randn_like(logits)
        alpha = torch.softmax(logits, dim=-1)
        if self.transition == "mixture":
            return alpha @ self.centroids.T, alpha
        rows = alpha.reshape(-1, self.k)
        chosen = torch.multinomial(rows, 1) if self.transition == "sampled" else rows.argmax(dim=1)
        return self.centroids.T[chosen.reshape(alpha.shape[:-1])], alpha


def checked_temperature(value: Any) -> float:
    """Return the temperature ``value`` as a float; raise InputError unless it is a positive number."""
    if not (finite(value) and value > 0):
        raise InputError(
            f'temperature must be a positive number, got {value!r:.40}; transition="limit" is the network for'
            " temperature -> 0"
        )
    return float(value)


def checked_noise(value: Any) -> float:
    """Return the standard deviation ``value`` as a float; raise InputError unless it is at least 0."""
    if not (finite(value) and value >= 0):
        raise InputError(f"noise must be a non-negative standard deviation, got {value!r:.40}")
    return float(value)


def finite(value: Any) -> bool:
    """Return whether a value is a finite number, not a bool, in the range of floats."""
    try:
        return not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)
    except OverflowError:  # an integer outside the range of floats
        return False
