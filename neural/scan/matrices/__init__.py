"""Products of a row vector with a sequence of matrices, over four semirings.

They compute the Forward algorithm of automata with dense matrices, and recurrences with full matrices.
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from automata.errors import InputError
from neural.scan.arguments import require_one_device
from neural.scan.matrices import operators


def matrix_scan(
    matrices: Tensor, symbols: Tensor, start: Tensor, offsets: Tensor | None = None, semiring: str = "real"
) -> Tensor:
    """Compute h_1, ..., h_T of h_t = h_{t-1} M[x_t] + o_t.

    This is the Forward algorithm for a batch of sequences (equation 3b, Peng et al. 2018) and, with offsets,
    an affine recurrence (equation 16).

    >>> matrices = torch.tensor([[[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]])  # counts the symbol 0
    >>> matrix_scan(matrices, torch.tensor([[0], [1], [0]]), torch.tensor([[1.0, 0.0]])).tolist()
    [[[1.0, 1.0]], [[1.0, 1.0]], [[1.0, 2.0]]]

    Args:
        matrices: M, a matrix for each of S symbols, shape ``(S, n, n)``. Backends other than ``torch`` do not
            copy a matrix at each step.
        symbols: x, integers from 0 to S - 1, shape ``(T, B)``.
        start: h_0, shape ``(B, n)``.
        offsets: o, shape ``(T, B, n)``. Defaults to the semiring's zero.
        semiring: ``real``, ``max_plus``, ``max_times`` or ``log``.

    Returns:
        All states, shape ``(T, B, n)``, in the dtype to which the arguments are promoted. In bfloat16 and
        float16, the accumulation dtype is float32. The result is differentiable any number of times. Equal
        terms of a maximum share its gradient, as in ``torch.amax``, and the gradient of an empty sum is zero
        in the log semiring.

    Raises:
        InputError: If the shapes do not match, the dtype is not a floating-point dtype, or a symbol has no
            matrix.
    """
    floats = [x for x in (matrices, start, offsets) if x is not None]
    dtype = functools.reduce(torch.promote_types, (x.dtype for x in floats))
    if not dtype.is_floating_point or symbols.dtype != torch.int64:
        raise InputError(
            f"matrices must have a floating-point dtype and symbols torch.int64, got {dtype} and"
            f" {symbols.dtype}"
        )
    if semiring not in operators.SEMIRINGS:
        raise InputError(f"the semiring must be one of {', '.join(operators.SEMIRINGS)}, got {semiring!r}")
    require_one_device("matrices, symbols and states", [*floats, symbols])
    _require_shapes(matrices, symbols, start, offsets)
    wide = (None if x is None else x.to(dtype) for x in (matrices, start, offsets))
    own, first, added = wide
    result: Tensor = operators.MATRIX_SCAN(own, symbols, first, added, semiring)
    return result


def _require_shapes(matrices: Tensor, symbols: Tensor, start: Tensor, offsets: Tensor | None) -> None:
    n = matrices.shape[-1]
    valid = matrices.shape[1:] == (n, n) and symbols.dim() == 2 and start.shape == (symbols.shape[1], n)
    if not valid or (offsets is not None and offsets.shape != (*symbols.shape, n)):
        shapes = [tuple(x.shape) for x in (matrices, symbols, start, offsets) if x is not None]
        raise InputError(
            "matrices, symbols, start and offsets must have shapes (S, n, n), (T, B), (B, n) and (T, B, n),"
            f" got {', '.join(map(str, shapes))}"
        )
