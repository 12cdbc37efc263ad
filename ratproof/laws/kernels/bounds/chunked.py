"""Bounds on the rounding errors of the states of a kernel that computes in chunks.

The errors that arise within a chunk are computed for all chunks at once. They are then propagated from chunk
to chunk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratproof.laws.kernels.bounds import ellipsoid
from ratproof.laws.kernels.bounds.corrections import solution
from ratproof.laws.kernels.bounds.ellipsoid import is_too_wide
from ratproof.laws.kernels.bounds.recurrent import (
    BoundedStates,
    column_length,
    correction_bounds,
    factor_errors,
    growth,
    passage,
    products,
    reads,
    step_by_step,
)
from ratproof.laws.kernels.bounds.rounding import KernelForm, RoundedArray, RoundingUnits, column_norm
from ratproof.laws.kernels.naive import (
    Bounds,
    RecurrenceInputs,
    StateTrajectory,
    by_token,
    size_of,
    state_trajectory,
)

MOST_PAIRS = 4_000_000
"""Maximum number of elements in an array over pairs of tokens; more chunks are processed in several parts."""


@dataclass(frozen=True)
class Chunks:
    """The chunks of a sequence, with methods that split arrays along their step axis and join them again.

    The first axis of a split array is the step within the chunk, and the second axis is the chunk. The other
    axes of the array follow. A shorter chunk is padded with copies of its last step, which are not used.
    """

    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, time: int, chunk: int, backwards: bool) -> Chunks:
        """Return the chunks of a sequence of ``time`` tokens.

        The last chunk may be shorter. If ``backwards`` is true, the first chunk is the shorter one.
        """
        lengths = np.diff(np.append(np.arange(0, time, chunk), time))
        lengths = lengths[::-1] if backwards else lengths
        return cls(np.cumsum(lengths) - lengths, lengths)

    def split(self, array: Any) -> Any:
        """Split the first axis of an array, the step, into two axes: the step in its chunk, and the chunk."""
        steps = np.arange(self.lengths.max())[:, None]
        return np.take(array, np.minimum(self.begins + steps, self.begins + self.lengths - 1), 0)

    def joined(self, array: Any) -> Any:
        """Return an array over all steps from a split array: the inverse of :meth:`split`."""
        chunk = np.repeat(np.arange(len(self.lengths)), self.lengths)
        steps = np.arange(self.lengths.sum()) - self.begins[chunk]
        by_step = array.reshape(-1, *array.shape[2:])  # an index of two arrays takes longer
        return np.take(by_step, steps * len(self.lengths) + chunk, 0)

    def at_ends(self, array: Any) -> Any:
        """Return the entry after each chunk's last step.

        ``array`` is a split array with entries before each step and after the last.
        """
        return array[self.lengths, np.arange(len(self.lengths))]


def bounded_states(
    inputs: RecurrenceInputs,
    form: KernelForm,
    arithmetic: RoundingUnits,
    adds_first: bool = False,
    backwards: bool = False,
    for_gradients: bool = False,
) -> BoundedStates:
    """Return the states of the recurrence, with bounds on the errors of a kernel that computes them.

    Args:
        inputs: The tensors of the recurrence.
        form: The kernel's declared form.
        arithmetic: The rounding units of the kernel's dtype.
        adds_first: Whether a step adds before it decays and corrects.
        backwards: Whether the steps run in reversed time.
        for_gradients: Whether the states are used in a bound on gradients. For an explicit inverse, the
            ``size`` of the states is then larger.
    """
    states = state_trajectory(inputs, adds_first)
    if form.chunk is None or not inputs.time:
        return step_by_step(inputs, states, arithmetic)
    chunks, unit = Chunks.of(inputs.time, form.chunk, backwards), arithmetic.unit
    tiny = 2 * form.chunk * arithmetic.smallest
    gates = by_token(inputs.logarithms)
    gates = np.add.reduceat(np.where(np.isfinite(gates), np.abs(gates), 0), chunks.begins)[..., None]
    of_gates = form.roundings() + 2 + inputs.more_roundings
    units = form.chunk * (1 + inputs.factor_roundings) + 8 + inputs.more_roundings + of_gates * gates
    rounded = np.expm1(np.minimum(units * unit, 700))  # the error in each chunk, relative to the size
    sizes = _Sizes(inputs, states, chunks)
    since = sizes.since(sizes.outer)
    direct = rounded * since[0] + tiny
    direct_held = rounded * since[1] + tiny if adds_first else direct[:-1]
    of_factors, of_decays = unit * factor_errors(inputs), np.zeros(())
    if inputs.interpolated is not None:  # a kernel may run the steps of a chunk one by one
        of_decays = unit * by_token(inputs.interpolated)[..., None] * size_of(states.held)
        of_factors = np.broadcast_to(of_factors, of_decays.shape)
        of_decays = chunks.split(of_decays)
    if of_factors.any() or of_decays.any():
        error = chunks.split(of_factors)
        errors, held = passage(sizes.decay, of_decays, error, np.zeros(error.shape[1:]), adds_first)
        direct, direct_held = direct + (1 + rounded) * errors, direct_held + (1 + rounded) * held

    def assembled(errors: Bounds, held: Bounds, since: tuple[Bounds, Bounds], **more: Any) -> BoundedStates:
        size, held_size = since
        after = RoundedArray(states.states[1:], chunks.joined(errors[1:]), chunks.joined(size[1:]), unit)
        before = RoundedArray(states.states[:-1], chunks.joined(errors), chunks.joined(size), unit)
        decays = before
        if adds_first:
            decays = RoundedArray(states.held, chunks.joined(held), chunks.joined(held_size), unit)
        edges = {
            int(begin): RoundedArray(states.states[begin], errors[0, chunk], size[0, chunk], unit)
            for chunk, begin in enumerate(chunks.begins)
        }
        return BoundedStates(before, decays, after, after[-1], edges=edges, **more)

    if not inputs.corrected:
        # the decays are rounded, too
        passed = products(sizes.decay) * (1 + np.max(rounded, axis=-2, keepdims=True))
        carried = _carried(chunks, passed, direct)
        errors = direct + passed * carried
        held = direct_held + passed[:-1] * carried if adds_first else errors[:-1]
        return assembled(errors, held, since, corrections=None)
    direct, direct_held = column_norm(direct), column_norm(direct_held)
    terms = (
        inputs.keys + 20 + inputs.more_roundings + of_gates * np.max(gates, axis=(1, 2, 3, 4), initial=0.0)
    )
    solved = _solutions(inputs, states, form, chunks, terms)
    own, factor = unit * solved.off, chunks.split(growth(inputs))
    lengths, nothing = chunks.split(column_length(states)), np.zeros(())
    written, written_held = passage(factor, lengths * own, nothing, np.zeros(own.shape[1:]), adds_first)
    errors, held = direct + written, direct_held + written_held
    # a chunk rounds the error at its beginning relative to absolute values, which do not cancel
    once, largest = np.ones(solved.carried.shape[1:]), np.max(sizes.decay, axis=-2, keepdims=True)
    size, _ = passage(largest, lengths * solved.carried, nothing, once, adds_first)
    again, _ = passage(factor, lengths * (unit * solved.carried_off), nothing, 0 * once, adds_first)
    stretch = np.max(rounded, axis=-2, keepdims=True) * size + again
    passed = products(factor) + stretch
    carried = _carried(chunks, passed, errors)
    errors, held = errors + passed * carried, held + passed[:-1] * carried
    if is_too_wide(errors, states):
        ends = chunks.at_ends(direct), chunks.at_ends(stretch)
        axes, starts = ellipsoid.in_chunks(inputs, chunks.joined(own), *ends, chunks.begins.tolist())
        steps = np.minimum(np.arange(len(direct))[:, None], chunks.lengths)
        tighter = axes[chunks.begins + np.arange(len(chunks.begins)) + steps] + stretch * starts
        errors, held = np.fmin(errors, direct + tighter), np.fmin(held, direct_held + tighter[:-1])
    own = own + unit * solved.carried_off * carried
    corrections = correction_bounds(states, chunks.joined(own) + reads(inputs) * chunks.joined(held), unit)
    if not for_gradients or solved.sizes is None:
        return assembled(errors, held, since, corrections=corrections)
    roundings = np.broadcast_to(2 * (chunks.lengths + terms), own.shape[:2])
    roundings = chunks.joined(roundings)[:, None, None, None]
    column = chunks.split(size_of(states.column))
    usual, rougher = (
        assembled(
            errors,
            held,
            sizes.since(column * size),
            corrections=replace(corrections, size=chunks.joined(size)[..., 0, :]),
            roundings=roundings,
        )
        for size in solved.sizes
    )
    return replace(usual, rougher=rougher)


class _Sizes:
    """The recurrence with absolute values for all terms, restarted at the beginning of each chunk.

    Its values are called sizes. Rounding errors are relative to them.
    """

    def __init__(self, inputs: RecurrenceInputs, states: StateTrajectory, chunks: Chunks) -> None:
        nothing = np.zeros(())
        self.decay = chunks.split(size_of(by_token(inputs.decay))[..., None])
        self.added = nothing if states.added is None else chunks.split(size_of(states.added))
        self.starts, self.adds_first = size_of(states.states[chunks.begins]), states.adds_first
        self.outer: Bounds = nothing
        """The sizes of the corrections."""
        if states.column is not None and states.along is not None:
            self.outer = chunks.split(size_of(states.column * states.along))

    def since(self, outer: Bounds) -> tuple[Bounds, Bounds]:
        """Return the sizes of the states before each step and after the last, and before each decay.

        ``outer`` has the sizes of the corrections.
        """
        return passage(self.decay, outer, self.added, self.starts, self.adds_first)


def _carried(chunks: Chunks, passed: Bounds, errors: Bounds) -> Bounds:
    """Return the error of the state at the beginning of each chunk, accumulated over all earlier chunks.

    ``errors`` are the errors that arise within a chunk. ``passed`` is the factor by which the error at the
    beginning of a chunk has been multiplied. Both have entries before each step and after the last.
    """
    carried = np.zeros(errors.shape[1:])
    ends = zip(chunks.at_ends(passed)[:-1], chunks.at_ends(errors)[:-1], strict=True)
    for chunk, (factor, error) in enumerate(ends):
        carried[chunk + 1] = factor * carried[chunk] + error
    return carried


@dataclass(frozen=True)
class _Solutions:
    """Bounds on the corrections of all chunks, shape ``(C, chunks, N, H, 1, V)``.

    See :class:`~ratproof.laws.kernels.bounds.corrections.Solution`.
    """

    off: Bounds
    carried: Bounds
    carried_off: Bounds
    sizes: tuple[Bounds, Bounds] | None


def _solutions(
    inputs: RecurrenceInputs, states: StateTrajectory, form: KernelForm, chunks: Chunks, terms: Bounds
) -> _Solutions:
    """Return bounds on the corrections of all chunks; chunks of equal length are solved together."""
    rows, heads, keys, values = inputs.start.shape
    shape = (chunks.lengths.max(), len(chunks.lengths), rows, heads, 1, values)
    results = [np.zeros(shape) for _ in range(5 if form.inverse == "explicit" else 3)]
    for length in sorted(set(chunks.lengths.tolist())):
        alike = np.flatnonzero(chunks.lengths == length)
        slab = max(1, MOST_PAIRS // max(1, rows * heads * keys * length**2))
        for some in (alike[i : i + slab] for i in range(0, len(alike), slab)):
            steps = chunks.begins[some][:, None] + np.arange(length)
            part = {}
            for name in ("key", "value", "decay", "beta", "erase", "a", "b"):
                array = getattr(inputs, name)
                if array is not None:
                    array = np.swapaxes(array[:, steps], 0, 1)
                    part[name] = array.reshape(-1, *array.shape[2:])
            starts = states.states[chunks.begins[some]].reshape(-1, heads, keys, values)
            of_terms = np.repeat(terms[some], rows)
            solved = solution(replace(inputs, **part), starts, of_terms, form.inverse, states.adds_first)
            arrays = (solved.off, solved.carried, solved.carried_off, *(solved.sizes or ()))
            for into, array in zip(results, arrays, strict=True):
                by_chunk = array.reshape(len(some), rows, heads, length, -1)
                into[:length, some] = np.moveaxis(by_chunk, 3, 0)[:, :, :, :, None]
    off, carried, carried_off, *sizes = results
    return _Solutions(off, carried[..., :1], carried_off[..., :1], (sizes[0], sizes[1]) if sizes else None)
