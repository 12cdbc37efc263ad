"""Bounds on the rounding errors of a chunk's corrections w.

The corrections solve a triangular system (I + L) w = rhs. The result of substitution is the exact solution
for a right side that is off by at most ``n u (|I + L| |w| + |rhs|)``. Here u is the unit roundoff, and n is
C + K + 20 plus the number of roundings of the decays, for C tokens and K keys. n also covers the rounding of
the values that are written. For an explicit inverse Y the bound is ``2 n u |I + L| |Y| |rhs|``. Y
must be computed by a triangular solver. ``torch.linalg.inv`` exchanges rows, so that rounding errors of later
tokens affect earlier tokens, and may exceed the bound.

The gradient with respect to L through substitution is the product -e w^T, where e is the gradient with
respect to the right side. Through an explicit inverse it is -Y^T (dw rhs^T) Y^T. The rounding error of this
gradient can be large even if e or w is small because its terms cancel. Let s = |Y| |rhs| and
S = s + |Y| |I + L| s, and let p and P be the same two sizes in the transposed system for e. Then the rounding
error is at most n u (P s^T + p S^T). The sizes s and S are therefore also returned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratproof.laws.kernels.bounds.rounding import norm
from ratproof.laws.kernels.naive import Bounds, RecurrenceInputs, Wide


@dataclass(frozen=True)
class Solution:
    """Bounds on the corrections of N chunks, shapes ``(N, H, C, V)``.

    Attributes:
        off: The error of the right sides of the systems, in multiples of the unit roundoff.
        sizes: The arrays s and S, to which the roundings of gradients through an explicit inverse are
            relative. ``None`` for substitution, because these roundings are then relative to the solution.
        carried: A bound on the corrections for an error of 1 in the state at the chunk's beginning, shape
            ``(N, H, C, 1)``.
        carried_off: The error of the right sides of the systems for ``carried``, in multiples of the unit
            roundoff, of the same shape.
    """

    off: Bounds
    sizes: tuple[Bounds, Bounds] | None
    carried: Bounds
    carried_off: Bounds


def solution(
    inputs: RecurrenceInputs, state: Wide, terms: Bounds, inverse: str, adds_first: bool
) -> Solution:
    """Return bounds on the corrections of N chunks.

    Args:
        inputs: The tensors of N chunks with C tokens each.
        state: The states at the chunks' beginnings.
        terms: The number of roundings of a term in each chunk, in addition to one per token of the chunk,
            shape ``(N,)``.
        inverse: ``substitution`` or ``explicit``.
        adds_first: Whether a step adds before it decays and corrects.
    """
    k, v, decay = (np.swapaxes(x, 1, 2).astype(float) for x in (inputs.key, inputs.value, inputs.decay))
    start, delta = state.astype(float), inputs.beta is not None
    after, before = _sums(decay), _sums(decay, exclusive=True)
    reads = after if delta and not inputs.reads_before else before
    if delta:
        assert inputs.beta is not None
        left, column, sign = np.swapaxes(inputs.erase, 1, 2).astype(float), k, -1.0
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
    """Return the sum of the finite log decays up to each token, and the number of decays of 0 up to it.

    With ``exclusive``, the token's own decay does not count.
    """
    with np.errstate(divide="ignore"):
        logarithms = np.log(np.abs(decay))
    none = np.isinf(logarithms)
    sums = np.where(none, 0, logarithms).cumsum(2), none.cumsum(2).astype(float)
    if exclusive:
        one, other = (np.concatenate([0 * x[:, :, :1], x[:, :, :-1]], 2) for x in sums)
        return one, other
    return sums


def _between(to: tuple[Bounds, Bounds], since: tuple[Bounds, Bounds], own: bool = False) -> Bounds:
    """Return the decay from token j to token i, with axes i and then j, shape ``(N, H, C, C, K)``.

    It is 0 unless j is earlier than i. With ``own``, it is also defined for j = i.
    """
    difference = to[0][:, :, :, None] - since[0][:, :, None]
    c = difference.shape[2]
    earlier = np.tri(c, c, 0 if own else -1, dtype=bool)[:, :, None]
    alive = to[1][:, :, :, None] == since[1][:, :, None]
    return np.where(earlier & alive, np.exp(np.minimum(difference, 0)), 0.0)


def _since(to: tuple[Bounds, Bounds]) -> Bounds:
    """Return the decay from the beginning of the chunk to each token, shape ``(N, H, C, K)``."""
    return np.where(to[1] == 0, np.exp(np.minimum(to[0], 0)), 0.0)


def _along(left: Bounds, right: Bounds, between: Bounds) -> Bounds:
    """Return the inner products of the vectors of tokens i and j, weighted by the decay between them.

    The shape is ``(N, H, C, C)``.
    """
    if between.shape[-1] == 1:  # one decay for all keys
        return np.asarray((left @ np.swapaxes(right, -1, -2)) * between[..., 0])
    return np.asarray(np.sum(left[:, :, :, None] * right[:, :, None] * between, axis=-1))
