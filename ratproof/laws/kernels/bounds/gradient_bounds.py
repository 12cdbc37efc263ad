"""Gradients of L = sum(o * A) + sum(S_T * B) with respect to every argument, with bounds.

They are products of the states S with the adjoint states D:

* dq = scale S A, dk = D v, dv = D^T k. For the delta rule dk = D w - beta S' dw, dv = beta dw and
  ``dbeta = dw . (v - S'^T k)``, with w = beta (v - S'^T k), S' = diag(d) S_- and dw = D^T k. For Comba, S' =
  S_-, and the second term of dk is dp. For a correction b (S_-^T a)^T, da = S_- (D^T b) and db = D (S_-^T a).
* The gradient of a decay is the sum over values of (D - beta k dw^T) * S_-. The gradient of its logarithm is
  this sum times the decay. Many kernels accumulate gates, and compute the gradient as a sum over later
  tokens, in the chunk or to the end: dg_t = sum of (the read at s with the decay - the write at s) over s >=
  t. The terms of this sum cancel. The bound is then the largest of the bounds for the three methods.
* A kernel with an explicit inverse computes gradients through the inverse from products that are rounded
  before they cancel, with the error n u (P s^T + p S^T). The bound is computed with the sizes P and s, and
  with p and S, each with 2 n roundings in every sum. The larger result is used
  (:mod:`ratproof.laws.kernels.bounds.corrections`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ratproof.laws.kernels.bounds.adjoint import adjoint
from ratproof.laws.kernels.bounds.chunked import bounded_states
from ratproof.laws.kernels.bounds.convolution import convolution_gradients
from ratproof.laws.kernels.bounds.forward import outputs_of
from ratproof.laws.kernels.bounds.normaliser import undivided
from ratproof.laws.kernels.bounds.recurrent import BoundedStates
from ratproof.laws.kernels.bounds.rounding import (
    OUTWARD,
    KernelForm,
    RoundedArray,
    RoundingUnits,
    column_norm,
)
from ratproof.laws.kernels.naive import (
    Arrays,
    Bounds,
    RecurrenceInputs,
    StringGroup,
    Wide,
    at_steps,
    groups,
    inputs_of,
    numbers_of,
    parts,
    wider_than,
)
from ratproof.laws.kernels.problem import Problem

Gradients = dict[str, tuple[Wide, Bounds]]


def gradients(
    problem: Problem, arrays: Arrays, weights: Wide, final: Wide, form: KernelForm, cumulated: bool
) -> Gradients:
    """Return each argument's gradient and a bound on its error, keyed by name, including ``initial_state``.

    Args:
        problem: The call.
        arrays: The values of its arguments.
        weights: The weights A of the outputs in L, of the outputs' shape.
        final: The weights B of the final states in L, of their shape.
        form: The kernel's declared form.
        cumulated: Whether the kernel may compute the gradients of decays as sums over later tokens.
    """
    family = problem.family
    if family.window:
        return convolution_gradients(problem, arrays, weights, final)
    arithmetic = RoundingUnits.of(problem.accumulation, family.pairs)
    form = form.in_steps(problem.substeps)
    weights, final = numbers_of(problem, weights), numbers_of(problem, final)
    if family.lanes and not family.pairs:
        weights, final = weights[..., None], final[..., None]
    final = final[..., None] if family.lanes else final
    shapes = {n: problem.shape(axes) for n, axes in family.tensors.items()}
    shapes["initial_state"], wide = problem.state_shape, wider_than(problem.accumulation)
    results = {n: (np.zeros(shape, wide), np.zeros(shape)) for n, shape in shapes.items()}
    for group in groups(problem):
        inputs = inputs_of(problem, arrays, group)
        outputs, last = at_steps(problem, weights[group.rows, group.tokens]), final[group.states]
        forward = bounded_states(inputs, form, arithmetic, for_gradients=True)
        roundings = None
        if family.normalised and inputs.time:
            undivided_outputs = outputs_of(inputs, forward, form, arithmetic)
            flows, errors = undivided(np.swapaxes(outputs, 0, 1), undivided_outputs)
            outputs, roundings = np.swapaxes(flows, 0, 1), np.swapaxes(errors, 0, 1) / arithmetic.unit
        elif family.normalised:
            outputs = np.zeros((*outputs.shape[:3], inputs.values))
        backward = adjoint(inputs, outputs, last, form, arithmetic, roundings)
        ways = [(forward, backward)]
        if forward.rougher is not None and backward.rougher is not None:
            ways = [(forward.rougher, backward), (forward, backward.rougher)]
        every = [
            flows_by_name(problem, inputs, outputs, last, *way, form, cumulated, roundings) for way in ways
        ]
        for name, flow in every[0].items():
            error = np.maximum.reduce([flows[name].error for flows in every])
            _store(problem, results[name], replace(flow, error=error), name, group)
    tiny = arithmetic.smallest * 16 * (problem.time + problem.keys + problem.values)
    return {n: (value, (bound + tiny) * OUTWARD) for n, (value, bound) in results.items()}


def flows_by_name(
    problem: Problem,
    inputs: RecurrenceInputs,
    weights: Wide,
    final: Wide,
    forward: BoundedStates,
    backward: BoundedStates,
    form: KernelForm,
    cumulated: bool,
    roundings: Bounds | None = None,
    query_roundings: Bounds | None = None,
) -> dict[str, RoundedArray]:
    """Return the gradients of one group of sequences, keyed by argument, with axes T, N, H, and K or V.

    ``forward`` and ``backward`` are the states and the adjoint states. The other arguments are described in
    :func:`gradients` and :func:`~ratproof.laws.kernels.bounds.adjoint.adjoint`.
    """
    flows = _Flows(inputs, weights, final, forward, backward, form, roundings)
    if query_roundings is not None:
        flows.q = replace(flows.q, error=flows.u * np.swapaxes(query_roundings, 0, 1))
    return dict(flows.by_name(problem, cumulated))


def _store(
    problem: Problem, into: tuple[Wide, Bounds], flow: RoundedArray, name: str, group: StringGroup
) -> None:
    """Store the gradient of a group of sequences, or add it if all groups share the tensor."""
    family = problem.family
    for target, array in zip(into, (flow.value, flow.error), strict=True):
        own = parts(problem, array)
        if name == "initial_state":
            shape = parts(problem, flow.value).shape
            target[group.states] = np.broadcast_to(own, shape).reshape(target[group.states].shape)
        elif target.ndim <= 2:  # H, H and K, or D and P
            target += own
        else:
            alone = family.lanes and not family.pairs
            if "S" not in family.tensors[name]:
                own = own[0 if name == family.decay else problem.substeps - 1 :: problem.substeps]
            tokens = problem.tokens(name, group.tokens.start, group.tokens.stop)
            target[group.rows, tokens] = np.swapaxes(own[..., 0] if alone else own, 0, 1)


class _Flows:
    """The gradients of one group of sequences, with axes T, N, H, and K or V."""

    def __init__(
        self,
        inputs: RecurrenceInputs,
        weights: Wide,
        final: Wide,
        forward: BoundedStates,
        backward: BoundedStates,
        form: KernelForm,
        roundings: Bounds | None,
    ) -> None:
        self.inputs, self.form, self.u = inputs, form, forward.last.unit
        self.forward, self.backward = forward, backward
        # roundings of an explicit inverse, per token
        self.inverted = np.maximum(forward.roundings, backward.roundings)
        self.weights, self.final = self._exact(weights), RoundedArray.exactly(final, self.u)
        if roundings is not None:
            self.weights = replace(self.weights, error=self.u * np.swapaxes(roundings, 0, 1))
        self.q, self.k, self.v = (self._exact(x) for x in (inputs.query, inputs.key, inputs.value))
        if inputs.key_roundings is not None:
            self.k = replace(self.k, error=self.u * np.swapaxes(inputs.key_roundings, 0, 1))
        if inputs.step is not None:  # values are products with time steps
            self.v = replace(self.v, error=self.u * self.v.size)
        self.before, self.after = forward.before.computed(), forward.after.computed()
        self.flow = backward.held.computed()

    def by_name(self, problem: Problem, cumulated: bool) -> Iterator[tuple[str, RoundedArray]]:
        """Yield each argument's name and gradient."""
        family, inputs = problem.family, self.inputs
        if inputs.time:
            yield from self._of_tokens(problem, cumulated)
        else:  # without tokens, the gradient of a shared tensor is zero
            for name, axes in family.tensors.items():
                if {"T", "S"} & set(axes):
                    continue
                shape = problem.shape(axes)
                shape = (*shape[:-1], 1) if family.pairs else shape
                yield name, RoundedArray.exactly(np.zeros(shape), self.u)
        yield "initial_state", self.backward.last.computed()

    def _of_tokens(self, problem: Problem, cumulated: bool) -> Iterator[tuple[str, RoundedArray]]:
        family, inputs = problem.family, self.inputs
        often = inputs.time * problem.batch + len(problem.lengths)  # tokens that share a tensor
        read = self.after if inputs.bonus is None else self.before
        query = self._over_values(read, self.weights).times(inputs.scale)
        reads, writes = [(self.q * query, inputs.bonus is not None)], []
        decayed = self.flow  # the gradient of the decayed state
        if inputs.beta is not None:
            beta = np.swapaxes(inputs.beta, 0, 1)[..., None]
            w, dw = self._corrections()
            state = self.before if inputs.reads_before else self._decayed(self.before)
            erase = self._exact(inputs.erase)
            written = self._over_values(self.flow, w)
            unread = -self._over_values(state, dw).times(beta)
            key, value = written + unread, dw.times(beta)
            if family.erase:
                key = written
                yield family.erase, unread
            reads.append((erase * unread, inputs.reads_before))
            writes.append(self.k * written)
            count = inputs.values + 4 + self.inverted[..., 0]
            yield "beta", dw.dot(self.v + -state.over_keys(erase.value), count)
            if not inputs.reads_before:
                decayed = self.flow + -_outer(erase.times(beta), dw)
        else:
            key, value = self._over_values(self.flow, self.v), self.flow.over_keys(self.k.value)
            if inputs.key_roundings is not None:
                off = self.k.error
                if inputs.interpolated is not None:  # dv may be sum(D) - sum(d D), with sums over K
                    off = off + 2 * self.u * (inputs.keys - 1) * np.swapaxes(abs(inputs.decay), 0, 1)
                off = np.einsum("...k,...kv->...v", off, self.flow.size)
                value = replace(value, error=value.error + off)
            writes.append(self.k * key)
        if inputs.a is not None:
            c, dc = self._corrections()
            a, b = self._exact(inputs.a), self._exact(inputs.b)
            da, db = self._over_values(self.before, dc), self._over_values(self.flow, c)
            reads.append((a * da, True))
            writes.append(b * db)
            yield "a", da
            yield "b", db
        if family.decay or family.factor:
            gate = self._gate(decayed, family.tensors[family.decay or family.factor], bool(family.decay))
            if cumulated and family.decay:
                gate = self._cumulated(gate, reads, writes)
            if family.tensors[family.decay or family.factor] == "H":
                gate = gate.sum((0, 1), often)
            if family.complement == "key":
                d, x = (np.swapaxes(part, 0, 1) for part in (inputs.decay, inputs.roundings))
                gate = gate + -key.times(d, x + 1)
                # a kernel may compute the derivative of expm1(g) as expm1(g) + 1
                size = key.size + self._gate(decayed, family.tensors[family.decay], logarithm=False).size
                gate = replace(gate, error=gate.error + 4 * self.u * self.k.size * size)
            yield family.decay or family.factor, gate
        if family.complement == "step":
            yield family.step, key + -self._gate(decayed, family.tensors[family.step], logarithm=False)
        if inputs.step is not None:
            step = np.swapaxes(inputs.step, 0, 1)
            own = RoundedArray.exactly(np.swapaxes(inputs.own_value, 0, 1), self.u)
            of_step = value.dot(own, inputs.values + 2)
            of_step = of_step[..., None] if inputs.lanes else of_step
        if inputs.step is not None and inputs.rate is not None:
            rate = inputs.rate if "K" in family.tensors[family.rate] else inputs.rate[:, 0]
            gate = self._gate(decayed, family.tensors[family.rate], logarithm=True)
            if cumulated:
                gate = self._cumulated(gate, reads, writes)
            of_decay = gate.times(rate)
            if of_decay.value.ndim == 4:
                of_decay, step = of_decay.sum(-1, inputs.keys + 2), step[..., None]
            of_step = of_step + of_decay
            yield family.rate, gate.times(step).sum((0, 1), often)
        if inputs.step is not None:
            yield family.step, of_step
            value = value.times(np.swapaxes(inputs.step, 0, 1)[..., None])
        if family.normalised:
            value = value[..., :-1]
        if inputs.bonus is not None:
            bonus = RoundedArray.exactly(inputs.bonus, self.u)
            product = self.v.dot(self.weights, inputs.values + 2)
            scaled = product[..., None].times(inputs.scale)
            query, key = query + self.k * bonus * scaled, key + self.q * bonus * scaled
            qk_bonus = (self.q * self.k).dot(bonus, inputs.keys + 2)
            value = value + (self.weights * qk_bonus[..., None]).times(inputs.scale)
            count = product.value.shape[0] * problem.batch
            yield family.bonus, (self.q * self.k * scaled).sum((0, 1), count + len(problem.lengths))
        for name, flow in ((family.query, query), (family.key, key), (family.value, value)):
            if name:
                yield name, flow

    def _exact(self, array: Wide) -> RoundedArray:
        return RoundedArray.exactly(np.swapaxes(array, 0, 1), self.u)

    def _corrections(self) -> tuple[RoundedArray, RoundedArray]:
        forward, backward = self.forward.corrections, self.backward.corrections
        assert forward is not None and backward is not None
        return forward.computed(), backward.computed()

    def _over_values(self, state: RoundedArray, vector: RoundedArray) -> RoundedArray:
        return state.over_values(vector, self.inverted)

    def _decayed(self, state: RoundedArray) -> RoundedArray:
        """Return the states after their decay, diag(d) S."""
        d, x = (np.swapaxes(part, 0, 1)[..., None] for part in (self.inputs.decay, self.inputs.roundings))
        own, size = np.abs(d).astype(float), np.abs(d).astype(float) * state.size
        added = self.u * x * size
        if state.error.shape[-2] == 1:
            added = column_norm(added)
            own = np.max(own, axis=-2, keepdims=True)
        return RoundedArray(d * state.value, own * state.error + added, size, self.u)

    def _gate(self, flow: RoundedArray, axes: str, logarithm: bool) -> RoundedArray:
        """Return the gradient of a decay, or of its logarithm."""
        gradient = flow.dot(self.before.conjugate(), self.inputs.values + 2 + self.inverted)
        if logarithm:
            d, x = (np.swapaxes(part, 0, 1) for part in (self.inputs.decay, self.inputs.roundings))
            gradient = gradient.times(d, x + 1)
        if "D" in axes and "T" not in axes:  # one decay for all tokens
            return gradient.sum((0, 1), gradient.value.shape[0] * gradient.value.shape[1])
        return gradient.sum(-1, self.inputs.keys) if "K" not in axes and "D" not in axes else gradient

    def _cumulated(
        self, gate: RoundedArray, reads: list[tuple[RoundedArray, bool]], writes: list[RoundedArray]
    ) -> RoundedArray:
        """Return a decay's gradient, with a bound that also holds if a kernel sums over later tokens."""
        bound = gate.error
        error, size = np.zeros(()), np.zeros(())
        for term, before in [*reads, *((term, False) for term in writes)]:
            parts = [np.broadcast_to(x, term.value.shape) for x in (term.error, term.size)]
            if before:  # the gradient reads the state after the previous token
                parts = [np.concatenate([x[1:], 0 * x[:1]]) for x in parts]
            error, size = error + parts[0], size + parts[1]
        of_head = gate.value.ndim < error.ndim
        if of_head:
            error, size = error.sum(-1), size.sum(-1)
        count = self.inputs.time + self.inputs.keys * of_head + 4
        own = error + self.u * count * size
        last = self._edge(self.forward.last.computed(), self.final, of_head)
        bound = np.maximum(bound, _later(own) + last)
        if self.form.chunk is not None:
            for end, flow in self.backward.edges.items():
                begin = end // self.form.chunk * self.form.chunk
                edge = self._edge(self.after[end], flow.computed(), of_head)
                cut = slice(begin, end + 1)
                bound[cut] = np.maximum(bound[cut], _later(own[cut]) + edge)
        return RoundedArray(gate.value, bound, gate.size, self.u)

    def _edge(self, state: RoundedArray, flow: RoundedArray, of_head: bool) -> Bounds:
        """Return the error in the gates' gradients that comes from the state after the last summed token."""
        gradient = state.dot(flow, self.inputs.values + self.inputs.time)
        return gradient.sum(-1, self.inputs.keys).error if of_head else gradient.error


def _later(values: Bounds) -> Bounds:
    """Return, for each token, the sum of its own value and the values of all later tokens."""
    return np.asarray(np.cumsum(values[::-1], axis=0)[::-1])


def _outer(left: RoundedArray, right: RoundedArray) -> RoundedArray:
    return left[..., None] * right[..., None, :]
