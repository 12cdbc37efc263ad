"""Sixty correct kernels in unusual but legitimate forms, and the kernels of the tests in usual forms.

Each kernel is declared as a careful user would declare it. ``python bench/kernel_attack.py right`` expects
the verdict ``holds`` for each of them. It first compares each kernel with :func:`plain`, which computes the
recurrence of the kernel's family with loops over sequences, heads and tokens in float64.
"""

import functools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad
from torch.utils.checkpoint import checkpoint

from proofs_tests.kernels import chunked, chunked_steps
from proofs_tests.kernels.orders import ORDERS
from proofs_tests.kernels.recurrent import KERNELS
from ratproof.laws.kernels.adapters import axes, renamed, transposed_states
from ratproof.laws.kernels.family import LinearRecurrence
from ratproof.laws.kernels.published import lru

Kernel = Callable[..., tuple[Tensor, Tensor | None]]
TOKENS = {
    "linear-attention": "qkv",
    "retention": "qkv",
    "gla": "qkvg",
    "simple-gla": "qkvg",
    "lightning-attention": "qkvg",
    "delta-rule": ("q", "k", "v", "beta"),
    "gated-delta-rule": ("q", "k", "v", "beta", "g"),
    "kda": ("q", "k", "v", "beta", "g"),
    "rwkv-6": "rkvwu",
    "rwkv-7": "rkvwab",
    "hgrn": "xg",
    "mamba-2": ("q", "k", "v", "dt", "a"),
    "selective-scan": ("q", "k", "v", "dt", "a"),
}
"""The names of each family's tensors, in the order in which the kernels of this module receive them."""
UNPACKED = ("cu_seqlens",)
FINITE = ("cu_seqlens", "infinite-gates")
ONE_CHUNK = {"form": "chunked", "chunk": 2049}
"""The declaration of kernels that compute all tokens at once, as in docs/how_to/verify_a_kernel.md."""


@dataclass(frozen=True)
class RightForm:
    """A correct kernel and its declaration.

    Attributes:
        name: the kernel's name in :data:`FORMS`.
        family: a family's name, or a recurrence.
        kernel: the function.
        says: the form in a sentence.
        declared: further arguments of ``believe_kernel``.
    """

    name: str
    family: str | LinearRecurrence
    kernel: Kernel
    says: str
    declared: Mapping[str, Any] = field(default_factory=dict)


FORMS: dict[str, RightForm] = {}


def form(
    family: str | LinearRecurrence, says: str, name: str = "", **declared: Any
) -> Callable[[Kernel], Kernel]:
    """Register a function as a correct kernel of a family."""

    def keep(kernel: Kernel) -> Kernel:
        own = (name or kernel.__name__).replace("_", "-")
        assert own not in FORMS, own
        FORMS[own] = RightForm(own, family, kernel, says, declared)
        return kernel

    return keep


def packed(
    family: str | LinearRecurrence, says: str, run: Callable[..., Any] | None = None, **declared: Any
) -> Callable[[Callable[..., Any]], Kernel]:
    """Register a function as a correct kernel that also supports packed sequences.

    The function, ``body(state, scale, *tensors)``, receives the tensors in the order of :data:`TOKENS`, and
    returns the outputs and the last state. It is called once for a batch, and once for each of several packed
    sequences. If ``run`` is given, ``run(body, state, scale, *tensors)`` is called instead.
    """
    order = TOKENS[family if isinstance(family, str) else family.name]

    def keep(body: Callable[..., Any]) -> Kernel:
        def kernel(
            *, scale: Any = None, initial_state: Any = None, output_final_state: bool = True,
            cu_seqlens: Any = None, **tensors: Any,
        ) -> tuple[Tensor, Tensor]:  # fmt: skip
            operands = [tensors[name] for name in order]
            value = tensors.get("v", operands[0])
            scale, call = scaling(scale, operands[0]), functools.partial(run, body) if run else body
            outputs, states = [], []
            for n, (begin, end) in enumerate(_offsets(cu_seqlens, value)):
                one = initial_state
                if cu_seqlens is not None and one is not None:
                    one = one[n : n + 1]
                parts = [x if x.dim() < 3 else x[:, begin:end] for x in operands]
                output, state = call(first(operands[0], value, one), scale, *parts)
                outputs.append(output)
                states.append(state)
            return torch.cat(outputs, 1), torch.cat(states)

        kernel.__name__ = getattr(body, "__name__", "")
        return form(family, says, **declared)(kernel)

    return keep


def unpacked(family: str | LinearRecurrence, says: str, **declared: Any) -> Callable[..., Kernel]:
    """Register a kernel that does not support packed sequences."""
    return packed(family, says, **{"without": UNPACKED, **declared})


def stepwise(family: str | LinearRecurrence, says: str, **declared: Any) -> Callable[..., Kernel]:
    """Register a kernel that applies ``step(state, scale, *token)`` to each token."""
    return unpacked(family, says, run=_steps, **declared)


def chunkwise(
    family: str | LinearRecurrence, says: str, chunk: int, **declared: Any
) -> Callable[..., Kernel]:
    """Register a kernel that applies ``step(state, scale, *chunk)`` to each chunk of tokens."""
    run = functools.partial(_chunks, chunk)
    return unpacked(family, says, run=run, form="chunked", chunk=chunk, **declared)


def _steps(step: Callable[..., Any], state: Tensor, scale: float, *tensors: Tensor) -> tuple[Tensor, Tensor]:
    outputs, value = [], _value(tensors)
    for t in range(value.shape[1]):
        output, state = step(state, scale, *(x if x.dim() < 3 else x[:, t] for x in tensors))
        outputs.append(output)
    return stacked(outputs, value), state


def _chunks(
    chunk: int, step: Callable[..., Any], state: Tensor, scale: float, *tensors: Tensor
) -> tuple[Tensor, Tensor]:
    value = _value(tensors)
    outputs = [value[:, :0]]
    for at in range(0, value.shape[1], chunk):
        parts = (x if x.dim() < 3 else x[:, at : at + chunk] for x in tensors)
        output, state = step(state, scale, *parts)
        outputs.append(output)
    return torch.cat(outputs, 1), state


def _value(tensors: tuple[Tensor, ...]) -> Tensor:
    """Return the tensor that has the shape of the outputs: v, or the inputs of an elementwise recurrence."""
    return tensors[2] if len(tensors) > 2 else tensors[0]


def first(query: Tensor, value: Tensor, initial_state: Tensor | None) -> Tensor:
    """Return the state before the first token: the initial state, or zeros if it is ``None``."""
    if initial_state is not None:
        return initial_state
    if query.dim() == 3:  # lanes
        return query.new_zeros(query.shape[0], query.shape[2])
    batch, _, heads, keys = query.shape
    return query.new_zeros(batch, heads, keys, value.shape[-1])


