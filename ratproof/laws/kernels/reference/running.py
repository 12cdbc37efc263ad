"""The running error of a recurrence: by elements of the state, or, where a step corrects the state along a
direction, by columns in the 2-norm. What a step adds to the error follows from its states alone, and is made
for all steps at once; only its passage from step to step is one after another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ratproof.laws.kernels.reference import ellipsoid
from ratproof.laws.kernels.reference.course import Course, by_token, size_of
from ratproof.laws.kernels.reference.ellipsoid import says_little
from ratproof.laws.kernels.reference.form import Arithmetic, Bounds, Wide
from ratproof.laws.kernels.reference.norms import column_norm, norm
from ratproof.laws.kernels.reference.roles import Roles


@dataclass(frozen=True)
class Snapshot:
    """States at some places.

    Attributes:
        value: the axes N, H, K and V last.
        error: by how much a kernel's may differ, of the same shape, or with one key for the 2-norm of
            columns.
        size: what its roundings are relative to: the sum of the absolute values of a step's terms; in a
            chunked form the recurrence of absolute values since the chunk began.
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
    """Return the errors of a kernel that computes step by step, with the terms of a step in any order."""
    u, smallest = arithmetic.unit, arithmetic.smallest
    x = by_token(roles.roundings)[..., None]
    first = course.adds_first
    stored = _stored(roles, course)
    added = np.zeros((roles.time, 1, 1, 1, 1)) if course.added is None else size_of(course.added)
    held_size = stored[:-1] + added if first else stored[:-1]
    decayed = size_of(by_token(roles.decay))[..., None] * held_size
    own, more = None, np.zeros(())
    if course.column is None:
        terms = decayed
        factor = size_of(by_token(roles.decay))[..., None] * (1 + (x + 2) * u)
        of_decay = u * (x + 1) * decayed + smallest
        of_addition = u * (roles.product_roundings + 1) * added + smallest
    else:
        read, correction = _of_correction(roles, held_size, decayed)
        terms = decayed + size_of(course.column) * correction
        # a term has K + 3 sums, at most four products, and the roundings of its factors
        often: Any = roles.keys + 10 + np.max(x, axis=-2, keepdims=True, initial=0.0)
        if roles.b_roundings is not None:
            often = often + by_token(roles.b_roundings)[..., None, None]
        own, more = u * (read + 2 * size_of(course.along)), often * u * size_growth(roles)
        factor = growth(roles) + more
        of_decay = u * often * column_norm(terms) + 2 * roles.keys * smallest
        of_addition = u * (roles.product_roundings + 1 if first else often) * column_norm(added) + smallest
    sizes = terms if first else terms + added
    if first:  # the sum is rounded before it decays
        of_addition = of_addition + u * (stored[:-1] if own is None else column_norm(stored[:-1]))
    shape = roles.start.shape
    start = np.zeros((*shape[:2], 1, shape[3]) if roles.corrected else shape)
    errors, held = passage(factor, of_decay, of_addition, start, first)
    if own is None and roles.start.any():  # the first state may be added at the end
        errors, held = errors + u * stored, held + u * held_size
    corrections = None
    if own is not None:
        if says_little(errors, course):
            tighter = ellipsoid.step_by_step(roles, 0 * own, of_decay, of_addition, more, first)
            errors, held = (np.fmin(*pair) for pair in zip((errors, held), tighter, strict=True))
        assert course.along is not None
        bound = own + reads(roles) * held
        corrections = Corrections.solved(course.along[..., 0, :], bound[..., 0, :])
    sizes = np.concatenate([stored[:1], sizes])
    states = Snapshot(course.states, errors, sizes)
    before = states[:-1]
    held_size = held_size if first else before.size
    return Trajectory(before, Snapshot(course.held, held, held_size), states[1:], states[-1], corrections, {})


def _stored(roles: Roles, course: Course) -> Bounds:
    """Return the sizes of what a kernel stores for the states: of the states, or of what is left of the first
    one and of the sum of all else. A kernel may keep these apart where no step corrects.
    """
    if roles.corrected or not roles.start.any():
        return size_of(course.states)
    decay = by_token(roles.decay)[..., None]
    left = np.concatenate([np.ones((1, *decay.shape[1:])), np.cumprod(decay, axis=0)]) * roles.start
    return size_of(left) + size_of(course.states - left)


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
        length = beta * norm(by_token(roles.key).astype(float))
        length = length * np.max(size_of(by_token(roles.decay)), axis=-1)
    else:
        length = norm(by_token(roles.a).astype(float))
    return np.asarray(length[..., None, None])


def column_length(course: Course) -> Bounds:
    """The length of what a correction writes along, shape ``(T, N, H, 1, 1)``."""
    assert course.column is not None
    return column_norm(course.column.astype(float))


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
        lengths = [norm(x.astype(float)) for x in (roles.a, roles.b)]
        made = largest + lengths[0] * lengths[1]
    return np.asarray(by_token(made)[..., None, None])


def _of_correction(roles: Roles, held: Bounds, decayed: Bounds) -> tuple[Bounds, Bounds]:
    """Return what is written along the column, by absolute values: the roundings of its terms, in units, and
    its size, both of shape ``(T, N, H, 1, V)``.

    Args:
        roles: of a recurrence that corrects.
        held: the absolute values of what each step decays.
        decayed: those times the decay.
    """
    if roles.beta is None:
        size = size_of(by_token(roles.a))[..., None, :] @ held
        return (roles.keys + 5) * size, size
    x = by_token(roles.roundings)[..., None]
    key, value = (size_of(by_token(array))[..., None, :] for array in (roles.key, roles.value))
    beta = np.abs(by_token(roles.beta))[..., None, None]
    off = key @ ((roles.keys + 5 + x) * decayed) + 3 * value
    return beta * off, beta * (key @ decayed + value)
