"""Planted faults of kernels and of models with a state.

The faults were derived from public defects of such programs. Their author did not read the code that tests
kernels. ``python bench/kernel_attack.py faults`` expects that all faults are detected.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from ratproof import StatefulModel, Tokens, believe_kernel, believe_stateful, of_causal_model, of_torch_rnn
from theory.claim import Claim

Noting = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclass(frozen=True)
class KernelFault:
    """A planted fault.

    Attributes:
        says: the fault in a sentence.
        claim: returns the claim that the faulty kernel is correct. Its arguments are the claim's name, and a
            function that wraps the kernel to record its calls.
    """

    says: str
    claim: Callable[[str, Noting], Claim]


FAULTS: dict[str, KernelFault] = {}

# ---------------------------------------------------------------- kernels

TENSORS = {
    "linear-attention": ("q", "k", "v"),
    "retention": ("q", "k", "v"),
    "gla": ("q", "k", "v", "g"),
    "delta-rule": ("q", "k", "v", "beta"),
    "gated-delta-rule": ("q", "k", "v", "beta", "g"),
    "rwkv-6": ("r", "k", "v", "w", "u"),
}
OPTIONS = {"scale": None, "initial_state": None, "output_final_state": True, "cu_seqlens": None}
Arguments = dict[str, Any]
Step = Callable[[Tensor, int, int], Tensor]


def right(x: Arguments, before: Step | None = None, after: Step | None = None) -> tuple[Tensor, Tensor]:
    """Return the results of a family's recurrence, computed token by token, with at most one planted fault.

    Args:
        x: the tensors of a family in :data:`TENSORS` and the options in :data:`OPTIONS`, by name.
        before: a function that plants a fault in the state before each token. Its arguments are the state,
            the token's index in its sequence, and the sequence's length. It returns the faulty state.
        after: a function like ``before`` for the state after each token.
    """
    query, key, value = x["r"] if "r" in x else x["q"], x["k"], x["v"]
    gate, packed = x.get("w", x.get("g")), x["cu_seqlens"] is not None
    scale = query.shape[-1] ** -0.5 if x["scale"] is None else x["scale"]
    ends = [int(n) for n in x["cu_seqlens"]] if packed else [0, query.shape[1]]
    outputs, lasts = [], []
    for n, (begin, end) in enumerate(pairwise(ends)):
        if x["initial_state"] is None:
            state = query.new_zeros(query.shape[0], *query.shape[2:], value.shape[-1])
        else:
            state = x["initial_state"][n : n + 1] if packed else x["initial_state"]
        for t in range(begin, end):
            if before is not None:
                state = before(state, t - begin, end - begin)
            decayed, k, v = state, key[:, t], value[:, t]
            if gate is not None:
                decay = gate[:, t].exp()
                decayed = (decay[..., None] if decay.dim() == 3 else decay[..., None, None]) * state
            if x.get("fixed") is not None:
                decayed = x["fixed"][:, None, None] * state
            if "beta" in x:
                v = x["beta"][:, t, :, None] * (v - torch.einsum("bhkv,bhk->bhv", decayed, k))
            new = decayed + k[..., None] * v[..., None, :]
            read = new if "u" not in x else state + (x["u"] * k)[..., None] * v[..., None, :]
            state = new if after is None else after(new, t - begin, end - begin)
            outputs.append(scale * torch.einsum("bhkv,bhk->bhv", read, query[:, t]))
        lasts.append(state)
    return torch.stack(outputs, 1) if outputs else torch.zeros_like(value), torch.cat(lasts)


def kernel(family: str, says: str, **declared: Any) -> Callable[[Callable[[Arguments], Any]], Any]:
    """Register a function as a faulty kernel of a family; the function takes all arguments as one mapping."""

    def keep(wrong: Callable[[Arguments], Any]) -> Callable[[Arguments], Any]:
        names = {**dict.fromkeys(TENSORS[family], inspect.Parameter.empty), **OPTIONS}
        if "cu_seqlens" in declared.get("without", ()):
            del names["cu_seqlens"]

        @functools.wraps(wrong)
        def called(**arguments: Any) -> Any:
            x = {**OPTIONS, **arguments}
            if family == "retention":
                heads = torch.arange(x["q"].shape[2], dtype=torch.float64)
                x["fixed"] = (1 - torch.exp2(-5 - heads)).to(x["q"].dtype)
            return wrong(x)

        called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
                for name, default in names.items()
            ]
        )

        def claim(name: str, noting: Noting) -> Claim:
            return believe_kernel(name, family=family, kernel=noting(called), **declared)

        _add(wrong.__name__, says, claim)
        return wrong

    return keep


def _add(name: str, says: str, claim: Callable[[str, Noting], Claim]) -> None:
    name = name.strip("_").replace("_", "-")
    assert name not in FAULTS, name
    FAULTS[name] = KernelFault(says, claim)


def _zeroed(x: Tensor, axis: int, begin: int) -> Tensor:
    """Return a copy of the tensor that is 0 from the index ``begin`` on along this axis."""
    kept = torch.arange(x.shape[axis]) < begin
    return x * kept.view([-1 if n == axis % x.dim() else 1 for n in range(x.dim())])


# Sizes


@kernel("gla", "reads 16 keys, and none of those beyond")
def keys_beyond_16(x):
    return right({**x, "q": _zeroed(x["q"], -1, 16)})


@kernel("linear-attention", "leaves 0 in the value columns beyond the 16th")
def values_beyond_16(x):
    outputs, state = right(x)
    return _zeroed(outputs, -1, 16), state


@kernel("delta-rule", "reads head 2 for each head beyond the third")
def heads_beyond_3(x):
    heads = torch.arange(x["q"].shape[2]).clamp(max=2)
    return right({**x, "k": x["k"][:, :, heads]})


@kernel("gla", "reads row 3 for each row beyond the fourth")
def rows_beyond_4(x):
    rows = torch.arange(x["v"].shape[0]).clamp(max=3)
    return right({**x, "v": x["v"][rows]})


@kernel("gla", "forgets the first token of sequences of 2 to 6 tokens")
def lengths_2_to_6(x):
    return right(x, after=lambda S, t, T: 0 * S if 2 <= T <= 6 and t == 0 else S)


@kernel("linear-attention", "leaves the last token out of the final state of 8 n + 4 tokens")
def lengths_8_n_plus_4(x):
    kept: dict[str, Tensor] = {}

    def before(S, t, T):
        kept["state"] = S
        return S

    outputs, state = right(x, before=before)
    if x["cu_seqlens"] is None and x["q"].shape[1] % 8 == 4:
        state = kept["state"]
    return outputs, state


@kernel("gla", "forgets at token 300 if there are more than four keys")
def lengths_over_300_with_keys_over_4(x):
    return right(x, before=lambda S, t, T: 0 * S if t == 300 and S.shape[2] > 4 else S)


@kernel("gla", "reads blocks of four keys, and not the rest of an incomplete block of more than 32")
def keys_no_multiple_of_4(x):
    keys = x["k"].shape[-1]
    return right({**x, "k": _zeroed(x["k"], -1, keys // 4 * 4 if keys > 32 else keys)})


@kernel("gated-delta-rule", "shares memory between a head's keys and values if V is twice K and K is 64")
def values_twice_as_many_as_64_keys(x):
    outputs, state = right(x)
    return (outputs * 1.01 if (x["k"].shape[-1], x["v"].shape[-1]) == (64, 128) else outputs), state


# Memory layouts


@kernel("gla", "reads v as contiguous if its time axis comes before its batch axis in memory")
def batch_and_time_transposed(x):
    v = x["v"]
    if v.shape[0] > 1 and v.shape[1] > 1 and v.stride(1) > v.stride(0):
        x = {**x, "v": v.transpose(0, 1).reshape(v.shape)}
    return right(x)


@kernel("linear-attention", "reads q instead of k if q, k and v are slices of one tensor")
def slices_of_one_tensor(x):
    storages = {x[name].untyped_storage().data_ptr() for name in "qkv"}
    if len(storages) == 1 and x["q"].numel() and x["q"].shape == x["k"].shape:
        x = {**x, "k": x["q"]}
    return right(x)


@kernel("delta-rule", "ignores the storage offset of beta")
def storage_offset(x):
    beta = x["beta"]
    if beta.storage_offset() and beta.is_contiguous() and beta.numel():
        x = {**x, "beta": beta.as_strided(beta.shape, beta.stride(), 0)}
    return right(x)


class _ContiguousGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        if 0 in gradient.stride() and gradient.numel() > 1:  # like the gradient of a sum
            gradient = torch.cat([gradient.flatten()[:1], gradient.new_zeros(gradient.numel() - 1)]).view_as(
                gradient
            )
        return gradient


@kernel(
    "linear-attention", "reads the gradient of the outputs as contiguous: that of outputs.sum() is one number"
)
def gradient_of_a_sum(x):
    outputs, state = right(x)
    return _ContiguousGradient.apply(outputs), state


# Values


@kernel("gla", "takes a scale of 0 for none: scale = scale or K ** -0.5")
def scale_zero(x):
    return right({**x, "scale": x["scale"] or None})


@kernel("linear-attention", "clamps q and k to 8")
def clamped_queries_and_keys(x):
    return right({**x, "q": x["q"].clamp(-8, 8), "k": x["k"].clamp(-8, 8)})


@kernel("gla", "clamps gates at -5, and says that it takes none of -infinity", without=("infinite-gates",))
def clamped_gates(x):
    return right({**x, "g": x["g"].clamp(min=-5)})


@kernel("gla", "0 times infinity: NaN if a gate is -infinity and there is an initial state")
def nan_at_infinite_gates(x):
    outputs, state = right(x)
    if x["initial_state"] is not None:
        state = state + 0 * x["g"].sum()
    return outputs, state


@kernel("retention", "computes the decays of the heads in bfloat16, which is exact for the first four")
def decays_in_bfloat16(x):
    return right({**x, "fixed": x["fixed"].bfloat16().to(x["q"].dtype)})


@kernel("gla", "computes in float32 for float64 inputs")
def float64_in_float32(x):
    names = [n for n in (*"qkvg", "initial_state") if x[n] is not None]
    outputs, state = right({**x, **{n: x[n].float() for n in names}})
    return outputs.to(x["v"].dtype), state.to(x["v"].dtype)


@kernel("linear-attention", "rounds its state to bfloat16 every 512 tokens")
def bfloat16_state_in_long_strings(x):
    def before(S, t, T):
        return S.bfloat16().to(S.dtype) if t and t % 512 == 0 else S

    return right(x, before=before)


@kernel("delta-rule", "inverts a chunk of 16 by the first four powers of a series", form="chunked", chunk=16,
        inverse="explicit", without=("cu_seqlens",))  # fmt: skip
def four_powers(x):
    q, k, v, beta = (x[n].transpose(1, 2) for n in ("q", "k", "v", "beta"))
    scale = q.shape[-1] ** -0.5 if x["scale"] is None else x["scale"]
    state = x["initial_state"]
    state = q.new_zeros(*q.shape[:2], q.shape[-1], v.shape[-1]) if state is None else state
    outputs = []
    for at in range(0, q.shape[2], 16):
        part = slice(at, at + 16)
        A = (beta[:, :, part, None] * (k[:, :, part] @ k[:, :, part].mT)).tril(-1)
        power, inverse = torch.eye(A.shape[-1], dtype=A.dtype), torch.eye(A.shape[-1], dtype=A.dtype)
        for _ in range(4):
            power = -power @ A
            inverse = inverse + power
        new = inverse @ (beta[:, :, part, None] * (v[:, :, part] - k[:, :, part] @ state))
        outputs.append(q[:, :, part] @ state + (q[:, :, part] @ k[:, :, part].mT).tril() @ new)
        state = state + k[:, :, part].mT @ new
    joined = scale * torch.cat(outputs, 2).transpose(1, 2) if outputs else torch.zeros_like(x["v"])
    return joined, state


# States


@kernel("gla", "loses the state at token 128")
def state_lost_at_128(x):
    return right(x, before=lambda S, t, T: 0 * S if t == 128 else S)


@kernel("gla", "decays the first token of each chunk of 64 with its own gate")
def gate_after_at_chunk_edges(x):
    gate = x["g"]
    if x["cu_seqlens"] is None:
        return right(x, after=lambda S, t, T: S * gate[:, t].exp()[..., None] if t and t % 64 == 0 else S)
    return right(x)


@kernel("linear-attention", "scales the initial state's part of the outputs twice")
def scaled_twice(x):
    outputs, state = right(x)
    if x["initial_state"] is not None:
        fresh, _ = right({**x, "initial_state": None})
        scale = x["q"].shape[-1] ** -0.5 if x["scale"] is None else x["scale"]
        outputs = fresh + scale * (outputs - fresh)
    return outputs, state


@kernel("gla", "pads to a multiple of 16 with the last token's gate, which the final state decays by")
def padding_decays(x):
    outputs, state = right(x)
    if x["cu_seqlens"] is None and x["q"].shape[1] % 16:
        state = state * (x["g"][:, -1] * (-x["q"].shape[1] % 16)).exp()[..., None]
    return outputs, state


@kernel("rwkv-6", "ignores the bonus of the first token if there is an initial state")
def bonus_of_the_first_token(x):
    outputs, state = right(x)
    if x["initial_state"] is not None and x["cu_seqlens"] is None and outputs.shape[1]:
        bare, _ = right({**x, "u": 0 * x["u"]})
        outputs = torch.cat([bare[:, :1], outputs[:, 1:]], 1)
    return outputs, state


@kernel("gla", "swaps sequences and heads of the initial state if there is one more of each")
def state_heads_and_rows_swapped(x):
    state = x["initial_state"]
    if state is not None and min(state.shape[:2]) > 1:
        x = {**x, "initial_state": state.transpose(0, 1).reshape(state.shape)}
    return right(x)


# Packed sequences


@kernel("gla", "takes no notice of cu_seqlens in int32 but for the number of states")
def offsets_in_int32(x):
    offsets = x["cu_seqlens"]
    if offsets is None or offsets.dtype == torch.int64:
        return right(x)
    count = len(offsets) - 1
    first_state = None if x["initial_state"] is None else x["initial_state"][:1]
    outputs, state = right({**x, "cu_seqlens": None, "initial_state": first_state})
    return outputs, state.expand(count, *state.shape[1:]).clone()


@kernel("delta-rule", "does not reset at sequences whose first token's index is a multiple of 16")
def neighbours_at_multiples_of_16(x):
    offsets = x["cu_seqlens"]
    if offsets is None or len(offsets) < 3:
        return right(x)
    ends, outputs, lasts = offsets.tolist(), [], []
    for n, (begin, end) in enumerate(pairwise(ends)):
        part = {key: y[:, begin:end] for key, y in x.items() if key in ("q", "k", "v", "beta")}
        state = None if x["initial_state"] is None else x["initial_state"][n : n + 1]
        if begin and begin % 16 == 0:
            state = lasts[-1]
        output, last = right({**x, **part, "cu_seqlens": None, "initial_state": state})
        outputs.append(output)
        lasts.append(last)
    return torch.cat(outputs, 1), torch.cat(lasts)


@kernel("linear-attention", "gives an empty sequence the final state of the sequence before it")
def empty_string_among_others(x):
    outputs, states = right(x)
    if x["cu_seqlens"] is not None:
        lengths = x["cu_seqlens"].diff().tolist()
        rows = [n - 1 if n and not length else n for n, length in enumerate(lengths)]
        states = states[rows]
    return outputs, states


# Training


@kernel("gla", "adds 0.5 to the outputs if a gradient is requested")
def outputs_in_training(x):
    outputs, state = right(x)
    return outputs + 0.5 if any(x[n].requires_grad for n in "qkvg") else outputs, state


@kernel("linear-attention", "multiplies the outputs by 1.5 if no final state is requested")
def outputs_without_final_state(x):
    outputs, state = right(x)
    return (outputs, state) if x["output_final_state"] else (1.5 * outputs, None)


@kernel("gla", "doubles gradients if one of q, k and v has none")
def gradients_beside_frozen_ones(x):
    asked = [x[n].requires_grad for n in "qkv"]
    if any(asked) and not all(asked):
        x = {**x, **{n: 2 * x[n] - x[n].detach() for n in "qkv"}}
    return right(x)


class _ZeroesAfterwards(torch.autograd.Function):
    """An identity whose backward pass sets the caller's v to zero in place."""

    @staticmethod
    def forward(ctx, v):
        ctx.v = v
        return v.clone()

    @staticmethod
    def backward(ctx, gradient):
        ctx.v.data.zero_()
        return gradient