def scaling(scale: float | None, query: Tensor) -> float:
    """Return the scale, which is K^(-1/2) by default."""
    return float(query.shape[-1]) ** -0.5 if scale is None else scale


def stacked(outputs: list[Tensor], value: Tensor) -> Tensor:
    """Return the outputs of all tokens, stacked along the time axis, or an empty tensor if there are none."""
    return torch.stack(outputs, 1) if outputs else torch.zeros_like(value)


def outer(key: Tensor, value: Tensor) -> Tensor:
    """Return k v^T, the outer product of a key and a value."""
    return key[..., :, None] * value[..., None, :]


def read(state: Tensor, query: Tensor) -> Tensor:
    """Return S^T q, what a query reads from the state S."""
    return (query[..., None, :] @ state)[..., 0, :]


# ---------------------------------------------------------------- linear attention


@stepwise("linear-attention", "reads the old state, and adds the token's own product: S^T q + (q.k) v")
def linear_old_state(state, scale, q, k, v):
    output = scale * (read(state, q) + (q * k).sum(-1, keepdim=True) * v)
    return output, state + outer(k, v)


@unpacked("linear-attention", "accumulates k v^T over time with torch.cumsum")
def linear_cumulative_sum(state, scale, q, k, v):
    states = outer(k, v).cumsum(1) + state[:, None]
    last = states[:, -1] if q.shape[1] else state
    return scale * torch.einsum("bthk,bthkv->bthv", q, states), last


@unpacked("linear-attention", "the parallel form: tril(q k^T) v", **ONE_CHUNK)
def linear_parallel(state, scale, q, k, v):
    q = q * scale
    scores = torch.einsum("bihk,bjhk->bhij", q, k).tril()
    outputs = torch.einsum("bhij,bjhv->bihv", scores, v) + torch.einsum("bihk,bhkv->bihv", q, state)
    return outputs, state + torch.einsum("bjhk,bjhv->bhkv", k, v)


def _linear_chunk(state, scale, *tensors):
    queries, keys, values = (x.transpose(1, 2) for x in tensors)
    left = torch.cat([(queries @ keys.mT).tril(), queries], -1)
    output = scale * (left @ torch.cat([values, state], -2))
    state = torch.cat([state, keys.mT @ values], -1).unflatten(-1, (2, -1)).sum(-2)
    return output.transpose(1, 2), state


for _chunk in (7, 64):
    chunkwise(
        "linear-attention",
        f"chunks of {_chunk}; one product reads the state and the chunk's own values",
        _chunk,
        name=f"linear_chunks_of_{_chunk}",
    )(_linear_chunk)


@unpacked("linear-attention", "one sequence and head under two torch.vmap")
def linear_vmap(begin, scale, q, k, v):
    def one(q, k, v, state):
        outputs = []
        for t in range(q.shape[0]):
            state = torch.addr(state, k[t], v[t])
            outputs.append(scale * torch.mv(state.T, q[t]))
        return (torch.stack(outputs) if outputs else torch.zeros_like(v)), state

    over_heads = torch.vmap(one, in_dims=(1, 1, 1, 0), out_dims=(1, 0))
    return torch.vmap(over_heads)(q, k, v, begin)


@packed("linear-attention", "updates a state buffer and an output buffer in place when no gradient is needed")
def linear_in_place(state, scale, q, k, v):
    if torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, v, state)):
        return _steps(_plainly, state, scale, q, k, v)
    state, outputs = state.clone(), torch.empty_like(v)
    for t in range(q.shape[1]):
        state.addcmul_(k[:, t, :, :, None], v[:, t, :, None, :])
        outputs[:, t] = read(state, q[:, t])
    return outputs.mul_(scale), state


def _plainly(state, scale, q, k, v):
    state = state + outer(k, v)
    return scale * read(state, q), state


def _offsets(cu_seqlens: Tensor | None, value: Tensor) -> list[tuple[int, int]]:
    ends = [0, value.shape[1]] if cu_seqlens is None else cu_seqlens.tolist()
    return list(pairwise(ends))


@packed(
    "linear-attention", "recursion by halves: the second half reads what the first half wrote", **ONE_CHUNK
)
def linear_halves(state, scale, q, k, v):
    def halves(q, k, v):
        if q.shape[1] == 1:
            own = outer(k[:, 0], v[:, 0])
            return read(own, q[:, 0])[:, None], own
        middle = q.shape[1] // 2
        left, written = halves(q[:, :middle], k[:, :middle], v[:, :middle])
        right, more = halves(q[:, middle:], k[:, middle:], v[:, middle:])
        right = right + torch.einsum("bthk,bhkv->bthv", q[:, middle:], written)
        return torch.cat([left, right], 1), written + more

    if not q.shape[1]:
        return v, state
    output, written = halves(q, k, v)
    return scale * (output + torch.einsum("bthk,bhkv->bthv", q, state)), state + written


@unpacked("linear-attention", "sums the state with Kahan's compensation")
def linear_kahan(state, scale, q, k, v):
    lost, outputs = torch.zeros_like(state), []
    for t in range(q.shape[1]):
        added = outer(k[:, t], v[:, t]) - lost
        total = state + added
        lost = ((total - state) - added).detach()  # this term and its derivative are 0 up to rounding
        state = total
        outputs.append(scale * read(state, q[:, t]))
    return stacked(outputs, v), state


@unpacked("linear-attention", "accumulates in float64 whatever it is given")
def linear_double(state, scale, q, k, v):
    outputs, last = _steps(_plainly, state.double(), scale, q.double(), k.double(), v.double())
    return outputs.to(v.dtype), last.to(state.dtype)


@unpacked("linear-attention", "einsum with the state transposed and the axes in odd orders")
def linear_einsum(state, scale, q, k, v):
    state, outputs = torch.einsum("bhkv->vhkb", state), []
    for t in range(q.shape[1]):
        state = torch.einsum("bhv,bhk->vhkb", v[:, t], k[:, t]) + state
        outputs.append(torch.einsum("vhkb,bhk->hvb", state, q[:, t] * scale))
    joined = torch.stack(outputs) if outputs else v.permute(1, 2, 3, 0)
    return torch.einsum("thvb->bthv", joined), torch.einsum("vhkb->bhkv", state)


