"""A recurrence whose matrices have a low rank: h_t = ((h_{t-1} D_1) o z_t) D_2^T, the step of an FA-RNN
(equation 5, Jiang et al. 2020), which never makes the matrix D_1 diag(z_t) D_2^T.

Its products are large ones of torch's library, on any device. Forward each step is two of them. Backward each
step is two, for what flows from state to state; what flows to D_1 and to D_2 is one product each over all
steps, where autograd would make two small ones at each step and add them up.

>>> one, half = torch.ones(1, 1), torch.full((3, 2, 1), 0.5)
>>> factored_scan(half, torch.ones(2, 1), one, one).flatten(1).tolist()
[[0.5, 0.5], [0.25, 0.25], [0.125, 0.125]]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError
from neural.scan.arguments import common_type
from neural.scan.functional import differentiable, one_precision

Four = tuple[Tensor, Tensor, Tensor, Tensor]


def factored_scan(
    read: Tensor, start: Tensor, before: Tensor, after: Tensor, sizes: Sequence[int] | None = None
) -> Tensor:
    """h_1, ..., h_T.

    Args:
        read: z, shape ``(T, B, r)``; with ``sizes``, shape ``(N, r)``: that of the first steps of all
            strings, then of the second ones, ..., longest string first, as torch packs them.
        start: h_0, shape ``(B, K)``.
        before: D_1, shape ``(K, r)``.
        after: D_2, shape ``(K, r)``.
        sizes: how many strings have a t-th step, for each t; B at most, and falling.

    Returns:
        All states, shape ``(T, B, K)`` or ``(N, K)``, in the type that the arguments are promoted to; in
        bfloat16 and float16 what is carried is a float32. Differentiable, as often as one likes.

    Raises:
        InputError: the shapes or sizes do not fit, the numbers are no floats, or are on several devices.
    """
    values = read, start, before, after
    dtype = common_type("the arguments of a recurrence", values)
    _require_shapes(read, start, before, after, sizes)
    wide = torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype
    states, _ = _run(*(x.to(wide) for x in values), None if sizes is None else list(sizes))
    result: Tensor = states.to(dtype)
    return result


def _require_shapes(
    read: Tensor, start: Tensor, before: Tensor, after: Tensor, sizes: Sequence[int] | None
) -> None:
    right = start.dim() == before.dim() == 2 and before.shape == after.shape and read.dim() >= 2
    right = right and start.shape[1] == before.shape[0] and read.shape[-1] == before.shape[1]
    if sizes is None:
        right = right and read.dim() == 3 and read.shape[1] == start.shape[0]
    else:
        right = right and read.dim() == 2 and sum(sizes) == len(read) and all(size >= 0 for size in sizes)
        right = right and list(sizes) == sorted(sizes, reverse=True) and max(sizes, default=0) <= len(start)
    if not right:
        shapes = ", ".join(str(tuple(x.shape)) for x in (read, start, before, after))
        of_sizes = "" if sizes is None else f", and sizes are {list(sizes)}"
        raise InputError(
            f"what is read, start and factors have shapes {shapes}{of_sizes}, where (T, B, r), or (N, r) with"
            " falling sizes of the sum N, (B, K), (K, r) and (K, r) are right"
        )


@torch.library.custom_op("ratproof::factored_scan", mutates_args=())
def scan(
    read: Tensor, start: Tensor, before: Tensor, after: Tensor, sizes: Sequence[int] | None
) -> tuple[Tensor, Tensor]:
    """The states, and the products h_{t-1} D_1, of which the gradient has need; of one type, sums of which
    one may carry on with.
    """
    flat, parts = _rows(read, sizes)
    states, products = flat.new_empty(len(flat), len(before)), torch.empty_like(flat)
    h = start
    with one_precision(start):
        for rows in parts:
            product, state = products[rows], states[rows]
            torch.mm(h[: len(product)], before, out=product)
            torch.mm(product * flat[rows], after.T, out=state)
            h = state
    lead = read.shape[:-1]
    return states.reshape(*lead, len(before)), products.reshape(read.shape)


@torch.library.custom_op("ratproof::factored_scan_backward", mutates_args=())
def scan_backward(
    grad: Tensor,
    read: Tensor,
    start: Tensor,
    before: Tensor,
    after: Tensor,
    states: Tensor,
    products: Tensor,
    sizes: Sequence[int] | None,
) -> Four:
    """The gradients of the arguments of ``scan``, from that of the states."""
    with one_precision(start):
        return _gradients(grad, None, read, start, before, after, states, products, sizes)


def _gradients(
    to_states: Tensor,
    to_products: Tensor | None,
    read: Tensor,
    start: Tensor,
    before: Tensor,
    after: Tensor,
    states: Tensor,
    products: Tensor,
    sizes: Sequence[int] | None,
) -> Four:
    """The same, in functions that have gradients themselves."""
    flat, parts = _rows(read, sizes)
    grads, rows_of_states = (x.reshape(len(flat), len(before)) for x in (to_states, states))
    rows_of_products = products.reshape(flat.shape)
    flows, reads, onward = [grads[:0]], [flat[:0]], [flat[:0]]
    flow = start[:0]  # from the step behind, whose strings are the first ones here
    for rows in reversed(parts):
        here = grads[rows]
        flows.append(torch.cat([here[: len(flow)] + flow, here[len(flow) :]]))
        to_both = flows[-1] @ after
        reads.append(to_both * rows_of_products[rows])
        own = to_both * flat[rows]
        onward.append(own if to_products is None else own + to_products.reshape(flat.shape)[rows])
        flow = onward[-1] @ before.T
    to_start = torch.cat([flow, torch.zeros_like(start[len(flow) :])])
    all_flows, to_read, all_onward = (torch.cat(some[::-1]) for some in (flows, reads, onward))
    earlier = [start, *(rows_of_states[rows] for rows in parts[:-1])]
    rows_before = [h[: rows.stop - rows.start] for h, rows in zip(earlier, parts, strict=False)]
    to_before = torch.cat([start[:0], *rows_before]).T @ all_onward
    return to_read.reshape(read.shape), to_start, to_before, all_flows.T @ (rows_of_products * flat)


def _rows(read: Tensor, sizes: Sequence[int] | None) -> tuple[Tensor, list[slice]]:
    """What is read as rows, and those of each step."""
    if sizes is None:
        sizes = [read.shape[1]] * len(read)
    ends = list(accumulate(sizes, initial=0))
    flat = read.reshape(ends[-1], read.shape[-1])
    return flat.contiguous(), [slice(begin, end) for begin, end in pairwise(ends)]


@scan.register_fake
def _like_states(
    read: Tensor, start: Tensor, before: Tensor, after: Tensor, sizes: Sequence[int] | None
) -> tuple[Tensor, Tensor]:
    return read.new_empty(*read.shape[:-1], before.shape[0]), read.new_empty(read.shape)


@scan_backward.register_fake
def _like_arguments(grad: Tensor, *arguments: Any) -> Four:
    one, two, three, four = (x.new_empty(x.shape) for x in arguments[:4])
    return one, two, three, four


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*inputs[:4], *output)
    ctx.sizes = inputs[4]
    ctx.set_materialize_grads(False)  # nothing flows from the products, as a rule


def _gradient(ctx: Any, to_states: Tensor | None, to_products: Tensor | None) -> tuple[Tensor | None, ...]:
    read, start, before, after, states, products = ctx.saved_tensors
    values = read, start, before, after, states, products
    if to_states is None and to_products is None:
        return None, None, None, None, None
    to_states = torch.zeros_like(states) if to_states is None else to_states
    if to_products is None and not torch.is_grad_enabled():
        return *scan_backward(to_states, *values, ctx.sizes), None
    with one_precision(states):
        return *_gradients(to_states, to_products, *values, ctx.sizes), None


def _batched(operator: Any) -> Any:
    """The batching rule: one after the other, since each may have factors of its own."""

    def rule(info: Any, in_dims: Sequence[int | None], *arguments: Any) -> tuple[Any, Any]:
        each = [
            operator(
                *(
                    x if dim is None or not isinstance(x, Tensor) else x.select(dim, k)
                    for x, dim in zip(arguments, in_dims, strict=True)
                )
            )
            for k in range(info.batch_size)
        ]
        return tuple(torch.stack(one) for one in zip(*each, strict=True)), (0,) * len(each[0])

    return rule


scan.register_autograd(_gradient, setup_context=_keep)
scan.register_vmap(_batched(scan))
scan_backward.register_vmap(_batched(scan_backward))
_run = differentiable(scan, _keep, _gradient, _batched)
