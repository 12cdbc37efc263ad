"""Tests that correct kernels in unusual forms hold, and that a small change of a kernel is refuted."""

from itertools import pairwise

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from proofs_tests.kernels.test_believe_kernel import verdicts
from ratproof import kernel_claim

RIGHT = """
def kernel(*, q, k, v, g, scale=None, initial_state=None, output_final_state=True, cu_seqlens=None):
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    offsets = [0, q.shape[1]] if cu_seqlens is None else cu_seqlens.tolist()
    outputs, states = [], []
    for n, (begin, end) in enumerate(pairwise(offsets)):
        state = q.new_zeros(q.shape[0], *q.shape[2:], v.shape[-1])
        if initial_state is not None:
            state = initial_state if cu_seqlens is None else initial_state[n : n + 1]
        for t in range(begin, end):
            state = g[:, t].exp()[..., None] * state + k[:, t][..., None] * v[:, t][..., None, :]
            outputs.append(scale * (q[:, t][..., None] * state).sum(-2))
        states.append(state)
    return torch.stack(outputs, 1) if outputs else torch.zeros_like(v), torch.cat(states)
"""
"""Gated linear attention, step by step, with packed sequences."""
STATE = "            state = g[:, t]"
FAULTS = {
    "an initial state is ignored before one token": ("is not None:", "is not None and end - begin > 1:"),
    "packed sequences have the first initial state": ("[n : n + 1]", "[:1]"),
    "the batch and head axes of an initial state are swapped": (
        "initial_state if cu",
        "initial_state.transpose(0, 1).reshape(initial_state.shape) if cu",
    ),
    "a packed sequence that begins at a multiple of 16 is not reset": (
        "v.shape[-1])\n",
        "v.shape[-1]) if not begin or begin % 16 else states[-1]\n",
    ),
    "an empty sequence has the final state of the previous one": (
        "append(state)",
        "append(states[-1] if states and begin == end else state)",
    ),
    "the state is lost at token 128": (STATE, f"            state = state * (t - begin != 128)\n{STATE}"),
    "the last gate also decays the padding to a multiple of 16": (
        "        states.",
        "        if outputs: state = state * (g[:, end - 1] * (-end % 16)).exp()[..., None]\n        states.",
    ),
    "the first token of a chunk of 16 is decayed": (
        "            outputs",
        "            if t % 16 == 0 and t: state = g[:, t].exp()[..., None] * state\n            outputs",
    ),
    "the first token of a chunk of 16 is not decayed": (
        "exp()[..., None] * state",
        "mul(t % 16 != 0 or t == begin).exp()[..., None] * state",
    ),
    "a gate of -infinity is multiplied by 0": ("torch.cat(states)", "torch.cat(states) + 0 * g.sum()"),
    "float64 is rounded to float32": (STATE, f"            state = state.float().to(v.dtype)\n{STATE}"),
    "the state is rounded to bfloat16 at token 16": (
        STATE,
        f"            state = state.bfloat16().to(v.dtype) if t == 16 else state\n{STATE}",
    ),
    "an initial state has no gradient": ("initial_state if cu", "initial_state.detach() if cu"),
    "a final state without initial state has no gradient": (
        "torch.cat(states)",
        "torch.cat(states).detach() if initial_state is None else torch.cat(states)",
    ),
    "gradients end at token 16": (
        STATE,
        f"            state = state.detach() if t == 16 else state\n{STATE}",
    ),
    "gradients flow between packed sequences": (
        "        for t",
        "        if n: state = state + states[-1] - states[-1].detach()\n        for t",
    ),
}


def kernel_of(text):
    """Return the kernel that a text defines."""
    variables = {"torch": torch, "pairwise": pairwise}
    exec(text, variables)
    return variables["kernel"]