class _ReversedLinear(torch.autograd.Function):
    """Linear attention whose backward pass is a loop from the last token to the first."""

    @staticmethod
    def forward(ctx, q, k, v, begin, scale):
        states, state = [begin], begin.clone()
        outputs = torch.empty_like(v)
        for t in range(q.shape[1]):
            state += outer(k[:, t], v[:, t])
            outputs[:, t] = scale * read(state, q[:, t])
            states.append(state.clone())
        ctx.save_for_backward(q, k, v, torch.stack(states, 1))
        ctx.scale = scale
        return outputs, state

    @staticmethod
    def backward(ctx, d_outputs, d_last):
        q, k, v, states = ctx.saved_tensors
        d_q, d_k, d_v, d_state = (torch.zeros_like(x) for x in (q, k, v, d_last))
        d_state += d_last
        for t in reversed(range(q.shape[1])):
            d_output = ctx.scale * d_outputs[:, t]
            d_state += outer(q[:, t], d_output)
            d_q[:, t] = read(states[:, t + 1].mT, d_output)
            d_k[:, t] = read(d_state.mT, v[:, t])
            d_v[:, t] = read(d_state, k[:, t])
        return d_q, d_k, d_v, d_state, None


@unpacked("linear-attention", "a custom backward pass from the last token to the first, in place")
def linear_custom_backward(state, scale, q, k, v):
    return _ReversedLinear.apply(q, k, v, state, scale)


@unpacked(
    "linear-attention",
    "reads bfloat16, keeps its state in float32",
    dtypes=("bfloat16",),
    accumulation="float32",
)
def linear_bfloat16(state, scale, q, k, v):
    outputs, state = _steps(_plainly, state.float(), scale, q.float(), k.float(), v.float())
    return outputs.to(v.dtype), state


@unpacked(
    "linear-attention",
    "pads to a multiple of 16, unfolds time, all chunks at once as a batch",
    form="chunked",
    chunk=16,
)
def linear_unfolded(state, scale, q, k, v):
    time = q.shape[1]
    if not time:
        return torch.zeros_like(v), state
    missing = -time % 16
    # (B, chunks, H, 16, K or V)
    queries, keys, values = (
        pad(x, (0, 0, 0, 0, 0, missing)).unfold(1, 16, 16).transpose(-1, -2) for x in (q, k, v)
    )
    states = torch.cat([state[:, None], keys.mT @ values], 1).cumsum(1)
    outputs = (queries @ keys.mT).tril() @ values + queries @ states[:, :-1]
    return scale * outputs.transpose(2, 3).flatten(1, 2)[:, :time], states[:, -1]


@unpacked("linear-attention", "blocks of four keys, whose partial outputs are added at the end")
def linear_key_blocks(state, scale, q, k, v):
    total, lasts = torch.zeros_like(v), []
    for at in range(0, q.shape[-1], 4):
        part = slice(at, at + 4)
        outputs, last = _steps(_plainly, state[:, :, part], 1.0, q[..., part], k[..., part], v)
        total = total + outputs
        lasts.append(last)
    return scale * total, torch.cat(lasts, 2)


@unpacked("linear-attention", "recomputes its forward pass in the backward pass (checkpoint)")
def linear_checkpoint(state, scale, q, k, v):
    return checkpoint(_steps, _plainly, state, scale, q, k, v, use_reentrant=False)


class _ByVjp(torch.autograd.Function):
    """Linear attention whose backward pass is torch.func.vjp of its forward pass."""

    @staticmethod
    def loop(q, k, v, state, scale):
        outputs = []
        for t in range(q.shape[1]):
            state = torch.baddbmm(
                state.flatten(0, 1), k[:, t].flatten(0, 1)[..., None], v[:, t].flatten(0, 1)[:, None]
            ).view_as(state)
            outputs.append(scale * read(state, q[:, t]))
        return stacked(outputs, v), state

    @staticmethod
    def forward(ctx, q, k, v, state, scale):
        ctx.save_for_backward(q, k, v, state)
        ctx.scale = scale
        return _ByVjp.loop(q, k, v, state, scale)

    @staticmethod
    def backward(ctx, d_outputs, d_last):
        call = functools.partial(_ByVjp.loop, scale=ctx.scale)
        _, pull = torch.func.vjp(call, *ctx.saved_tensors)
        return *pull((d_outputs, d_last)), None


@unpacked("linear-attention", "a custom backward pass that is torch.func.vjp; baddbmm")
def linear_func_vjp(state, scale, q, k, v):
    return _ByVjp.apply(q, k, v, state.contiguous(), scale)


# ---------------------------------------------------------------- gated linear attention


@stepwise("gla", "reads the old state, decayed, and adds the token's own product")
def gla_old_state(state, scale, q, k, v, g):
    state = g.exp()[..., None] * state
    output = read(state, q) + (q * k).sum(-1, keepdim=True) * v
    return scale * output, state + outer(k, v)


@stepwise("gla", "exp2 of the gate times log2(e)")
def gla_exp2(state, scale, q, k, v, g):
    state = torch.exp2(g * math.log2(math.e))[..., None] * state + outer(k, v)
    return scale * read(state, q), state


