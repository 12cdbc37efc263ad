"""The dtypes of kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray


@dataclass(frozen=True)
class KernelFormat:
    """A floating-point dtype with its unit roundoff and range.

    Attributes:
        dtype: The torch dtype.
        unit: The unit roundoff, half the distance from 1 to the next number.
        smallest: The smallest normal number.
        largest: The largest number.
    """

    dtype: torch.dtype
    unit: float
    smallest: float
    largest: float

    @classmethod
    def of(cls, dtype: torch.dtype) -> KernelFormat:
        """Return the properties of a dtype.

        >>> KernelFormat.of(torch.float32).unit == 2.0**-24
        True
        """
        info = torch.finfo(dtype)
        return cls(dtype, info.eps / 2, info.tiny, info.max)


FORMATS = {
    name: KernelFormat.of(getattr(torch, name)) for name in ("float32", "float64", "bfloat16", "float16")
}
WIDE = ("float32", "float64")
"""The dtypes in which a kernel may compute states and sums."""


def rounded(array: np.ndarray, name: str) -> NDArray[np.float64]:
    """Return the values rounded to the nearest values of a dtype.

    >>> rounded(np.array([1 + 2.0**-9]), "bfloat16").tolist()
    [1.0]
    """
    nearest = torch.tensor(np.asarray(array, np.float64)).to(FORMATS[name].dtype)
    return np.asarray(nearest.double().numpy())
