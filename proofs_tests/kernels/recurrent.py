"""Kernels of every family, step by step, as a reader of the families' table would write them."""

from __future__ import annotations

import torch

from ratproof.kernels.family import FAMILIES


def spans(batch, time, cu_seqlens):
    """For each state its row, and where its tokens begin and end."""
    if cu_seqlens is None:
        return [(row, 0, time) for row in range(batch)]
    ends = cu_seqlens.tolist()
    return [(0, ends[i], ends[i + 1]) for i in range(len(ends) - 1)]


def of_lanes(name):
    """A kernel whose state is a vector."""

    def kernel(*, initial_state, cu_seqlens=None, output_final_state=True, **tensors):
        x = tensors["x" if name == "hgrn" else "u"]
        decay = tensors["g"].exp() if name == "hgrn" else tensors["f"]
        outputs, states = torch.zeros_like(x), []
        for n, (row, begin, end) in enumerate(spans(*x.shape[:2], cu_seqlens)):
            h = torch.zeros_like(x[0, :0].sum(0)) if initial_state is None else initial_state[n]
            for t in range(begin, end):
                h = outputs[row, t] = decay[row, t] * h + x[row, t]
            states.append(h)
        return outputs, torch.stack(states)

    return kernel


def of_heads(name):
    """A kernel whose state is a matrix a head."""
    family = FAMILIES[name]

    def decay_at(tensors, row, t, heads, like):
        if family.fixed_decay:
            return (1 - 2.0 ** (-5 - torch.arange(heads, dtype=like.dtype)))[:, None, None]
        if not family.decay:
            return 1.0
        d = tensors[family.decay][row, t].exp()
        return d[:, None, None] if d.dim() == 1 else d[..., None]

    def kernel(*, scale, initial_state, output_final_state, cu_seqlens, **tensors):
        q, k, v = (tensors[n] for n in (family.query, "k", "v"))
        (batch, time, heads, keys), values = k.shape, v.shape[-1]
        scale = keys**-0.5 if scale is None else scale
        outputs, states = torch.zeros(batch, time, heads, values, dtype=v.dtype), []
        for n, (row, begin, end) in enumerate(spans(batch, time, cu_seqlens)):
            s = torch.zeros(heads, keys, values, dtype=v.dtype) if initial_state is None else initial_state[n]
            for t in range(begin, end):
                d, kt, vt = decay_at(tensors, row, t, heads, v), k[row, t][..., None], v[row, t][:, None]
                along = lambda x, state: torch.einsum("hk,hkv->hv", x, state)
                if family.bonus:
                    read = s + tensors["u"][..., None] * kt * vt
                    outputs[row, t] = scale * along(q[row, t], read)
                if family.correction == "delta":
                    s = d * s
                    w = tensors["beta"][row, t][:, None] * (v[row, t] - along(k[row, t], s))
                    s = s + kt * w[:, None]
                elif family.correction == "low-rank":
                    b = tensors["b"][row, t][..., None]
                    s = d * s + b * along(tensors["a"][row, t], s)[:, None] + kt * vt
                else:
                    s = d * s + kt * vt
                if not family.bonus:
                    outputs[row, t] = scale * along(q[row, t], s)
            states.append(s)
        return outputs, torch.stack(states) if output_final_state else None

    return kernel


KERNELS = {name: (of_lanes if family.lanes else of_heads)(name) for name, family in FAMILIES.items()}
"""The kernels, by family."""