def associative(decay: Tensor, added: Tensor) -> tuple[Tensor, Tensor]:
    """Compose the maps x -> decay x + added of each prefix of axis 1 by a parallel scan.

    Return the factors and the summands of the composed maps.
    """
    time = decay.shape[1]
    if time < 2:
        return decay, added
    left, right = slice(0, time - 1, 2), slice(1, None, 2)
    pairs = associative(decay[:, right] * decay[:, left], decay[:, right] * added[:, left] + added[:, right])
    before = [x[:, : (time - 1) // 2] for x in pairs]
    later = slice(2, None, 2)
    evens = (decay[:, later] * before[0], decay[:, later] * before[1] + added[:, later])
    joined = []
    for begin, even, odd in zip((decay, added), evens, pairs, strict=True):
        even = torch.cat([begin[:, :1], even], 1)
        paired = torch.stack([even[:, : odd.shape[1]], odd], 2).flatten(1, 2)
        joined.append(torch.cat([paired, even[:, odd.shape[1] :]], 1))
    return joined[0], joined[1]


@unpacked("gla", "a work-efficient associative scan over pairs of decay and k v^T", **ONE_CHUNK)
def gla_associative_scan(begin, scale, q, k, v, g):
    states, last = _scanned(begin, g.exp()[..., None], outer(k, v))
    return scale * torch.einsum("bthk,bthkv->bthv", q, states), last


def _scanned(begin, decay, added):
    """Return all states of s <- decay s + added and the last state, computed by an associative scan."""
    if not added.shape[1]:
        return added, begin
    decays, states = associative(decay, added)
    states = states + decays * begin[:, None]
    return states, states[:, -1]


@form(
    "gla",
    "Hillis and Steele's scan; packed sequences are cut by decays of 0, and have their initial state added",
    **ONE_CHUNK,
)
def gla_packed_scan(*, q, k, v, g, scale=None, initial_state=None, output_final_state=True, cu_seqlens=None):
    batch, time, heads, keys = q.shape
    offsets = _offsets(cu_seqlens, q)
    count = batch if cu_seqlens is None else len(offsets)
    begin = q.new_zeros(count, heads, keys, v.shape[-1]) if initial_state is None else initial_state
    if not time:
        return torch.zeros_like(v), begin
    decays, states = g.exp()[..., None], outer(k, v)
    starts = [a for a, b in offsets if b > a]
    initial = (
        begin[:, None]
        if cu_seqlens is None
        else begin[[n for n, (a, b) in enumerate(offsets) if b > a]][None]
    )
    indices = torch.tensor(starts)
    states = states.index_add(1, indices, decays[:, indices] * initial)
    decays = decays.index_fill(1, indices, 0.0)
    step = 1
    while step < time:
        shifted = pad(states, (0, 0, 0, 0, 0, 0, step, 0))[:, :time]
        earlier = pad(decays, (0, 0, 0, 0, 0, 0, step, 0))[:, :time]
        states, decays = states + decays * shifted, decays * earlier
        step *= 2
    if cu_seqlens is None:
        last = states[:, -1]
    else:
        last = torch.stack([states[0, b - 1] if b > a else begin[n] for n, (a, b) in enumerate(offsets)])
    return scaling(scale, q) * torch.einsum("bthk,bthkv->bthv", q, states), last


def _gla_chunk(decays_of, state, scale, q, k, v, g):
    since, between = decays_of(g)
    scores = torch.einsum("bihk,bjhk,bijhk->bijh", q, k, between)
    output = torch.einsum("bijh,bjhv->bihv", scores, v)
    written = torch.einsum("bjhk,bjhv->bhkv", k * between[:, -1], v)
    output = scale * (output + torch.einsum("bihk,bhkv->bihv", q * since, state))
    return output, since[:, -1][..., None] * state + written


def _decays_by_subtraction(gates):
    """Return the decay from the beginning of a chunk to each token, and the decay between any two tokens.

    They are computed from differences of sums of the gates, which are logarithms.
    """
    since = gates.cumsum(1)
    between = since[:, :, None] - since[:, None]
    size = gates.shape[1]
    later = torch.ones(size, size, dtype=torch.bool).triu(1)[:, :, None, None]
    return since.exp(), between.masked_fill(later, -torch.inf).exp()


def _decays_by_multiplication(gates):
    """Return the decay from the beginning of a chunk to each token, and the decay between any two tokens.

    They are computed as products of the exponentials of the gates.
    """
    decay, rows = gates.exp(), []
    row = None
    for i in range(gates.shape[1]):
        one = torch.ones_like(decay[:, :1])
        row = one if row is None else torch.cat([row * decay[:, i : i + 1], one], 1)
        rows.append(pad(row, (0, 0, 0, 0, 0, gates.shape[1] - row.shape[1])))
    return decay.cumprod(1), torch.stack(rows, 1)


for _chunk in (7, 16):
    chunkwise(
        "gla",
        f"chunks of {_chunk}, decays between tokens from differences of logarithms",
        _chunk,
        name=f"gla_chunks_of_{_chunk}",
        without=FINITE,
    )(functools.partial(_gla_chunk, _decays_by_subtraction))
chunkwise(
    "gla",
    "chunks of 16, decays between tokens as products, so that -infinity is right",
    16,
    name="gla_products_of_decays",
)(functools.partial(_gla_chunk, _decays_by_multiplication))


@packed("gla", "one head at a time, sequences packed or not")
def gla_head_blocks(state, scale, q, k, v, g):
    heads = [
        _steps(_decayed, state[:, h], scale, *(x[:, :, h] for x in (q, k, v, g))) for h in range(q.shape[2])
    ]
    outputs, states = zip(*heads, strict=True)
    return torch.stack(outputs, 2), torch.stack(states, 1)


def _decayed(state, scale, q, k, v, g):
    state = g.exp()[..., None] * state + outer(k, v)
    return scale * read(state, q), state


@form("gla", "packed sequences become a padded batch, whose padding has keys and gates of 0")
def gla_padded_batch(*, q, k, v, g, scale=None, initial_state=None, output_final_state=True, cu_seqlens=None):
    if cu_seqlens is not None:
        lengths = cu_seqlens.long().diff()
        longest = int(lengths.max()) if len(lengths) else 0
        inside = torch.arange(longest) < lengths[:, None]
        padded = [x.new_zeros(len(lengths), longest, *x.shape[2:]) for x in (q, k, v, g)]
        q, k, v, g = (
            z.masked_scatter(inside[..., None, None].expand_as(z), x[0])
            for z, x in zip(padded, (q, k, v, g), strict=True)
        )
    state = first(q, v, initial_state)
    joined, state = _steps(_decayed, state, scaling(scale, q), q, k, v, g)
    return (joined if cu_seqlens is None else joined[inside][None]), state


class _ReversedGLA(torch.autograd.Function):
    """Gated linear attention with a custom backward pass."""

    @staticmethod
    def forward(ctx, q, k, v, g, begin, scale, cumulated):
        states, outputs = [begin], []
        for t in range(q.shape[1]):
            states.append(g[:, t, :, :, None].exp() * states[-1] + outer(k[:, t], v[:, t]))
            outputs.append(scale * read(states[-1], q[:, t]))
        ctx.save_for_backward(q, k, v, g, *states)
        ctx.scale, ctx.cumulated = scale, cumulated
        return stacked(outputs, v), states[-1].clone()

    @staticmethod
    def backward(ctx, d_outputs, d_last):
        q, k, v, g, *states = ctx.saved_tensors
        d_q, d_k, d_v, d_g = (torch.zeros_like(x) for x in (q, k, v, g))
        d_state = d_last
        for t in reversed(range(q.shape[1])):
            d_output = ctx.scale * d_outputs[:, t]
            d_state = d_state + outer(q[:, t], d_output)
            d_q[:, t] = read(states[t + 1].mT, d_output)
            d_k[:, t] = read(d_state.mT, v[:, t])
            d_v[:, t] = read(d_state, k[:, t])
            decay = g[:, t].exp()
            d_g[:, t] = decay * (states[t] * d_state).sum(-1)
            d_state = decay[..., None] * d_state
        if ctx.cumulated and q.shape[1]:
            d_g = (q * d_q - k * d_k).flip(1).cumsum(1).flip(1) + (states[-1] * d_last).sum(-1)[:, None]
        return d_q, d_k, d_v, d_g, d_state, None, None


@unpacked("gla", "a custom backward pass, gradients of gates directly", gate_gradient="direct")
def gla_custom_backward(state, scale, *tensors):
    return _ReversedGLA.apply(*tensors, state, scale, False)


@unpacked("gla", "gradients of gates as sums of q dq - k dk over later tokens", without=FINITE)
def gla_cumulated_gate_gradients(state, scale, *tensors):
    return _ReversedGLA.apply(*tensors, state, scale, True)


def _heads_first(*, queries, keys, v, log_decay, scale=None, initial_state=None, output_final_state=True):
    """Return a kernel with heads before time, states (N, H, V, K), and other names for all tensors but v."""
    state = initial_state
    if state is None:
        state = v.new_zeros(*v.shape[:2], v.shape[-1], keys.shape[-1])
    outputs, scale = [], scaling(scale, queries)
    for t in range(v.shape[2]):
        state = state * log_decay[:, :, t].exp()[..., None, :] + outer(v[:, :, t], keys[:, :, t])
        outputs.append(scale * (state @ queries[:, :, t, :, None])[..., 0])
    return (torch.stack(outputs, 2) if outputs else torch.zeros_like(v)), state


_kernel = renamed(transposed_states(axes(_heads_first, "BTH", "BHT")), q="queries", k="keys", g="log_decay")
FORMS["gla-transposed-layouts"] = RightForm(
    "gla-transposed-layouts", "gla", _kernel, _heads_first.__doc__ or "", {"without": UNPACKED}
)


@packed(
    "gla",
    "reads bfloat16 or float16, computes in float32, sequences packed",
    dtypes=("bfloat16", "float16"),
    accumulation="float32",
)
def gla_mixed_precision(state, scale, q, k, v, g):
    wide = (x.float() for x in (q, k, v, g))
    outputs, state = _steps(_decayed, state.float(), scale, *wide)
    return outputs.to(v.dtype), state


@chunkwise("simple-gla", "a gate a head, in chunks of 32, with a lower triangular matrix of decays", 32,
           without=FINITE)  # fmt: skip
def simple_gla_chunks(state, scale, *tensors):
    queries, keys, values, gates = (x.transpose(1, 2) for x in tensors)
    since, decays = _decays_of_heads(gates)
    output = (queries @ keys.mT * decays) @ values + since.exp()[..., None] * (queries @ state)
    state = since[..., -1, None, None].exp() * state + (keys * decays[..., -1, :, None]).mT @ values
    return scale * output.transpose(1, 2), state


def _decays_of_heads(gates):
    """Return the cumulative sums of each head's gates, and the decay between any two tokens."""
    since = gates.cumsum(-1)
    later = torch.ones(since.shape[-1], since.shape[-1], dtype=torch.bool).triu(1)
    return since, (since[..., :, None] - since[..., None, :]).masked_fill(later, -torch.inf).exp()


@form("gla", "chunks of 16 against the associative scan", against=gla_associative_scan, without=UNPACKED)
def gla_against_scan(**arguments):
    return FORMS["gla-products-of-decays"].kernel(**arguments)


# ---------------------------------------------------------------- retention


@stepwise("retention", "subtracts 2^(-5-h) S from the state, and never computes the decay")
def retention_subtracts(state, scale, q, k, v):
    lost = torch.exp2(-5.0 - torch.arange(q.shape[1], dtype=q.dtype))[:, None, None]
    state = (state - lost * state) + outer(k, v)
    return scale * read(state, q), state


@chunkwise("retention", "chunks of 64 with a matrix of powers of the decay", 64)
def retention_chunks(state, scale, *tensors):
    queries, keys, values = (x.transpose(1, 2) for x in tensors)
    heads, size = values.shape[1:3]
    decay = 1 - torch.exp2(-5 - torch.arange(heads, dtype=torch.float64)).to(queries.dtype)
    steps = torch.arange(size)
    distance = steps[:, None] - steps
    matrix = (decay[:, None, None] ** distance.clamp(min=0)) * (distance >= 0)
    since = decay[:, None] ** (steps + 1)
    output = (queries @ keys.mT * matrix) @ values + since[..., None] * (queries @ state)
    state = since[:, -1, None, None] * state + (keys * matrix[:, -1, :, None]).mT @ values
    return scale * output.transpose(1, 2), state


# ---------------------------------------------------------------- delta rules


@stepwise("delta-rule", "the Householder product: (I - beta k k^T) S + beta k v^T")
def delta_householder(state, scale, q, k, v, beta):
    matrix = torch.eye(k.shape[-1], dtype=k.dtype) - beta[..., None, None] * outer(k, k)
    state = matrix @ state + beta[..., None, None] * outer(k, v)
    return scale * read(state, q), state


@stepwise("delta-rule", "subtracts what the key reads, and adds the value, in two updates")
def delta_erase_then_write(state, scale, q, k, v, beta):
    weighted = beta[..., None] * k
    state = state - outer(weighted, read(state, k))
    state = state + outer(weighted, v)
    return scale * read(state, q), state


@stepwise("delta-rule", "reads the old state, and adds the token's own correction")
def delta_old_state(state, scale, q, k, v, beta):
    correction = beta[..., None] * (v - read(state, k))
    output = read(state, q) + (q * k).sum(-1, keepdim=True) * correction
    return scale * output, state + outer(k, correction)


def _delta_chunk(solve, state, scale, *tensors):
    queries, keys, values, weights, *gates = (x.transpose(1, 2) for x in tensors)
    weights = weights[..., None]
    if gates:
        sums, decays = _decays_of_heads(gates[0])
        since = sums.exp()[..., None]
    else:
        size = values.shape[2]
        since, decays = torch.ones_like(weights), torch.ones(size, size, dtype=values.dtype).tril()
    matrix = (weights * (keys @ keys.mT) * decays).tril(-1)
    corrections = solve(matrix, weights * (values - since * (keys @ state)))
    output = since * (queries @ state) + (queries @ keys.mT * decays) @ corrections
    state = since[:, :, -1:] * state + (keys * decays[..., -1, :, None]).mT @ corrections
    return scale * output.transpose(1, 2), state


def _substituted(matrix, right):
    eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype)
    return torch.linalg.solve_triangular(matrix + eye, right, upper=False, unitriangular=True)


def _row_by_row(matrix, right):
    rows: list[Tensor] = []
    for i in range(right.shape[-2]):
        row = right[..., i, :]
        if rows:
            row = row - (matrix[..., i, None, :i] @ torch.stack(rows, -2))[..., 0, :]
        rows.append(row)
    return torch.stack(rows, -2)


def _inverted(matrix, right):
    eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype)
    return torch.linalg.solve_triangular(matrix + eye, eye.expand_as(matrix), upper=False) @ right


