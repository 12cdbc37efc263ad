"""Adapters for published kernels, with the calling convention of ``kernel_claim``.

Kernels of flash-linear-attention are selected by name. For other libraries, pass the function. Options for
computations beyond the recurrence are switched off. See :func:`~ratproof.api.kernels.kernel_claim`.

``kernel_claim("theirs", family="gla", kernel=of_fla("chunk_gla"), form="chunked", chunk=64, ...)``
"""

from __future__ import annotations

import functools
import importlib
import inspect
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from automata.errors import InputError
from ratproof.laws.kernels.state_parts import Arguments, Function


@dataclass(frozen=True)
class Published:
    """A function of flash-linear-attention.

    Attributes:
        family: Name of the family that it computes.
        module: Name of its module.
        names: The function's names for the family's tensors, if they differ.
        fixed: Options that must be set.
    """

    family: str
    module: str
    names: dict[str, str] = field(default_factory=dict)
    fixed: Arguments = field(default_factory=dict)


_PLAIN = {"normalize": False}
_KEYS = {"use_qk_l2norm_in_kernel": False}
FLA = {
    "chunk_linear_attn": Published("linear-attention", "linear_attn", fixed=_PLAIN),
    "fused_chunk_linear_attn": Published("linear-attention", "linear_attn", fixed=_PLAIN),
    "fused_recurrent_linear_attn": Published("linear-attention", "linear_attn", fixed=_PLAIN),
    "chunk_retention": Published("retention", "retention"),
    "fused_recurrent_retention": Published("retention", "retention"),
    "chunk_gla": Published("gla", "gla"),
    "fused_recurrent_gla": Published("gla", "gla", {"g": "gk"}),
    "chunk_delta_rule": Published("delta-rule", "delta_rule", fixed=_KEYS),
    "fused_recurrent_delta_rule": Published("delta-rule", "delta_rule", fixed=_KEYS),
    "chunk_gated_delta_rule": Published("gated-delta-rule", "gated_delta_rule", fixed=_KEYS),
    "fused_recurrent_gated_delta_rule": Published("gated-delta-rule", "gated_delta_rule", fixed=_KEYS),
    "chunk_rwkv6": Published("rwkv-6", "rwkv6"),
    "fused_recurrent_rwkv6": Published("rwkv-6", "rwkv6"),
    "chunk_rwkv7": Published("rwkv-7", "rwkv7"),
    "fused_recurrent_rwkv7": Published("rwkv-7", "rwkv7"),
    "chunk_hgrn": Published("hgrn", "hgrn"),
    "fused_recurrent_hgrn": Published("hgrn", "hgrn"),
}
"""Functions of ``fla.ops`` by name, as of version 0.6.0.

Chunked functions require a float32 state: use ``dtypes=("float32",)``, or a narrow format with
``accumulation="float32"``. ``chunk_delta_rule`` does not accept float32 inputs.
"""


def of_fla(name: str, **options: object) -> Function:
    """Return a function of flash-linear-attention by its name, such as ``chunk_gla``.

    Args:
        name: A key of :data:`FLA`, which also gives its family.
        options: Further options of the function, besides those of the calling convention.

    Raises:
        InputError: If the name is unknown, or the library is not installed.
    """
    if name not in FLA:
        raise InputError(
            f"name must be a supported function of flash-linear-attention, {', '.join(FLA)}, got {name!r:.60}"
        )
    published = FLA[name]
    path = f"fla.ops.{published.module}"
    try:
        function = getattr(importlib.import_module(path), name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"{path}.{name} cannot be imported: {error}") from error
    knows = inspect.signature(function).parameters
    fixed = {n: x for n, x in published.fixed.items() if n in knows} | options

    @functools.wraps(function)
    def kernel(**arguments: object) -> object:
        named = {published.names.get(n, n): x for n, x in arguments.items()}
        # drop unknown arguments that are None; other unknown arguments raise an error
        return function(**{n: x for n, x in named.items() if n in knows or x is not None}, **fixed)

    # it accepts the options of the calling convention, under the family's tensor names
    kernel.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD)]
    )
    return kernel


