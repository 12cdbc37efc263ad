"""The recurrence of every family, step by step, in a wider dtype than the kernel's.

A family names the tensors that are called d, k, v, q, beta, a, b and u here (:class:`RecurrenceInputs`). If
the family has no tensor for d, k or q, 1 takes its place; other missing tensors are omitted. A step is

    S <- diag(d) S + k v^T                              most families; k = 1 for lanes
    S <- diag(d) S, then S <- S + beta k (v - S^T k)^T  the delta rules
    S <- diag(d) S + beta k (v - S^T p)^T               Comba
    S <- diag(d) S + b (S^T a)^T + k v^T                RWKV-7

The output is o = scale S^T q, or, if the state is read before its step, o = scale (S + (u * k) v^T)^T q.
The recurrence of gradients (:mod:`ratproof.laws.kernels.bounds.adjoint`) adds k v^T first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratproof.laws.kernels.problem import Problem

Wide = Any  # arrays in a wider dtype than the kernel's
Bounds = NDArray[np.float64]
Arrays = dict[str, NDArray[np.float64]]


def wider_than(accumulation: str) -> Any:
    """Return the reference's dtype: float64 for kernels that accumulate in float32, else numpy's longdouble.

    The rounding error of the reference is within the bound for its own dtype. In float64 that bound is 2^-29
    times the bound for a kernel in float32, which :data:`~ratproof.laws.kernels.bounds.rounding.OUTWARD`
    covers.
    """
    return np.float64 if accumulation == "float32" else np.longdouble


def by_token(array: Wide) -> Wide:
    """Move the time axis to the front, as a contiguous array."""
    return np.ascontiguousarray(np.swapaxes(array, 0, 1))


def size_of(values: Wide) -> Bounds:
    """Return absolute values in float64."""
    return np.asarray(np.abs(values), np.float64)


@dataclass(frozen=True)
class StringGroup:
    """A group of sequences of equal length: the indices of their states, rows and tokens in the tensors."""

    states: list[int]
    rows: slice
    tokens: slice


def groups(problem: Problem) -> Iterator[StringGroup]:
    """Yield all rows of a batch as one group, or each packed sequence separately."""
    if not problem.packed:
        yield StringGroup(list(range(problem.batch)), slice(None), slice(0, problem.time))
        return
    for index, (_, begin, end) in enumerate(problem.spans()):
        yield StringGroup([index], slice(0, 1), slice(begin, end))


@dataclass(frozen=True)
class RecurrenceInputs:
    """The tensors of a call, for sequences of equal length, named after their roles in the recurrence.

    Attributes:
        query, key: q and k, shape ``(N, T, H, K)``.
        value: v, shape ``(N, T, H, V)``.
        decay: d, shape ``(N, T, H, K)``, or ``(N, T, H, 1)`` for one decay of all keys.
        logarithms: The logarithms of the decays as the kernel has them, of the same shape.
        roundings: The error of a product with a decay, in multiples of the unit roundoff.
        start: The state before the first token, shape ``(N, H, K, V)``.
        scale: The scale of the outputs.
        interpolated: Roundings of the state before a step, of the decays' shape, in addition to those of its
            product with the decay; ``None`` unless a step is a convex combination (:func:`_interpolated`).
        factor_roundings: Roundings of a decay that is not an exponential.
        key_roundings, value_roundings: The errors of computed keys and values, in multiples of the unit
            roundoff, of the shapes of the keys and values.
        beta: beta of the delta rule, shape ``(N, T, H)``.
        erase: The key or p with which the delta rule reads the state, of the keys' shape.
        reads_before: Whether the delta rule reads the state before the state's decay.
        a, b: Vectors of a correction b (S^T a)^T, of the keys' shape.
        growth: A bound on the factor by which a step increases a column's 2-norm, shape ``(N, T, H)``, if it
            corrects.
        b_roundings: The number of roundings of b if a kernel computes it as a product, of the shape of
            ``growth``.
        bonus: u, shape ``(H, K)``, if the state is read before its update.
        product_roundings: Roundings of an element of k v^T; 0 if keys are ones.
        lanes: Whether the state is a vector, which is also the output.
        own_value: The values before they are multiplied by the time steps or input gates.
        step: The time steps or input gates, shape ``(N, T, H)``.
        rate: The rates of a state-space layer, shape ``(H, K)`` or ``(H, 1)``.
        more_roundings: Additional roundings of a decay's logarithm and of the added term.
    """

    query: Wide
    key: Wide
    value: Wide
    decay: Wide
    logarithms: Bounds
    roundings: Bounds
    start: Wide
    scale: float
    interpolated: Bounds | None = None
    factor_roundings: int = 0
    key_roundings: Bounds | None = None
    value_roundings: Bounds | None = None
    beta: Bounds | None = None
    erase: Wide = None
    reads_before: bool = False
    a: Wide = None
    b: Wide = None
    growth: Bounds | None = None
    b_roundings: Bounds | None = None
    bonus: Bounds | None = None
    product_roundings: int = 1
    lanes: bool = False
    own_value: Wide = None
    step: Bounds | None = None
    rate: Bounds | None = None
    more_roundings: int = 0

    @property
    def corrected(self) -> bool:
        """Return whether a step corrects the state along a direction."""
        return self.beta is not None or self.a is not None

    @property
    def time(self) -> int:
        """Return the number T of tokens."""
        return int(self.value.shape[1])

    @property
    def keys(self) -> int:
        """Return the number K of keys."""
        return int(self.key.shape[-1])

    @property
    def values(self) -> int:
        """Return the number V of values."""
        return int(self.value.shape[-1])


@dataclass(frozen=True)
class StateTrajectory:
    """The states of all steps, in arrays with the axes T, N, H, K and V.

    Attributes:
        states: The state before each step, and the state after the last: T + 1 states.
        held: The state that each step decays: the state before the step, plus the added term if the step adds
            before it decays.
        added: k v^T; ``None`` if the correction includes it.
        column, along: Factors of the correction ``column * along``, with V = 1 and K = 1; ``None`` without a
            correction.
        adds_first: Whether a step adds before it decays.
    """

    states: Wide
    held: Wide
    added: Wide | None
    column: Wide | None
    along: Wide | None
    adds_first: bool


def state_trajectory(inputs: RecurrenceInputs, adds_first: bool = False) -> StateTrajectory:
    """Run the recurrence, and return the states of all steps.

    Args:
        inputs: The tensors of the recurrence.
        adds_first: Whether a step adds k v^T before it decays and corrects.
    """
    time, shape, wide = inputs.time, inputs.start.shape, inputs.start.dtype  # real or complex
    d, k, v = by_token(inputs.decay)[..., None], by_token(inputs.key), by_token(inputs.value)[..., None, :]
    states = np.empty((time + 1, *shape), wide)
    held = np.empty((time, *shape), wide) if adds_first and inputs.beta is None else states[:-1]
    along = np.empty((time, *shape[:2], 1, shape[3]), wide) if inputs.corrected else None
    column, added, states[0] = None, None, inputs.start
    if inputs.beta is not None:
        column, beta = k[..., None], by_token(inputs.beta)[..., None, None]
        erase = by_token(inputs.erase)[..., None, :]
    else:
        added = k[..., None] * v
        if inputs.a is not None:
            column, a = by_token(inputs.b)[..., None], by_token(inputs.a)[..., None, :]
    for t in range(time):
        if adds_first and added is not None:
            np.add(states[t], added[t], out=held[t])
        new = np.multiply(d[t], held[t], out=states[t + 1])
        if along is not None and column is not None:
            if inputs.beta is None:
                along[t] = a[t] @ held[t]
            else:
                along[t] = beta[t] * (v[t] - erase[t] @ (held[t] if inputs.reads_before else new))
            new += column[t] * along[t]
        if not adds_first and added is not None:
            new += added[t]
    return StateTrajectory(states, held, added, column, along, adds_first)


def inputs_of(problem: Problem, arrays: Arrays, group: StringGroup) -> RecurrenceInputs:
    """Return the tensors of a group of sequences, named after their roles in the recurrence."""
    family, lanes = problem.family, problem.family.lanes

    def cut(name: str) -> Any:
        array = numbers_of(problem, of_steps(problem, arrays, name, group))
        return array[..., None] if lanes and not family.pairs else array

    value = cut(family.value)
    if family.normalised:
        value = np.concatenate([value, np.ones_like(value[..., :1])], -1)
    ones = np.ones((*value.shape[:3], 1), wider_than(problem.accumulation))
    shape = (problem.rows, problem.heads, *((1, 1) if lanes else (problem.keys, value.shape[-1])))
    first = arrays.get("initial_state")
    start = numbers_of(problem, np.zeros(problem.state_shape) if first is None else first).reshape(shape)
    inputs = RecurrenceInputs(
        query=cut(family.query) if family.query else ones,
        key=cut(family.key) if family.key else ones,
        value=value,
        **_decay(problem, arrays, group, ones),
        start=start[group.states],
        scale=problem.factor,
        bonus=arrays[family.bonus] if family.bonus else None,
        product_roundings=0 if lanes else 1,
        lanes=lanes,
    )
    if family.complement:
        inputs = _interpolated(inputs, 1 - inputs.decay if family.complement == "key" else cut(family.step))
    elif family.step:
        step, value = of_steps(problem, arrays, family.step, group), inputs.value
        more = {"own_value": value, "step": step, "more_roundings": 1}
        often = inputs.product_roundings + 1
        inputs = replace(inputs, value=step[..., None] * value, product_roundings=often, **more)
    if family.correction == "delta":
        beta = of_steps(problem, arrays, "beta", group)
        if family.erase:
            erase = cut(family.erase)
            growth = _stretch(inputs, -beta[..., None] * inputs.key, erase)
            return replace(inputs, beta=beta, erase=erase, reads_before=True, growth=growth)
        change = np.abs(1 - beta * np.sum(inputs.key**2, axis=-1))
        growth = np.max(np.abs(inputs.decay), axis=-1) * np.maximum(1, change)
        return replace(inputs, beta=beta, erase=inputs.key, growth=growth.astype(float))
    if family.correction == "low-rank":
        a, b = cut("a"), cut("b")
        growth = _stretch(inputs, b, a)
        return replace(inputs, a=a, b=b, growth=growth, b_roundings=np.zeros(growth.shape))
    return inputs


def _interpolated(inputs: RecurrenceInputs, key: Wide) -> RecurrenceInputs:
    """Return the tensors of a convex combination, the step diag(d) S + k v^T with k = 1 - d.

    A kernel may compute it in any of these forms, each with its parentheses expanded or not:

        d S + k v^T,    S + k (v^T - S),    v^T + d (S - v^T)

    Let u be the unit roundoff, x u the error of a product with d, and w u the error of k, relative to k, in
    addition to the error of d. In the first form, the error of an element is at most u times

        (x + 1) d |S| + (x d + (w + 2) k) |v|.

    In the second form, k multiplies |v - S|, v - S is rounded, and so is the sum with S:

        (x d + (w + 2) k) |S| + ((x - 1) d + (w + 3) k) |v|,

    and if k (v - S) is expanded, (x + 1) d |S| in place of x d |S|. In the third form, d multiplies |S - v|:

        (x + 2) d |S| + ((x + 1) d + 2 k) |v|.

    The bound is the maximum of each coefficient. If d is 1, it is exact, and 3 |S| + 2 |v| is sufficient.
    """
    d, k, exact = size_of(inputs.decay), size_of(key), inputs.logarithms == 0
    of_key = 1 if inputs.factor_roundings else 4  # the error of 1 - z, or of -expm1(g)
    key_roundings = np.where(exact, 2.0, (inputs.roundings + 1) * d + (of_key + 1) * k)
    more = {"key": key, "key_roundings": key_roundings, "product_roundings": 1}
    return replace(inputs, interpolated=d + (of_key + 2) * k, **more)


def of_steps(problem: Problem, arrays: Arrays, name: str, group: StringGroup) -> Any:
    """Return a tensor's values for each step of a group of sequences; a token may have several steps."""
    array = arrays[name][group.rows, problem.tokens(name, group.tokens.start, group.tokens.stop)]
    if "S" in problem.family.tensors[name]:
        return array
    return at_steps(problem, array, first=name == problem.family.decay)