_delta_chunks: list[tuple[str, str, int, Any, dict[str, Any]]] = [
    ("delta_chunks_of_16", "delta-rule", 16, _substituted, {}),
    ("delta_chunks_of_7_row_by_row", "delta-rule", 7, _row_by_row, {}),
    ("delta_chunks_of_64_inverted", "delta-rule", 64, _inverted, {"inverse": "explicit"}),
    ("gated_delta_chunks_of_16", "gated-delta-rule", 16, _substituted, {"without": FINITE}),
]
for _name, _family, _chunk, _solve, _more in _delta_chunks:
    _step = functools.partial(_delta_chunk, _solve)
    chunkwise(_family, f"chunks of {_chunk}", _chunk, name=_name, **_more)(_step)


@packed("delta-rule", "one sequence and head under torch.vmap; packed sequences one after the other")
def delta_vmap(begin, scale, *tensors):
    def one(q, k, v, beta, state):
        outputs = []
        for t in range(q.shape[0]):
            state = state + torch.outer(beta[t] * k[t], v[t] - k[t] @ state)
            outputs.append(scale * (q[t] @ state))
        return (torch.stack(outputs) if outputs else torch.zeros_like(v)), state

    return torch.vmap(torch.vmap(one, in_dims=(1, 1, 1, 1, 0), out_dims=(1, 0)))(*tensors, begin)