def selective_scan(scan: Function) -> Function:
    """Return Mamba's ``selective_scan_fn``, or a compatible function, as a kernel.

    Its family is ``selective-scan``. A head is a group of channels that share B and C. The kernel takes no
    initial state: use ``without=("initial-state", ...)``.
    """

    def kernel(*, q: Tensor, k: Tensor, v: Tensor, dt: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
        batch, time, heads, values = v.shape
        outputs, state = scan(
            v.reshape(batch, time, heads * values).transpose(1, 2),
            dt.repeat_interleave(values, 2).transpose(1, 2),
            a.repeat_interleave(values, 0),
            k.permute(0, 2, 3, 1),
            q.permute(0, 2, 3, 1),
            return_last_state=True,
        )
        state = state.reshape(batch, heads, values, k.shape[-1])
        return outputs.transpose(1, 2).reshape(v.shape), state.transpose(-1, -2)

    return kernel


def ssd(scan: Function, chunk: int) -> Function:
    """Return Mamba-2's ``mamba_chunk_scan_combined``, or a compatible function, as a kernel.

    Its family is ``mamba-2``, and it computes in chunks of ``chunk`` tokens. Each head has its own B and C.
    """

    def kernel(
        *, q: Tensor, k: Tensor, v: Tensor, dt: Tensor, a: Tensor, initial_state: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        start = None if initial_state is None else initial_state.transpose(-1, -2).contiguous()
        outputs, state = scan(
            v, dt, a, k, q, chunk_size=chunk, initial_states=start, return_final_states=True
        )
        return outputs, state.transpose(-1, -2)

    return kernel


def lru(scan: Function) -> Function:
    """Return the scan of an LRU as a kernel of the family ``lru``.

    The scan takes the complex factors, shape ``(D,)``, and the complex inputs multiplied by the input matrix,
    shape ``(B, T, D)``. Its third argument is the initial state, shape ``(B, D)``, if there is one. It
    returns the states of all tokens, or the pair of these states and the last state.

    Use ``without=("empty", ...)`` for a scan that does not return the last state, because there is none for
    an empty input. Use ``"initial-state"`` for a scan that does not accept an initial state.

    >>> import torch
    >>> def scan(factors, inputs):
    ...     powers = factors ** torch.arange(inputs.shape[1], dtype=torch.float64).flip(0)[:, None]
    ...     return (powers * inputs).cumsum(1) / powers  # for factors whose powers stay above 0
    >>> kernel = lru(scan)
    >>> outputs, last = kernel(f=torch.tensor([[0.0, 1.0]]), u=torch.tensor([[[[1.0, 0.0]], [[0.0, 0.0]]]]))
    >>> last.round().tolist()  # 1, rotated by 90 degrees
    [[[0.0, 1.0]]]
    """

    def kernel(*, f: Tensor, u: Tensor, initial_state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        arguments = (f, u) if initial_state is None else (f, u, initial_state)
        result = scan(*(torch.complex(x[..., 0], x[..., 1]) for x in arguments))
        states, last = result if isinstance(result, tuple) else (result, result[:, -1])
        return torch.view_as_real(states), torch.view_as_real(last)

    return kernel


def grouped_values(kernel: Function, groups: int, per_head: tuple[str, ...] = ("beta", "g")) -> Function:
    """Adapt a kernel that has several heads of values for each head of queries and keys.

    The V values of a head are distributed over ``groups`` heads, and padded with zeros if V is not a
    multiple.

    Args:
        kernel: A kernel that takes ``v`` with ``groups`` times as many heads as ``q`` and ``k``.
        groups: The number of heads of values per head of keys.
        per_head: Names of tensors that the kernel takes for each head of values.
    """

    def shared_out(x: Tensor, head: int) -> Tensor:
        filled = pad(x, (0, -x.shape[-1] % groups))
        parts = filled.reshape(*x.shape[:-1], groups, filled.shape[-1] // groups)
        return parts.movedim(-2, head + 1).flatten(head, head + 1)

    def together(x: Tensor, head: int, values: int) -> Tensor:
        heads = x.shape[head] // groups
        parts = x.reshape(*x.shape[:head], heads, groups, *x.shape[head + 1 :]).movedim(head + 1, -2)
        return parts.flatten(-2)[..., :values]

    def adapted(*, v: Tensor, initial_state: Tensor | None, **tensors: Any) -> Any:
        values = v.shape[-1]
        tensors = {n: x.repeat_interleave(groups, 2) if n in per_head else x for n, x in tensors.items()}
        start = None if initial_state is None else shared_out(initial_state, 1)
        outputs, state = kernel(v=shared_out(v, 2), initial_state=start, **tensors)
        return together(outputs, 2, values), None if state is None else together(state, 1, values)

    return adapted
