"""The elementwise recurrences as torch operators, which are registered at the end of the module.

A backend (:mod:`neural.scan.backends`) computes them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError
from neural.scan import backends
from neural.scan.arguments import is_narrow
from neural.scan.functional import Operation
from neural.scan.loops import before, gated_gradients, gradients, pair_gradients, part, shares

Three = tuple[Tensor, Tensor, Tensor]


def scan(forget: Tensor, update: Tensor, start: Tensor, semiring: str) -> Tensor:
    """Compute the states of c_t = forget_t c_{t-1} + update_t over a semiring.

    The semiring is ``real``, ``max_plus`` or ``log``. The shapes are ``(T, ...)``, ``(T, ...)`` and
    ``(...)``, with the same dtype.
    """
    if semiring not in ("real", "max_plus", "log"):
        raise InputError(f"the semiring must be real, max_plus or log, got {semiring!r:.40}")
    return _states(forget, update, start, semiring)


def scan_backward(
    grad: Tensor, forget: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str
) -> Three:
    """Compute the gradients of the arguments forget, update and start of :func:`scan`."""
    dtype = update.dtype
    if semiring != "real" and is_narrow(update):  # rounded states do not show which term was greater
        grad, forget, update, start = (x.float() for x in (grad, forget, update, start))
        states = backends.module_for(update).scan(forget, update, start, semiring)
    results = backends.module_for(update).scan_backward(grad, forget, update, states, start, semiring)
    one, two, three = _contiguous(x.to(dtype) for x in results)
    return one, two, three


def gated(gate: Tensor, update: Tensor, start: Tensor) -> Tensor:
    """Compute the states of c_t = f c_{t-1} + (1 - f) update_t with f = sigmoid(gate_t)."""
    return _states(gate, update, start, "gated")


def gated_backward(grad: Tensor, gate: Tensor, update: Tensor, states: Tensor, start: Tensor) -> Three:
    """Compute the gradients of the arguments gate, update and start of :func:`gated`."""
    one, two, three = _contiguous(
        backends.module_for(update).scan_backward(grad, gate, update, states, start, "gated")
    )
    return one, two, three


def pair(
    gate_1: Tensor,
    update_1: Tensor,
    gate_2: Tensor,
    update_2: Tensor,
    start_1: Tensor,
    start_2: Tensor,
    skip: Tensor,
) -> tuple[Tensor, Tensor]:
    """Compute the states of two gated recurrences, the second of which reads the states of the first.

    The first recurrence is c1_t = f1 c1_{t-1} + (1 - f1) update_1, and the second is
    c2_t = f2 c2_{t-1} + (c1_{t-1} + skip) (1 - f2) update_2, where f1 and f2 are the sigmoids of the gates.
    """
    for timed, start in (
        ((gate_1, update_1), start_1),
        ((gate_2, update_2), start_2),
        ((gate_1, update_2), skip),
    ):
        _require_together(*timed, start)
    values = gate_1, update_1, gate_2, update_2, start_1, start_2, skip
    one, two = _contiguous(backends.module_for(skip).pair(*values))
    return one, two


def pair_backward(
    grad_1: Tensor | None,
    grad_2: Tensor | None,
    gate_1: Tensor,
    update_1: Tensor,
    gate_2: Tensor,
    update_2: Tensor,
    states_1: Tensor,
    states_2: Tensor,
    start_1: Tensor,
    start_2: Tensor,
    skip: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Compute the gradients of the arguments of :func:`pair`.

    ``grad_1`` and ``grad_2`` are the gradients of its results ``states_1`` and ``states_2``; ``None`` stands
    for a gradient of zeros.
    """
    values = grad_1, grad_2, gate_1, update_1, gate_2, update_2, states_1, states_2, start_1, start_2, skip
    return _contiguous(backends.module_for(skip).pair_backward(*values))


def _states(first: Tensor, update: Tensor, start: Tensor, kind: str) -> Tensor:
    _require_together(first, update, start)
    states: Tensor = backends.module_for(update).scan(first, update, start, kind)
    return states.contiguous()


def _contiguous(results: Any) -> Any:
    """Make the results contiguous.

    The fake kernels of the operators declare contiguous results, so those of every backend must be
    contiguous.
    """
    return tuple(x.contiguous() for x in results)


def _require_together(forget: Tensor, update: Tensor, start: Tensor) -> None:
    """Raise InputError if the dtypes differ or the shapes do not match.

    A kernel would then read outside an array.
    """
    if not forget.dtype == update.dtype == start.dtype:
        raise InputError(
            "the arguments of a recurrence must have the same dtype, got"
            f" {forget.dtype}, {update.dtype} and {start.dtype}"
        )
    if not update.ndim or forget.shape != update.shape or start.shape != update.shape[1:]:
        shapes = ", ".join(str(tuple(x.shape)) for x in (forget, update, start))
        raise InputError(
            f"the arguments of a recurrence must have shapes (T, ...), (T, ...) and (...), got {shapes}"
        )


# The gradients as recurrences, which are differentiable again.


def _scan_again(
    grad: Tensor, first: Tensor, update: Tensor, states: Tensor, start: Tensor, semiring: str = "gated"
) -> Three:
    """Compute the gradients of :func:`scan` or :func:`gated` with differentiable functions.

    The gradient g_t of the state c_t is a recurrence over the reals in reverse order:
    g_t = grad_t + s_{t+1} g_{t+1} with s_t = dc_t / dc_{t-1}.
    """
    if semiring == "gated":
        return gated_gradients(_scan_again, grad, first, update, states, start)
    dtype = update.dtype
    if semiring != "real" and is_narrow(update):
        grad, first, update, start = (x.float() for x in (grad, first, update, start))
        states = SCAN(first, update, start, semiring)
    old = before(start, states)
    share, of_update = shares(first, update, old, semiring)
    zero = torch.zeros_like(start)
    shifted = torch.cat([share, zero.unsqueeze(0)])[1:]  # the last factor is multiplied by zero
    flow = SCAN(shifted.flip(0), grad.flip(0), zero, "real").flip(0)
    to_start = part(flow[0], share[0], semiring) if len(flow) else zero
    one, two = gradients(flow, old, share, of_update, semiring)
    return one.to(dtype), two.to(dtype), to_start.to(dtype)


def _pair_again(grad_1: Tensor | None, grad_2: Tensor | None, *arguments: Tensor) -> tuple[Tensor, ...]:
    grads = (torch.zeros_like(arguments[0]) if x is None else x for x in (grad_1, grad_2))
    return pair_gradients(_scan_again, *grads, *arguments)


def _like_update(first: Tensor, update: Tensor, *others: Any) -> Tensor:
    return update.new_empty(update.shape)


def _like_updates(first: Tensor, update: Tensor, *others: Any) -> tuple[Tensor, Tensor]:
    return update.new_empty(update.shape), update.new_empty(update.shape)


SCAN = Operation(scan, scan_backward, _scan_again, 2, _like_update, (1, 1, 0), (1,))
GATED = Operation(gated, gated_backward, _scan_again, 2, _like_update, (1, 1, 0), (1,))
PAIR = Operation(pair, pair_backward, _pair_again, 4, _like_updates, (1, 1, 1, 1, 0, 0, 0), (1, 1))
