"""Computation of the outputs of gated layers, such as tanh(o * c), in one pass over memory.

>>> gated_tanh(torch.tensor([20.0]), torch.zeros(1)).tolist()
[0.5]

torch makes one pass for each sigmoid, product and tanh. Here, one operator (``ratproof::output``) computes
all of them. It runs in C++ or in Triton if the recurrences do, and otherwise as separate torch functions,
which ``torch.compile`` fuses.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError
from neural.scan import backends, loops
from neural.scan.arguments import common_type
from neural.scan.functional import Operation

Three = tuple[Tensor, Tensor, Tensor]
TANH, TANH_OF_PRODUCT, PRODUCT_WITH_TANH = "tanh", "tanh_of_product", "product_with_tanh"


def tanh(states: Tensor, gate: Tensor | None = None) -> Tensor:
    """Compute the tanh of o * c, where o is sigmoid(gate), or 1 without a gate.

    This is equation 23e (Peng et al. 2018).

    >>> tanh(torch.tensor([0.0, 20.0])).tolist()
    [0.0, 1.0]

    Args:
        states: c, of any shape.
        gate: the gate's pre-activation, of the same shape. If omitted, o is 1.

    Returns:
        A tensor of the same shape, in the dtype to which the arguments are promoted. It is differentiable any
        number of times.
    """
    return _run(TANH if gate is None else TANH_OF_PRODUCT, states, gate, None)


def gated_tanh(states: Tensor, gate: Tensor, skip: Tensor | None = None) -> Tensor:
    """Compute r * tanh(c) + (1 - r) * skip, where r is sigmoid(gate): the output of an SRU.

    If ``skip`` is ``None``, the result is r * tanh(c).

    >>> gated_tanh(torch.zeros(1), torch.zeros(1), torch.ones(1)).tolist()
    [0.5]

    The other arguments and the result are as in :func:`tanh`.
    """
    return _run(PRODUCT_WITH_TANH, states, gate, skip)


def _run(form: str, *values: Tensor | None) -> Tensor:
    present = [x for x in values if x is not None]
    dtype = common_type("the states of a layer", present)
    try:
        shape = torch.broadcast_shapes(*(x.shape for x in present))  # type: ignore[no-untyped-call]
    except RuntimeError:
        shapes = ", ".join(str(tuple(x.shape)) for x in present)
        raise InputError(f"the states of a layer must have compatible shapes, got {shapes}") from None
    result: Tensor = OUTPUT(*(x if x is None else x.to(dtype).expand(shape) for x in values), form)
    return result


def formula(states: Tensor, gate: Tensor | None, skip: Tensor | None, form: str) -> Tensor:
    """Compute the output with torch functions; the arguments are those of :func:`output`."""
    if gate is None:
        return torch.tanh(states)
    part = torch.sigmoid(gate)
    if form == TANH_OF_PRODUCT:
        return torch.tanh(part * states)
    result = part * torch.tanh(states)
    return result if skip is None else result + (1 - part) * skip


def output(states: Tensor, gate: Tensor | None, skip: Tensor | None, form: str) -> Tensor:
    """Compute the output of a gated layer from tensors of the same shape and dtype.

    The formula is tanh(c), tanh(o * c), or r * tanh(c) + (1 - r) * skip without the second term if ``skip``
    is ``None``. It is selected by ``form``: ``TANH``, ``TANH_OF_PRODUCT`` or ``PRODUCT_WITH_TANH``.
    """
    backend = backends.module_for(states)
    if backend is loops:  # torch itself computes it
        return formula(states, gate, skip, form).contiguous()
    result: Tensor = backend.output(states, gate, skip, form)
    return result


def output_backward(
    grad: Tensor, states: Tensor, gate: Tensor | None, skip: Tensor | None, outputs: Tensor, form: str
) -> Three:
    """Compute the gradients of the arguments states, gate and skip of :func:`output`.

    The gradient of an argument that is ``None`` is an empty tensor.
    """
    backend = backends.module_for(states)
    run = _in_torch if backend is loops else backend.output_backward
    one, two, three = (
        states.new_empty(0) if x is None else x.contiguous()
        for x in run(grad, states, gate, skip, outputs, form)
    )
    return one, two, three


def _in_torch(
    grad: Tensor, states: Tensor, gate: Tensor | None, skip: Tensor | None, outputs: Tensor, form: str
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Compute the gradients of states, gate and skip with differentiable functions.

    The gradient of an argument that is ``None`` is ``None``.
    """
    if gate is None:
        return grad * _slope(torch.tanh(states)), None, None
    part = torch.sigmoid(gate)
    if form == TANH_OF_PRODUCT:
        flow = grad * _slope(torch.tanh(part * states))
        return flow * part, flow * states * (part * (1 - part)), None
    value = torch.tanh(states)
    to_gate = grad * (value if skip is None else value - skip) * (part * (1 - part))
    return grad * part * _slope(value), to_gate, None if skip is None else grad * (1 - part)


def _slope(value: Tensor) -> Tensor:
    """Return the derivative of tanh at the point at which tanh is ``value``."""
    return (1 - value) * (1 + value)


def _like_states(states: Tensor, *others: Any) -> Tensor:
    return states.new_empty(states.shape)


OUTPUT = Operation(output, output_backward, _in_torch, 3, _like_states, (0, 0, 0), (0,))
