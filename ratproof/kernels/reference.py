"""What a recurrence gives, in extended precision, and by how much a kernel's floats may differ from it.

The bound follows a running error from step to step. ``u`` is the unit of rounding; every product, sum and
exponential of the kernel is within it, in any order of a sum, fused or not:

* exp(g) is within (4 + 2 |g|) u of itself: four units of the function, and a rounding of its argument.
* A recurrent step makes at an element the error of d S_, of k v and of their sum: u (x |d S_| + |k v| + |S|)
  with x = 5 + 2 |g|; what was there before is multiplied by d. The output adds (K + 5) u |q|^T |S|.
* A chunked form takes decays as exponentials of differences of cumulated logarithms: a product of them within
  a chunk is off by n u, where n has C sums over tokens, the roundings s of such a difference (and 2) times
  the sum of |g| in the chunk, and 8 more. It is multiplied with A, the recurrence of absolute values since
  the chunk began.
* Where a step corrects the state along a direction, a bound element by element grows without end; each column
  is bounded in the 2-norm, by the step's own 2-norm. Within a chunk the corrections w solve (I + L) w = rhs.
  What is computed by substitution solves it exactly for right sides that are off by n u (|I + L| |w| + |rhs|)
  with n = C + K + 20, as if v had been rounded; by an explicit inverse, 2 n u |I + L| |(I + L)^-1| |rhs|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratproof.kernels.family import LinearRecurrence
from ratproof.kernels.problem import Problem

Wide = Any  # arrays of numpy's longdouble
Bounds = NDArray[np.float64]
UNITS = {"float32": 2.0**-24, "float64": 2.0**-53}
SMALLEST = {name: float(np.finfo(name).tiny) for name in UNITS}
_OUTWARD = 1 + 2.0**-20
"""The bounds are computed in float64, and terms of second order are left out."""


@dataclass(frozen=True)
class Form:
    """How a kernel computes: step by step, or in chunks.

    Attributes:
        chunk: tokens a chunk; ``None`` for a recurrent form.
        scan: how gates are cumulated in a chunk: ``any`` order, a ``chain``, a ``tree``, or ``double`` (a
            wider accumulator).
        inverse: how corrections within a chunk are computed: by ``substitution``, or with an ``explicit``
            inverse.
    """

    chunk: int | None = None
    scan: str = "any"
    inverse: str = "substitution"

    def roundings(self) -> float:
        """Of a difference of cumulated gates, as a multiple of the sum of their absolute values."""
        assert self.chunk is not None
        tree = 2 * np.log2(max(2, self.chunk)) + 1
        roundings = {"any": 2 * self.chunk - 1, "chain": self.chunk - 1, "tree": tree, "double": 3}
        return float(roundings[self.scan])


@dataclass
class Result:
    """Outputs, shape ``(B, T, H, V)``, and final states, ``(N, H, K, V)``, each with its bound; of families
    of lanes in the same shapes, with H for the lanes and K = V = 1.
    """

    outputs: Wide
    output_bounds: Bounds
    states: Wide
    state_bounds: Bounds


def run(problem: Problem, arrays: dict[str, NDArray[np.float64]], form: Form) -> Result:
    """The recurrence, for all strings of a problem."""
    parts = _Parts(problem, arrays)
    h, k, v = parts.heads, parts.keys, parts.values
    outputs = np.zeros((problem.batch, problem.time, h, v), np.longdouble)
    bounds = np.zeros(outputs.shape)
    states = np.zeros((problem.rows, h, k, v), np.longdouble)
    state_bounds = np.zeros(states.shape)
    if problem.packed:
        groups = [([i], slice(0, 1), begin, end) for i, (_, begin, end) in enumerate(problem.spans())]
    else:
        groups = [(list(range(problem.batch)), slice(None), 0, problem.time)]
    unit = UNITS[problem.dtype]
    if np.finfo(np.longdouble).eps > 2.0**-60 and problem.dtype == "float64":
        unit *= 2  # the reference rounds as much as the kernel where there is no wider format
    for places, rows, begin, end in groups:
        run = _Run(parts, rows, begin, end, places, form, unit, SMALLEST[problem.dtype])
        for t in range(begin, end):
            outputs[rows, t], bounds[rows, t] = run.step(t)
        states[places], state_bounds[places] = run.state, run.error_of_state()
    return Result(outputs, bounds * _OUTWARD, states, state_bounds * _OUTWARD)


class _Parts:
    """The tensors in their roles, in one layout: axes B, T, H, and K or V."""

    def __init__(self, problem: Problem, arrays: dict[str, NDArray[np.float64]]) -> None:
        family: LinearRecurrence = problem.family
        self.family, self.lanes = family, family.lanes
        self.heads = problem.heads
        self.keys, self.values = (1, 1) if family.lanes else (problem.keys, problem.values)
        shape = (problem.batch, problem.time, self.heads)
        own = {name: array[..., None] if family.lanes else array for name, array in arrays.items()}
        ones = np.ones((*shape, 1))
        self.q = own.get(family.query, ones)
        self.k = own.get(family.key, ones)
        self.v = own[family.value]
        self.beta = own.get("beta") if family.correction == "delta" else None
        self.bonus = own.get(family.bonus) if family.bonus else None
        self.a, self.b = (own.get(name) if family.correction == "low-rank" else None for name in "ab")
        gates = own.get(family.decay)
        if gates is not None and gates.ndim == 3:
            gates = gates[..., None]
        self.logarithms = np.zeros((*shape, 1)) if gates is None else gates
        with np.errstate(under="ignore"):
            self.decay: Wide = np.exp(self.logarithms.astype(np.longdouble))
        self.decay_roundings = 5 + 2 * np.where(np.isfinite(self.logarithms), np.abs(self.logarithms), 0)
        if family.fixed_decay:
            gamma = 1 - 2.0 ** (-5 - np.arange(self.heads, dtype=np.float64))
            self.decay = np.broadcast_to(gamma[None, None, :, None], (*shape, 1)).astype(np.longdouble)
            self.logarithms = np.log(self.decay).astype(np.float64)
            self.decay_roundings = np.full((*shape, 1), 6.0) + 2 * np.abs(self.logarithms)
        elif family.factor:
            self.decay = own[family.factor].astype(np.longdouble)
            with np.errstate(divide="ignore"):
                self.logarithms = np.where(self.decay == 0, -np.inf, np.log(np.abs(self.decay)).astype(float))
            self.decay_roundings = np.full((*shape, 1), 1.0)
        elif gates is None:
            self.decay_roundings = np.zeros((*shape, 1))
        start = np.zeros((problem.rows, self.heads, self.keys, self.values))
        first = arrays.get("initial_state")
        self.start = start if first is None else first.reshape(start.shape)
        self.scale = problem.factor


class _Run:
    """Some strings of equal length, step by step, with the running error."""

    def __init__(
        self,
        parts: _Parts,
        rows: slice,
        begin: int,
        end: int,
        places: list[int],
        form: Form,
        unit: float,
        smallest: float,
    ) -> None:
        self.parts, self.rows, self.begin, self.end = parts, rows, begin, end
        self.form, self.u, self.smallest = form, unit, smallest
        self.state: Wide = parts.start[places].astype(np.longdouble)
        self.corrected = parts.family.correction != "none"
        # by elements, or, where the state is corrected, by columns: shape (N, H, 1, V)
        shape = self.state.shape
        self.error = np.zeros((*shape[:2], 1, shape[3]) if self.corrected else shape)
        self.since: Any = None
        self.solved: Bounds = np.zeros((*shape[:2], 1, shape[3]))

    def error_of_state(self) -> Bounds:
        """A bound on each element of the state as it is."""
        error = self.error
        if self.form.chunk is not None and self.since is not None:
            error = error + self._chunk_error()
        return np.broadcast_to(error, self.state.shape) + self.smallest

    def step(self, t: int) -> tuple[Wide, Bounds]:
        """Outputs and their bounds at a token, shapes ``(N, H, V)``."""
        if self.form.chunk is not None and (t - self.begin) % self.form.chunk == 0:
            self._begin_chunk(t)
        parts = self.parts
        q = parts.q[self.rows, t]
        if parts.bonus is not None:
            read = self._with_bonus(t)
            result = self._output(q, *read)
            self._advance(t)
            return result
        self._advance(t)
        return self._output(q, self.state, np.abs(self.state).astype(float), self._error_at(t))

    def _with_bonus(self, t: int) -> tuple[Wide, Bounds, Bounds]:
        """The state with (u * k) v^T, its absolute value, and its bound."""
        parts = self.parts
        k, v = parts.k[self.rows, t], parts.v[self.rows, t]
        assert parts.bonus is not None
        added = (parts.bonus * k).astype(np.longdouble)[..., None] * v[..., None, :]
        size = np.abs(self.state).astype(float) + np.abs(added).astype(float)
        return self.state + added, size, self._error_at(t) + 3 * self.u * np.abs(added).astype(float)

    def _output(self, q: Bounds, state: Wide, size: Bounds, error: Bounds) -> tuple[Wide, Bounds]:
        scale, k = self.parts.scale, self.parts.keys
        value = scale * np.einsum("nhk,nhkv->nhv", q.astype(np.longdouble), state)
        if self.parts.lanes:
            return value, error[..., 0, :] + self.smallest
        q = np.abs(q)
        terms = (k + 5 if self.form.chunk is None else k + 4) * self.u
        if self.corrected:
            length = np.linalg.norm(q, axis=-1)[..., None]
            bound = length * error[..., 0, :] + terms * np.einsum("nhk,nhkv->nhv", q, size)
        else:
            bound = np.einsum("nhk,nhkv->nhv", q, error + terms * size)
        return value, abs(scale) * bound + 2 * k * self.smallest

    def _advance(self, t: int) -> None:
        """One step, and what it does to the running error."""
        parts, u = self.parts, self.u
        d = parts.decay[self.rows, t][..., None]
        x = parts.decay_roundings[self.rows, t][..., None]
        k, v = parts.k[self.rows, t][..., None], parts.v[self.rows, t][..., None, :]
        before, decayed = self.state, d * self.state
        size = np.abs(d).astype(float)
        if not self.corrected:
            added = (k * v).astype(np.longdouble)
            self.state = decayed + added
            own = 0.0 if parts.lanes else np.abs(added).astype(float)  # a product with one is exact
            if self.form.chunk is None:
                made = x * np.abs(decayed).astype(float) + own + np.abs(self.state).astype(float)
                self.error = size * self.error * (1 + (x + 2) * u) + u * made + 2 * self.smallest
            else:
                self.error = size * self.error
                self._extend_chunk(t, size, np.abs(added).astype(float))
            return
        self._correct(t, before, decayed, d, x, k, v)

    def _correct(self, t: int, before: Wide, decayed: Wide, d: Wide, x: Bounds, k: Bounds, v: Bounds) -> None:
        parts, u = self.parts, self.u
        if parts.beta is not None:
            beta = parts.beta[self.rows, t][..., None, None]
            along = np.einsum("nhk,nhkv->nhv", k[..., 0].astype(np.longdouble), decayed)[..., None, :]
            w = beta * (v - along)
            column = k
            size = np.einsum("nhk,nhkv->nhv", np.abs(k[..., 0]), np.abs(decayed).astype(float))[..., None, :]
            local = np.abs(beta) * ((parts.keys + 5) * size + 3 * np.abs(v)) + 2 * np.abs(w).astype(float)
            self.state = decayed + k * w
            outer = np.abs(k) * np.abs(w).astype(float)
            change = np.abs(1 - beta * np.sum(k.astype(np.longdouble) ** 2, axis=-2, keepdims=True)).astype(
                float
            )
            growth = np.max(np.abs(d).astype(float), axis=-2, keepdims=True) * np.maximum(1, change)
        else:
            assert parts.a is not None and parts.b is not None
            a, b = parts.a[self.rows, t][..., None], parts.b[self.rows, t][..., None]
            along = np.einsum("nhk,nhkv->nhv", a[..., 0].astype(np.longdouble), before)[..., None, :]
            column = b
            size = np.einsum("nhk,nhkv->nhv", np.abs(a[..., 0]), np.abs(before).astype(float))[..., None, :]
            local = (parts.keys + 5) * size + 2 * np.abs(along).astype(float)
            added = (k * v).astype(np.longdouble)
            self.state = decayed + b * along + added
            outer = np.abs(b * along).astype(float) + 2 * np.abs(added).astype(float)
            wide = np.broadcast_to(d[..., 0].astype(float), (*d.shape[:2], parts.keys))
            step = np.einsum("nhk,kl->nhkl", wide, np.eye(parts.keys)) + b @ np.swapaxes(a, -1, -2)
            growth = np.linalg.norm(step, 2, axis=(-2, -1))[..., None, None]
        made = x * np.abs(decayed).astype(float) + outer + 2 * np.abs(self.state).astype(float)
        if self.form.chunk is None:
            length = np.linalg.norm(column, axis=-2, keepdims=True)
            self.error = (
                growth * self.error * (1 + (parts.keys + 10 + np.max(x)) * u)
                + length * local * u
                + u * np.linalg.norm(made, axis=-2, keepdims=True)
                + 2 * parts.keys * self.smallest
            )
        else:
            self.error = growth * self.error
            self._extend_chunk(t, np.abs(d).astype(float), outer)
            self.solved = growth * self.solved + self._solution_error(t, column)

    def _begin_chunk(self, t: int) -> None:
        if self.since is not None:
            self.error = self.error + self._chunk_error()
        self.since = np.abs(self.state).astype(float)
        size = self.form.chunk
        assert size is not None
        gates = self.parts.logarithms[self.rows, t : min(t + size, self.end)]
        self.gates = np.where(np.isfinite(gates), np.abs(gates), 0).sum(1)[..., None]
        self.solved = np.zeros((*self.state.shape[:2], 1, self.state.shape[3]))
        self.solution = self._solution(t, min(t + size, self.end)) if self.corrected else None
        self.first = t

    def _extend_chunk(self, t: int, size: Bounds, outer: Bounds) -> None:
        self.since = size * self.since + outer

    def _chunk_error(self) -> Bounds:
        """Of the state within a chunk, besides what was carried into it."""
        assert self.form.chunk is not None
        n = self.form.chunk + 8 + (self.form.roundings() + 2) * self.gates
        made = self.u * n * self.since + 2 * self.form.chunk * self.smallest
        if not self.corrected:
            return np.asarray(made)
        return np.asarray(np.linalg.norm(made, axis=-2, keepdims=True) + self.solved)

    def _error_at(self, t: int) -> Bounds:
        return self.error if self.form.chunk is None else self.error + self._chunk_error()

    def _solution(self, begin: int, end: int) -> Bounds:
        """By how much the right sides of a chunk's corrections are off, shape ``(N, H, C, V)``."""
        parts, rows, cut = self.parts, self.rows, slice(begin, end)
        k, v = (np.swapaxes(x[rows, cut], 1, 2) for x in (parts.k, parts.v))
        decay = np.swapaxes(parts.decay[rows, cut], 1, 2).astype(float)
        between, since = _decays(decay, before=parts.beta is None)
        start = self.state.astype(float)
        if parts.beta is not None:
            left, column, sign = k, k, -1.0
            beta = np.swapaxes(parts.beta[rows, cut], 1, 2)[..., None]
            signed, sizes = v, np.abs(v)
        else:
            assert parts.a is not None and parts.b is not None
            left, column = (np.swapaxes(x[rows, cut], 1, 2) for x in (parts.a, parts.b))
            beta, sign = np.ones((*left.shape[:-1], 1)), 1.0
            signed = _along(left, k, between) @ v
            sizes = _along(np.abs(left), np.abs(k), between) @ np.abs(v)
        signed = beta * (signed + sign * (left * since) @ start)
        sizes = sizes + (np.abs(left) * since) @ np.abs(start)
        sizes = np.abs(beta) * sizes
        lower = -sign * beta * _along(left, column, between)
        size = np.abs(beta) * _along(np.abs(left), np.abs(column), between)
        one = np.eye(k.shape[2])
        n = len(one) + parts.keys + 20 + (self.form.roundings() + 2) * float(np.max(self.gates, initial=0.0))
        if self.form.inverse == "explicit":
            return np.asarray(2 * self.u * n * ((one + size) @ (np.abs(np.linalg.inv(one + lower)) @ sizes)))
        return np.asarray(self.u * n * ((one + size) @ np.abs(np.linalg.solve(one + lower, signed)) + sizes))

    def _solution_error(self, t: int, column: Bounds) -> Bounds:
        """What the error of a token's correction adds to the state's, by columns."""
        assert self.solution is not None
        error = self.solution[:, :, t - self.first][..., None, :]
        return np.asarray(np.linalg.norm(column, axis=-2, keepdims=True) * error)