@stepwise(
    "gated-delta-rule", "reads with the decay outside: v - exp(g) (S^T k), so that S is decayed once, last"
)
def gated_delta_late_decay(state, scale, q, k, v, beta, g):
    return _late_decay(state, scale, q, k, v, beta, g)


def _late_decay(state, scale, q, k, v, beta, g):
    decay = g.exp()[..., None]
    correction = beta[..., None] * (v - decay * read(state, k))
    state = decay[..., None] * state + outer(k, correction)
    return scale * read(state, q), state


@stepwise("gated-delta-rule", "base 2: the decay is exp2 of g log2(e), the state transposed")
def gated_delta_exp2(state, scale, q, k, v, beta, g):
    turned = torch.exp2(g * math.log2(math.e))[..., None, None] * state.mT
    correction = beta[..., None] * (v - (turned @ k[..., None])[..., 0])
    turned = turned + outer(correction, k)
    return scale * (turned @ q[..., None])[..., 0], turned.mT


@unpacked(
    "gated-delta-rule",
    "reads bfloat16, state and corrections in float32",
    dtypes=("bfloat16",),
    accumulation="float32",
)
def gated_delta_bfloat16(state, scale, q, k, v, beta, g):
    wide = (x.float() for x in (q, k, v, beta, g))
    outputs, state = _steps(_late_decay, state.float(), scale, *wide)
    return outputs.to(v.dtype), state


@stepwise("kda", "a gate a key dimension, the Householder product on the decayed state")
def kda_householder(state, scale, q, k, v, beta, g):
    weighted = beta[..., None] * k
    matrix = torch.diag_embed(g.exp()) - outer(weighted, k * g.exp())
    state = matrix @ state + outer(weighted, v)
    return scale * read(state, q), state


# ---------------------------------------------------------------- RWKV


@stepwise("rwkv-6", "reads the old state, and weighs the value by r.(u k)")
def rwkv_6_bonus_as_a_number(state, scale, r, k, v, w, u):
    output = read(state, r) + (r * u * k).sum(-1, keepdim=True) * v
    return scale * output, torch.addcmul(outer(k, v), state, w.exp()[..., None])


@stepwise("rwkv-6", "reads k v^T once, for the bonus and for the state")
def rwkv_6_shared_product(state, scale, r, k, v, w, u):
    product = torch.einsum("bhk,bhv->bhkv", k, v)
    output = torch.einsum("bhk,bhkv->bhv", scale * r, u[..., None] * product + state)
    return output, torch.exp2(w * math.log2(math.e))[..., None] * state + product


@chunkwise("rwkv-6", "chunks of 16, decays from differences of logarithms", 16, without=FINITE)
def rwkv_6_chunks(state, scale, q, k, v, w, u):
    since = w.cumsum(1)
    # the decay from the chunk's beginning to the token before
    before = torch.cat([torch.zeros_like(since[:, :1]), since[:, :-1]], 1)
    later = torch.ones(w.shape[1], w.shape[1], dtype=torch.bool).triu()[:, :, None, None]
    between = (before[:, :, None] - since[:, None]).masked_fill(later, -torch.inf).exp()
    scores = torch.einsum("bihk,bjhk,bijhk->bijh", q, k, between)
    output = torch.einsum("bijh,bjhv->bihv", scores, v) + (q * u * k).sum(-1, keepdim=True) * v
    output = scale * (output + torch.einsum("bihk,bhkv->bihv", q * before.exp(), state))
    left = (since[:, -1:] - since).exp()
    return output, since[:, -1].exp()[..., None] * state + torch.einsum("bjhk,bjhv->bhkv", k * left, v)


@stepwise("rwkv-7", "the transition as one matrix: diag(exp w) + b a^T")
def rwkv_7_matrix(state, scale, r, k, v, w, a, b):
    state = (torch.diag_embed(w.exp()) + outer(b, a)) @ state + outer(k, v)
    return scale * read(state, r), state


@stepwise("rwkv-7", "the state transposed, both updates as one product of two columns")
def rwkv_7_two_columns(state, scale, r, k, v, w, a, b):
    turned = state.mT
    columns = torch.stack([(turned @ a[..., None])[..., 0], v], -1)  # (B, H, V, 2)
    turned = turned * w.exp()[..., None, :] + columns @ torch.stack([b, k], -2)
    return (turned @ (scale * r)[..., None])[..., 0], turned.mT


# ---------------------------------------------------------------- lanes: HGRN, elementwise, LRU


@unpacked("hgrn", "an associative scan", **ONE_CHUNK)
def hgrn_scan(begin, scale, x, g):
    return _scanned(begin, g.exp(), x)


@packed("hgrn", "the step h = exp2(g log2 e) h + x by addcmul, sequences packed", run=_steps)
def hgrn_packed(h, scale, x, g):
    h = torch.addcmul(x, torch.exp2(g * math.log2(math.e)), h)
    return h, h


@functools.cache
def _compiled() -> Callable[..., Tensor]:
    def step(x, g, h):
        return torch.exp(g) * h + x

    return torch.compile(step, dynamic=True)


@unpacked("hgrn", "a step under torch.compile")
def hgrn_compiled(h, scale, x, g):
    outputs = []
    for t in range(x.shape[1]):
        h = _compiled()(x[:, t], g[:, t], h)
        outputs.append(h)
    return stacked(outputs, x), h


@form("elementwise", "the batch is the last axis, and the step is addcmul")
def elementwise_batch_last(*, f, u, initial_state, output_final_state=True):
    c, outputs = initial_state.T, []
    for factor, added in zip(f.permute(1, 2, 0), u.permute(1, 2, 0), strict=True):
        c = torch.addcmul(added, factor, c)
        outputs.append(c.T)
    return stacked(outputs, u), c.T


