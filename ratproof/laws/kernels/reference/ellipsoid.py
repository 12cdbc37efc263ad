"""Ellipsoids that hold the error of each column of a state. A step that corrects the state along a direction
contracts them there, which the 2-norm of a column cannot know, so that what was made long ago fades.

The error e of a column is in {x : x^T P^-1 x <= 1}, and a step by M = diag(d) + c r^T makes it M e. A sum of
ellipsoids P_i is within (sum of a_i) (sum of P_i / a_i) for any positive a_i; the roots of their traces make
the trace of that one least. What a step adds is a segment along c, of half its length own |c|, and a ball.

P is held as the root of its trace and a matrix of trace 1, because its own numbers are squares of errors,
which underflow where states are small.
"""

from __future__ import annotations

import numpy as np

from ratproof.laws.kernels.reference.course import Course, by_token, size_of
from ratproof.laws.kernels.reference.form import USELESS, Bounds
from ratproof.laws.kernels.reference.norms import norm, root_mean_square
from ratproof.laws.kernels.reference.roles import Roles

MOST_NUMBERS = 2**26
"""Of a string's ellipsoids: tokens times columns times K^3."""


class Ellipsoids:
    """Those of all columns, which begin as points.

    Args:
        roles: of a recurrence that corrects.
    """

    def __init__(self, roles: Roles) -> None:
        rows, heads, keys, values = roles.start.shape
        self.one = np.eye(keys)
        self.size = np.zeros((rows, heads, values))
        self.matrix = np.broadcast_to(self.one / keys, (rows, heads, values, keys, keys))
        d = np.broadcast_to(by_token(roles.decay), by_token(roles.key).shape).astype(float)
        if roles.beta is not None:
            column = by_token(roles.key).astype(float)
            along = -by_token(roles.beta)[..., None].astype(float) * d * column
        else:
            column, along = (by_token(x).astype(float) for x in (roles.b, roles.a))
        self.steps = d[..., None] * self.one + column[..., None] * along[..., None, :]
        """M, shape ``(T, N, H, K, K)``."""
        self.largest = np.max(np.abs(self.steps), axis=(-2, -1))[..., None]
        self.lengths = norm(column, keepdims=True)
        unit = column / _divisor(self.lengths)
        self.segments = unit[..., None] * unit[..., None, :]

    def now(self) -> tuple[Bounds, Bounds]:
        """Return the roots of the traces, and the matrices of trace 1."""
        return self.size, self.matrix

    def length(self) -> Bounds:
        """A bound on the 2-norm of columns, shape ``(N, H, 1, V)``."""
        return self.size[:, :, None]

    def add(self, ball: Bounds) -> None:
        """Add anything within a ball, of radii of the shape ``(N, H, 1, V)``."""
        nothing = np.zeros(())
        self._join(self.matrix, self.size, nothing, nothing, ball)

    def move(self, t: int, own: Bounds, ball: Bounds) -> None:
        """Step t, which adds anything up to ``own`` times its column, and anything within a ball; both of the
        shape ``(N, H, 1, V)``.
        """
        largest = self.largest[t]
        step = (self.steps[t] / _divisor(largest)[..., None])[:, :, None]
        moved = step @ self.matrix @ np.swapaxes(step, -1, -2)
        # a product of three matrices in float64 is rounded, too
        rounded = 4 * len(self.one) * np.finfo(float).eps * np.sum(step**2, axis=(-2, -1))
        moved = moved + rounded[..., None, None] * self.one
        length, segment = own[:, :, 0] * self.lengths[t], self.segments[t][:, :, None]
        self._join(moved, self.size * largest, length, segment, ball)

    def _join(self, moved: Bounds, times: Bounds, length: Bounds, segment: Bounds, ball: Bounds) -> None:
        """What holds an ellipsoid, its axes multiplied, a segment of half a length, and a ball: each in
        proportion to the root of its trace.
        """
        keys, trace = len(self.one), np.trace(moved, axis1=-2, axis2=-1)
        sizes = times * np.sqrt(trace), length, np.sqrt(keys) * ball[:, :, 0]
        self.size = sizes[0] + sizes[1] + sizes[2]
        parts = moved / _divisor(trace)[..., None, None], segment, self.one / keys
        self.matrix = sum(
            (size / _divisor(self.size))[..., None, None] * part
            for size, part in zip(sizes, parts, strict=True)
        )