def at_steps(problem: Problem, array: Any, first: bool = False) -> Any:
    """Return an array over steps with each token's value at its last (or first) step, and 0 elsewhere."""
    if problem.substeps == 1:
        return array
    steps = np.zeros((array.shape[0], array.shape[1] * problem.substeps, *array.shape[2:]), array.dtype)
    steps[:, 0 if first else problem.substeps - 1 :: problem.substeps] = array
    return steps


def _stretch(inputs: RecurrenceInputs, column: Wide, along: Wide) -> Bounds:
    """Return the 2-norms of the matrices diag(d) + column along^T, shape ``(N, T, H)``."""
    step = np.broadcast_to(inputs.decay, inputs.key.shape).astype(float)[..., None] * np.eye(inputs.keys)
    step = step + column[..., None].astype(float) * along[..., None, :].astype(float)
    return np.asarray(np.linalg.norm(step, 2, axis=(-2, -1)) if step.size else np.zeros(step.shape[:3]))


def numbers_of(problem: Problem, array: Any) -> Wide:
    """Return the values in the reference's dtype.

    Pairs become complex numbers, with a last axis of size 1.
    """
    exact = np.asarray(array, wider_than(problem.accumulation))
    return exact[..., :1] + 1j * exact[..., 1:] if problem.family.pairs else exact


