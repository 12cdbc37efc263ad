"""Ellipsoids that contain the error of each column of a state.

A step that corrects the state along a direction contracts the error along this direction, so that old errors
decay. A bound on the 2-norm of a column cannot represent this.

The error e of a column lies in {x : x^T P^-1 x <= 1}, and a step by M = diag(d) + c r^T maps it to M e. A sum
of ellipsoids P_i is contained in (sum of a_i) (sum of P_i / a_i) for any positive a_i. The trace of this
ellipsoid is smallest if each a_i is the square root of the trace of P_i. A step adds a ball and a segment
along c, whose half-length is a multiple ``own`` of the length of c.

P is stored as the square root of its trace and a matrix of trace 1. The elements of P itself are squares of
errors, which underflow if states are small.
"""

from __future__ import annotations

import numpy as np

from ratproof.laws.kernels.bounds.rounding import USELESS, norm, root_mean_square
from ratproof.laws.kernels.naive import Bounds, RecurrenceInputs, StateTrajectory, by_token, size_of

MOST_NUMBERS = 2**26
"""Maximum of (number of tokens) (number of columns) K^3 for a call, which limits the run time."""


class Ellipsoids:
    """Ellipsoids that contain the errors of all columns of a state; initially, they are points."""

    def __init__(self, inputs: RecurrenceInputs) -> None:
        rows, heads, keys, values = inputs.start.shape
        self.one = np.eye(keys)
        self.size = np.zeros((rows, heads, values))
        self.matrix = np.broadcast_to(self.one / keys, (rows, heads, values, keys, keys))
        d = np.broadcast_to(by_token(inputs.decay), by_token(inputs.key).shape).astype(float)
        if inputs.beta is not None:
            column = by_token(inputs.key).astype(float)
            along = -by_token(inputs.beta)[..., None].astype(float) * by_token(inputs.erase).astype(float)
            along = along if inputs.reads_before else d * along
        else:
            column, along = (by_token(x).astype(float) for x in (inputs.b, inputs.a))
        self.steps = d[..., None] * self.one + column[..., None] * along[..., None, :]
        """The matrix M of each step, shape ``(T, N, H, K, K)``."""
        self.largest = np.max(np.abs(self.steps), axis=(-2, -1))[..., None]
        self.lengths = norm(column, keepdims=True)
        unit = column / _divisor(self.lengths)
        self.segments = unit[..., None] * unit[..., None, :]

    def now(self) -> tuple[Bounds, Bounds]:
        """Return the square roots of the ellipsoids' traces, and their matrices scaled to trace 1."""
        return self.size, self.matrix

    def length(self) -> Bounds:
        """Return a bound on the 2-norm of each column's error, shape ``(N, H, 1, V)``."""
        return self.size[:, :, None]

    def add(self, ball: Bounds) -> None:
        """Enlarge each ellipsoid by a ball; the radii have the shape ``(N, H, 1, V)``."""
        self._join(self.matrix, self.size, np.zeros(()), np.zeros(()), ball)

    def move(self, t: int, own: Bounds, ball: Bounds) -> None:
        """Replace each ellipsoid by one that contains the errors after step t.

        The step multiplies the earlier errors by its matrix. It adds an error in a ball with the radius
        ``ball``, and an error along its correction of at most ``own`` times the vector that it writes.
        """
        largest = self.largest[t]
        step = (self.steps[t] / _divisor(largest)[..., None])[:, :, None]
        moved = step @ self.matrix @ np.swapaxes(step, -1, -2)
        # the product of three matrices in float64 is rounded, too
        rounded = 4 * len(self.one) * np.finfo(float).eps * np.sum(step**2, axis=(-2, -1))
        moved = moved + rounded[..., None, None] * self.one
        length, segment = own[:, :, 0] * self.lengths[t], self.segments[t][:, :, None]
        self._join(moved, self.size * largest, length, segment, ball)

    def _join(self, moved: Bounds, times: Bounds, length: Bounds, segment: Bounds, ball: Bounds) -> None:
        """Replace each ellipsoid by one that contains the sum of an ellipsoid, a segment and a ball.

        The matrices of the three have weights in proportion to the square roots of their traces.

        Args:
            moved: The matrices of the ellipsoids.
            times: The factors of their axes.
            length: The half-lengths of the segments.
            segment: The matrices of the segments' directions.
            ball: The radii of the balls.
        """
        keys, trace = len(self.one), np.trace(moved, axis1=-2, axis2=-1)
        sizes = times * np.sqrt(trace), length, np.sqrt(keys) * ball[:, :, 0]
        self.size = sizes[0] + sizes[1] + sizes[2]
        parts = moved / _divisor(trace)[..., None, None], segment, self.one / keys
        shares = [(size / _divisor(self.size))[..., None, None] for size in sizes]
        self.matrix = shares[0] * parts[0] + shares[1] * parts[1] + shares[2] * parts[2]


