"""The running error of a chunked form: all chunks at once, and then from chunk to chunk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratproof.kernels.reference import ellipsoid
from ratproof.kernels.reference.corrections import solution
from ratproof.kernels.reference.course import Course, by_token, size_of
from ratproof.kernels.reference.ellipsoid import says_little
from ratproof.kernels.reference.form import Arithmetic, Bounds, Form
from ratproof.kernels.reference.roles import Roles
from ratproof.kernels.reference.running import (
    Corrections,
    Snapshot,
    Trajectory,
    column_length,
    growth,
    norm,
    passage,
    reads,
)

Whole = NDArray[np.int64]
MOST_PAIRS = 4_000_000
"""Numbers for pairs of tokens that are held at a time."""


@dataclass(frozen=True)
class Chunks:
    """Where chunks begin, and the arrays of their steps: axes step in the chunk, chunk, and what an array had
    behind its time. A chunk that is shorter than others is filled with its last step, which nothing reads.
    """

    begins: Whole
    lengths: Whole

    @classmethod
    def of(cls, time: int, chunk: int, backwards: bool) -> Chunks:
        """Of so many tokens; ``backwards``, the last chunk, which may be shorter, is the first."""
        lengths = np.diff(np.append(np.arange(0, time, chunk), time))
        lengths = lengths[::-1] if backwards else lengths
        return cls(np.cumsum(lengths) - lengths, lengths)

    def split(self, array: Any) -> Any:
        """An array of steps."""
        steps = np.arange(self.lengths.max())[:, None]
        return array[np.minimum(self.begins + steps, self.begins + self.lengths - 1)]

    def joined(self, array: Any) -> Any:
        """The steps one after another, of such an array."""
        every = np.arange(self.lengths.sum())
        chunk = np.repeat(np.arange(len(self.lengths)), self.lengths)
        return array[every - self.begins[chunk], chunk]

    def at_ends(self, array: Any) -> Any:
        """Of an array of what is before each step and behind the last: what is behind each chunk."""
        return array[self.lengths, np.arange(len(self.lengths))]


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
    u, tiny = arithmetic.unit, 2 * form.chunk * arithmetic.smallest
    chunks = Chunks.of(roles.time, form.chunk, backwards)
    nothing = np.zeros(())
    decay = chunks.split(size_of(by_token(roles.decay))[..., None])
    outer = nothing
    if course.column is not None and course.along is not None:
        outer = chunks.split(size_of(course.column * course.along))
    added = nothing if course.added is None else chunks.split(size_of(course.added))
    starts = size_of(course.states[chunks.begins])
    since, since_held = passage(decay, outer, added, starts, course.adds_first)
    gates = by_token(roles.logarithms)
    gates = np.add.reduceat(np.where(np.isfinite(gates), np.abs(gates), 0), chunks.begins)[..., None]
    more = roles.more_roundings
    units = form.chunk + 8 + more + (form.roundings() + 2 + more) * gates
    rounded = np.expm1(np.minimum(units * u, 700))
    factor, own, solutions = decay, nothing, None
    if not roles.corrected:
        errors, held = rounded * since + tiny, rounded * since_held + tiny
    else:
        solutions = _solutions(roles, course, form, chunks, gates)
        own, factor = u * solutions.off, chunks.split(growth(roles))
        written = chunks.split(column_length(course)) * own
        solved, solved_held = passage(factor, written, nothing, np.zeros(own.shape[1:]), course.adds_first)
        errors = norm(rounded * since + tiny) + solved
        held = norm(rounded * since_held + tiny) + solved_held
    # what was carried into a chunk, whose decays are rounded too
    passed = np.concatenate([np.ones((1, *factor.shape[1:])), np.cumprod(factor, axis=0)])
    stretch = passed * np.max(rounded, axis=-2, keepdims=True)
    passed = passed + stretch
    carried = np.zeros(errors.shape[1:])
    for chunk, (times, made) in enumerate(
        zip(chunks.at_ends(passed)[:-1], chunks.at_ends(errors)[:-1], strict=True)
    ):
        carried[chunk + 1] = times * carried[chunk] + made
    errors, held = errors + passed * carried, held + passed[:-1] * carried
    corrections = None
    if solutions is not None:
        if says_little(errors, course):
            direct, direct_held = norm(rounded * since + tiny), norm(rounded * since_held + tiny)
            tighter = _by_ellipsoids(roles, chunks, own, direct, stretch)
            errors = np.fmin(errors, direct + tighter)
            held = np.fmin(held, direct_held + tighter[:-1])
        assert course.along is not None
        bound = chunks.joined(own) + reads(roles) * chunks.joined(held)
        corrections = Corrections.solved(course.along[..., 0, :], bound[..., 0, :])

    def relative_to(since: Bounds, since_held: Bounds, corrections: Corrections | None) -> Trajectory:
        after = Snapshot(course.states[1:], chunks.joined(errors[1:]), chunks.joined(since[1:]))
        edges = {
            int(begin): Snapshot(course.states[begin], errors[0, chunk], since[0, chunk])
            for chunk, begin in enumerate(chunks.begins)
        }
        return Trajectory(
            Snapshot(course.states[:-1], chunks.joined(errors), chunks.joined(since)),
            Snapshot(course.held, chunks.joined(held), chunks.joined(since_held)),
            after,
            after[-1],
            corrections,
            edges,
        )

    if not for_gradients or solutions is None or solutions.sizes is None:
        return relative_to(since, since_held, corrections)
    assert corrections is not None and course.column is not None
    column = chunks.split(size_of(course.column))
    roundings = chunks.joined(np.broadcast_to(solutions.roundings, own.shape[:2]))[:, None, None, None]
    usual, rougher = (
        relative_to(
            *passage(decay, column * size, added, starts, course.adds_first),
            replace(corrections, size=chunks.joined(size)[..., 0, :], roundings=roundings),
        )
        for size in solutions.sizes
    )
    return replace(usual, rougher=rougher)


def _by_ellipsoids(roles: Roles, chunks: Chunks, own: Bounds, direct: Bounds, stretch: Bounds) -> Bounds:
    """What corrections, and all before a chunk, make of the error of columns, in the chunks' axes."""
    at_ends, stretched = chunks.at_ends(direct), chunks.at_ends(stretch)
    axes, starts = ellipsoid.in_chunks(
        roles, chunks.joined(own), at_ends, stretched, [int(begin) for begin in chunks.begins]
    )
    steps = np.minimum(np.arange(len(direct))[:, None], chunks.lengths)
    return np.asarray(axes[chunks.begins + np.arange(len(chunks.begins)) + steps] + stretch * starts)