def parts(problem: Problem, array: Any) -> Any:
    """Return both parts of complex numbers as a last axis of size 2; the inverse of :func:`numbers_of`."""
    if not problem.family.pairs:
        return array
    return np.concatenate([array.real, array.imag if np.iscomplexobj(array) else array], -1)


def _decay(problem: Problem, arrays: Arrays, group: StringGroup, ones: Wide) -> dict[str, Any]:
    """Return the arguments of :class:`RecurrenceInputs` that describe decays, and the rates."""
    family, cut = problem.family, (group.rows, group.tokens)
    more: dict[str, Any] = {}
    if family.fixed_decay:
        gamma = 1 - 2.0 ** (-5 - np.arange(problem.heads, dtype=np.float64))
        decay = np.broadcast_to(gamma[:, None], ones.shape).astype(ones.dtype)
        logarithms = np.log(decay).astype(np.float64)
        roundings = 6 + 2 * np.abs(logarithms)
    elif family.factor:
        factor = arrays[family.factor]
        decay = numbers_of(problem, factor if family.pairs else factor[cut][..., None])
        decay = np.broadcast_to(decay, ones.shape)  # all tokens share a complex factor
        with np.errstate(divide="ignore"):
            logarithms = np.where(decay == 0, -np.inf, np.log(np.abs(decay)).astype(float))
        roundings = np.ones(ones.shape)
    elif family.complement == "step":
        decay = 1 - numbers_of(problem, arrays[family.step][cut][..., None])
        with np.errstate(divide="ignore"):
            logarithms = np.log(decay).astype(float)
        roundings, more = 2 * np.ones(ones.shape), {"factor_roundings": 1, "more_roundings": 1}
    elif family.rate:  # each product with a time step is rounded once
        rate = arrays[family.rate]
        rate = more["rate"] = rate[:, None] if rate.ndim == 1 else rate
        exact = numbers_of(problem, arrays[family.step][cut][..., None]) * rate
        with np.errstate(under="ignore"):
            decay = np.exp(exact)
        logarithms = -np.abs(exact).astype(float)
        roundings = 5 - 3 * logarithms
    elif family.decay:
        logarithms = arrays[family.decay]
        if "T" in family.tensors[family.decay]:
            logarithms = of_steps(problem, arrays, family.decay, group)
            logarithms = logarithms[..., None] if logarithms.ndim == 3 else logarithms
        else:  # one decay for all tokens
            logarithms = np.broadcast_to(logarithms[:, None], ones.shape)
        with np.errstate(under="ignore"):
            decay = np.exp(numbers_of(problem, logarithms))
        roundings = 5 + 2 * np.where(np.isfinite(logarithms), np.abs(logarithms), 0)
    else:
        decay, logarithms, roundings = ones, np.zeros(ones.shape), np.zeros(ones.shape)
    return {"decay": decay, "logarithms": logarithms, "roundings": roundings, **more}
