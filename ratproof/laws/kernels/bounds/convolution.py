"""Results and gradients of a causal convolution whose state is its last W inputs, with bounds.

The array e = (s, x) is the initial state s followed by the inputs x. The outputs y, the final state, and the
gradient de of sum(y * A) + sum(final_state * B) with respect to e are

    y_t = bias + sum over i of w_i e_{t+1+i},    final_state_i = e_{T+i},
    de_j = sum over i of w_i A_{j-1-i} + B_{j-T},

where terms outside of the sequence are 0. The gradient of the final state therefore reaches the inputs of the
last W tokens, and the initial state if T < W. The final state is a copy of inputs, so it must be exact. The
error of a sum of n products, in any order, is at most n + 1 unit roundoffs times the sum of their absolute
values.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ratproof.laws.kernels.bounds.rounding import OUTWARD, RoundingUnits
from ratproof.laws.kernels.naive import Arrays, Bounds, StringGroup, Wide, groups, wider_than
from ratproof.laws.kernels.problem import Problem

WithBound = tuple[Wide, Bounds]


def convolved(problem: Problem, arrays: Arrays) -> tuple[WithBound, WithBound]:
    """Return the outputs, shape ``(B, T, D)``, and the final states, shape ``(N, D, W)``, with bounds."""
    units, wide = RoundingUnits.of(problem.accumulation), wider_than(problem.accumulation)
    weight, bias = _parameters(problem, arrays)
    outputs = np.zeros((problem.batch, problem.time, problem.heads), wide)
    bounds, states = np.zeros(outputs.shape), np.zeros(problem.state_shape, wide)
    for group, joined in _joined(problem, arrays):
        windows = _windows(joined, problem.keys)
        terms = weight * windows[:, 1:]  # (N, T, D, W)
        outputs[group.rows, group.tokens] = bias + terms.sum(-1)
        size = np.abs(bias) + np.abs(terms).sum(-1)
        bounds[group.rows, group.tokens] = _bound(size, problem.keys + 1, units)
        states[group.states] = windows[:, -1]
    return (outputs, bounds), (states, np.zeros(states.shape))


def convolution_gradients(
    problem: Problem, arrays: Arrays, weights: Wide, final: Wide
) -> dict[str, WithBound]:
    """Return each argument's gradient and a bound on its error, keyed by name, including ``initial_state``.

    Args:
        problem: The call.
        arrays: The values of its arguments.
        weights: The weights A of the outputs in the differentiated sum, of the outputs' shape.
        final: The weights B of the final states, of their shape.
    """
    units, wide = RoundingUnits.of(problem.accumulation), wider_than(problem.accumulation)
    (weight, _), width, family = _parameters(problem, arrays), problem.keys, problem.family
    shapes = {name: problem.shape(axes) for name, axes in family.tensors.items()}
    shapes["initial_state"] = problem.state_shape
    results = {name: (np.zeros(shape, wide), np.zeros(shape)) for name, shape in shapes.items()}
    often = problem.time * problem.batch + len(problem.lengths)  # terms of the gradient of a shared tensor
    for group, joined in _joined(problem, arrays):
        own = np.asarray(weights[group.rows, group.tokens], wide)
        nothing = np.zeros((own.shape[0], width, own.shape[2]), wide)
        to_inputs = weight[:, ::-1] * _windows(np.concatenate([nothing, own, nothing[:, 1:]], 1), width)
        value, size = to_inputs.sum(-1), np.abs(to_inputs).sum(-1)
        last = np.swapaxes(final[group.states], 1, 2)
        value[:, own.shape[1] :] += last
        size[:, own.shape[1] :] += np.abs(last)
        bound = _bound(size, width + 1, units)
        for target, part in zip(results[family.value], (value, bound), strict=True):
            target[group.rows, group.tokens] = part[:, width:]
        for target, part in zip(results["initial_state"], (value, bound), strict=True):
            target[group.states] = np.swapaxes(part[:, :width], 1, 2)
        products = own[..., None] * _windows(joined, width)[:, 1:]
        for name, terms in ((family.window, products), ("bias", own)):
            results[name][0][...] += terms.sum((0, 1))
            results[name][1][...] += _bound(np.abs(terms).sum((0, 1)), often, units)
    return results


def _parameters(problem: Problem, arrays: Arrays) -> tuple[Wide, Wide]:
    wide = wider_than(problem.accumulation)
    return arrays[problem.family.window].astype(wide), arrays["bias"].astype(wide)


def _joined(problem: Problem, arrays: Arrays) -> Iterator[tuple[StringGroup, Wide]]:
    """Yield each group of sequences with its initial states and inputs in one array, ``(N, W + T, D)``."""
    wide, first = wider_than(problem.accumulation), arrays.get("initial_state")
    states = np.zeros(problem.state_shape) if first is None else first
    for group in groups(problem):
        inputs = arrays[problem.family.value][group.rows, group.tokens]
        yield group, np.concatenate([np.swapaxes(states[group.states], 1, 2), inputs], 1).astype(wide)


def _windows(values: Wide, width: int) -> Wide:
    """Return all windows of ``width`` tokens; the new last axis is the position in the window."""
    return np.lib.stride_tricks.sliding_window_view(values, width, axis=1)


def _bound(size: Bounds, terms: int, units: RoundingUnits) -> Bounds:
    """Return a bound on the error of a sum of products, in any order, whose magnitudes sum to ``size``."""
    return np.asarray(((terms + 1) * units.unit * size.astype(float) + terms * units.smallest) * OUTWARD)
