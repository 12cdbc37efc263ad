"""Dropout and noise that do not depend on batches, padding, processes or devices.

Each random number depends only on the run's seed, the step and the example. The numbers are computed by
splitmix64 (Steele, Lea and Flood 2014) from a counter and a key.

>>> import torch
>>> one, two = Noise(0, 7, torch.tensor([4, 9])), Noise(0, 7, torch.tensor([9]))
>>> bool((one.kept(0, (3, 2), 0.5)[1] == two.kept(0, (5, 2), 0.5)[0, :3]).all())
True
"""

from __future__ import annotations

import math
from functools import cached_property

import torch
from torch import Tensor

_STEP = -7046029254386353131  # 0x9E3779B97F4A7C15 as a signed 64-bit integer, like the next two
_FIRST, _SECOND = -4658895280553007687, -7723592293110705685
_BITS = 24  # the significand of float32, so that a mask is the same in every precision


class Noise:
    """The random numbers of a step.

    Args:
        seed: the seed of the run.
        step: the number of previous steps.
        examples: positions in the training set, integers of shape ``(B,)``.
    """

    def __init__(self, seed: int, step: int, examples: Tensor) -> None:
        self.seed, self.step, self.examples = seed, step, examples

    @classmethod
    def of_step(cls, step_key: Tensor, examples: Tensor) -> Noise:
        """Return the random numbers of the step with this :attr:`step_key`, a tensor.

        A CUDA graph takes only tensors as inputs; with this method, the graph can draw the noise of any step.
        """
        noise = cls(0, 0, examples)
        noise.step_key = step_key
        return noise

    @cached_property
    def step_key(self) -> Tensor:
        """Return the random key for the seed and the step, shape ``(1,)``, on the device of the examples."""
        run = _hashed(torch.tensor([self.seed], dtype=torch.int64))
        return _hashed(run + torch.tensor(self.step) * _STEP).to(self.examples.device)

    @cached_property
    def keys(self) -> Tensor:
        """Return a key for each example, shape ``(B,)``, computed on first use."""
        return _hashed(self.step_key + self.examples.to(torch.int64) * _STEP)

    def kept(
        self, stream: int, shape: tuple[int, ...], dropped: float, dtype: torch.dtype | None = None
    ) -> Tensor:
        """Return a mask that is 0 with probability ``dropped``, else 1 / (1 - ``dropped``).

        Args:
            stream: the number of the mask within the step; each mask of a network has its own number.
            shape: the shape of an example's mask; a mask with a longer first axis has the same first values.
            dropped: the probability, below 1.
            dtype: the dtype of the mask. Defaults to torch's default dtype.

        Returns:
            Shape ``(B, *shape)``.
        """
        mask = self._numbers(stream, shape) >= round(dropped * (1 << _BITS))
        return (mask.to(dtype or torch.get_default_dtype()) / (1 - dropped)).reshape(-1, *shape)

    def dropout(self, values: Tensor, stream: int, dropped: float, each_step: bool = False) -> Tensor:
        """Apply dropout to values of shape ``(T, B, size)``.

        All T time steps share a mask, unless ``each_step`` is true.
        """
        if not dropped:
            return values
        time, _, size = values.shape
        if each_step:
            return values * self.kept(stream, (time, size), dropped, values.dtype).transpose(0, 1)
        return values * self.kept(stream, (size,), dropped, values.dtype)

    def normal(self, stream: int, shape: tuple[int, ...], dtype: torch.dtype | None = None) -> Tensor:
        """Return standard Gaussian numbers, computed by the inverse of their distribution function.

        Absolute values are at most 5.2; only one in five million Gaussian numbers is larger.

        Args:
            stream: the number of the draw within the step, which must differ from the streams of masks.
            shape: the shape of an example's values, as for masks.
            dtype: the dtype of the values. Defaults to torch's default dtype.

        Returns:
            Shape ``(B, *shape)``.
        """
        odd = self._numbers(stream, shape).bitwise_or_(1)  # odd numbers avoid the ends of the interval
        drawn = odd.to(torch.float32).mul_(2.0 ** (1 - _BITS)).sub_(1).erfinv_().mul_(math.sqrt(2))
        return drawn.to(dtype or torch.get_default_dtype()).reshape(-1, *shape)

    def _numbers(self, stream: int, shape: tuple[int, ...]) -> Tensor:
        """Return uniform random integers of ``_BITS`` bits, shape ``(B, product of the shape)``."""
        keys = _hashed(self.keys + _signed((stream + 1) * _FIRST))
        counters = torch.arange(math.prod(shape), device=keys.device) * _STEP
        return _hashed(keys[:, None] + counters).bitwise_and_((1 << _BITS) - 1)


def _signed(number: int) -> int:
    """Return the signed 64-bit integer that equals the number modulo 2**64."""
    return (number + 2**63) % 2**64 - 2**63


def _hashed(z: Tensor) -> Tensor:
    """Apply splitmix64's finalizer in place; sums and products are modulo 2**64."""
    more = torch.empty_like(z)  # in place, because allocating memory takes longer than the arithmetic
    z.bitwise_xor_(_shifted(z, 30, more)).mul_(_FIRST)
    z.bitwise_xor_(_shifted(z, 27, more)).mul_(_SECOND)
    return z.bitwise_xor_(_shifted(z, 31, more))


def _shifted(z: Tensor, by: int, out: Tensor) -> Tensor:
    """Return z shifted right by ``by`` bits, filled with zeros."""
    return torch.bitwise_right_shift(z, by, out=out).bitwise_and_((1 << (64 - by)) - 1)
