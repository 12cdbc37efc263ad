"""Step-by-step kernels of every family, written directly from the table of families in the docs."""

from __future__ import annotations

import torch

from ratproof.laws.kernels.family import FAMILIES


def over_strings(one):
    """Return a kernel from one that reads a batch of sequences of equal length; packed sequences are run one
    by one.

    ``one(tensors, state, scale)`` takes tensors whose first axes are B and T, and a state or None.
    """

    def kernel(*, initial_state=None, cu_seqlens=None, scale=None, output_final_state=True, **tensors):
        if cu_seqlens is None:
            outputs, state = one(tensors, initial_state, scale)
        else:
            ends, results = cu_seqlens.tolist(), []
            for n in range(len(ends) - 1):
                part = {k: x[:, ends[n] : ends[n + 1]] if x.dim() > 2 else x for k, x in tensors.items()}
                results.append(one(part, None if initial_state is None else initial_state[n : n + 1], scale))
            outputs, state = (torch.cat(parts, 1 - i) for i, parts in enumerate(zip(*results, strict=True)))
        return outputs, state if output_final_state else None

    return kernel


def stacked(outputs, like):
    return torch.stack(outputs, 1) if outputs else torch.zeros_like(like)


def of_lanes(name):
    """Return a kernel whose state is a vector."""

    def one(tensors, state, scale):
        x = tensors["x" if name == "hgrn" else "u"]
        decay = tensors["g"].exp() if name == "hgrn" else tensors["f"]
        h, outputs = x[:, :0].sum(1) if state is None else state, []
        for d, own in zip(decay.unbind(1), x.unbind(1), strict=True):
            h = d * h + own
            outputs.append(h)
        return stacked(outputs, x), h

    return over_strings(one)


def of_heads(name):
    """Return a kernel whose state is one matrix per head."""
    family = FAMILIES[name]

    def one(tensors, state, scale):
        q, k, v = (tensors[n] for n in (family.query, "k", "v"))
        (batch, time, heads, keys), values = k.shape, v.shape[-1]
        scale = keys**-0.5 if scale is None else scale
        decay = k.new_ones(1, time, 1, 1)
        if family.fixed_decay:
            decay = (1 - 2.0 ** (-5 - torch.arange(heads, dtype=v.dtype)))[:, None].expand(1, time, heads, 1)
        elif family.decay:
            decay = tensors[family.decay].exp()
            decay = decay[..., None] if decay.dim() == 3 else decay
        along = lambda x, s: (x[..., None, :] @ s)[..., 0, :]
        s = v.new_zeros(batch, heads, keys, values) if state is None else state
        outputs = []
        for t in range(time):
            d, kt, vt = decay[:, t, ..., None], k[:, t, ..., None], v[:, t]
            if family.bonus:
                read = s + tensors["u"][..., None] * kt * vt[..., None, :]
                outputs.append(scale * along(q[:, t], read))
            if family.correction == "delta":
                s = d * s
                w = tensors["beta"][:, t, :, None] * (vt - along(k[:, t], s))
                s = s + kt * w[..., None, :]
            elif family.correction == "low-rank":
                read = along(tensors["a"][:, t], s)
                s = d * s + tensors["b"][:, t, ..., None] * read[..., None, :] + kt * vt[..., None, :]
            else:
                s = d * s + kt * vt[..., None, :]
            if not family.bonus:
                outputs.append(scale * along(q[:, t], s))
        return stacked(outputs, v), s

    return over_strings(one)


KERNELS = {name: (of_lanes if family.lanes else of_heads)(name) for name, family in FAMILIES.items()}
"""The kernels, by family."""