@form("elementwise", "a scan by recursive doubling", **ONE_CHUNK)
def elementwise_doubling(*, f, u, initial_state, output_final_state=True):
    time = f.shape[1]
    if not time:
        return torch.zeros_like(u), initial_state
    u = torch.cat([torch.addcmul(u[:, :1], f[:, :1], initial_state[:, None]), u[:, 1:]], 1)
    step = 1
    while step < time:
        u = torch.cat([u[:, :step], u[:, step:] + f[:, step:] * u[:, :-step]], 1)
        f = torch.cat([f[:, :step], f[:, step:] * f[:, :-step]], 1)
        step *= 2
    return u, u[:, -1]


def _lru_scan(f, u, state=None):
    begin = u.new_zeros(u.shape[0], u.shape[2]) if state is None else state
    return _scanned(begin, f.expand(1, u.shape[1], -1), u)


def lru_of_reals(*, f, u, initial_state=None, output_final_state=True):
    """Compute the recurrence of the LRU with real arithmetic, on the real and imaginary parts."""
    cosine, sine = f.unbind(-1)
    begin = u.new_zeros(u.shape[0], *u.shape[2:]) if initial_state is None else initial_state
    (x, y), outputs = begin.unbind(-1), []
    for t in range(u.shape[1]):
        x, y = cosine * x - sine * y + u[:, t, :, 0], sine * x + cosine * y + u[:, t, :, 1]
        outputs.append(torch.stack([x, y], -1))
    return stacked(outputs, u), torch.stack([x, y], -1)


_lanes = {
    "lru-complex-scan": (lru(_lru_scan), "an associative scan of complex numbers", ONE_CHUNK),
    "lru-of-reals": (lru_of_reals, "real and imaginary parts by real arithmetic", {}),
}
for _name, (_kernel, _says, _more) in _lanes.items():
    FORMS[_name] = RightForm(_name, "lru", _kernel, _says, {"without": UNPACKED, **_more})


# ---------------------------------------------------------------- state-space layers


@stepwise("mamba-2", "the step of Mamba-2, time steps on the keys, reads the old state")
def ssd_old_state(state, scale, q, k, v, dt, a):
    decay, scaled = (dt * a).exp()[..., None], dt[..., None] * k
    output = decay * read(state, q) + (q * scaled).sum(-1, keepdim=True) * v
    return output, decay[..., None] * state + outer(scaled, v)


@unpacked("selective-scan", "an associative scan over decays exp(dt a) and dt k v^T", **ONE_CHUNK)
def selective_associative(begin, scale, q, k, v, dt, a):
    states, last = _scanned(begin, (dt[..., None] * a).exp()[..., None], outer(k, dt[..., None] * v))
    return torch.einsum("bthkv,bthk->bthv", states, q), last


# ---------------------------------------------------------------- the usual forms, which the tests use

for _name, _kernel in KERNELS.items():
    FORMS[f"usual-{_name}"] = RightForm(
        f"usual-{_name}", _name, _kernel, "step by step, as the tests have it"
    )
for _name, (_family, _kernel) in ORDERS.items():
    _name = "usual-" + re.sub("[^a-z0-9]+", "-", f"{_family}-{_name}".lower()).strip("-")
    FORMS[_name] = RightForm(_name, _family, _kernel, "step by step, a step's terms in another order")
_usual: dict[str, tuple[str, Kernel, dict[str, Any]]] = {
    "gla-16": ("gla", chunked.gla, {"chunk": 16}),
    "gla-64": ("gla", functools.partial(chunked.gla, chunk=64), {"chunk": 64}),
    "delta-rule-16": ("delta-rule", chunked.delta, {"chunk": 16}),
    "delta-rule-64": ("delta-rule", functools.partial(chunked.delta, chunk=64), {"chunk": 64}),
    "delta-rule-inverse": (
        "delta-rule",
        functools.partial(chunked.delta, inverse="explicit"),
        {"chunk": 16, "inverse": "explicit"},
    ),
    "delta-rule-wy": (
        "delta-rule",
        functools.partial(chunked.delta, inverse="two products"),
        {"chunk": 16, "inverse": "explicit"},
    ),
    "gated-delta-rule-16": ("gated-delta-rule", chunked.gated_delta, {"chunk": 16}),
    "mlstm-16": ("mlstm", chunked_steps.mlstm, {"chunk": 16}),
    "mlstm-64": ("mlstm", functools.partial(chunked_steps.mlstm, chunk=64), {"chunk": 64}),
    "gsa-16": ("gsa", chunked_steps.gsa, {"chunk": 16}),
    "gsa-64": ("gsa", functools.partial(chunked_steps.gsa, chunk=64), {"chunk": 64}),
    "rwkv-7-16": ("rwkv-7", chunked.rwkv_7, {"chunk": 16}),
    "rwkv-7-inverse": (
        "rwkv-7",
        functools.partial(chunked.rwkv_7, inverse="explicit"),
        {"chunk": 16, "inverse": "explicit"},
    ),
}
for _name, (_family, _kernel, _more) in _usual.items():
    FORMS[f"usual-{_name}"] = RightForm(
        f"usual-{_name}", _family, _kernel, "in chunks, as the tests have it", {"form": "chunked", **_more}
    )


# ---------------------------------------------------------------- the recurrences, plainly


def plain(
    family: str | LinearRecurrence,
    tensors: Mapping[str, Tensor],
    scale: float | None,
    initial_state: Any,
    cu_seqlens: Tensor | None = None,
) -> tuple[Tensor, Any]:
    """Return the results of a family's recurrence in float64, by loops over sequences, heads and tokens.

    Args:
        family: a family's name, or a recurrence.
        tensors: the family's tensors.
        scale: a number, or ``None`` for K^(-1/2).
        initial_state: the state before each sequence, a tensor or a pair, or ``None``.
        cu_seqlens: offsets of packed sequences, or ``None``.
    """
    if isinstance(initial_state, tuple):
        return _plain_pair(family, tensors, initial_state, cu_seqlens)
    name = family if isinstance(family, str) else family.name
    x = {key: tensor.double() for key, tensor in tensors.items()}
    state = None if initial_state is None else initial_state.double()
    if cu_seqlens is not None:
        parts = []
        for n, (begin, end) in enumerate(_offsets(cu_seqlens, next(iter(x.values())))):
            one = {key: y if y.dim() < 3 else _tokens(y, begin, end, cu_seqlens) for key, y in x.items()}
            parts.append(plain(family, one, scale, None if state is None else state[n : n + 1]))
        return torch.cat([o for o, _ in parts], 1), torch.cat([s for _, s in parts])
    if name in ("hgrn", "elementwise", "lru", "min-gru", "min-lstm", "causal-conv1d"):
        return _plain_lanes(name, x, state)
    if name == "hgrn2":
        x["k"] = 1 - x["g"].exp()
    if name == "normalised-linear-attention":
        columns = {**x, "v": torch.cat([x["v"], torch.ones_like(x["v"][..., :1])], -1)}
        output, last = plain("linear-attention", columns, 1.0, state)
        return output[..., :-1] / output[..., -1:], last
    q, v = x["r" if name.startswith("rwkv") else "q"], x["v"]
    batch, time, heads, keys = q.shape
    scale = keys**-0.5 if scale is None else scale
    if name in ("mamba-2", "selective-scan"):
        scale = 1.0
    outputs = []
    lasts = []
    for b in range(batch):
        for h in range(heads):
            S = q.new_zeros(keys, v.shape[-1]) if state is None else state[b, h]
            for t in range(time):
                if name == "gated-delta-product":
                    S, output = _plain_product(S, x, b, t, h)
                else:
                    S, output = _plain_step(name, S, {**x, "q": q}, b, t, h)
                outputs.append(scale * output)
            lasts.append(S)
    last = torch.stack(lasts).view(batch, heads, keys, v.shape[-1])
    if not outputs:
        return torch.zeros_like(v[:, :time]), last
    return torch.stack(outputs).view(batch, heads, time, -1).transpose(1, 2), last


