"""The running error of a recurrence: by elements of the state, or, where a step corrects the state along a
direction, by columns in the 2-norm. What a step adds to the error follows from its states alone, and is made
for all steps at once; only its passage from step to step is one after another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ratproof.kernels.reference import ellipsoid
from ratproof.kernels.reference.course import Course, by_token, size_of
from ratproof.kernels.reference.ellipsoid import says_little
from ratproof.kernels.reference.form import Arithmetic, Bounds, Wide
from ratproof.kernels.reference.roles import Roles


@dataclass(frozen=True)
class Snapshot:
    """States at some places.

    Attributes:
        value: the axes N, H, K and V last.
        error: by how much a kernel's may differ, of the same shape, or with one key for the 2-norm of
            columns.
        size: what its roundings are relative to: its absolute value; in a chunked form the recurrence of
            absolute values since the chunk began.
    """

    value: Wide
    error: Bounds
    size: Bounds

    def __getitem__(self, index: Any) -> Snapshot:
        """Those at one place, or at some."""
        return Snapshot(self.value[index], self.error[index], self.size[index])


@dataclass(frozen=True)
class Corrections:
    """What each step added along its direction; arrays of the axes T, N, H and V.

    Attributes:
        value: the true one.
        error: by how much a kernel's may differ.
        size: what the roundings of gradients are relative to: its absolute value, or more.
        roundings: of those gradients, besides the usual ones, shape ``(T, 1, 1, 1)``.
    """

    value: Wide
    error: Bounds
    size: Bounds
    roundings: Bounds

    @classmethod
    def solved(cls, value: Wide, error: Bounds) -> Corrections:
        """Such as are relative to themselves."""
        return cls(value, error, size_of(value), np.zeros((len(value), 1, 1, 1)))

    def __getitem__(self, index: Any) -> Corrections:
        """Those of some steps."""
        return Corrections(self.value[index], self.error[index], self.size[index], self.roundings[index])


@dataclass(frozen=True)
class Trajectory:
    """Of a state, for every step.

    Attributes:
        before: the states that steps begin with.
        held: those that they decay.
        after: those that they leave.
        last: the one after all steps.
        corrections: what each step added along its direction; ``None`` where it corrects nothing.
        edges: the state where each chunk begins, by its first step.
        rougher: the same, relative to the larger size of what an explicit inverse solves; else ``None``.
    """

    before: Snapshot
    held: Snapshot
    after: Snapshot
    last: Snapshot
    corrections: Corrections | None
    edges: dict[int, Snapshot]
    rougher: Trajectory | None = None


def step_by_step(roles: Roles, course: Course, arithmetic: Arithmetic) -> Trajectory:
    """The errors of a kernel that computes step by step."""
    u, smallest = arithmetic.unit, arithmetic.smallest
    x = by_token(roles.roundings)[..., None]
    d = size_of(by_token(roles.decay))[..., None]
    decayed, time = size_of(course.decayed), len(course.held)
    own, ball, more = None, np.zeros(()), np.zeros(())
    if course.column is None or course.along is None:
        factor, made = d * (1 + (x + 2) * u), u * x * decayed + smallest
    else:
        outer = size_of(course.column * course.along)
        local = _of_correction(roles, course)
        roundings: Any = 1
        if roles.beta is None:
            assert roles.b_roundings is not None
            roundings = 2 + by_token(roles.b_roundings)[..., None, None]
        own = u * local
        more = (
            (roles.keys + 10 + x.max(axis=(1, 2, 3, 4), initial=0.0, keepdims=True)) * u * size_growth(roles)
        )
        factor = growth(roles) + more
        made = x * decayed + roundings * outer + size_of(course.corrected)
        ball = 2 * roles.keys * smallest + u * norm(made)
        made = column_length(course) * own + ball
    addition = np.zeros((time, 1, 1, 1, 1))
    if course.added is not None:
        size = size_of(course.added)
        of_sum = (roles.product_roundings + roles.corrected) * size + size_of(course.sums)
        # where a step corrects, the product is one of three terms, which are added in any order
        addition = u * (norm(of_sum) if roles.corrected else of_sum) + smallest
    shape = roles.start.shape
    first = np.zeros((*shape[:2], 1, shape[3]) if roles.corrected else shape)
    errors, held = passage(factor, made, addition, first, course.adds_first)
    corrections = None
    if own is not None:
        if says_little(errors, course):
            tighter = ellipsoid.step_by_step(roles, own, ball, addition, more, course.adds_first)
            errors, held = (np.fmin(*pair) for pair in zip((errors, held), tighter, strict=True))
        assert course.along is not None
        bound = own + reads(roles) * held
        corrections = Corrections.solved(course.along[..., 0, :], bound[..., 0, :])
    states = Snapshot(course.states, errors, size_of(course.states))
    before = states[:-1]
    held_size = size_of(course.held) if course.adds_first else before.size
    return Trajectory(before, Snapshot(course.held, held, held_size), states[1:], states[-1], corrections, {})


def passage(
    factor: Bounds, of_decay: Bounds, of_addition: Bounds, first: Bounds, adds_first: bool
) -> tuple[Bounds, Bounds]:
    """A bound that goes from step to step: times a factor, with what a decay and an addition add to it.

    Args:
        factor: by step, as all of them.
        of_decay: what a decay adds.
        of_addition: what an addition adds.
        first: before the first step.
        adds_first: does a step add before it decays?

    Returns: the bound before each step and after the last, ``len(factor) + 1`` of them, and that of what
    each step decays.
    """
    time = len(factor)
    made = np.empty((time + 1, *first.shape))
    made[0] = first
    if not adds_first:
        terms = np.broadcast_to(of_decay + of_addition, (time, *first.shape))
        for now, after, times, term in zip(made, made[1:], factor, terms, strict=False):
            np.multiply(times, now, out=after)
            np.add(after, term, out=after)
        return made, made[:-1]
    held = np.empty((time, *first.shape))
    one, other = (np.broadcast_to(x, held.shape) for x in (of_addition, of_decay))
    for now, after, between, times, add, term in zip(made, made[1:], held, factor, one, other, strict=False):
        np.add(now, add, out=between)
        np.multiply(times, between, out=after)
        np.add(after, term, out=after)
    return made, held


def reads(roles: Roles) -> Bounds:
    """What an error of the state is multiplied by at most in what a correction reads of it, shape ``(T, N, H,
    1, 1)``.
    """
    if roles.beta is not None:
        beta = np.abs(by_token(roles.beta))
        length = beta * np.linalg.norm(by_token(roles.key).astype(float), axis=-1)
        length = length * np.max(size_of(by_token(roles.decay)), axis=-1)
    else:
        length = np.linalg.norm(by_token(roles.a).astype(float), axis=-1)
    return np.asarray(length[..., None, None])


def column_length(course: Course) -> Bounds:
    """The length of what a correction writes along, shape ``(T, N, H, 1, 1)``."""
    assert course.column is not None
    return norm(course.column.astype(float))


def norm(made: Bounds) -> Bounds:
    """Of columns."""
    return np.asarray(np.linalg.norm(made, axis=-2, keepdims=True))


def growth(roles: Roles) -> Bounds:
    """By how much a step stretches a column at most, shape ``(T, N, H, 1, 1)``."""
    assert roles.growth is not None
    return np.asarray(by_token(roles.growth)[..., None, None])


def size_growth(roles: Roles) -> Bounds:
    """By how much a step of absolute values stretches a column at most, shape ``(T, N, H, 1, 1)``: what is
    rounded on the way is relative to these, which do not cancel.
    """
    largest = np.max(size_of(roles.decay), axis=-1)
    if roles.beta is not None:
        made = largest * (1 + np.abs(roles.beta) * size_of(np.sum(roles.key**2, axis=-1)))
    else:
        lengths = [np.linalg.norm(x.astype(float), axis=-1) for x in (roles.a, roles.b)]
        made = largest + lengths[0] * lengths[1]
    return np.asarray(by_token(made)[..., None, None])


def _of_correction(roles: Roles, course: Course) -> Bounds:
    """The roundings of what is written along the column, in units, shape ``(T, N, H, 1, V)``."""
    along = 2 * size_of(course.along)
    if roles.beta is None:
        size = size_of(by_token(roles.a))[..., None, :] @ size_of(course.held)
        return np.asarray((roles.keys + 5) * size + along)
    x = by_token(roles.roundings)[..., None]
    size = size_of(by_token(roles.key))[..., None, :] @ ((roles.keys + 5 + x) * size_of(course.decayed))
    beta = np.abs(by_token(roles.beta))[..., None, None]
    return np.asarray(beta * (size + 3 * size_of(by_token(roles.value))[..., None, :]) + along)
