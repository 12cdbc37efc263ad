"""Bounds for mLSTM and GSA: their state is a pair of tensors, and their outputs are not linear in the state.

mLSTM and gated slot attention (GSA) consist of linear recurrences, so that the bounds of
:mod:`ratproof.laws.kernels.bounds` apply to the states and their adjoints. u is the unit roundoff.

mLSTM has the keys exp(i) k, the decays sigmoid(f), and a last column n of the state. With a stabilizer m, a
kernel computes exp(log sigmoid(f) + m_- - m) and exp(i - m), where m is the largest exponent so far,
initially 0 or -infinity, and m_- is its previous value. The logarithm has an error of 9 u (|log| + 1),
because a kernel may compute it from a rounded sigmoid. Every exponent is rounded relative to its terms. The
divisor is max(|n^T q|, 1), and its gradient is that of |n^T q|, or 0. If |n^T q| equals 1 within its error,
the bound covers both cases. Gradients through m cancel. The bound includes their rounding, as a sum over
later tokens, unless the kernel computes the gradients of decays directly.

GSA reads a = A q and o = B^T softmax(a). Two linear recurrences have the decays exp(g) and the keys s: A has
the values k, and B the values v. If a has the error e, the softmax p has the error
``p (exp(e) / (1 - sum p (exp(e) - 1)) - 1)``, plus the rounding of the softmax itself. The gradient with
respect to a is ``p (dp - p . dp)``, from which the adjoint of A is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ratproof.laws.kernels.bounds.adjoint import adjoint
from ratproof.laws.kernels.bounds.chunked import bounded_states
from ratproof.laws.kernels.bounds.forward import outputs_of
from ratproof.laws.kernels.bounds.gradient_bounds import flows_by_name
from ratproof.laws.kernels.bounds.normaliser import divided, undivided
from ratproof.laws.kernels.bounds.recurrent import BoundedStates, products
from ratproof.laws.kernels.bounds.rounding import OUTWARD, KernelForm, RoundedArray, RoundingUnits
from ratproof.laws.kernels.family import FAMILIES, LinearRecurrence
from ratproof.laws.kernels.naive import Arrays, Bounds, RecurrenceInputs, Wide, by_token, groups, wider_than
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.state_parts import separate

Results = dict[str, RoundedArray]
_MLSTM = replace(FAMILIES["simple-gla"], normalised=True, scaled="")


@dataclass(frozen=True)
class _Call:
    """The tensors of one group of sequences, in the reference's dtype, and the kernel's form."""

    problem: Problem
    tensors: dict[str, Wide]
    parts: tuple[Wide, ...]
    form: KernelForm
    cumulated: bool
    units: RoundingUnits

    def as_linear(self, family: LinearRecurrence) -> Problem:
        """Return the same call for a family that is a linear recurrence."""
        return replace(self.problem, family=family)


def pair_results(
    problem: Problem,
    arrays: Arrays,
    form: KernelForm,
    weights: Mapping[str, Bounds] | None = None,
    cumulated: bool = True,
) -> dict[str, tuple[Wide, Bounds]]:
    """Return the results of a call with their bounds, keyed by name.

    The result has the format of :func:`~ratproof.laws.kernels.stepwise.stepwise`. ``cumulated`` says whether
    the kernel may compute gradients of decays as sums over later tokens.
    """
    family, wide = problem.family, wider_than(problem.accumulation)
    shapes = {"o": problem.shape(family.output_axes), "final_state": problem.state_shape}
    if weights is not None:
        shapes |= {f"{name}.grad": problem.shape(axes) for name, axes in family.tensors.items()}
        shapes["initial_state.grad"] = problem.state_shape
    results = {name: (np.zeros(shape, wide), np.zeros(shape)) for name, shape in shapes.items()}
    initial = np.asarray(arrays.get("initial_state", np.zeros(problem.state_shape)), wide)
    units = RoundingUnits.of(problem.accumulation)
    for group in groups(problem):
        cut = group.rows, group.tokens
        tensors = {name: np.asarray(arrays[name][cut], wide) for name in family.tensors}
        parts = separate(initial[group.states], problem.part_shapes)
        call = _Call(problem, tensors, parts, form, cumulated, units)
        upstream = None
        if weights is not None:
            last = separate(np.asarray(weights["final_state"][group.states], wide), problem.part_shapes)
            upstream = np.asarray(weights["o"][cut], wide), last
        for name, number in _LAYERS[family.layer](call, upstream).items():
            for into, part in zip(results[name], (number.value, number.error), strict=True):
                if "state" in name:
                    into[group.states] = part
                else:
                    into[cut] = np.swapaxes(part, 0, 1)
    tiny = units.smallest * 16 * (problem.time + sum(problem.sizes().values()))
    return {name: (value, (bound + tiny) * OUTWARD) for name, (value, bound) in results.items()}


Upstream = tuple[Wide, tuple[Wide, ...]] | None


def _mlstm(call: _Call, upstream: Upstream) -> Results:
    x, u = call.tensors, call.units.unit
    memory, normaliser = call.parts
    gates = -np.logaddexp(0, -x["f"])
    stabilizer, before = _stabilizers(gates, x["i"])
    largest = np.maximum(stabilizer, np.abs(x["i"]))
    with np.errstate(under="ignore"):
        added, decay = np.exp(x["i"]), np.exp(gates)
    key_roundings = 8 + 2 * np.abs(x["i"]) + 2 * stabilizer
    most = 8 * float(largest.max(initial=0.0))
    inputs = RecurrenceInputs(
        query=x["q"],
        key=added[..., None] * x["k"],
        value=np.concatenate([x["v"], np.ones_like(x["v"][..., :1])], -1),
        decay=decay[..., None],
        logarithms=gates[..., None].astype(float),
        roundings=(14 + 13 * np.abs(gates) + 2 * (before + stabilizer)).astype(float)[..., None],
        start=np.concatenate([memory, normaliser[..., None]], -1),
        scale=1.0,
        factor_roundings=9 + int(np.ceil(most / (call.form.chunk or 1))),
        key_roundings=(key_roundings[..., None] * np.abs(added[..., None] * x["k"])).astype(float),
        more_roundings=11,
    )
    forward = bounded_states(inputs, call.form, call.units, for_gradients=upstream is not None)
    of_last = u * (8 + 2 * stabilizer[:, -1:].max(1, initial=0.0).astype(float))[..., None, None]
    last = replace(forward.last, error=forward.last.error + of_last * forward.last.computed().size)
    forward = replace(forward, last=last)
    results = {"final_state": _flat(last[..., :-1], last[..., -1])}
    if not inputs.time:
        return results | _no_tokens(upstream)
    every = outputs_of(inputs, forward, call.form, call.units)
    of_one = 8 + 2 * by_token(stabilizer).astype(float)[..., None]
    total = every[..., -1:]
    off = total.error + u * of_one
    larger, smaller = np.abs(total.value) > 1 + off, np.abs(total.value) < 1 - off
    error = np.where(smaller, 0.0, total.error) + u * of_one
    quotients = _beside(
        every[..., :-1], _divisor(np.maximum(np.abs(total.value), 1), error, 1 - u * of_one, u)
    )
    results["o"] = divided(quotients)
    if upstream is None:
        return results
    weights, (of_memory, of_normaliser) = upstream
    flows, errors = undivided(by_token(weights), quotients)
    sign = np.where(smaller, 0, np.sign(total.value))[..., 0]
    errors[..., -1] = np.where(
        (larger | smaller)[..., 0], errors[..., -1], errors[..., -1] + np.abs(flows[..., -1])
    )
    flows[..., -1] = np.where(np.abs(total.value[..., 0]) < 1, 0, sign * flows[..., -1])
    flows, roundings = np.swapaxes(flows, 0, 1), np.swapaxes(errors, 0, 1) / u
    final = np.concatenate([of_memory, of_normaliser[..., None]], -1)
    backward = adjoint(inputs, flows, final, call.form, call.units, roundings)
    backward = _with_error_of_last(backward, inputs, final, of_last)
    linear = call.as_linear(_MLSTM)
    own = flows_by_name(linear, inputs, flows, final, forward, backward, call.form, call.cumulated, roundings)
    key = replace(RoundedArray.exactly(by_token(inputs.key), u), error=u * by_token(inputs.key_roundings))
    of_input = key.dot(own["k"].computed(), inputs.keys + 2)
    gate = own["g"].computed()
    if call.cumulated:
        through = _through_stabilizer(inputs, forward, backward, by_token(flows), every, call.form)
        of_input, gate = (replace(x, error=x.error + through) for x in (of_input, gate))
    rest = by_token(-np.expm1(gates))  # the derivative of log sigmoid, which may be 1 - sigmoid(f)
    slope = RoundedArray(rest, np.full(rest.shape, 12 * u), np.abs(rest).astype(float), u)
    of_key = own["k"].times(by_token(added)[..., None], by_token(key_roundings).astype(float)[..., None])
    results |= {"q.grad": own["q"], "k.grad": of_key, "v.grad": own["v"]}
    results |= {"i.grad": of_input, "f.grad": gate * slope}
    first = own["initial_state"]
    return results | {"initial_state.grad": _flat(first[..., :-1], first[..., -1])}


def _divisor(value: Wide, error: Bounds, least: Bounds, unit: float) -> RoundedArray:
    """Return a divisor whose error e gives the bound e / (value - e) on the relative change of a quotient.

    The computed divisor may be smaller than ``value`` by at most ``error``, but not below ``least``. It may
    also be larger by at most ``error``, which changes the quotient by at most error / (value + error).
    """
    size = np.abs(value).astype(float)
    return RoundedArray(
        value, np.maximum(np.minimum(error, size - least), size / (2 + size / error)), size, unit
    )


def _stabilizers(gates: Wide, inputs: Wide) -> tuple[Bounds, Bounds]:
    """Return upper bounds on the absolute stabilizer after each token and before each token.

    The bounds hold for stabilizers that begin with 0 and for those that begin with -infinity.
    """
    ends = np.zeros((2, *gates.shape))
    starts = np.zeros((2, *gates.shape))
    for row, state in enumerate((np.zeros_like(gates[:, :1].sum(1)), None)):
        for t in range(gates.shape[1]):
            starts[row, :, t] = 0 if state is None else np.abs(state)
            state = inputs[:, t] if state is None else np.maximum(gates[:, t] + state, inputs[:, t])
            ends[row, :, t] = np.abs(state)
    return ends.max(0), starts.max(0)


def _with_error_of_last(
    states: BoundedStates, inputs: RecurrenceInputs, final: Wide, relative: Bounds
) -> BoundedStates:
    """Add the error of the final state's gradient, which a kernel multiplies by exp(m), to adjoint states."""
    decay = np.abs(by_token(inputs.decay)).astype(float)[..., None]
    left = products(decay[::-1])[::-1] * np.abs(final).astype(float) * relative
    return replace(
        states,
        before=replace(states.before, error=states.before.error + left[1:]),
        held=replace(states.held, error=states.held.error + left[1:]),
        after=replace(states.after, error=states.after.error + left[:-1]),
        last=replace(states.last, error=states.last.error + left[0]),
        edges={t: replace(edge, error=edge.error + left[t + 1]) for t, edge in states.edges.items()},
    )


