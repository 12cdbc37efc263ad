"""The corrections of a chunk, which solve a triangular system (I + L) w = rhs, and by how much its right
sides may be off.

What is computed by substitution solves the system exactly for right sides that are off by n u (|I + L| |w| +
|rhs|) with n = C + K + 20 and the roundings of the decays, as if what is written had been rounded; by an
explicit inverse Y, by 2 n u |I + L| |Y| |rhs|.

Gradients of a system that is solved by substitution are products of what it solved, -p w^T of L, with p the
gradient of the right sides; through an explicit inverse they are -Y^T (dw rhs^T) Y^T, whose roundings do not
vanish where p or w cancel. With s = |Y| |rhs|, S = s + |Y| |I + L| s, and of the gradients likewise, they are
at most n u (P s^T + p S^T): so both sizes are returned besides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratproof.laws.kernels.bounds.rounding import norm
from ratproof.laws.kernels.naive import Bounds, RecurrenceInputs, Wide


@dataclass(frozen=True)
class Solution:
    """What is known of the corrections of N chunks, shapes ``(N, H, C, V)``.

    Attributes:
        off: by how much their right sides are off, in units of rounding.
        sizes: s and S, what the roundings of gradients through an explicit inverse are relative to; ``None``
            by substitution, where that is the solution itself.
        carried: how large the corrections of an error of 1 in the state at the chunk's beginning are at most,
            shape ``(N, H, C, 1)``.
        carried_off: by how much that puts their right sides off, in units; of the same shape.
    """

    off: Bounds
    sizes: tuple[Bounds, Bounds] | None
    carried: Bounds
    carried_off: Bounds


def solution(
    inputs: RecurrenceInputs, state: Wide, terms: Bounds, inverse: str, adds_first: bool
) -> Solution:
    """The corrections of chunks.

    Args:
        inputs: the tensors of C tokens, of N chunks.
        state: at the chunks' beginnings.
        terms: the roundings of a term, besides one for each token of the chunk; for each chunk, shape
            ``(N,)``.
        inverse: ``substitution`` or ``explicit``.
        adds_first: does a step add before it decays and corrects?
    """
    k, v, decay = (np.swapaxes(x, 1, 2).astype(float) for x in (inputs.key, inputs.value, inputs.decay))
    start, delta = state.astype(float), inputs.beta is not None
    after, before = _sums(decay), _sums(decay, exclusive=True)
    reads = after if delta else before
    if delta:
        assert inputs.beta is not None
        left, column, sign = k, k, -1.0
        beta = np.swapaxes(inputs.beta, 1, 2)[..., None]
        signed, sizes = v, np.abs(v)
    else:
        left, column = (np.swapaxes(x, 1, 2).astype(float) for x in (inputs.a, inputs.b))
        beta, sign = np.ones((*left.shape[:-1], 1)), 1.0
        written = _between(reads, before if adds_first else after, own=adds_first)
        signed = _along(left, k, written) @ v
        sizes = _along(np.abs(left), np.abs(k), written) @ np.abs(v)
    between, since = _between(reads, after), _since(reads)
    read = np.abs(beta) * norm(left * since, keepdims=True)
    signed = beta * (signed + sign * (left * since) @ start)
    sizes = np.abs(beta) * (sizes + (np.abs(left) * since) @ np.abs(start))
    lower = -sign * beta * _along(left, column, between)
    size = np.abs(beta) * _along(np.abs(left), np.abs(column), between)
    one = np.eye(k.shape[2])
    n = len(one) + terms[:, None, None, None]
    inverted = np.abs(np.linalg.inv(one + lower))
    carried = inverted @ read
    if inverse == "explicit":
        solved = inverted @ sizes
        off = (one + size) @ solved
        return Solution(
            2 * n * off, (solved, solved + inverted @ off), carried, 2 * n * ((one + size) @ carried)
        )
    off = n * ((one + size) @ np.abs(np.linalg.solve(one + lower, signed)) + sizes)
    return Solution(off, None, carried, n * ((one + size) @ carried + read))


def _sums(decay: Bounds, exclusive: bool = False) -> tuple[Bounds, Bounds]:
    """Of the finite logarithms up to each token, and how many decays are zero."""
    with np.errstate(divide="ignore"):
        logarithms = np.log(np.abs(decay))
    none = np.isinf(logarithms)
    sums = np.where(none, 0, logarithms).cumsum(2), none.cumsum(2).astype(float)
    if exclusive:
        one, other = (np.concatenate([0 * x[:, :, :1], x[:, :, :-1]], 2) for x in sums)
        return one, other
    return sums


def _between(to: tuple[Bounds, Bounds], since: tuple[Bounds, Bounds], own: bool = False) -> Bounds:
    """What is left at token i of what an earlier token j wrote, shape ``(N, H, C, C, K)``; of its own too
    where ``own`` says so.
    """
    apart = to[0][:, :, :, None] - since[0][:, :, None]
    c = apart.shape[2]
    earlier = np.tri(c, c, 0 if own else -1, dtype=bool)[:, :, None]
    alive = to[1][:, :, :, None] == since[1][:, :, None]
    return np.where(earlier & alive, np.exp(np.minimum(apart, 0)), 0.0)


def _since(to: tuple[Bounds, Bounds]) -> Bounds:
    """What is left of the state before the chunk, shape ``(N, H, C, K)``."""
    return np.where(to[1] == 0, np.exp(np.minimum(to[0], 0)), 0.0)


def _along(left: Bounds, right: Bounds, between: Bounds) -> Bounds:
    """Products of tokens i and j, with the decay between them, shape ``(N, H, C, C)``."""
    if between.shape[-1] == 1:  # one decay for all keys
        return np.asarray((left @ np.swapaxes(right, -1, -2)) * between[..., 0])
    return np.asarray(np.sum(left[:, :, :, None] * right[:, :, None] * between, axis=-1))
