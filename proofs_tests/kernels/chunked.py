"""Chunked kernels in which a fault can be planted."""

import torch


def spans(batch, time, cu_seqlens):
    """Return, for each sequence, its row in the batch and the range of its tokens (begin and end)."""
    if cu_seqlens is None:
        return [(row, 0, time) for row in range(batch)]
    ends = cu_seqlens.tolist()
    return [(0, ends[i], ends[i + 1]) for i in range(len(ends) - 1)]


def cumulated(g):
    """Return cumulative sums of the finite log decays, and counts of -infinity, over the first axis."""
    none = g.isinf()
    return torch.where(none, 0.0, g).cumsum(0), none.cumsum(0)


def between(sums, zeros, length):
    """Return the decay from each token j to each token i >= j of a chunk, and 0 for i < j.

    The first two arguments are the results of :func:`cumulated`.
    """
    left = (sums[:, None] - sums[None]).clamp(max=0).exp() * (zeros[:, None] == zeros[None])
    return left * torch.ones(length, length).tril()[(...,) + (None,) * (sums.dim() - 1)]


def gla(*, q, k, v, g, scale, initial_state, output_final_state, cu_seqlens, chunk=16, mistake=""):
    """Compute gated linear attention in chunks, optionally with a planted fault."""
    (batch, time, heads, keys), values = q.shape, v.shape[-1]
    scale = keys**-0.5 if scale is None else scale
    scale = scale**2 if mistake == "scale applied twice" else scale
    outputs, states = torch.zeros(batch, time, heads, values, dtype=v.dtype), []
    for n, (row, begin, end) in enumerate(spans(batch, time, cu_seqlens)):
        s = torch.zeros(heads, keys, values, dtype=v.dtype) if initial_state is None else initial_state[n]
        if mistake == "a neighbour seen" and states and cu_seqlens is not None:
            s = s + states[-1] / 1000
        for first in range(begin, end, chunk):
            cut = slice(first, min(first + chunk, end))
            length = cut.stop - cut.start
            sums, zeros = cumulated(g[row, cut])
            decay = between(sums, zeros, length).to(v.dtype)
            if mistake == "the diagonal left out":
                decay = decay * (1 - torch.eye(length, dtype=v.dtype))[:, :, None, None]
            since = sums.exp() * (zeros == 0)
            if mistake == "gradients that end at an edge":
                s = s.detach()
            if mistake == "an edge rounded" and first > begin:
                since = since * (1 - 1e-5)
            scores = torch.einsum("ihk,jhk,ijhk->ijh", q[row, cut], k[row, cut], decay)
            carried = torch.einsum("ihk,hkv->ihv", q[row, cut] * since, s)
            outputs[row, cut] = scale * (carried + torch.einsum("ijh,jhv->ihv", scores, v[row, cut]))
            if mistake == "the remainder lost" and length < chunk and first > begin:
                continue
            written = torch.einsum("jhk,jhv->hkv", k[row, cut] * decay[-1], v[row, cut])
            s = since[-1][..., None] * s + written
        states.append(s)
    if mistake == "rows mixed" and batch > 1:
        outputs[1] = outputs[1] + outputs[0] / 1000
    if mistake == "heads reversed at the end":
        states = [s.flip(0) for s in states]
    return outputs, torch.stack(states) if output_final_state else None