def _through_stabilizer(
    inputs: RecurrenceInputs,
    forward: BoundedStates,
    backward: BoundedStates,
    flows: Wide,
    every: RoundedArray,
    form: KernelForm,
) -> Bounds:
    """Return the rounding error of the gradient through the stabilizer m, shape ``(T, N, H)``.

    The exact terms of this gradient cancel. The terms of a token are the sum of D C over the state, and the
    sum of the output times its gradient. Each term occurs twice with opposite signs, computed from the same
    floats. The rounding that remains flows through the maximum to a gate of this token or of an earlier
    token.
    """
    count = 16 + (form.chunk or 0)
    states = (backward.held.computed().size * forward.after.computed().size).sum((-2, -1))
    reads = (np.abs(flows).astype(float) * every.computed().size).sum(-1)
    own = (inputs.keys * inputs.values + count) * states + (inputs.values + count) * reads
    return np.asarray(2 * every.unit * np.cumsum(own[::-1], axis=0)[::-1])


def _gsa(call: _Call, upstream: Upstream) -> Results:
    x, u = call.tensors, call.units.unit
    size = np.abs(np.where(np.isinf(x["g"]), 0, x["g"])).astype(float)
    with np.errstate(under="ignore"):
        decay = np.exp(x["g"])
    roundings = {"decay": decay, "logarithms": x["g"].astype(float), "roundings": 5 + 2 * size}
    of_keys, of_values = (
        RecurrenceInputs(query=x["s"], key=x["s"], value=x[name], start=start, scale=1.0, **roundings)
        for name, start in zip("kv", call.parts, strict=True)
    )
    a, b = (bounded_states(one, call.form, call.units) for one in (of_keys, of_values))
    results = {"final_state": _flat(a.last, b.last)}
    if not of_keys.time:
        return results | _no_tokens(upstream)
    p = _softmax(a.after.over_values(RoundedArray.exactly(by_token(x["q"]), u)))
    results["o"] = _read(b.after, p)
    if upstream is None:
        return results
    weights, finals = upstream
    of_outputs = RoundedArray.exactly(by_token(weights), u)
    of_p = b.after.computed().over_values(of_outputs)
    share = p.dot(of_p, of_p.value.shape[-1] + 2)[..., None]
    scores = (p * (of_p + -share)).computed()
    gla = call.as_linear(FAMILIES["gla"])
    flows = []
    for inputs, states, query, read, final in (
        (of_keys, a, scores, x["q"], finals[0]),
        (of_values, b, p, weights, finals[1]),
    ):
        inputs = replace(inputs, query=np.swapaxes(query.value, 0, 1))
        error = np.swapaxes(query.error, 0, 1) / u
        backward = adjoint(inputs, read, final, call.form, call.units, query_roundings=error)
        flows.append(
            flows_by_name(gla, inputs, read, final, states, backward, call.form, call.cumulated, None, error)
        )
    one, two = flows
    results |= {"q.grad": _read(a.after, scores), "k.grad": one["v"], "v.grad": two["v"]}
    results |= {"s.grad": one["k"] + two["k"], "g.grad": one["g"] + two["g"]}
    return results | {"initial_state.grad": _flat(one["initial_state"], two["initial_state"])}


