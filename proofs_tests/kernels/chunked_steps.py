"""Chunked kernels of mLSTM and gated slot attention, in which a fault can be planted."""

import functools

import torch
from torch.nn.functional import logsigmoid

from proofs_tests.kernels.recurrent import over_strings


def not_later(length):
    """Return which pairs of tokens (i, j) of a chunk have j <= i, with axes for batch and heads."""
    return torch.ones(length, length, dtype=torch.bool).tril()[None, :, :, None]


def mlstm(*, chunk=16, fault="", **call):
    """Compute mLSTM in chunks with a stabilizer, as the kernels of xLSTM 7B do (Beck et al. 2025)."""
    return over_strings(functools.partial(_mlstm, chunk, fault))(**call)


def _mlstm(chunk, fault, x, state, scale):
    q, k, v, i = (x[n] for n in "qkvi")
    forget = logsigmoid(x["f"])
    if fault == "gates exchanged":
        i, forget = x["f"], logsigmoid(x["i"])
    zeros = q.new_zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3])
    c, n = (zeros, zeros.sum(-1)) if state is None else state
    m, outputs = torch.zeros_like(n[..., 0]), []
    for first in range(0, q.shape[1], chunk):
        cut = slice(first, first + chunk)
        own, since = [y[:, cut] for y in (q, k, v, i)], forget[:, cut].cumsum(1)
        between = since[:, :, None] - since[:, None] + own[3][:, None]
        if fault == "the token's own forget gate applied to it":
            between = between + forget[:, cut][:, None]
        between = between.masked_fill(~not_later(since.shape[1]), -torch.inf)
        carried = since + m[:, None]
        top = torch.maximum(between.amax(2), carried)
        weights, old = (between - top[:, :, None]).exp(), (carried - top).exp()
        if fault == "carried state not rescaled":
            old = since.exp()
        if fault == "gradient of the carried gates dropped":
            old = old.detach()
        scores = weights * torch.einsum("bihk,bjhk->bijh", own[0], own[1])
        read = torch.einsum("bijh,bjhv->bihv", scores, own[2])
        read = read + old[..., None] * torch.einsum("bihk,bhkv->bihv", own[0], c)
        total = scores.sum(2) + old * torch.einsum("bihk,bhk->bih", own[0], n)
        least = (-top).exp()
        if fault == "divisor at least 1 after stabilizing":
            least = torch.ones_like(top)
        divisor = total.abs() if fault == "no maximum" else torch.maximum(total.abs(), least)
        if fault == "no absolute value":
            divisor = torch.maximum(total, least)
        outputs.append(read / divisor[..., None])
        to_end = since[:, -1:] - since + own[3]
        if fault == "gradient of the input gate dropped":
            to_end = to_end.detach()
        after = torch.maximum(since[:, -1] + m, to_end.amax(1))
        kept, added = (since[:, -1] + m - after).exp(), (to_end - after[:, None]).exp()
        c = kept[..., None, None] * c + torch.einsum("bjh,bjhk,bjhv->bhkv", added, own[1], own[2])
        n = kept[..., None] * n + torch.einsum("bjh,bjhk->bhk", added, own[1])
        m = m if fault == "stabilizer lost at an edge" and first else after
        if fault == "state lost at an edge" and first == chunk:
            c, n = 0 * c, 0 * n
    factor = torch.ones_like(m) if fault == "final state not rescaled" else m.exp()
    results = torch.cat(outputs, 1) if outputs else torch.zeros_like(v)
    return results, (c * factor[..., None, None], n * factor[..., None])


def gsa(*, chunk=16, fault="", **call):
    """Compute gated slot attention in chunks, as two gated linear attentions."""
    return over_strings(functools.partial(_gsa, chunk, fault))(**call)


def _gsa(chunk, fault, x, state, scale):
    q, k, v, s, g = (x[n] for n in "qkvsg")
    sizes = q.shape[0], q.shape[2], s.shape[3]
    a, b = (q.new_zeros(*sizes, y.shape[3]) for y in (k, v)) if state is None else state
    outputs = []
    for first in range(0, q.shape[1], chunk):
        cut = slice(first, first + chunk)
        own_q, own_k, own_v, own_s = (y[:, cut] for y in (q, k, v, s))
        infinite = g[:, cut].isinf()
        since, count = g[:, cut].masked_fill(infinite, 0.0).cumsum(1), infinite.cumsum(1)
        alive = (count[:, :, None] == count[:, None]) & not_later(since.shape[1])[..., None]
        between = (since[:, :, None] - since[:, None]).clamp(max=0).exp() * alive
        decayed, to_end = since.exp() * (count == 0), between[:, -1]
        if fault == "gradient of the carried gates dropped":
            decayed = decayed.detach()
        scores = torch.einsum("bihk,bjhk->bijh", own_q, own_k)
        read = torch.einsum("bijh,bjhm,bijhm->bihm", scores, own_s, between)
        read = read + decayed * torch.einsum("bihk,bhmk->bihm", own_q, a)
        read = read * q.shape[-1] ** -0.5 if fault == "scores scaled" else read
        p = torch.sigmoid(read) if fault == "sigmoid for softmax" else read.softmax(-1)
        if fault == "gradient of the softmax dropped":
            p = p.detach()
        if fault == "slots reversed":
            p = p.flip(-1)
        mixed = torch.einsum("bihm,bijhm,bjhm->bijh", p, between, own_s)
        output = torch.einsum("bijh,bjhv->bihv", mixed, own_v)
        outputs.append(output + torch.einsum("bihm,bhmv->bihv", p * decayed, b))
        last = decayed[:, -1, ..., None]
        a = last * a + torch.einsum("bjhm,bjhm,bjhk->bhmk", to_end, own_s, own_k)
        b = (last if fault != "values not decayed" else 1) * b
        b = b + torch.einsum("bjhm,bjhm,bjhv->bhmv", to_end, own_s, own_v)
        if fault == "state lost at an edge" and first == chunk:
            a = 0 * a
    return torch.cat(outputs, 1) if outputs else torch.zeros_like(v), (a, b)