def _plain_pair(name, tensors, states, cu_seqlens):
    x = {key: tensor.double() for key, tensor in tensors.items()}
    outputs, ends = torch.zeros_like(x["v"]), None if cu_seqlens is None else cu_seqlens.tolist()
    lasts = [[], []]
    for n in range(len(states[0])):
        row, begin, end = (n, 0, x["v"].shape[1]) if ends is None else (0, ends[n], ends[n + 1])
        of_heads = [[], []]
        for h in range(x["v"].shape[2]):
            one, two = (state[n, h].double() for state in states)
            for t in range(begin, end):
                at = {key: y[row, t, h] for key, y in x.items()}
                one, two, output = _plain_pair_step(name, one, two, at)
                outputs = outputs.index_put((torch.tensor(row), torch.tensor(t), torch.tensor(h)), output)
            of_heads[0].append(one)
            of_heads[1].append(two)
        for last, own in zip(lasts, of_heads, strict=True):
            last.append(torch.stack(own))
    return outputs, tuple(map(torch.stack, lasts))


def _plain_pair_step(name, one, two, x):
    if name == "mlstm":
        forget, gate = x["f"].sigmoid(), x["i"].exp()
        one = forget * one + gate * torch.outer(x["k"], x["v"])
        two = forget * two + gate * x["k"]
        return one, two, one.T @ x["q"] / (two @ x["q"]).abs().clamp(min=1.0)
    one, two = (x["g"].exp()[:, None] * s + torch.outer(x["s"], x[n]) for s, n in ((one, "k"), (two, "v")))
    return one, two, two.T @ (one @ x["q"]).softmax(-1)


def _tokens(x, begin, end, cu_seqlens):
    steps = x.shape[1] // int(cu_seqlens[-1])  # of each token
    return x[:, begin * steps : end * steps]


def _plain_product(S, x, b, t, h):
    steps = x["k"].shape[1] // x["q"].shape[1]
    S = x["g"][b, t, h].exp() * S
    for j in range(t * steps, (t + 1) * steps):
        k = x["k"][b, j, h]
        S = S + torch.outer(k, x["beta"][b, j, h] * (x["v"][b, j, h] - S.T @ k))
    return S, S.T @ x["q"][b, t, h]


def _plain_step(name, S, x, b, t, h):
    q, k, v = x["q"][b, t, h], x["k"][b, t, h], x["v"][b, t, h]
    if name == "comba":
        new = x["beta"][b, t, h] * (v - S.T @ x["p"][b, t, h])
        S = x["g"][b, t, h].exp() * S + torch.outer(k, new)
        return S, S.T @ q
    if name == "rwkv-6":
        output = (S + torch.outer(x["u"][h] * k, v)).T @ q
        return torch.diag(x["w"][b, t, h].exp()) @ S + torch.outer(k, v), output
    if name == "rwkv-7":
        S = (
            torch.diag(x["w"][b, t, h].exp()) @ S
            + torch.outer(x["b"][b, t, h], S.T @ x["a"][b, t, h])
            + torch.outer(k, v)
        )
        return S, S.T @ q
    if name == "retention":
        S = (1 - 2.0 ** (-5 - h)) * S
    if "g" in x:
        gate = (x["g"][h] if x["g"].dim() == 1 else x["g"][b, t, h]).exp()
        S = torch.diag(gate) @ S if gate.dim() else gate * S
    if "dt" in x:
        rate = (x["dt"][b, t, h] * x["a"][h]).exp()
        S = torch.diag(rate) @ S if rate.dim() else rate * S
        k = x["dt"][b, t, h] * k
    new = x["beta"][b, t, h] * (v - S.T @ k) if "beta" in x else v
    S = S + torch.outer(k, new)
    return S, S.T @ q


def _plain_lanes(name, x, state):
    if name == "lru":
        factors, inputs = (
            torch.view_as_complex(x["f"].contiguous()),
            torch.view_as_complex(x["u"].contiguous()),
        )
        h = inputs.new_zeros(inputs.shape[0], inputs.shape[2])
        if state is not None:
            h = torch.view_as_complex(state.contiguous())
        decays = factors.expand(inputs.shape)
    elif name == "causal-conv1d":
        rows, time, lanes = x["x"].shape
        width = x["weight"].shape[1]
        h = x["x"].new_zeros(rows, lanes, width) if state is None else state
        joined = torch.cat([h, x["x"].transpose(1, 2)], 2)
        ends = [joined[..., t + 1 : t + 1 + width] for t in range(time)]
        y = [x["bias"] + torch.einsum("bdw,dw->bd", window, x["weight"]) for window in ends]
        return stacked(y, x["x"]), joined[..., time:]
    else:
        inputs = x["x" if name == "hgrn" else "u"]
        gates: dict[str, Callable[[], Tensor]] = {"hgrn": lambda: x["g"].exp(), "min-gru": lambda: 1 - x["z"]}
        decays = gates.get(name, lambda: x["f"])()
        if name.startswith("min-"):
            inputs = x["z" if name == "min-gru" else "i"] * inputs
        h = inputs.new_zeros(inputs.shape[0], inputs.shape[2]) if state is None else state
    outputs = []
    for t in range(inputs.shape[1]):
        h = decays[:, t] * h + inputs[:, t]
        outputs.append(h)
    joined = stacked(outputs, inputs)
    return (torch.view_as_real(joined), torch.view_as_real(h)) if name == "lru" else (joined, h)