def delta(
    *,
    q,
    k,
    v,
    beta,
    scale,
    initial_state,
    output_final_state,
    cu_seqlens,
    g=None,
    chunk=16,
    inverse="substitution",
):
    """Compute the delta rule in chunks, with gates if ``g`` is given."""
    (batch, time, heads, keys), values = q.shape, v.shape[-1]
    scale = keys**-0.5 if scale is None else scale
    outputs, states = torch.zeros(batch, time, heads, values, dtype=v.dtype), []
    for n, (row, begin, end) in enumerate(spans(batch, time, cu_seqlens)):
        s = torch.zeros(heads, keys, values, dtype=v.dtype) if initial_state is None else initial_state[n]
        for first in range(begin, end, chunk):
            cut = slice(first, min(first + chunk, end))
            length = cut.stop - cut.start
            sums, zeros = cumulated(torch.zeros_like(beta[row, cut]) if g is None else g[row, cut])
            decay = between(sums, zeros, length).to(v.dtype).permute(2, 0, 1)
            since = (sums.exp() * (zeros == 0)).T[..., None]
            own = [x[row, cut].transpose(0, 1) for x in (q, k, v)]
            weight = beta[row, cut].T[..., None]
            lower = (weight * (own[1] @ own[1].mT) * decay).tril(-1)
            right = weight * (own[2] - since * (own[1] @ s))
            one = torch.eye(length, dtype=v.dtype)
            solve = lambda m, x: torch.linalg.solve_triangular(m, x, upper=False, unitriangular=True)
            if inverse == "first order":
                w = (one - lower) @ right
            elif inverse == "explicit":
                w = solve(one + lower, one.expand(lower.shape)) @ right
            elif inverse == "two products":  # the WY form: written values minus the state's values
                solved = solve(one + lower, one.expand(lower.shape)) * weight.mT
                w = solved @ own[2] - (solved @ (since * own[1])) @ s
            else:
                w = solve(one + lower, right)
            scores = (own[0] @ own[1].mT) * decay
            outputs[row, cut] = (scale * (since * (own[0] @ s) + scores @ w)).transpose(0, 1)
            s = since[:, -1:] * s + (own[1] * decay[:, -1][..., None]).mT @ w
        states.append(s)
    return outputs, torch.stack(states) if output_final_state else None


def gated_delta(*, g, **tensors):
    return delta(g=g, **tensors)


def rwkv_7(
    *,
    r,
    w,
    k,
    v,
    a,
    b,
    scale,
    initial_state,
    output_final_state,
    cu_seqlens,
    chunk=16,
    inverse="substitution",
):
    """Compute RWKV-7 in chunks.

    The corrections c of a chunk, which are read from the state before each token, solve a triangular system.
    """
    (batch, time, heads, keys), values = r.shape, v.shape[-1]
    outputs, states = torch.zeros(batch, time, heads, values, dtype=v.dtype), []
    for n, (row, begin, end) in enumerate(spans(batch, time, cu_seqlens)):
        s = torch.zeros(heads, keys, values, dtype=v.dtype) if initial_state is None else initial_state[n]
        for first in range(begin, end, chunk):
            cut = slice(first, min(first + chunk, end))
            length = cut.stop - cut.start
            sums, zeros = cumulated(w[row, cut])
            before = torch.cat([0 * sums[:1], sums[:-1]]), torch.cat([0 * zeros[:1], zeros[:-1]])
            earlier = torch.ones(length, length).tril(-1)[..., None, None].bool()
            left = (before[0][:, None] - sums[None]).clamp(max=0).exp() * (before[1][:, None] == zeros[None])
            left = torch.where(earlier, left, 0.0).to(v.dtype)
            one, two = (x[row, cut] for x in (a, b))
            along = lambda x, y, decay: torch.einsum("ihk,jhk,ijhk->hij", x, y, decay)
            since = before[0].exp() * (before[1] == 0)
            right = torch.einsum("ihk,hkv->hiv", one * since, s)
            right = right + along(one, k[row, cut], left) @ v[row, cut].transpose(0, 1)
            unit = torch.eye(length, dtype=v.dtype)
            system = unit - along(one, two, left)
            solve = lambda m, x: torch.linalg.solve_triangular(m, x, upper=False, unitriangular=True)
            if inverse == "explicit":
                c = solve(system, unit.expand(system.shape)) @ right
            else:
                c = solve(system, right)
            decay = between(sums, zeros, length).to(v.dtype)
            carried = torch.einsum("ihk,hkv->ihv", r[row, cut] * (sums.exp() * (zeros == 0)), s)
            written = along(r[row, cut], k[row, cut], decay) @ v[row, cut].transpose(0, 1)
            corrected = along(r[row, cut], two, decay) @ c
            outputs[row, cut] = scale * (carried + (written + corrected).transpose(0, 1))
            last = decay[-1]
            s = (sums[-1].exp() * (zeros[-1] == 0))[..., None] * s
            s = s + torch.einsum("jhk,jhv->hkv", k[row, cut] * last, v[row, cut])
            s = s + torch.einsum("jhk,hjv->hkv", two * last, c)
        states.append(s)
    return outputs, torch.stack(states) if output_final_state else None
