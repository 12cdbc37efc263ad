"""The results of a recurrence, outputs and final states, with their bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratproof.laws.kernels.bounds.chunked import bounded_states
from ratproof.laws.kernels.bounds.convolution import convolved
from ratproof.laws.kernels.bounds.rounding import OUTWARD, KernelForm, RoundedArray, RoundingUnits
from ratproof.laws.kernels.naive import (
    Arrays,
    Bounds,
    RecurrenceInputs,
    Wide,
    by_token,
    groups,
    inputs_of,
    parts,
    size_of,
    wider_than,
)
from ratproof.laws.kernels.problem import Problem


@dataclass
class BoundedResult:
    """The outputs and final states of a recurrence, with their bounds.

    Outputs have shape ``(B, T, H, V)`` and final states ``(N, H, K, V)``. For families of lanes, H is the
    number of lanes and K = V = 1, or V = 2 for both parts of a complex number. The results of a convolution
    have the kernel's shapes.
    """

    outputs: Wide
    output_bounds: Bounds
    states: Wide
    state_bounds: Bounds


def run(problem: Problem, arrays: Arrays, form: KernelForm) -> BoundedResult:
    """Run the recurrence for all sequences of a call."""
    if problem.family.window:
        (outputs, output_bounds), (states, state_bounds) = convolved(problem, arrays)
        return BoundedResult(outputs, output_bounds, states, state_bounds)
    keys, values = (1, 1) if problem.family.lanes else (problem.keys, problem.values)
    values = 2 if problem.family.pairs else values
    wide = wider_than(problem.accumulation)
    outputs = np.zeros((problem.batch, problem.time, problem.heads, values), wide)
    states = np.zeros((problem.rows, problem.heads, keys, values), wide)
    result = BoundedResult(outputs, np.zeros(outputs.shape), states, np.zeros(states.shape))
    arithmetic = RoundingUnits.of(problem.accumulation, problem.family.pairs)
    form = form.in_steps(problem.substeps)
    for group in groups(problem):
        inputs = inputs_of(problem, arrays, group)
        bounded = bounded_states(inputs, form, arithmetic)
        if inputs.time:
            value, bound = _outputs(inputs, bounded.after, bounded.before, form, arithmetic)
            value, bound = (
                parts(problem, x)[problem.substeps - 1 :: problem.substeps] for x in (value, bound)
            )
            result.outputs[group.rows, group.tokens] = np.moveaxis(value, 0, 1)
            result.output_bounds[group.rows, group.tokens] = np.moveaxis(bound, 0, 1) * OUTWARD
        bound = parts(problem, bounded.last.error) + arithmetic.smallest
        result.states[group.states] = parts(problem, bounded.last.value)
        result.state_bounds[group.states] = bound * OUTWARD
    return result


def _outputs(
    inputs: RecurrenceInputs,
    read: RoundedArray,
    before: RoundedArray,
    form: KernelForm,
    arithmetic: RoundingUnits,
) -> tuple[Wide, Bounds]:
    """Return o = scale S^T q and its bounds, shapes ``(T, N, H, V)``."""
    if inputs.bonus is not None:  # the state before the step, with (u * k) v^T
        added = (inputs.bonus * by_token(inputs.key))[..., None] * by_token(inputs.value)[..., None, :]
        size, u = size_of(added), arithmetic.unit
        read = RoundedArray(before.value + added, before.error + 3 * u * size, before.size + size, u)
    output = read.over_keys(by_token(inputs.query), 5 if form.chunk is None else 4)
    if inputs.lanes:  # the output is the state
        return inputs.scale * output.value, read.error[..., 0, :] + arithmetic.smallest
    error = abs(inputs.scale) * output.error + 2 * inputs.keys * arithmetic.smallest
    return inputs.scale * output.value, error