def _divisor(size: Bounds) -> Bounds:
    return np.where(size == 0, 1.0, size)


def half_axes(ellipsoids: list[tuple[Bounds, Bounds]]) -> Bounds:
    """Return the longest half-axis of each ellipsoid, shape ``(T, N, H, 1, V)``.

    It is a bound on the 2-norm of a column's error. It is infinite if a value overflows.
    """
    sizes, matrices = (np.stack(parts) for parts in zip(*ellipsoids, strict=True))
    known = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)))
    values = np.linalg.eigvalsh(np.where(known[..., None, None], matrices, 0.0))[..., -1]
    axes = np.where(known, sizes * np.sqrt(np.maximum(values, 0)), np.inf)
    return np.asarray(axes[:, :, :, None])


def is_too_wide(errors: Bounds, states: StateTrajectory) -> bool:
    """Return whether the column bounds are too large to be useful and ellipsoids are affordable."""
    few = states.states.size * states.states.shape[-2] ** 2 <= MOST_NUMBERS
    return few and bool((errors > USELESS * root_mean_square(size_of(states.states))).any())


def step_by_step(
    inputs: RecurrenceInputs, own: Bounds, ball: Bounds, addition: Bounds, stretch: Bounds, adds_first: bool
) -> tuple[Bounds, Bounds]:
    """Return bounds on the 2-norms of the columns' errors in a kernel that computes step by step.

    Args:
        inputs: The tensors of a recurrence with corrections.
        own: The largest error that each step adds along its correction, in multiples of the vector c that the
            correction writes.
        ball: The radius of the further error that each step's decay adds.
        addition: The radius of the error that each step's addition adds.
        stretch: The further relative growth of the error in each step, because the error itself is rounded.
        adds_first: Whether a step adds before it decays and corrects.

    Returns:
        The bounds before each step and after the last, and the bounds for the states that the steps decay.
    """
    shape = (inputs.time, *inputs.start.shape[:2], 1, inputs.values)
    own, ball, addition = (np.broadcast_to(x, shape) for x in (own, ball, addition))
    every = Ellipsoids(inputs)
    bounds, held = [every.now()], []
    for t in range(inputs.time):
        more = ball[t]
        if adds_first:
            every.add(addition[t])
        else:
            more = more + addition[t]
        held.append(every.now())
        every.move(t, own[t], more + stretch[t] * every.length())
        bounds.append(every.now())
    return half_axes(bounds), half_axes(held)


def in_chunks(
    inputs: RecurrenceInputs, own: Bounds, at_ends: Bounds, stretch: Bounds, begins: list[int]
) -> tuple[Bounds, Bounds]:
    """Return bounds on the part of the columns' errors that comes from corrections and from earlier chunks.

    Args:
        inputs: The tensors of a recurrence with corrections.
        own: The largest error that each step adds along its correction, in multiples of the vector c that the
            correction writes.
        at_ends: The radius of the further error that each chunk adds.
        stretch: The further relative growth, in each chunk, of the error from before the chunk.
        begins: The index of each chunk's first step.

    Returns:
        The bounds before each step of each chunk and after its last step, one chunk after another; and the
        bounds at the beginnings of the chunks.
    """
    every, bounds, starts = Ellipsoids(inputs), [], []
    for chunk, begin in enumerate(begins):
        start = every.length()
        starts.append(start)
        end = begins[chunk + 1] if chunk + 1 < len(begins) else inputs.time
        for t in range(begin, end):
            bounds.append(every.now())
            every.move(t, own[t], np.zeros_like(own[t]))
        bounds.append(every.now())
        every.add(at_ends[chunk] + stretch[chunk] * start)
    return half_axes(bounds), np.stack(starts)
