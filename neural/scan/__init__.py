"""Fast implementations of recurrences on any device and over several semirings.

The elementwise recurrences are c_t = f_t * c_{t-1} + u_t (equation 5c, Peng et al. 2018),
c_t = max(f_t + c_{t-1}, u_t) (equation 21c) and c_t = log(exp(f_t + c_{t-1}) + exp(u_t)). Products with
matrices are in :mod:`neural.scan.matrices`.

>>> updates = torch.tensor([[2.0], [0.0], [5.0]])
>>> max_plus(-torch.ones(3, 1), updates, torch.tensor([-torch.inf])).flatten().tolist()
[2.0, 1.0, 5.0]

The recurrences are torch operators (``torch.ops.ratproof``), so ``torch.compile``, ``torch.export`` and
``torch.func`` support them. A backend (:mod:`neural.scan.backends`) computes them. The default depends on the
tensors' device and the installed packages; :func:`~neural.scan.backends.use` selects a backend explicitly.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from automata.errors import InputError
from neural.scan import operators
from neural.scan.arguments import common_type
from neural.scan.backends import use as use
from neural.scan.matrices import matrix_scan as matrix_scan


def elementwise(forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """Compute c_1, ..., c_T of c_t = forget_t * c_{t-1} + update_t.

    >>> ones = torch.ones(3, 1)
    >>> elementwise(ones / 2, ones, torch.zeros(1)).flatten().tolist()
    [1.0, 1.5, 1.75]

    Args:
        forget: shape ``(T, ...)``.
        update: shape ``(T, ...)``.
        start: c_0, shape ``(...)``.

    Returns:
        All states, shape ``(T, ...)``, in the dtype to which the arguments are promoted. In bfloat16 and
        float16, the accumulation dtype is float32. The result is differentiable any number of times.
    """
    result: Tensor = operators.SCAN(*_together((forget, update), (start,)), "real")
    return result


def max_plus(forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """Compute c_1, ..., c_T of c_t = max(forget_t + c_{t-1}, update_t).

    Args:
        forget: shape ``(T, ...)``, finite.
        update: shape ``(T, ...)``; may be -infinity.
        start: c_0, shape ``(...)``; may be -infinity.

    Returns:
        The states, as for :func:`elementwise`. If both arguments of a maximum are equal, each receives half
        the gradient, as in ``torch.maximum``.
    """
    result: Tensor = operators.SCAN(*_together((forget, update), (start,)), "max_plus")
    return result


def log_sum(forget: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """Compute c_1, ..., c_T of c_t = log(exp(forget_t + c_{t-1}) + exp(update_t)).

    >>> half = torch.full((2, 1), 0.5).log()
    >>> log_sum(half, half, torch.full((1,), -torch.inf)).exp().flatten().tolist()  # 1/2, 1/4 + 1/2
    [0.5, 0.75]

    Arguments and result are as in :func:`max_plus`.
    """
    result: Tensor = operators.SCAN(*_together((forget, update), (start,)), "log")
    return result


def gated(gate: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """Compute c_1, ..., c_T of c_t = f * c_{t-1} + (1 - f) * update_t with f = sigmoid(gate_t).

    The computation is one pass over memory.

    >>> gated(torch.zeros(2, 1), torch.ones(2, 1), torch.zeros(1)).flatten().tolist()
    [0.5, 0.75]

    Arguments and result are as in :func:`elementwise`.
    """
    result: Tensor = operators.GATED(*_together((gate, update), (start,)))
    return result


def gated_pair(
    gates: tuple[Tensor, Tensor],
    updates: tuple[Tensor, Tensor],
    starts: tuple[Tensor, Tensor],
    skip: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute two gated recurrences, the second of which reads the states of the first, in one pass.

    These are equations 25c and 25d, and with ``skip`` equations 26e and 26f (Peng et al. 2018). With
    f = sigmoid(gate_t), the recurrences are c1_t = f1 * c1_{t-1} + (1 - f1) * z1 and
    c2_t = f2 * c2_{t-1} + (c1_{t-1} + skip) * (1 - f2) * z2.

    >>> ones, zero = torch.ones(3, 1), torch.zeros(1)
    >>> one, two = gated_pair((0 * ones, 0 * ones), (ones, ones), (zero, zero))
    >>> one.flatten().tolist(), two.flatten().tolist()
    ([0.5, 0.75, 0.875], [0.0, 0.25, 0.5])

    Args:
        gates: the pre-activations of f1 and f2, each of shape ``(T, ...)``.
        updates: z1 and z2, each of shape ``(T, ...)``.
        starts: c1_0 and c2_0, each of shape ``(...)``.
        skip: the number that is added to c1_{t-1}, shape ``(...)``. Defaults to zero.

    Returns:
        c1 and c2, each as in :func:`elementwise`.
    """
    if skip is None:
        skip = torch.zeros_like(starts[0])
    timed = gates[0], updates[0], gates[1], updates[1]
    one, two = operators.PAIR(*_together(timed, (*starts, skip)))
    return one, two


def _together(timed: Sequence[Tensor], starts: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return all tensors, promoted to one dtype and broadcast.

    The tensors in ``timed`` have a time axis, those in ``starts`` have none.

    Raises:
        InputError: If the shapes do not match, the dtype is not a floating-point dtype, or the tensors are on
            several devices.
    """
    dtype = common_type("the arguments of a recurrence", (*timed, *starts))
    shape = timed[0].shape
    if shape and all(x.shape == shape for x in timed) and all(x.shape == shape[1:] for x in starts):
        return tuple(x.to(dtype) for x in (*timed, *starts))  # saves 40 microseconds
    try:
        shape = torch.broadcast_shapes(*(x.shape for x in timed))  # type: ignore[no-untyped-call]
        fits = torch.broadcast_shapes(shape[1:], *(x.shape for x in starts)) == shape[1:]  # type: ignore[no-untyped-call]
    except RuntimeError:
        fits = False
    if not fits or not shape:
        of_times, of_starts = (", ".join(str(tuple(x.shape)) for x in some) for some in (timed, starts))
        raise InputError(
            "the arguments of a recurrence must have shapes (T, ...), and (...) without a time axis, got"
            f" {of_times} and {of_starts}"
        )
    return (*(x.to(dtype).expand(shape) for x in timed), *(x.to(dtype).expand(shape[1:]) for x in starts))
