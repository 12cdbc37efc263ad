"""The stochastic component (Wang & Niepert 2019, section 3): from a vector u to one of k centroids, or to a
mixture of them.

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

from automata.errors import InputError
from neural.unrolled import one_of, whole

Similarity = Literal["dot", "euclidean"]
Transition = Literal["mixture", "sampled", "limit"]
SPREAD = 0.5
"""Centroids start uniform in [-0.5, 0.5] (section 3.3)."""
COLD = 2.0**-32
"""From here on, b / temperature is below float32's largest number for all b up to 2^95."""


class StochasticComponent(nn.Module):
    """k centroids, and a distribution over them: alpha = softmax(b / temperature), b the similarity of u to
    each centroid.

    Args:
        k: how many centroids; at least 2.
        hidden_size: d.
        similarity: b_i is the ``"dot"`` product u s_i (equation 2), or minus the ``"euclidean"`` distance
            (equation 3).
        transition: h is the ``"mixture"`` sum_i alpha_i s_i (equation 5), or one centroid, ``"sampled"`` from
            alpha (equation 4; no gradient flows through the choice), or the most probable one, which is the
            ``"limit"`` of both for temperature -> 0 where there is no tie (Theorem 3.2).
        temperature: tau > 0.
        noise: standard deviation of Gaussian noise on b / temperature, in training only.
        device, dtype: as in torch.

    Attributes:
        centroids: S, one a column, shape ``(d, k)``.
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
        self.k = whole("k", k, least=2)
        self.similarity = one_of("similarity", similarity, ("dot", "euclidean"))
        self.transition = one_of("transition", transition, ("mixture", "sampled", "limit"))
        self.temperature = temperature
        self.noise = checked_noise(noise)
        self.centroids = nn.Parameter(
            torch.empty(hidden_size, k, device=device, dtype=dtype).uniform_(-SPREAD, SPREAD)
        )

    @property
    def temperature(self) -> float:
        """The temperature tau."""
        return self._temperature

    @temperature.setter
    def temperature(self, value: float) -> None:
        self._temperature = checked_temperature(value)

    def similarities(self, u: Tensor) -> Tensor:
        """b, shape ``(..., k)``, from u of shape ``(..., d)``."""
        if self.similarity == "dot":
            return u @ self.centroids
        return -torch.linalg.vector_norm(u.unsqueeze(-1) - self.centroids, dim=-2)

    def forward(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """The new hidden state h, shape ``(..., d)``, and alpha, shape ``(..., k)``, from u of shape
        ``(..., d)``.
        """
        b = self.similarities(u)
        if (
            self.temperature < COLD
        ):  # b / temperature may overflow; less the largest, which changes no alpha, only downwards
            b = b - b.amax(dim=-1, keepdim=True).detach()
        logits = b / max(self.temperature, torch.finfo(b.dtype).tiny)  # never 0 in the format of b
        if self.training and self.noise:
            logits = logits + self.noise * torch.randn_like(logits)
        alpha = torch.softmax(logits, dim=-1)
        if self.transition == "mixture":
            return alpha @ self.centroids.T, alpha
        rows = alpha.reshape(-1, self.k)
        chosen = torch.multinomial(rows, 1) if self.transition == "sampled" else rows.argmax(dim=1)
        return self.centroids.T[chosen.reshape(alpha.shape[:-1])], alpha


def checked_temperature(value: Any) -> float:
    """The temperature, if it is a positive number; otherwise an error."""
    if not (finite(value) and value > 0):
        raise InputError(
            f"temperature is {value!r:.40}, where a positive number is right; "
            'transition="limit" is the network for temperature -> 0'
        )
    return float(value)


def checked_noise(value: Any) -> float:
    """The standard deviation of the noise, if it is zero or a positive number; otherwise an error."""
    if not (finite(value) and value >= 0):
        raise InputError(f"noise is {value!r:.40}, where a standard deviation, a number from 0 on, is right")
    return float(value)


def finite(value: Any) -> bool:
    """Whether a value is a number in the range of floats."""
    try:
        return not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False
