"""Bounds on the rounding errors of the states of a kernel that computes step by step.

The error is bounded for each element of the state. If a step corrects the state along a direction, it is
bounded for each column in the 2-norm instead.

The contribution of a step depends only on its states, and is computed for all steps at once. Only its
propagation from step to step is sequential.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ratproof.laws.kernels.bounds import ellipsoid
from ratproof.laws.kernels.bounds.ellipsoid import is_too_wide
from ratproof.laws.kernels.bounds.rounding import RoundedArray, RoundingUnits, column_norm, norm
from ratproof.laws.kernels.naive import Bounds, RecurrenceInputs, StateTrajectory, Wide, by_token, size_of


@dataclass(frozen=True)
class BoundedStates:
    """The states of a recurrence for every step, with bounds on a kernel's errors.

    The ``size`` of an array is the sum of the absolute values of a step's terms. In a chunked form it is the
    recurrence of absolute values since the beginning of the chunk.

    Attributes:
        before: The state before each step.
        held: The state that each step decays.
        after: The state after each step.
        last: The state after all steps.
        corrections: The vector w in the correction c w^T that each step adds along its direction c, axes T,
            N, H and V; ``None`` without corrections.
        roundings: Additional roundings of the gradients of corrections, shape ``(T, 1, 1, 1)``.
        edges: The state at the beginning of each chunk, keyed by its first step.
        rougher: The same states with the larger sizes that an explicit inverse requires; ``None`` for
            substitution.
    """

    before: RoundedArray
    held: RoundedArray
    after: RoundedArray
    last: RoundedArray
    corrections: RoundedArray | None
    roundings: Bounds = field(default_factory=lambda: np.zeros((1, 1, 1, 1)))
    edges: dict[int, RoundedArray] = field(default_factory=dict)
    rougher: BoundedStates | None = None


def step_by_step(
    inputs: RecurrenceInputs, states: StateTrajectory, arithmetic: RoundingUnits
) -> BoundedStates:
    """Return the states with bounds on the errors of a kernel that computes step by step.

    The kernel may add the terms of a step in any order.
    """
    u, smallest, first = arithmetic.unit, arithmetic.smallest, states.adds_first
    x, decay = by_token(inputs.roundings)[..., None], size_of(by_token(inputs.decay))[..., None]
    stored = _stored(inputs, states)
    added = np.zeros((inputs.time, 1, 1, 1, 1)) if states.added is None else size_of(states.added)
    held_size = stored[:-1] + added if first else stored[:-1]
    decayed = decay * held_size
    own, more = None, np.zeros(())
    if states.column is None:
        rounded = (x + 1) * decay
        if inputs.interpolated is not None:
            rounded = rounded + by_token(inputs.interpolated)[..., None]
        terms, factor = decayed, decay + u * (rounded + decay)
        of_decay = u * rounded * held_size + smallest
        of_addition = u * (inputs.product_roundings + 1) * added + smallest
        of_addition = of_addition + u * factor_errors(inputs)
    else:
        read, correction = _of_correction(inputs, held_size, decayed)
        terms = decayed + size_of(states.column) * correction
        # a term has K + 3 additions, at most four products, and the roundings of its factors
        often: Any = inputs.keys + 10 + np.max(x, axis=-2, keepdims=True, initial=0.0)
        if inputs.b_roundings is not None:
            often = often + by_token(inputs.b_roundings)[..., None, None]
        own, more = u * (read + 2 * size_of(states.along)), often * u * size_growth(inputs)
        factor = growth(inputs) + more
        of_decay = u * often * column_norm(terms) + 2 * inputs.keys * smallest
        of_addition = u * (inputs.product_roundings + 1 if first else often) * column_norm(added) + smallest
    if first:  # the sum is rounded before it decays
        of_addition = of_addition + u * (stored[:-1] if own is None else column_norm(stored[:-1]))
    shape = inputs.start.shape
    start = np.zeros((*shape[:2], 1, shape[3]) if inputs.corrected else shape)
    errors, held = passage(factor, of_decay, of_addition, start, first)
    if own is None and inputs.start.any():  # the first state may be added at the end
        errors, held = errors + u * stored, held + u * held_size
    corrections = None
    if own is not None:
        if is_too_wide(errors, states):
            tighter = ellipsoid.step_by_step(inputs, 0 * own, of_decay, of_addition, more, first)
            errors, held = (np.fmin(*pair) for pair in zip((errors, held), tighter, strict=True))
        corrections = correction_bounds(states, own + reads(inputs) * held, u)
    sizes = np.concatenate([stored[:1], terms if first else terms + added])
    every = RoundedArray(states.states, errors, sizes, u)
    decays = RoundedArray(states.held, held, held_size if first else sizes[:-1], u)
    return BoundedStates(every[:-1], decays, every[1:], every[-1], corrections)


def correction_bounds(states: StateTrajectory, bound: Bounds, unit: float) -> RoundedArray:
    """Return the vector w in each step's correction c w^T, with ``bound`` as a bound on its error."""
    value = states.along[..., 0, :]  # type: ignore[index]
    return RoundedArray(value, bound[..., 0, :], size_of(value), unit)