def _read(states: RoundedArray, query: RoundedArray) -> RoundedArray:
    """Return the product S^T q with its bounds, for a query q that has an error."""
    result = states.computed().over_keys(query.value)
    off = np.einsum("...k,...kv->...v", query.error, states.computed().size)
    return replace(result, error=result.error + off)


def _softmax(a: RoundedArray) -> RoundedArray:
    """Return the softmax over the last axis."""
    below = a.value - a.value.max(-1, keepdims=True)
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        value = np.exp(below)
        value = value / value.sum(-1, keepdims=True)
        p = value.astype(float)
        change = np.sum(p * np.expm1(a.error), -1, keepdims=True)
        relative = np.where(change < 1, np.exp(a.error) / (1 - change) - 1, np.inf)
        own = (a.value.shape[-1] + 16 + 2 * np.abs(below).astype(float)) * a.unit
        error = p * relative * (1 + own) + p * own
    # a softmax value is at most 1, and so is its error
    error = np.where(np.isnan(error), 1.0, np.minimum(error, 1.0))
    return RoundedArray(value, error, p + error, a.unit)


def _beside(left: RoundedArray, right: RoundedArray) -> RoundedArray:
    """Return the arrays, concatenated along the last axis."""
    value, error, size = (
        np.concatenate([getattr(x, part) for x in (left, right)], -1) for part in ("value", "error", "size")
    )
    return RoundedArray(value, error, size, left.unit)


def _flat(one: RoundedArray, two: RoundedArray) -> RoundedArray:
    """Return the two parts of a state as one array ``(N, H, F)``."""

    def flat(x: RoundedArray) -> RoundedArray:
        shape = (*x.value.shape[:2], -1)
        value, error, size = (y.reshape(shape) for y in np.broadcast_arrays(x.value, x.error, x.size))
        return RoundedArray(value, error, size, x.unit)

    return _beside(flat(one), flat(two))


def _no_tokens(upstream: Upstream) -> Results:
    if upstream is None:
        return {}
    one, two = (RoundedArray.exactly(x, 0.0) for x in upstream[1])
    return {"initial_state.grad": _flat(one, two)}


_LAYERS: dict[str, Callable[[_Call, Upstream], Results]] = {"mlstm": _mlstm, "gsa": _gsa}
