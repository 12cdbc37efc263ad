"""Correct kernels that sum the terms of a step in another order than the table of families."""

import torch

from proofs_tests.kernels.recurrent import over_strings, stacked


def start(tensors, state, scale):
    """Return q, k, v and beta, the scale as a number, and the initial state."""
    q, k, v, beta = (tensors.get(name) for name in ("q", "k", "v", "beta"))
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    state = v.new_zeros(*q[:, :0].sum(1).shape, v.shape[-1]) if state is None else state
    return q, k, v, beta, scale, state


def read(query, state):
    return (query[..., None, :] @ state)[..., 0, :]


@over_strings
def old_state(tensors, state, scale):
    """Compute linear attention from the state S before each step: the output is scale (S^T q + (q . k) v)."""
    q, k, v, _, scale, s = start(tensors, state, scale)
    outputs = []
    for t in range(q.shape[1]):
        own = (q[:, t] * k[:, t]).sum(-1, keepdim=True) * v[:, t]
        outputs.append(scale * (read(q[:, t], s) + own))
        s = s + k[:, t, ..., None] * v[:, t, :, None]
    return stacked(outputs, v), s


@over_strings
def cumulative_sum(tensors, state, scale):
    """Compute linear attention by summing the products over time first."""
    q, k, v, _, scale, s = start(tensors, state, scale)
    states = s[:, None] + (k[..., None] * v[..., None, :]).cumsum(1)
    return scale * read(q, states), states[:, -1] if q.shape[1] else s


@over_strings
def matrix(tensors, state, scale):
    """Compute the delta rule as (I - beta k k^T) S + beta k v^T."""
    q, k, v, beta, scale, s = start(tensors, state, scale)
    outputs, one = [], torch.eye(q.shape[-1], dtype=q.dtype)
    for t in range(q.shape[1]):
        key, size = k[:, t, ..., None], beta[:, t, :, None, None]
        s = (one - size * key @ key.mT) @ s + size * key @ v[:, t, :, None]
        outputs.append(scale * read(q[:, t], s))
    return stacked(outputs, v), s


@over_strings
def householder_query(tensors, state, scale):
    """Compute the delta rule by multiplying the query by I - beta k k^T and reading the old state."""
    q, k, v, beta, scale, s = start(tensors, state, scale)
    outputs = []
    for t in range(q.shape[1]):
        key, size = k[:, t], beta[:, t, :, None]
        along = size * (q[:, t] * key).sum(-1, keepdim=True)
        outputs.append(scale * (read(q[:, t] - along * key, s) + along * v[:, t]))
        s = s + size[..., None] * key[..., None] * (v[:, t] - read(key, s))[..., None, :]
    return stacked(outputs, v), s


ORDERS = {
    "old state": ("linear-attention", old_state),
    "cumulative sum": ("linear-attention", cumulative_sum),
    "matrix": ("delta-rule", matrix),
    "householder query": ("delta-rule", householder_query),
}
"""The kernels, each with its family."""