def _stored(inputs: RecurrenceInputs, states: StateTrajectory) -> Bounds:
    """Return the sizes of the values in which a kernel stores the states.

    If no step corrects, a kernel may store the decayed first state and the sum of all other terms separately.
    """
    if inputs.corrected or not inputs.start.any():
        return size_of(states.states)
    decay = by_token(inputs.decay)[..., None]
    left = products(decay) * inputs.start
    return size_of(left) + size_of(states.states - left)


def products(factor: Any) -> Any:
    """Return the cumulative products of the factors, before each step and after the last."""
    return np.concatenate([np.ones((1, *factor.shape[1:])), np.cumprod(factor, axis=0)])


def passage(
    factor: Bounds, of_decay: Bounds, of_addition: Bounds, first: Bounds, adds_first: bool
) -> tuple[Bounds, Bounds]:
    """Propagate a bound from step to step: multiply by a factor, then add the contributions of a step.

    Args:
        factor: The factor of each step.
        of_decay: The contribution of each step's decay.
        of_addition: The contribution of each step's addition.
        first: The bound before the first step.
        adds_first: Whether a step adds before it decays.

    Returns:
        The bounds before each step and after the last, ``len(factor) + 1`` bounds in total; and the bounds of
        the states that the steps decay.
    """
    time = len(factor)
    bounds = np.empty((time + 1, *first.shape))
    bounds[0] = first
    held = np.empty((time, *first.shape)) if adds_first else bounds[:-1]
    behind = np.broadcast_to(of_decay if adds_first else of_decay + of_addition, held.shape)
    between = np.broadcast_to(of_addition, held.shape)
    for t in range(time):
        if adds_first:
            np.add(bounds[t], between[t], out=held[t])
        np.multiply(factor[t], held[t], out=bounds[t + 1])
        np.add(bounds[t + 1], behind[t], out=bounds[t + 1])
    return bounds, held


def factor_errors(inputs: RecurrenceInputs) -> Bounds:
    """Return the error of k v^T due to errors in the keys or values, in multiples of the unit roundoff.

    The shape is ``(T, N, H, K, V)``, or ``()`` if a kernel computes neither keys nor values.
    """

    def product(keys: Wide, values: Wide) -> Bounds:
        if keys is None or values is None:
            return np.zeros(())
        return np.asarray(size_of(by_token(keys))[..., None] * size_of(by_token(values))[..., None, :])

    return product(inputs.key_roundings, inputs.value) + product(inputs.key, inputs.value_roundings)


def reads(inputs: RecurrenceInputs) -> Bounds:
    """Return a bound on the factor by which a correction multiplies the error of the state that it reads.

    The shape is ``(T, N, H, 1, 1)``.
    """
    if inputs.beta is not None:
        length = np.abs(by_token(inputs.beta)) * norm(by_token(inputs.erase).astype(float))
        if not inputs.reads_before:
            length = length * np.max(size_of(by_token(inputs.decay)), axis=-1)
    else:
        length = norm(by_token(inputs.a).astype(float))
    return np.asarray(length[..., None, None])


def column_length(states: StateTrajectory) -> Bounds:
    """Return the length of the vector along which a correction writes, shape ``(T, N, H, 1, 1)``."""
    assert states.column is not None
    return column_norm(states.column.astype(float))


def growth(inputs: RecurrenceInputs) -> Bounds:
    """Return an upper bound on the factor by which one step increases the 2-norm of a state column.

    The shape is ``(T, N, H, 1, 1)``.
    """
    assert inputs.growth is not None
    return np.asarray(by_token(inputs.growth)[..., None, None])


def size_growth(inputs: RecurrenceInputs) -> Bounds:
    """Return an upper bound on the factor by which a step with absolute values increases a column's 2-norm.

    The shape is ``(T, N, H, 1, 1)``. Intermediate roundings are relative to absolute values, which do not
    cancel.
    """
    largest = np.max(size_of(inputs.decay), axis=-1)
    if inputs.beta is not None:
        along = norm(inputs.key.astype(float)) * norm(inputs.erase.astype(float)) * np.abs(inputs.beta)
        factor = largest + along * (1 if inputs.reads_before else largest)
    else:
        factor = largest + norm(inputs.a.astype(float)) * norm(inputs.b.astype(float))
    return np.asarray(by_token(factor)[..., None, None])


def _of_correction(inputs: RecurrenceInputs, held: Bounds, decayed: Bounds) -> tuple[Bounds, Bounds]:
    """Return the error and the size of the vector that a correction writes, shapes ``(T, N, H, 1, V)``.

    The error is in multiples of the unit roundoff. Both are computed from absolute values.
    """
    if inputs.beta is None:
        size = size_of(by_token(inputs.a))[..., None, :] @ held
        return (inputs.keys + 5) * size, size
    x = by_token(inputs.roundings)[..., None]
    key, value = (size_of(by_token(array))[..., None, :] for array in (inputs.erase, inputs.value))
    beta = np.abs(by_token(inputs.beta))[..., None, None]
    decayed, x = (held, 0 * x) if inputs.reads_before else (decayed, x)
    off = key @ ((inputs.keys + 5 + x) * decayed) + 3 * value
    return beta * off, beta * (key @ decayed + value)
