"""The running error of a chunked form: all chunks at once, and then from chunk to chunk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ratproof.laws.kernels.reference import ellipsoid
from ratproof.laws.kernels.reference.course import Course, by_token, size_of
from ratproof.laws.kernels.reference.cuts import Chunks
from ratproof.laws.kernels.reference.ellipsoid import says_little
from ratproof.laws.kernels.reference.form import Arithmetic, Bounds, Form
from ratproof.laws.kernels.reference.norms import column_norm
from ratproof.laws.kernels.reference.roles import Roles
from ratproof.laws.kernels.reference.running import (
    Corrections,
    Snapshot,
    Trajectory,
    column_length,
    growth,
    passage,
    reads,
)
from ratproof.laws.kernels.reference.solutions import Solutions, solutions


def in_chunks(
    roles: Roles,
    course: Course,
    form: Form,
    arithmetic: Arithmetic,
    backwards: bool,
    for_gradients: bool = False,
) -> Trajectory:
    """The errors of a kernel that computes in chunks.

    Args:
        roles: the tensors, of at least one step.
        course: its states.
        form: with a chunk.
        arithmetic: the format's.
        backwards: are the steps those of reversed time?
        for_gradients: are the sizes what the roundings of gradients are relative to? Through an explicit
            inverse that is more.
    """
    assert form.chunk is not None
    chunks = Chunks.of(roles.time, form.chunk, backwards)
    tiny = 2 * form.chunk * arithmetic.smallest
    sizes = _Sizes.of(roles, course, chunks)
    gates, rounded = _roundings(roles, form, arithmetic, chunks)
    direct, direct_held = (rounded * size + tiny for size in sizes.since)
    if not roles.corrected:
        # decays are rounded, too
        passed = _products(sizes.decay) * (1 + np.max(rounded, axis=-2, keepdims=True))
        carried = _carried(chunks, passed, direct)
        errors, held = direct + passed * carried, direct_held + passed[:-1] * carried
        return _trajectory(course, chunks, (errors, held), sizes.since, None)
    assert course.along is not None and course.column is not None
    direct, direct_held = column_norm(direct), column_norm(direct_held)
    made = solutions(roles, course, form, chunks, gates)
    own, factor = arithmetic.unit * made.off, chunks.split(growth(roles))
    written = chunks.split(column_length(course)) * own
    solved, solved_held = passage(factor, written, np.zeros(()), np.zeros(own.shape[1:]), course.adds_first)
    errors, held = direct + solved, direct_held + solved_held
    stretch = _stretch(chunks, course, sizes.decay, factor, made, rounded, arithmetic.unit)
    passed = _products(factor) + stretch
    carried = _carried(chunks, passed, errors)
    errors, held = errors + passed * carried, held + passed[:-1] * carried
    if says_little(errors, course):
        tighter = _by_ellipsoids(roles, chunks, own, direct, stretch)
        errors, held = np.fmin(errors, direct + tighter), np.fmin(held, direct_held + tighter[:-1])
    own = own + arithmetic.unit * made.carried_off * carried
    bound = chunks.joined(own) + reads(roles) * chunks.joined(held)
    corrections = Corrections.solved(course.along[..., 0, :], bound[..., 0, :])
    if not for_gradients or made.sizes is None:
        return _trajectory(course, chunks, (errors, held), sizes.since, corrections)
    roundings = chunks.joined(np.broadcast_to(made.roundings, own.shape[:2]))[:, None, None, None]
    column = chunks.split(size_of(course.column))
    usual, rougher = (
        _trajectory(
            course,
            chunks,
            (errors, held),
            sizes.passed(column * size),
            replace(corrections, size=chunks.joined(size)[..., 0, :], roundings=roundings),
        )
        for size in made.sizes
    )
    return replace(usual, rougher=rougher)


@dataclass(frozen=True)
class _Sizes:
    """The recurrence of absolute values since chunks began; arrays in the chunks' axes.

    Attributes:
        decay, added: of its steps.
        starts: the states that chunks begin with.
        adds_first: does a step add before it decays?
        outer: what a step's correction writes.
    """

    decay: Bounds
    added: Bounds
    starts: Bounds
    adds_first: bool
    outer: Bounds

    @classmethod
    def of(cls, roles: Roles, course: Course, chunks: Chunks) -> _Sizes:
        nothing = np.zeros(())
        outer = nothing
        if course.column is not None and course.along is not None:
            outer = chunks.split(size_of(course.column * course.along))
        added = nothing if course.added is None else chunks.split(size_of(course.added))
        decay = chunks.split(size_of(by_token(roles.decay))[..., None])
        return cls(decay, added, size_of(course.states[chunks.begins]), course.adds_first, outer)

    def passed(self, outer: Bounds) -> tuple[Bounds, Bounds]:
        """With such corrections: before each step and after the last, and of what each step decays."""
        return passage(self.decay, outer, self.added, self.starts, self.adds_first)

    @cached_property
    def since(self) -> tuple[Bounds, Bounds]:
        """With the corrections that there are."""
        return self.passed(self.outer)


def _roundings(roles: Roles, form: Form, arithmetic: Arithmetic, chunks: Chunks) -> tuple[Bounds, Bounds]:
    """By chunk: the sum of the absolute values of its gates, and by how much of its size a number is
    rounded.
    """
    assert form.chunk is not None
    gates = by_token(roles.logarithms)
    gates = np.add.reduceat(np.where(np.isfinite(gates), np.abs(gates), 0), chunks.begins)[..., None]
    more = roles.more_roundings
    units = form.chunk + 8 + more + (form.roundings() + 2 + more) * gates
    return gates, np.expm1(np.minimum(units * arithmetic.unit, 700))


def _products(factor: Bounds) -> Bounds:
    """Of the factors of a chunk's steps, before each step and after the last."""
    return np.concatenate([np.ones((1, *factor.shape[1:])), np.cumprod(factor, axis=0)])


