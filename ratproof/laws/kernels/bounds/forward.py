"""The outputs and final states of a recurrence, with their bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratproof.laws.kernels.bounds.chunked import bounded_states
from ratproof.laws.kernels.bounds.convolution import convolved
from ratproof.laws.kernels.bounds.normaliser import divided
from ratproof.laws.kernels.bounds.recurrent import BoundedStates
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
    """The outputs and final states of a recurrence, with bounds on a kernel's errors.

    Outputs have shape ``(B, T, H, V)`` and final states ``(N, H, K, V)``. For families whose state is a
    vector of lanes, H is the number of lanes and K = V = 1. V is 2 for both parts of a complex number. The
    results of a convolution have the kernel's shapes.
    """

    outputs: Wide
    output_bounds: Bounds
    states: Wide
    state_bounds: Bounds


def run(problem: Problem, arrays: Arrays, form: KernelForm) -> BoundedResult:
    """Run the recurrence for all sequences of a call, and return its results with bounds."""
    if problem.family.window:
        (outputs, output_bounds), (states, state_bounds) = convolved(problem, arrays)
        return BoundedResult(outputs, output_bounds, states, state_bounds)
    keys, values = (1, 1) if problem.family.lanes else (problem.keys, problem.values)
    values = 2 if problem.family.pairs else values
    wide = wider_than(problem.accumulation)
    outputs = np.zeros((problem.batch, problem.time, problem.heads, values), wide)
    states = np.zeros((problem.rows, problem.heads, keys, values + problem.family.normalised), wide)
    result = BoundedResult(outputs, np.zeros(outputs.shape), states, np.zeros(states.shape))
    arithmetic = RoundingUnits.of(problem.accumulation, problem.family.pairs)
    form = form.in_steps(problem.substeps)
    for group in groups(problem):
        inputs = inputs_of(problem, arrays, group)
        bounded = bounded_states(inputs, form, arithmetic)
        if inputs.time:
            output = outputs_of(inputs, bounded, form, arithmetic)
            output = divided(output) if problem.family.normalised else output
            value, bound = (
                parts(problem, x)[problem.substeps - 1 :: problem.substeps]
                for x in (output.value, output.error)
            )
            result.outputs[group.rows, group.tokens] = np.swapaxes(value, 0, 1)
            result.output_bounds[group.rows, group.tokens] = np.swapaxes(bound, 0, 1) * OUTWARD
        bound = parts(problem, bounded.last.error) + arithmetic.smallest
        result.states[group.states] = parts(problem, bounded.last.value)
        result.state_bounds[group.states] = bound * OUTWARD
    return result


def outputs_of(
    inputs: RecurrenceInputs, states: BoundedStates, form: KernelForm, arithmetic: RoundingUnits
) -> RoundedArray:
    """Return the outputs o = scale S^T q of one group of sequences with their bounds, axes T, N, H and V."""
    read = states.after
    if inputs.bonus is not None:  # the state before the step, with (u * k) v^T
        before, u = states.before, arithmetic.unit
        added = (inputs.bonus * by_token(inputs.key))[..., None] * by_token(inputs.value)[..., None, :]
        size = size_of(added)
        read = RoundedArray(before.value + added, before.error + 3 * u * size, before.size + size, u)
    output = read.over_keys(by_token(inputs.query), 5 if form.chunk is None else 4)
    error = abs(inputs.scale) * output.error + 2 * inputs.keys * arithmetic.smallest
    if inputs.lanes:  # the output is the state
        error = read.error[..., 0, :] + arithmetic.smallest
    scaled = inputs.scale * output.value
    return RoundedArray(scaled, error, abs(inputs.scale) * output.size, arithmetic.unit)
