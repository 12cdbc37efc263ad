"""Ellipsoids that hold the error of each column of a state. A step that corrects the state along a direction
contracts them there, which the 2-norm of a column cannot know, so that what was made long ago fades.

The error e of a column is in {x : x^T P^-1 x <= 1}, and a step by M = diag(d) + c r^T makes it M e. A sum of
ellipsoids P_i is within (sum of a_i) (sum of P_i / a_i) for any positive a_i; the roots of their traces make
the trace of that one least. What a step adds is a segment along c, of half its length own |c|, and a ball.
"""

from __future__ import annotations

import numpy as np

from ratproof.kernels.reference.course import Course, by_token, size_of
from ratproof.kernels.reference.form import USELESS, Bounds
from ratproof.kernels.reference.roles import Roles

MOST_NUMBERS = 2**26
"""Of a string's ellipsoids: tokens times columns times K^3."""


class Ellipsoids:
    """Those of all columns, which begin as points.

    Args:
        roles: of a recurrence that corrects.
    """

    def __init__(self, roles: Roles) -> None:
        rows, heads, keys, values = roles.start.shape
        self.matrix = np.zeros((rows, heads, values, keys, keys))
        self.one, self.root = np.eye(keys), np.sqrt(keys)
        d = np.broadcast_to(by_token(roles.decay), by_token(roles.key).shape).astype(float)
        if roles.beta is not None:
            column = by_token(roles.key).astype(float)
            along = -by_token(roles.beta)[..., None].astype(float) * d * column
        else:
            column, along = (by_token(x).astype(float) for x in (roles.b, roles.a))
        self.steps = d[..., None] * self.one + column[..., None] * along[..., None, :]
        """M, shape ``(T, N, H, K, K)``."""
        length = np.linalg.norm(column, axis=-1)[..., None]
        self.lengths, unit = length, column / np.where(length == 0, 1, length)
        self.segments = unit[..., None] * column[..., None, :]
        # a product of three matrices in float64 is rounded, too
        self.rounded = 4 * keys * np.finfo(float).eps * np.sum(self.steps**2, axis=(-2, -1))[..., None]

    def length(self) -> Bounds:
        """A bound on the 2-norm of columns, shape ``(N, H, 1, V)``."""
        return np.asarray(np.sqrt(self._traces())[:, :, None])

    def add(self, ball: Bounds) -> None:
        """Add anything within a ball, of radii of the shape ``(N, H, 1, V)``."""
        self._join(self.matrix, np.zeros(()), np.zeros(()), ball)

    def move(self, t: int, own: Bounds, ball: Bounds) -> None:
        """Step t, which adds anything up to ``own`` times its column, and anything within a ball; both of the
        shape ``(N, H, 1, V)``.
        """
        step = self.steps[t][:, :, None]
        moved = step @ self.matrix @ np.swapaxes(step, -1, -2)
        moved += (self.rounded[t] * self._traces())[..., None, None] * self.one
        along = own[:, :, 0]
        self._join(
            moved, along * self.lengths[t], along[..., None, None] * self.segments[t][:, :, None], ball
        )

    def _traces(self) -> Bounds:
        return np.asarray(np.trace(self.matrix, axis1=-2, axis2=-1))

    def _join(self, moved: Bounds, length: Bounds, segment: Bounds, ball: Bounds) -> None:
        """What holds an ellipsoid, a segment and a ball: the latter two over the roots of their traces."""
        radii = ball[:, :, 0]
        root = np.sqrt(np.trace(moved, axis1=-2, axis2=-1))
        parts = moved / np.where(root == 0, 1, root)[..., None, None] + segment
        parts = parts + (radii / self.root)[..., None, None] * self.one
        self.matrix = (root + length + self.root * radii)[..., None, None] * parts


def half_axes(matrices: list[Bounds]) -> Bounds:
    """The longest half axis of each, shape ``(T, N, H, 1, V)``: no column is longer. Infinite where numbers
    are too large.
    """
    every = np.stack(matrices)
    known = np.asarray(np.isfinite(every).all(axis=(-2, -1)))
    values = np.linalg.eigvalsh(np.where(known[..., None, None], every, 0.0))[..., -1]
    return np.asarray(np.where(known, np.sqrt(np.maximum(values, 0)), np.inf)[:, :, :, None])


def says_little(errors: Bounds, course: Course) -> bool:
    """Is a bound on columns too large to say anything of some of what is read from them? Ellipsoids of more
    numbers than :data:`MOST_NUMBERS` take too long: then the 2-norm has to do.
    """
    states = course.states
    if states.size * states.shape[-2] ** 2 > MOST_NUMBERS:
        return False
    return bool((errors > USELESS * np.sqrt(np.mean(size_of(states) ** 2))).any())


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
    made, held = [every.matrix], []
    for t in range(roles.time):
        more = ball[t]
        if adds_first:
            every.add(addition[t])
        else:
            more = more + addition[t]
        held.append(every.matrix)
        every.move(t, own[t], more + stretch[t] * every.length())
        made.append(every.matrix)
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
            made.append(every.matrix)
            every.move(t, own[t], np.zeros_like(own[t]))
        made.append(every.matrix)
        every.add(at_ends[chunk] + stretch[chunk] * start)
    return half_axes(made), np.stack(starts)
