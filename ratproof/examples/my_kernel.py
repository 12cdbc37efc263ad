"""Gated linear attention in chunks of 16 tokens, and a claim about it."""

import torch

from ratproof import kernel_claim

CHUNK = 16


def chunked(*, q, k, v, g, scale, initial_state, output_final_state):
    """Compute S = diag(exp g) S + k v^T and o = scale S^T q in chunks."""
    batch, time, heads, keys = q.shape
    state = initial_state
    if state is None:
        state = q.new_zeros(batch, heads, keys, v.shape[-1])
    scale = keys**-0.5 if scale is None else scale
    outputs = []
    for first in range(0, time, CHUNK):
        queries, held, values, gates = (x[:, first : first + CHUNK] for x in (q, k, v, g))
        since = gates.cumsum(1)  # the logarithm of the decay since the chunk's start
        queries, held = queries * since.exp(), held * (-since).exp()
        scores = torch.einsum("bihk,bjhk->bhij", queries, held).tril()
        within = torch.einsum("bhij,bjhv->bihv", scores, values)
        outputs.append(scale * (within + torch.einsum("bihk,bhkv->bihv", queries, state)))
        written = torch.einsum("bjhk,bjhv->bhkv", held, values)
        state = since[:, -1].exp()[..., None] * (state + written)
    return torch.cat([v[:, :0], *outputs], 1), state


claim = kernel_claim(
    "my-chunks",
    family="gla",
    kernel=chunked,
    form="chunked",
    chunk=CHUNK,
    without=("cu_seqlens",),
    says="chunks of 16 compute gated linear attention",
)
