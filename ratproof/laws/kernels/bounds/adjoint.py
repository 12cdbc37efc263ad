"""The adjoint state D: the gradient of a loss with respect to the state, through all later outputs.

The loss is L = sum(o * A) + sum(S_T * B) for the outputs o, the final state S_T, and weights A and B. D
follows the same recurrence backwards: D_t = M_{t+1}^T D_{t+1} + scale q_t A_t^T for the state after token t,
with D_T starting from B. M is the matrix by which a step multiplies the state.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ratproof.laws.kernels.bounds.chunked import bounded_states
from ratproof.laws.kernels.bounds.recurrent import BoundedStates
from ratproof.laws.kernels.bounds.rounding import KernelForm, RoundingUnits
from ratproof.laws.kernels.naive import Bounds, RecurrenceInputs, Wide


def adjoint(
    inputs: RecurrenceInputs,
    weights: Wide,
    final: Wide,
    form: KernelForm,
    arithmetic: RoundingUnits,
    roundings: Bounds | None = None,
    query_roundings: Bounds | None = None,
) -> BoundedStates:
    """Return the adjoint state of each token.

    Args:
        inputs: The tensors of the recurrence.
        weights: The weights A of the outputs in the loss, shape ``(N, T, H, V)``.
        final: The weights B of the final states, shape ``(N, H, K, V)``.
        form: The kernel's declared form.
        arithmetic: The rounding units of the kernel's dtype.
        roundings: The errors of computed weights, in multiples of the unit roundoff, of the weights' shape.
        query_roundings: The errors of computed queries, in multiples of the unit roundoff, of the queries'
            shape.

    Returns:
        The adjoint states. ``held`` is D_t, the gradient with respect to the state after token t if outputs
        read updated states. ``edges`` has the gradient of each chunk's last state from later tokens, keyed by
        the chunk's last token. ``last`` is the gradient of the initial state.
    """
    backwards = reversed_inputs(inputs, weights, final)
    if roundings is not None:
        backwards = replace(backwards, value_roundings=abs(inputs.scale) * np.flip(roundings, 1))
    if query_roundings is not None:
        backwards = replace(backwards, key_roundings=np.flip(query_roundings, 1))
    first = inputs.bonus is None
    states = bounded_states(backwards, form, arithmetic, first, backwards=True, for_gradients=True)
    return _turned(states, inputs.time)


def reversed_inputs(inputs: RecurrenceInputs, weights: Wide, final: Wide) -> RecurrenceInputs:
    """Return the tensors of the recurrence that computes the adjoint states, in reversed time.

    Its keys are the queries of ``inputs``, and its queries are the keys. Its values are the scaled
    ``weights``, its initial state is ``final``, and its corrections are transposed.
    """
    tensors: dict[str, Any] = {
        "query": inputs.key,
        "key": inputs.query,
        "value": inputs.scale * weights,
        "decay": np.conj(inputs.decay),
        "logarithms": inputs.logarithms,
        "roundings": inputs.roundings,
    }
    if inputs.interpolated is not None:
        tensors["interpolated"] = inputs.interpolated
    if inputs.corrected:
        tensors |= {"a": inputs.b, "b": inputs.a, "growth": inputs.growth}
        tensors["b_roundings"] = np.zeros(inputs.growth.shape)  # type: ignore[union-attr]
    if inputs.beta is not None:
        # (I - beta k k^T) diag(d), transposed: diag(d) - (beta d k) k^T; diag(d) - (beta p) k^T for Comba
        read = inputs.erase if inputs.reads_before else inputs.decay * inputs.erase
        tensors["a"], tensors["b"] = inputs.key, -inputs.beta[..., None] * read
        tensors["b_roundings"] = 3 + np.max(inputs.roundings, axis=-1, initial=0.0)
    flipped = {name: np.flip(array, 1) for name, array in tensors.items()}
    return replace(
        inputs,
        start=final,
        beta=None,
        erase=None,
        bonus=None,
        key_roundings=None,
        product_roundings=0 if inputs.lanes else 2,
        **flipped,
    )


def _turned(states: BoundedStates, time: int) -> BoundedStates:
    """Return the states in the opposite time order."""
    return replace(
        states,
        before=states.before[::-1],
        held=states.held[::-1],
        after=states.after[::-1],
        corrections=None if states.corrections is None else states.corrections[::-1],
        roundings=states.roundings[::-1],
        edges={time - 1 - step: edge for step, edge in states.edges.items()},
        rougher=None if states.rougher is None else _turned(states.rougher, time),
    )