def _decays(decay: Bounds, before: bool) -> tuple[Bounds, Bounds]:
    """What is left at token i of what token j < i wrote, shape ``(N, H, C, C, K)``, and of the state before
    the chunk, ``(N, H, C, K)``: at i's own decay, or before it.
    """
    with np.errstate(divide="ignore"):
        logarithms = np.log(np.abs(decay))
    none = np.isinf(logarithms)
    sums, zeros = np.where(none, 0, logarithms).cumsum(2), none.cumsum(2)
    if before:
        sums, zeros = (np.concatenate([0 * x[:, :, :1], x[:, :, :-1]], 2) for x in (sums, zeros))
    own = np.where(none, 0, logarithms).cumsum(2), none.cumsum(2)
    apart = sums[:, :, :, None] - own[0][:, :, None]
    c = decay.shape[2]
    earlier = np.tri(c, c, -1, dtype=bool)[:, :, None]
    left = np.where(earlier & (zeros[:, :, :, None] == own[1][:, :, None]), np.exp(np.minimum(apart, 0)), 0.0)
    return left, np.where(zeros == 0, np.exp(np.minimum(sums, 0)), 0.0)


def _along(left: Bounds, right: Bounds, between: Bounds) -> Bounds:
    """Products of tokens i and j, with the decay between them, shape ``(N, H, C, C)``."""
    if between.shape[-1] == 1:  # one decay for all keys
        return np.asarray((left @ np.swapaxes(right, -1, -2)) * between[..., 0])
    return np.asarray(np.sum(left[:, :, :, None] * right[:, :, None] * between, axis=-1))