def test_the_kernel_holds_without_a_change():
    assert set(verdicts(kernel_claim("right", family="gla", kernel=kernel_of(RIGHT))).values()) == {"holds"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_small_change_is_refuted(fault):
    before, after = FAULTS[fault]
    assert RIGHT.count(before) == 1
    claim = kernel_claim("wrong", family="gla", kernel=kernel_of(RIGHT.replace(before, after)))
    kind = "gradient" if "gradient" in fault else "sampled"
    assert verdicts(claim, 100, kind) == {kind: "refuted"}


def zeros(q, v, state):
    """Return the initial state, or zeros if it is None."""
    return q.new_zeros(q.shape[0], *q.shape[2:], v.shape[-1]) if state is None else state


def steps(q, k, v, g, state):
    """Run gated linear attention without a scale on rows of equal length."""
    outputs = [torch.zeros_like(v[:, :0])]
    for t in range(q.shape[1]):
        state = torch.addcmul(k[:, t, :, :, None] * v[:, t, :, None], g[:, t, :, :, None].exp(), state)
        outputs.append(torch.einsum("bhk,bhkv->bhv", q[:, t], state)[:, None])
    return torch.cat(outputs, 1), state


def under_vmap(q, k, v, g, state):
    """Run each row and head separately under two vmaps."""

    def one(q, k, v, g, state):
        outputs = [torch.zeros_like(v[:0])]
        for t in range(q.shape[0]):
            state = torch.addr(g[t].exp()[:, None] * state, k[t], v[t])
            outputs.append((q[t] @ state)[None])
        return torch.cat(outputs), state

    heads = torch.vmap(one, in_dims=(1, 1, 1, 1, 0), out_dims=(1, 0))
    return torch.vmap(heads)(q, k, v, g, state)


def recomputed(*tensors):
    """Recompute the forward pass in the backward pass."""
    return checkpoint(steps, *tensors, use_reentrant=False)


def in_place(q, k, v, g, state):
    """Update the state in place, and write into allocated outputs, if no gradient is needed."""
    if torch.is_grad_enabled():
        return steps(q, k, v, g, state)
    state, outputs = state.clone(), torch.empty_like(v)
    for t in range(q.shape[1]):
        state.mul_(g[:, t, :, :, None].exp()).addcmul_(k[:, t, :, :, None], v[:, t, :, None])
        torch.matmul(q[:, t, :, None], state, out=(read := outputs.new_empty(0)))
        outputs[:, t] = read[:, :, 0]
    return outputs, state


def in_blocks_of_keys(q, k, v, g, state):
    """Run blocks of four keys separately, and add their outputs at the end."""
    cuts = [slice(at, at + 4) for at in range(0, q.shape[3], 4)]
    parts = [steps(*(x[..., cut] for x in (q, k)), v, g[..., cut], state[:, :, cut]) for cut in cuts]
    outputs, states = zip(*parts, strict=True)
    return torch.stack(outputs).sum(0), torch.cat(states, 2)


def compensated(q, k, v, g, state):
    """Sum the state with Kahan's compensation."""
    lost, outputs = torch.zeros_like(state), [torch.zeros_like(v[:, :0])]
    for t in range(q.shape[1]):
        decay = g[:, t, :, :, None].exp()
        old, added = decay * state, k[:, t, :, :, None] * v[:, t, :, None] - decay * lost
        state = old + added
        lost = ((state - old) - added).detach()
        outputs.append(torch.einsum("bhk,bhkv->bhv", q[:, t], state)[:, None])
    return torch.cat(outputs, 1), state


FORMS = {f.__name__: f for f in (under_vmap, recomputed, in_place, in_blocks_of_keys, compensated)}


@pytest.mark.parametrize("form", FORMS)
def test_a_correct_kernel_in_an_unusual_form_holds(form):
    def kernel(*, q, k, v, g, scale, initial_state):
        outputs, state = FORMS[form](q, k, v, g, zeros(q, v, initial_state))
        return (q.shape[-1] ** -0.5 if scale is None else scale) * outputs, state * 1

    claim = kernel_claim("right", family="gla", kernel=kernel, without=["cu_seqlens"], longest=33)
    assert set(verdicts(claim).values()) == {"holds"}