@dataclass(frozen=True)
class _Solutions:
    """Of all chunks, as :class:`~ratproof.kernels.reference.corrections.Solution`, but of the shape ``(C,
    chunks, N, H, 1, V)``; ``roundings`` are those of a gradient, by chunk.
    """

    off: Bounds
    sizes: tuple[Bounds, Bounds] | None
    roundings: Bounds


def _solutions(roles: Roles, course: Course, form: Form, chunks: Chunks, gates: Bounds) -> _Solutions:
    """The corrections of all chunks, those of equal length at a time."""
    rows, heads, keys, values = roles.start.shape
    off = np.zeros((chunks.lengths.max(), len(chunks.lengths), rows, heads, 1, values))
    sizes = (np.zeros(off.shape), np.zeros(off.shape)) if form.inverse == "explicit" else None
    most = np.max(gates, axis=(1, 2, 3, 4), initial=0.0)
    more = roles.more_roundings
    terms = keys + 20 + more + (form.roundings() + 2 + more) * most
    for length in sorted(set(chunks.lengths.tolist())):
        alike = np.flatnonzero(chunks.lengths == length)
        slab = max(1, MOST_PAIRS // max(1, rows * heads * keys * length**2))
        for some in (alike[i : i + slab] for i in range(0, len(alike), slab)):
            steps = chunks.begins[some][:, None] + np.arange(length)

            def cut(array: Any, steps: Whole = steps) -> Any:
                if array is None:
                    return None
                tokens = np.moveaxis(array[:, steps], 1, 0)
                return tokens.reshape(-1, *tokens.shape[2:])

            names = ("key", "value", "decay", "beta", "a", "b")
            part = replace(roles, **{name: cut(getattr(roles, name)) for name in names})
            states = course.states[chunks.begins[some]].reshape(-1, heads, keys, values)
            made = solution(part, states, np.repeat(terms[some], rows), form.inverse, course.adds_first)
            for into, array in zip((off, *(sizes or ())), (made.off, *(made.sizes or ())), strict=True):
                by_chunk = array.reshape(len(some), rows, heads, length, values)
                into[:length, some] = np.moveaxis(by_chunk, 3, 0)[:, :, :, :, None]
    return _Solutions(off, sizes, 2 * (chunks.lengths + terms))
