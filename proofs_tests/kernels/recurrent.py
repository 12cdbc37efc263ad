"""Step-by-step kernels of every family, written directly from the table of families in the docs."""

import torch

from ratproof.laws.kernels.family import FAMILIES


def over_strings(one, **steps):
    """Extend a kernel for batches of equal lengths to packed sequences, which it runs one by one.

    ``one(tensors, state, scale)`` takes tensors whose first axes are B and T, and a state or None. ``steps``
    maps the names of tensors with several entries per token to the number of entries.
    """

    def kernel(*, initial_state=None, cu_seqlens=None, scale=None, output_final_state=True, **tensors):
        if cu_seqlens is None:
            outputs, state = one(tensors, initial_state, scale)
        else:
            ends, results = cu_seqlens.tolist(), []
            for n in range(len(ends) - 1):
                part = {
                    k: x[:, ends[n] * steps.get(k, 1) : ends[n + 1] * steps.get(k, 1)] if x.dim() > 2 else x
                    for k, x in tensors.items()
                }
                results.append(one(part, rows_of(initial_state, slice(n, n + 1)), scale))
            outputs, states = zip(*results, strict=True)
            outputs, several = torch.cat(outputs, 1), isinstance(states[0], tuple)
            state = tuple(map(torch.cat, zip(*states, strict=True))) if several else torch.cat(states)
        return outputs, state if output_final_state else None

    return kernel


def rows_of(state, rows):
    """Return some rows of a state, which may be a tensor, a tuple of tensors, or ``None``."""
    if isinstance(state, tuple):
        return tuple(x[rows] for x in state)
    return None if state is None else state[rows]


def stacked(outputs, like):
    return torch.stack(outputs, 1) if outputs else torch.zeros_like(like)


def of_lanes(name):
    """Return the kernel of a family whose state is a vector of real or complex numbers."""
    family = FAMILIES[name]

    def one(tensors, state, scale):
        x = tensors[family.value]
        h = x[:, :0].sum(1) if state is None else state
        if family.complement:
            decay = 1 - tensors[family.step]
        else:
            decay = tensors["g"].exp() if family.decay else tensors[family.factor]
        x = tensors[family.step] * x if family.step else x
        if family.pairs:
            x, h, decay = (torch.complex(*each.unbind(-1)) for each in (x, h, decay))
        outputs = []
        for d, own in zip(decay.expand(x.shape).unbind(1), x.unbind(1), strict=True):
            h = d * h + own
            outputs.append(h)
        results = stacked(outputs, x), h
        return tuple(map(torch.view_as_real, results)) if family.pairs else results

    return over_strings(one)


def decays(family, tensors, like):
    """Return the decays of a family with a matrix state, shape ``(B, T, H, K)`` or ``(B, T, H, 1)``."""
    (_, time, heads), ones = like.shape[:3], like.new_ones(1)
    if family.fixed_decay:
        decay = 1 - 2.0 ** (-5 - torch.arange(heads, dtype=like.dtype))
    elif family.rate:
        rate = tensors[family.rate]
        return (tensors[family.step][..., None] * (rate if rate.dim() == 2 else rate[:, None])).exp()
    elif family.decay:
        decay = tensors[family.decay].exp()
    else:
        decay = ones.expand(heads)
    decay = decay.expand(1, time, heads) if decay.dim() == 1 else decay
    return decay[..., None] if decay.dim() == 3 else decay


def of_heads(name):
    """Return the kernel of a family whose state is one matrix per head."""
    family = FAMILIES[name]

    def one(tensors, state, scale):
        q, v = tensors[family.query], tensors["v"]
        k = 1 - tensors["g"].exp() if family.complement else tensors["k"]
        batch, time, heads, keys = k.shape
        scale = keys**-0.5 if scale is None else scale
        scale = scale if family.scaled else 1
        decay = decays(family, tensors, v)
        along = lambda x, s: (x[..., None, :] @ s)[..., 0, :]
        if family.normalised:
            v = torch.cat([v, torch.ones_like(v[..., :1])], -1)
        s = v.new_zeros(batch, heads, keys, v.shape[-1]) if state is None else state
        outputs = []
        for t in range(time):
            d, kt, vt = decay[:, t, ..., None], k[:, t, ..., None], v[:, t]
            if family.step:
                kt = tensors[family.step][:, t, :, None, None] * kt
            if family.bonus:
                read = s + tensors["u"][..., None] * kt * vt[..., None, :]
                outputs.append(scale * along(q[:, t], read))
            if family.correction == "delta":
                old, s = s, d * s
                read = along(tensors["p"][:, t], old) if family.erase else along(k[:, t], s)
                s = s + kt * (tensors["beta"][:, t, :, None] * (vt - read))[..., None, :]
            elif family.correction == "low-rank":
                read = along(tensors["a"][:, t], s)
                s = d * s + tensors["b"][:, t, ..., None] * read[..., None, :] + kt * vt[..., None, :]
            else:
                s = d * s + kt * vt[..., None, :]
            if not family.bonus:
                outputs.append(scale * along(q[:, t], s))
            if family.normalised:
                outputs[-1] = outputs[-1][..., :-1] / outputs[-1][..., -1:]
        return stacked(outputs, tensors["v"]), s

    return over_strings(one)