def _divisor(size: Bounds) -> Bounds:
    return np.where(size == 0, 1.0, size)


def half_axes(ellipsoids: list[tuple[Bounds, Bounds]]) -> Bounds:
    """The longest half axis of each, shape ``(T, N, H, 1, V)``: no column is longer. Infinite where numbers
    are too large.
    """
    sizes, matrices = (np.stack(parts) for parts in zip(*ellipsoids, strict=True))
    known = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)))
    values = np.linalg.eigvalsh(np.where(known[..., None, None], matrices, 0.0))[..., -1]
    axes = np.where(known, sizes * np.sqrt(np.maximum(values, 0)), np.inf)
    return np.asarray(axes[:, :, :, None])


def says_little(errors: Bounds, course: Course) -> bool:
    """Is a bound on columns too large to say anything of some of what is read from them? Ellipsoids of more
    numbers than :data:`MOST_NUMBERS` take too long: then the 2-norm has to do.
    """
    states = course.states
    if states.size * states.shape[-2] ** 2 > MOST_NUMBERS:
        return False
    return bool((errors > USELESS * root_mean_square(size_of(states))).any())


def step_by_step(
    roles: Roles, own: Bounds, ball: Bounds, addition: Bounds, stretch: Bounds, adds_first: bool
) -> tuple[Bounds, Bounds]:
    """Bounds on the columns before each step and after the last, and of what each step decays.

    Args:
        roles: of a recurrence that corrects.
        own: what a step adds along its column at most, in units of it; as the others by step.
        ball: what its decay adds besides.
        addition: what its addition adds.
        stretch: by how much a column grows besides, where its error is rounded with it.
        adds_first: does a step add before it decays and corrects?
    """
    shape = (roles.time, *roles.start.shape[:2], 1, roles.values)
    own, ball, addition = (np.broadcast_to(x, shape) for x in (own, ball, addition))
    every = Ellipsoids(roles)
    made, held = [every.now()], []
    for t in range(roles.time):
        more = ball[t]
        if adds_first:
            every.add(addition[t])
        else:
            more = more + addition[t]
        held.append(every.now())
        every.move(t, own[t], more + stretch[t] * every.length())
        made.append(every.now())
    return half_axes(made), half_axes(held)


def in_chunks(
    roles: Roles, own: Bounds, at_ends: Bounds, stretch: Bounds, begins: list[int]
) -> tuple[Bounds, Bounds]:
    """Bounds on what a column's corrections, and all before a chunk, make of its error: within each chunk
    before each step, and behind its last, one after another; and on the columns where chunks begin.

    Args:
        roles: of a recurrence that corrects, and adds nothing to the error.
        own: what a step adds along its column at most, in units of it, by step.
        at_ends: what a chunk makes besides, by chunk.
        stretch: by how much a chunk lets what was before it grow besides, by chunk.
        begins: the first steps of chunks.
    """
    every, made, starts = Ellipsoids(roles), [], []
    for chunk, begin in enumerate(begins):
        start = every.length()
        starts.append(start)
        end = begins[chunk + 1] if chunk + 1 < len(begins) else roles.time
        for t in range(begin, end):
            made.append(every.now())
            every.move(t, own[t], np.zeros_like(own[t]))
        made.append(every.now())
        every.add(at_ends[chunk] + stretch[chunk] * start)
    return half_axes(made), np.stack(starts)