def _stretch(
    chunks: Chunks,
    course: Course,
    decay: Bounds,
    factor: Bounds,
    made: Solutions,
    rounded: Bounds,
    unit: float,
) -> Bounds:
    """By how much an error that is carried into a chunk is rounded there, before each step and after the
    last: relative to absolute values, which do not cancel where the steps of the state do.
    """
    column = chunks.split(column_length(course))
    once, nothing = np.ones(made.carried.shape[1:]), np.zeros(())
    largest = np.max(decay, axis=-2, keepdims=True)
    size, _ = passage(largest, column * made.carried, nothing, once, course.adds_first)
    solved, _ = passage(factor, column * (unit * made.carried_off), nothing, 0 * once, course.adds_first)
    return np.asarray(np.max(rounded, axis=-2, keepdims=True) * size + solved)


def _carried(chunks: Chunks, passed: Bounds, errors: Bounds) -> Bounds:
    """The error that is carried into each chunk, of which so much is left before each step and after the
    last.
    """
    carried = np.zeros(errors.shape[1:])
    ends = zip(chunks.at_ends(passed)[:-1], chunks.at_ends(errors)[:-1], strict=True)
    for chunk, (times, made) in enumerate(ends):
        carried[chunk + 1] = times * carried[chunk] + made
    return carried


def _trajectory(
    course: Course,
    chunks: Chunks,
    errors: tuple[Bounds, Bounds],
    sizes: tuple[Bounds, Bounds],
    corrections: Corrections | None,
) -> Trajectory:
    """With errors and sizes in the chunks' axes, of the states before each step and after the last, and of
    what each step decays.
    """
    error, held = errors
    size, held_size = sizes
    after = Snapshot(course.states[1:], chunks.joined(error[1:]), chunks.joined(size[1:]))
    edges = {
        int(begin): Snapshot(course.states[begin], error[0, chunk], size[0, chunk])
        for chunk, begin in enumerate(chunks.begins)
    }
    return Trajectory(
        Snapshot(course.states[:-1], chunks.joined(error), chunks.joined(size)),
        Snapshot(course.held, chunks.joined(held), chunks.joined(held_size)),
        after,
        after[-1],
        corrections,
        edges,
    )


def _by_ellipsoids(roles: Roles, chunks: Chunks, own: Bounds, direct: Bounds, stretch: Bounds) -> Bounds:
    """What corrections, and all before a chunk, make of the error of columns, in the chunks' axes."""
    at_ends, stretched = chunks.at_ends(direct), chunks.at_ends(stretch)
    axes, starts = ellipsoid.in_chunks(
        roles, chunks.joined(own), at_ends, stretched, [int(begin) for begin in chunks.begins]
    )
    steps = np.minimum(np.arange(len(direct))[:, None], chunks.lengths)
    return np.asarray(axes[chunks.begins + np.arange(len(chunks.begins)) + steps] + stretch * starts)