@over_strings
def convolution(tensors, state, scale):
    """Compute a causal convolution token by token; the state is the last W inputs."""
    x, weight = tensors["x"], tensors["weight"]
    state = x.new_zeros(x.shape[0], *weight.shape) if state is None else state
    outputs = []
    for own in x.unbind(1):
        state = torch.cat([state[..., 1:], own[..., None]], -1)
        outputs.append(tensors["bias"] + (weight * state).sum(-1))
    return stacked(outputs, x), state


def stabilized_mlstm(x, c, n, m):
    """Compute mLSTM with a stabilizer m, as its paper does, and return the outputs and the last (C, n, m)."""
    q, k, v, i = (x[name] for name in "qkvi")
    forget = torch.nn.functional.logsigmoid(x["f"])
    outputs = []
    for t in range(q.shape[1]):
        after = torch.maximum(forget[:, t] + m, i[:, t])
        old, new = (forget[:, t] + m - after).exp(), (i[:, t] - after).exp()
        c = old[..., None, None] * c + torch.einsum("bh,bhk,bhv->bhkv", new, k[:, t], v[:, t])
        n, m = old[..., None] * n + new[..., None] * k[:, t], after
        divisor = torch.maximum((n * q[:, t]).sum(-1).abs(), (-m).exp())
        outputs.append(torch.einsum("bhkv,bhk->bhv", c, q[:, t]) / divisor[..., None])
    return stacked(outputs, v), (c, n, m)


def mlstm_zeros(x):
    """Return C and n without an initial state."""
    zeros = x["q"].new_zeros(*x["q"][:, :1].sum(1).shape, x["v"].shape[3])
    return zeros, zeros.sum(-1)


@over_strings
def mlstm(x, state, scale):
    """Compute mLSTM from C, n and m = 0."""
    c, n = mlstm_zeros(x) if state is None else state
    outputs, (c, n, m) = stabilized_mlstm(x, c, n, torch.zeros_like(n[..., 0]))
    return outputs, (c * m.exp()[..., None, None], n * m.exp()[..., None])


@over_strings
def gsa(x, state, scale):
    """Compute gated slot attention as two linear attentions, one after the other."""
    q, k, v, s, g = (x[n] for n in "qkvsg")
    sizes = q.shape[0], q.shape[2], s.shape[3]
    a, b = (q.new_zeros(*sizes, y.shape[3]) for y in (k, v)) if state is None else state
    reads, outputs = [], []
    for t in range(q.shape[1]):
        a = g[:, t].exp()[..., None] * a + torch.einsum("bhm,bhk->bhmk", s[:, t], k[:, t])
        reads.append(torch.einsum("bhmk,bhk->bhm", a, q[:, t]))
    for t, read in enumerate(reads):
        b = g[:, t].exp()[..., None] * b + torch.einsum("bhm,bhv->bhmv", s[:, t], v[:, t])
        outputs.append(torch.einsum("bhm,bhmv->bhv", torch.softmax(read, -1), b))
    return stacked(outputs, v), (a, b)


def delta_product(*, num_householder, **arguments):
    """Compute the gated delta rule with several steps per token."""

    def one(tensors, state, scale):
        q, k, v, beta, g = (tensors[n] for n in ("q", "k", "v", "beta", "g"))
        scale = q.shape[-1] ** -0.5 if scale is None else scale
        s = v.new_zeros(*q[:, :0].sum(1).shape, v.shape[-1]) if state is None else state
        outputs = []
        for t in range(q.shape[1]):
            s = g[:, t].exp()[..., None, None] * s
            for j in range(t * num_householder, (t + 1) * num_householder):
                read = torch.einsum("bhk,bhkv->bhv", k[:, j], s)
                s = s + torch.einsum("bhk,bhv->bhkv", k[:, j], beta[:, j, :, None] * (v[:, j] - read))
            outputs.append(scale * torch.einsum("bhk,bhkv->bhv", q[:, t], s))
        return stacked(outputs, v), s

    several = dict.fromkeys(("k", "v", "beta"), num_householder)
    return over_strings(one, **several)(**arguments)


def usual(name, family):
    """Return the step-by-step kernel of a family."""
    own = {"mlstm": mlstm, "gsa": gsa, "causal-conv1d": convolution}
    if name in own:
        return own[name]
    if family.substeps:
        return delta_product
    return of_lanes(name) if family.lanes else of_heads(name)


KERNELS = {name: usual(name, family) for name, family in FAMILIES.items()}
"""The kernels, keyed by the name of the family."""