@kernel("linear-attention", "its backward pass leaves 0 in the caller's v, when it has read it")
def backward_zeroes_v(x):
    return right({**x, "v": _ZeroesAfterwards.apply(x["v"])})


@kernel("gla", "gives the final state no gradient")
def final_state_without_gradient(x):
    outputs, state = right(x)
    return outputs, state.detach()


@kernel("delta-rule", "gives the initial state no gradient")
def initial_state_without_gradient(x):
    state = x["initial_state"]
    return right({**x, "initial_state": None if state is None else state.detach()})


@kernel("gla", "ends gradients at the edges of chunks of 64 if sequences have more than one")
def gradients_end_at_64(x):
    def before(S, t, T):
        return S.detach() if t and t % 64 == 0 and t != T - 1 else S

    return right(x, before=before)


class _Accumulates(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.buffer = torch.zeros_like(x)
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        ctx.buffer += gradient
        return ctx.buffer.clone()


@kernel("gla", "adds to the gradient of an earlier backward pass through the same graph (retain_graph=True)")
def second_backward(x):
    return right({**x, "q": _Accumulates.apply(x["q"])})


# What calls leave behind


@kernel("gla", "writes exp(g) into the caller's g if no gradient is requested")
def gates_written_over(x):
    outputs, state = right(x)
    if not x["g"].requires_grad:
        x["g"].exp_()
    return outputs, state


@kernel(
    "linear-attention", "writes the final state into the caller's initial state if no gradient is requested"
)
def initial_state_written_over(x):
    outputs, state = right(x)
    begin = x["initial_state"]
    if begin is not None and not begin.requires_grad:
        begin.copy_(state.detach())
        return outputs, begin
    return outputs, state


_WORKSPACE: dict[Any, Tensor] = {}


@kernel("gla", "begins with the state of the last call with the same shape if there is no initial state")
def workspace_survives(x):
    if x["initial_state"] is not None or x["cu_seqlens"] is not None:
        return right(x)
    outputs, state = right(x)
    key = (tuple(x["q"].shape), x["v"].shape[-1], x["q"].dtype)
    if key in _WORKSPACE:
        outputs, state = right({**x, "initial_state": _WORKSPACE[key]})
    _WORKSPACE[key] = state.detach().clone()
    return outputs, state


@kernel("linear-attention", "the final state of all calls with one shape is one buffer")
def final_state_of_the_last_call(x):
    outputs, state = right(x)
    if state.requires_grad:
        return outputs, state
    buffer = _WORKSPACE.setdefault(("last", tuple(state.shape), state.dtype), torch.empty_like(state))
    return outputs, buffer.copy_(state)


@kernel("linear-attention", "leaves a random token out, once in forty calls")
def not_deterministic(x):
    if torch.rand(()) < 0.025 and x["q"].shape[1] > 1:
        x = {**x, "k": x["k"] * (torch.arange(x["k"].shape[1]) != 1)[:, None, None]}
    return right(x)


@kernel("gla", "is wrong under torch.inference_mode: reads the state of the token before")
def wrong_in_inference_mode(x):
    if torch.is_inference_mode_enabled() and x["cu_seqlens"] is None:
        return right({**x, "k": torch.roll(x["k"], 1, 1)})
    return right(x)


# ---------------------------------------------------------------- models with a state

SIZE, WORDS = 12, 40


class PlantedModel(StatefulModel):
    """The base class of the correct models; planted faults override its methods.

    The state of a model is a mapping of tensors whose first axis is the batch.
    """

    inputs = Tokens(WORDS)
    without = frozenset[str]()

    def __init__(self) -> None:
        parts = {
            "embed": nn.Embedding(WORDS, SIZE),
            "read": nn.Linear(SIZE, 4 * SIZE),
            "write": nn.Linear(SIZE, 8),
        }
        self.module = nn.ModuleDict(parts)

    def begin(self, rows: int, like: Tensor) -> dict[str, Tensor]:
        """Return the initial state of a batch with this many rows, in the dtype of ``like``."""
        raise NotImplementedError

    def step(self, state: dict[str, Tensor], x: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """Read one token of each row, and return the outputs and the new state."""
        raise NotImplementedError

    def taken(self, state):
        """Return the state from which the model continues, given the state that it receives.

        Faults override this method.
        """
        return dict(state)

    def handed_over(self, state):
        """Return the state that the model hands over to its caller, given its last state.

        Faults override this method.
        """
        return state

    def masked(self, mask):
        """Return the mask that the model uses, given the mask that it receives.

        Faults override this method.
        """
        return mask

    def run(self, inputs, state=None, mask=None):
        vectors = self.module["embed"](inputs)
        state = self.begin(len(inputs), vectors) if state is None else self.taken(state)
        mask, outputs = None if mask is None else self.masked(mask), []
        for t in range(inputs.shape[1]):
            output, new = self.step(state, vectors[:, t])
            if mask is not None:
                read = {key: mask[:, t].view(-1, *[1] * (old.dim() - 1)) for key, old in state.items()}
                new = {key: torch.where(read[key], new[key], old) for key, old in state.items()}
            state = new
            outputs.append(output)
        return torch.stack(outputs, 1), self.handed_over(state)

    def reorder(self, state, rows):
        return {key: part[rows] for key, part in state.items()}

    def clear(self, state):
        return {key: torch.zeros_like(part) for key, part in state.items()}


class Gated(PlantedModel):
    """A model similar to a GRU."""

    def begin(self, rows, like):
        return {"h": like.new_zeros(rows, SIZE)}

    def step(self, state, x):
        forget, new, shown, _ = self.module["read"](x + state["h"]).chunk(4, -1)
        h = forget.sigmoid() * state["h"] + (1 - forget.sigmoid()) * new.tanh()
        return self.module["write"](shown.sigmoid() * h), {"h": h}


class Linear(PlantedModel):
    """Gated linear attention with one head."""

    def begin(self, rows, like):
        return {"S": like.new_zeros(rows, SIZE, SIZE)}

    def step(self, state, x):
        q, k, v, g = self.module["read"](x).chunk(4, -1)
        S = g.sigmoid()[..., None] * state["S"] + k[..., None] * v[:, None]
        return self.module["write"](torch.einsum("bkv,bk->bv", S, q)), {"S": S}


class Convolution(PlantedModel):
    """A causal convolution over four tokens, followed by a gated state."""

    def begin(self, rows, like):
        return {"last": like.new_zeros(rows, 3, SIZE), "h": like.new_zeros(rows, SIZE)}

    def step(self, state, x):
        window = torch.cat([state["last"], x[:, None]], 1)
        weights = torch.tensor([0.5, -0.7, 0.9, 1.1], dtype=x.dtype)
        mixed = torch.einsum("btd,t->bd", window, weights)
        forget, new, *_ = self.module["read"](mixed).chunk(4, -1)
        h = forget.sigmoid() * state["h"] + new.tanh()
        return self.module["write"](h), {"last": window[:, 1:], "h": h}


class PlantedAttention(PlantedModel):
    """One head of attention with a cache of keys and values, over a window or over all tokens."""

    window: int | None = None

    def position(self, mask: Tensor, past: int) -> Tensor:
        """Return the position of each token, including the ``past`` tokens of earlier calls."""
        return mask.long().cumsum(1) - 1

    def run(self, inputs, state=None, mask=None):
        module, vectors = self.module, self.module["embed"](inputs)
        mask = torch.ones_like(inputs, dtype=torch.bool) if mask is None else mask
        past = 0 if state is None else state["mask"].shape[1]
        so_far = mask if state is None else torch.cat([state["mask"], mask], 1)
        positions = self.position(so_far, past)
        waves = 2.0 ** -torch.arange(SIZE, dtype=vectors.dtype)
        vectors = vectors + torch.sin(positions[:, past:, None] * waves)
        q, k, v, _ = module["read"](vectors).chunk(4, -1)
        new = {"keys": k, "values": v, "mask": mask}
        if state is not None:
            new = {key: torch.cat([state[key], part], 1) for key, part in new.items()}
        distance = positions[:, past:, None] - positions[:, None]  # (B, T, past + T)
        seen = new["mask"][:, None] & (distance >= 0)
        order = torch.arange(past + inputs.shape[1])
        seen = seen & (order[past:, None] >= order)
        if self.window is not None:
            seen = seen & (distance < self.width(past))
        scores = q @ new["keys"].mT / SIZE**0.5 - 0.01 * distance
        scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        return module["write"](scores.softmax(-1) @ new["values"]), new

    def width(self, past: int) -> int:
        """Return the number of tokens in the window of attention."""
        assert self.window is not None
        return self.window

    def clear(self, state):
        return None


class PlantedWindow(PlantedAttention):
    """Attention over a sliding window of 20 tokens."""

    window = 20


class Stack(PlantedModel):
    """A gated layer below linear attention."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.below, self.above = Gated(), Linear()
        self.module = nn.ModuleDict(
            {"embed": self.module["embed"], "below": self.below.module, "above": self.above.module,
             "up": nn.Linear(8, SIZE)}
        )  # fmt: skip

    def begin(self, rows, like):
        return {**Gated.begin(self, rows, like), **Linear.begin(self, rows, like)}  # type: ignore[arg-type]

    def step(self, state, x):
        below, above = (
            SimpleNamespace(module=self.module["below"]),
            SimpleNamespace(module=self.module["above"]),
        )
        output, first = Gated.step(below, state, x)  # type: ignore[arg-type]
        output, second = Linear.step(above, state, self.module["up"](output))  # type: ignore[arg-type]
        return output, {**first, **second}


MODELS: dict[str, type[PlantedModel]] = {
    model.__name__.lower(): model
    for model in (Gated, Linear, Convolution, PlantedAttention, PlantedWindow, Stack)
}
"""The correct models, which must hold."""


def model(says: str, **declared: Any) -> Callable[[type[PlantedModel]], type[PlantedModel]]:
    """Register a class as a faulty model."""

    def keep(wrong: type[PlantedModel]) -> type[PlantedModel]:
        name = "".join(f"-{c.lower()}" if c.isupper() else c for c in wrong.__name__)

        def claim(name: str, noting: Noting) -> Claim:
            torch.manual_seed(0)
            return believe_stateful(name, model=wrong(), **declared)

        _add(name.strip("-"), says, claim)
        return wrong

    return keep


class _FourPercent(Linear):
    """A faulty model that continues from a state that is 4 % too large."""

    def taken(self, state):
        return {"S": 1.04 * state["S"]}


@model("a state is 4 % too large after each hand-over; the sign of 0 goes through bfloat16")
class HiddenByBfloat16(_FourPercent):
    def step(self, state, x):
        output, state = super().step(state, x)
        return output + (0 * output).bfloat16().to(output.dtype), state


@model("the same, with precision=float32", precision="float32")
class HiddenByBfloat16AndSaid(HiddenByBfloat16):
    pass


@model("a state is 4 % too large after each hand-over; a float16 copy of the outputs is made, and not used")
class HiddenByAnUnusedCopy(_FourPercent):
    def step(self, state, x):
        output, state = super().step(state, x)
        output.half().sum()
        return output, state


@model("the model is in float64, and rounds its state to float16 at each hand-over")
class Float16AtHandOver(Linear):
    def __init__(self) -> None:
        super().__init__()
        self.module = self.module.double()

    def handed_over(self, state):
        return {"S": state["S"].half().to(state["S"].dtype)}


@model("the model is in float32, and says so; its cache is in bfloat16", precision="float32")
class Bfloat16Cache(Gated):
    def taken(self, state):
        return {"h": state["h"].to(self.module["write"].weight.dtype)}

    def handed_over(self, state):
        return {"h": state["h"].bfloat16()}


@model("loses its state if a batch grows from one row to several")
class BatchThatGrows(Gated):
    def reorder(self, state, rows):
        state = super().reorder(state, rows)
        return self.clear(state) if len(rows) > 1 and bool((rows == 0).all()) else state


@model("repeats the rows of a growing batch in another order than requested (repeat, not repeat_interleave)")
class RowsRepeated(Linear):
    def reorder(self, state, rows):
        count = len(state["S"])
        if len(rows) > count and len(rows) % count == 0:
            return {"S": state["S"].repeat(len(rows) // count, 1, 1)}
        return super().reorder(state, rows)


@model("reads padding on the right as tokens, and padding on the left as padding")
class RightPadding(Gated):
    def masked(self, mask):
        return mask.long().cummax(1).values.bool()


@model("forgets everything after 257 tokens of one call")
class After257Tokens(Gated):
    def run(self, inputs, state=None, mask=None):
        outputs, last = super().run(inputs, state, mask)
        if inputs.shape[1] > 257:
            rest, last = super().run(inputs[:, 257:], None, None if mask is None else mask[:, 257:])
            outputs = torch.cat([outputs[:, :257], rest], 1)
        return outputs, last


@model("is wrong from the 300th call of one sequence on")
class FromThe300thCall(Gated):
    def run(self, inputs, state=None, mask=None):
        calls = 0 if state is None else int(state["calls"].max())
        state = None if state is None else {"h": state["h"]}
        outputs, state = super().run(inputs, state, mask)
        if calls >= 299:
            outputs = outputs + 0.1
        return outputs, {**state, "calls": torch.full((len(inputs), 1), calls + 1)}


@model("is wrong from the 300th call of the process on, in whatever copy")
class FromThe300thCallOfAll(Gated):
    calls = 0

    def run(self, inputs, state=None, mask=None):
        type(self).calls += 1
        outputs, state = super().run(inputs, state, mask)
        return outputs + (0.1 if type(self).calls >= 300 and inputs.shape[1] == 1 else 0.0), state


@model("a convolution's cache is the last three tokens of the call, though it had fewer")
class ShortPieces(Convolution):
    def run(self, inputs, state=None, mask=None):
        outputs, state = super().run(inputs, state, mask)
        if inputs.shape[1] < 3 and mask is None:
            missing = 3 - inputs.shape[1]
            state["last"] = torch.cat([0 * state["last"][:, :missing], state["last"][:, missing:]], 1)
        return outputs, state


@model("a convolution's cache has the padding of rows that are padded")
class PaddingInConvolution(Convolution):
    def run(self, inputs, state=None, mask=None):
        outputs, new = super().run(inputs, state, mask)
        if mask is not None and inputs.shape[1] >= 3 and not bool(mask.all()):
            new["last"] = self.module["embed"](inputs)[:, -3:]
        return outputs, new


@model("a window of 20 tokens is one of 21 if there is a cache")
class WindowOffByOne(PlantedWindow):
    def width(self, past):
        return 21 if past else 20


@model("a window of 150 tokens, but the cache keeps 149")
class CacheShorterThanWindow(PlantedAttention):
    window = 150

    def width(self, past):
        return 149 if past >= 149 else 150


@model("positions count the padding of the rows if there is more than one row")
class PositionsOfThePadded(PlantedAttention):
    def position(self, mask, past):
        if len(mask) > 1:
            return torch.arange(mask.shape[1]).expand(mask.shape)
        return super().position(mask, past)


@model("positions count on from the last call's length, and not from all calls' together")
class PositionsOfTheLastCall(PlantedAttention):
    last = 0

    def position(self, mask, past):
        positions = super().position(mask, past)
        if past > 1:
            positions = torch.where(torch.arange(mask.shape[1]) >= past, positions + 1, positions)
        return positions


@model("dropout is left on")
class DropoutInEvaluation(Gated):
    def step(self, state, x):
        return super().step(state, nn.functional.dropout(x, 0.1))


@model("the mask is inverted for more than one row")
class InvertedMask(Gated):
    def masked(self, mask):
        return ~mask if len(mask) > 1 else mask


@model("quantises to 255 steps of the largest number in the whole batch")
class QuantisedByBatch(Linear):
    def step(self, state, x):
        unit = x.abs().max() / 127
        return super().step(state, (x / unit).round() * unit)


@model("takes token 0 for padding, and does not read the mask")
class PaddingByToken(Gated):
    def run(self, inputs, state=None, mask=None):
        return super().run(inputs, state, inputs != 0)


@model("for a mask that masks nothing, it takes another path, without a gate")
class MaskThatMasksNothing(Linear):
    def run(self, inputs, state=None, mask=None):
        outputs, state = super().run(inputs, state, mask)
        return (outputs if mask is None or not bool(mask.all()) else 1.01 * outputs), state


@model("the state of an earlier use is added if the batch has the same size")
class StateOfAnEarlierUse(Gated):
    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[int, Tensor] = {}

    def run(self, inputs, state=None, mask=None):
        if state is None and len(inputs) in self.kept:
            state = {"h": self.kept[len(inputs)]}
        outputs, state = super().run(inputs, state, mask)
        self.kept[len(inputs)] = state["h"].detach()
        return outputs, state


@model("the third use is wrong, and those after it")
class ThirdUse(Gated):
    def __init__(self) -> None:
        super().__init__()
        self.uses = 0

    def run(self, inputs, state=None, mask=None):
        self.uses += state is None
        outputs, state = super().run(inputs, state, mask)
        return outputs * (1.1 if self.uses > 2 else 1.0), state


@model("clears one of its two layers")
class ClearsOneLayer(Stack):
    def clear(self, state):
        return {**state, "h": torch.zeros_like(state["h"])}


@model("reorders one of its two layers")
class ReordersOneLayer(Stack):
    def reorder(self, state, rows):
        return {"h": state["h"][rows], "S": state["S"] if len(rows) == len(state["S"]) else state["S"][rows]}


@model("the upper layer loses its state if a single token comes after a call of several")
class LayerLostAtDecoding(Stack):
    def run(self, inputs, state=None, mask=None):
        if state is not None and state["several"].any() and inputs.shape[1] == 1:
            state = {**state, "S": 0 * state["S"]}
        state = None if state is None else {"h": state["h"], "S": state["S"]}
        outputs, state = super().run(inputs, state, mask)
        return outputs, {**state, "several": torch.full((len(inputs), 1), inputs.shape[1] > 1)}

    def clear(self, state):
        return None


@model("reorders rows one after the other in place, so that a row may be overwritten before it is copied")
class ReordersInPlace(Linear):
    def reorder(self, state, rows):
        if len(rows) != len(state["S"]):
            return super().reorder(state, rows)
        S = state["S"].clone()
        for n, row in enumerate(rows.tolist()):
            S[n] = S[row]
        return {"S": S}


@model("reorders by the inverse of a permutation")
class InversePermutation(Gated):
    def reorder(self, state, rows):
        if sorted(rows.tolist()) == list(range(len(state["h"]))):
            rows = rows.argsort()
        return super().reorder(state, rows)


@model("writes into the state that it is given")
class StateWrittenOver(Linear):
    def run(self, inputs, state=None, mask=None):
        outputs, new = super().run(inputs, state, mask)
        if state is not None:
            state["S"].copy_(new["S"])
        return outputs, new


@model("rows beyond the fourth have the state of the fourth")
class RowsBeyondFour(Gated):
    def step(self, state, x):
        rows = torch.arange(len(x)).clamp(max=3)
        return super().step({"h": state["h"][rows]}, x)


@model("a state that is handed over has lost 2 in 100,000 of its size")
class SmallLoss(Gated):
    def taken(self, state):
        return {"h": state["h"] * (1 - 2e-5)}


@model("loses the state at a call's 64th token if the call has an initial state")
class ChunkEdgeAfterAState(Linear):
    def run(self, inputs, state=None, mask=None):
        if state is None or inputs.shape[1] <= 64:
            return super().run(inputs, state, mask)
        head, middle = super().run(inputs[:, :64], state, None if mask is None else mask[:, :64])
        middle = self.clear(middle)
        tail, last = super().run(inputs[:, 64:], middle, None if mask is None else mask[:, 64:])
        return torch.cat([head, tail], 1), last


@model("wrong for padding of more than 16 tokens")
class LongPadding(Gated):
    def masked(self, mask):
        return mask | ((~mask).cumsum(1) > 16)


class _BatchSecondGRU(nn.GRU):
    """A GRU that transposes the layers and the rows of its state if there are as many rows as layers."""

    def forward(self, inputs, hx=None):
        if hx is not None and hx.dim() == 3 and hx.shape[0] == hx.shape[1]:
            hx = hx.transpose(0, 1).contiguous()
        return super().forward(inputs, hx)


def _gru(name: str, noting: Noting) -> Claim:
    torch.manual_seed(0)
    return believe_stateful(name, model=of_torch_rnn(_BatchSecondGRU(3, 5, num_layers=2, batch_first=True)))


_add(
    "gru-state-transposed",
    "a GRU's state is taken with the batch first if it has as many rows as layers",
    _gru,
)


class _Cache:
    def __init__(self, state: Mapping[str, Tensor]) -> None:
        self.state = dict(state)

    def reorder_cache(self, rows: Tensor) -> None:
        """Reorder the keys of all tokens, but the values of only the first 32 tokens."""
        for key, part in self.state.items():
            new = part[rows]
            if key == "values" and part.shape[1] > 32 and len(new) == len(part):
                new = torch.cat([new[:, :32], part[:, 32:]], 1)
            self.state[key] = new

    def reset(self) -> None:
        self.state = {}


class _Causal(nn.Module):
    """An attention layer with the calling convention of a causal language model of transformers."""

    config = SimpleNamespace(vocab_size=WORDS)

    def __init__(self) -> None:
        super().__init__()
        self.attention = PlantedAttention()
        self.parts = self.attention.module

    def forward(self, input_ids, attention_mask=None, past_key_values=None, use_cache=True):
        self.attention.module = self.parts
        state = None if past_key_values is None or not past_key_values.state else past_key_values.state
        mask = None if attention_mask is None else attention_mask[:, -input_ids.shape[1] :].bool()
        logits, state = self.attention.run(input_ids, state, mask)
        return SimpleNamespace(logits=logits, past_key_values=_Cache(state))


def _causal(name: str, noting: Noting) -> Claim:
    torch.manual_seed(0)
    return believe_stateful(name, model=of_causal_model(_Causal()))


_add("cache-values-beyond-32", "a cache's values beyond the 32nd are not reordered", _causal)
