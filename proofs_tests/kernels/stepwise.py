"""The running error of a recurrence, computed token by token, to test the vectorised reference."""

from dataclasses import replace
from typing import Any

import numpy as np

from ratproof.laws.kernels.bounds.adjoint import reversed_inputs
from ratproof.laws.kernels.bounds.corrections import Solution, solution
from ratproof.laws.kernels.bounds.rounding import KernelForm, RoundedArray, RoundingUnits
from ratproof.laws.kernels.naive import Bounds, RecurrenceInputs, Wide


class Running:
    """The state of a recurrence and a bound on its error, updated token by token.

    Args:
        roles: The inputs of the recurrence.
        form: The form of the kernel's computation.
        arithmetic: The rounding units of the kernel's dtype.
        adds_first: Whether a step adds before it decays, as in the recurrence of gradients.
        for_gradients: Whether the states are used in a bound on gradients. With an explicit inverse, the
            assumed sizes of the states are then larger.
    """

    def __init__(
        self,
        roles: RecurrenceInputs,
        form: KernelForm,
        arithmetic: RoundingUnits,
        adds_first: bool = False,
        for_gradients: bool = False,
    ) -> None:
        self.roles, self.form, self.adds_first = roles, form, adds_first
        self.for_gradients = for_gradients
        self.u, self.smallest = arithmetic.unit, arithmetic.smallest
        self.state: Wide = roles.start
        shape = self.state.shape
        self.columns = (*shape[:2], 1, shape[3])
        self.error = np.zeros(self.columns if roles.corrected else shape)
        self.left: Wide = roles.start
        """The initial state, multiplied by all decays so far; a kernel may store this part separately."""
        self.since: Any = _size(self.state)
        """The sum of the absolute values of a step's terms.

        In a chunked form, it is the result of the recurrence of absolute values since the chunk began.
        """
        self.sizes: Any = None
        """Like ``since``, with the sizes of an explicit inverse's solutions in place of the corrections."""
        self.of_keys: Any = np.zeros(())
        """The error of the states of the chunk, as far as it is caused by the rounding of computed keys."""
        self.solved = np.zeros(self.columns)
        self.carried: Any = None
        """The effect of an error of 1 at the beginning of the chunk, as three values.

        The values are the current error, its size without cancellation, and the error of its solution.
        """
        self.gates: Any = None
        self.solution: Solution | None = None
        self.correction: tuple[Wide, Bounds] | None = None
        """The row vector w of the last step's correction S += k w^T, and the bound on its error.

        Both have the shape ``(N, H, V)``. For RWKV-7, the vector is c of S += b c^T.
        """

    def _stored(self, state: Wide) -> Bounds:
        """Return the absolute values of a state as a kernel stores it: as one tensor or as a sum of two."""
        return _size(state) if self.roles.corrected else _size(self.left) + _size(state - self.left)

    def now(self, held: bool = False) -> RoundedArray:
        """Return the current state with its bound.

        ``held`` is true if the current step has already added its term, but has not decayed the state.
        """
        if self.form.chunk is None or self.gates is None:
            error = self.error
            if not self.roles.corrected and self.roles.start.any():  # a kernel may store a sum of two
                error = error + self.u * (self.since if held else self._stored(self.state))
            return RoundedArray(self.state, error, self.since, self.u)
        error, size = self._carried() + self._chunk_error(), self.sizes if self.for_gradients else self.since
        return RoundedArray(self.state, error, size, self.u)

    def begin_chunk(self, begin: int, end: int) -> None:
        """Start a chunk that consists of the steps from ``begin`` to ``end``."""
        if self.gates is not None:
            self.error = self._carried() + self._chunk_error()
        self.since = self.sizes = _size(self.state)
        gates = self.roles.logarithms[:, begin:end]
        self.gates = np.where(np.isfinite(gates), np.abs(gates), 0).sum(1)[..., None]
        self.of_keys = np.zeros(())
        self.solved = np.zeros(self.columns)
        self.carried = np.ones(()), np.ones(()), np.zeros(())
        self.first = begin
        if self.roles.corrected:
            gate = float(np.max(self.gates, initial=0.0))
            terms = self.roles.keys + 20 + self.roles.more_roundings + self._of_gates() * gate
            names = ("key", "value", "decay", "beta", "erase", "a", "b")
            arrays = {n: getattr(self.roles, n) for n in names}
            part = replace(
                self.roles, **{n: None if x is None else x[:, begin:end] for n, x in arrays.items()}
            )
            every = np.full(len(self.state), terms)
            self.solution = solution(part, self.state, every, self.form.inverse, self.adds_first)

    def add(self, t: int) -> None:
        """Apply S += k v^T."""
        added = self.roles.key[:, t][..., None] * self.roles.value[:, t][..., None, :]
        self.state = self.state + added
        of_keys: Any = np.zeros(())
        if self.roles.key_roundings is not None:
            of_keys = self.roles.key_roundings[:, t][..., None] * _size(self.roles.value[:, t])[..., None, :]
        if self.form.chunk is None:
            if self.adds_first:
                before = self._stored(self.state - added)
                often: Any = self.roles.product_roundings + 1
                self.error = self.error + self.u * self._norm(before)
                self.since = before + _size(added)
            else:
                often = (
                    self._maximum_roundings(t) if self.roles.corrected else self.roles.product_roundings + 1
                )
                self.since = self.since + _size(added)
            self.error = self.error + self.u * often * self._norm(_size(added)) + self.smallest
            self.error = self.error + self.u * of_keys
        else:
            self.of_keys = self.of_keys + self.u * of_keys
            self.since, self.sizes = self.since + _size(added), self.sizes + _size(added)

    def update(self, t: int) -> None:
        """Apply a complete step: decay, correction and addition. The delta rule adds in its correction."""
        self.decay(t)
        if self.roles.beta is None:
            self.add(t)

    def decay(self, t: int) -> None:
        """Apply S <- diag(d) S, and the correction of the rule."""
        roles = self.roles
        d, x = roles.decay[:, t][..., None], roles.roundings[:, t][..., None]
        size = _size(d)
        before, self.state = self.state, d * self.state
        if self.form.chunk is None:
            # The step decays the stored state, or the state after the addition.
            held = self.since if self.adds_first else self._stored(before)
            self.left = d * self.left
            decayed = size * held
        if not roles.corrected:
            if self.form.chunk is None:
                often = (x + 1) * size
                if roles.interpolated is not None:
                    often = often + roles.interpolated[:, t][..., None]
                factor = size + self.u * (often + size)
                self.error = factor * self.error + self.u * often * held + self.smallest
                self.since = decayed
            else:
                self.error, self.since = size * self.error, size * self.since
                self.of_keys = size * self.of_keys
                if roles.interpolated is not None:
                    self.of_keys = self.of_keys + self.u * roles.interpolated[:, t][..., None] * _size(before)
                self.sizes = self.since
            return
        if roles.beta is not None:
            column, along = self._delta(t, before)
        else:
            column, along = self._low_rank(t, before)
        outer = _size(column * along)
        self.state = self.state + column * along
        assert roles.growth is not None
        growth = roles.growth[:, t][..., None, None]
        length = np.linalg.norm(column.astype(float), axis=-2, keepdims=True)
        if self.form.chunk is None:
            local, written = self._of_correction(t, x, held, decayed)
            local = local + 2 * _size(along)
            self.correction = along[..., 0, :], (local * self.u + self._reads(t))[..., 0, :]
            self.since = decayed + _size(column) * written
            new_error = (
                self.u * self._maximum_roundings(t) * self._norm(self.since) + 2 * roles.keys * self.smallest
            )
            more = self._maximum_roundings(t) * self.u * self._size_growth(t)
            if roles.beta is not None:  # the correction includes the addition
                new_error = new_error + self.smallest
            self.error = (growth + more) * self.error + new_error
        else:
            own, sizes = self._solved(t)
            unit, unit_off = self._correction_of_unit_error(t)
            self.correction = along[..., 0, :], (own + unit_off * self.error + self._reads(t))[..., 0, :]
            left, unit_size, off = self.carried
            largest = np.max(size, axis=-2, keepdims=True)
            self.carried = (
                growth * left,
                largest * unit_size + length * unit,
                growth * off + length * unit_off,
            )
            self.solved = growth * self.solved + length * own
            self.since = size * self.since + outer
            self.sizes = size * self.sizes + (outer if sizes is None else _size(column) * sizes)

    def _solved(self, t: int) -> tuple[Bounds, Bounds | None]:
        """Return two values for the triangular system of the correction of token t.

        They are the error of the system's right-hand side and the size of its solution.
        """
        solved = self.solution
        assert solved is not None
        at = np.s_[:, :, t - self.first, None]
        return self.u * solved.off[at], None if solved.sizes is None else solved.sizes[0][at]

    def _correction_of_unit_error(self, t: int) -> tuple[Bounds, Bounds]:
        """Return how an error of 1 in the state at the chunk's beginning affects the correction of token t.

        The first value bounds the change of the correction. The second value bounds the error of the right
        side of the triangular system that computes this change.
        """
        solved = self.solution
        assert solved is not None
        at = np.s_[:, :, t - self.first, None]
        return solved.carried[at], self.u * solved.carried_off[at]

    def _size_growth(self, t: int) -> Bounds:
        """Return a bound on the factor by which a step increases a column's 2-norm, without cancellation."""
        roles = self.roles
        largest = np.max(_size(roles.decay[:, t]), axis=-1)
        if roles.beta is not None:
            norms = [np.linalg.norm(x[:, t].astype(float), axis=-1) for x in (roles.key, roles.erase)]
            along = np.abs(roles.beta[:, t]) * norms[0] * norms[1]
            growth = largest + along * (1 if roles.reads_before else largest)
        else:
            norms = [np.linalg.norm(x[:, t].astype(float), axis=-1) for x in (roles.a, roles.b)]
            growth = largest + norms[0] * norms[1]
        return np.asarray(growth[..., None, None])

    def _maximum_roundings(self, t: int) -> Bounds:
        """Return the maximum number of roundings of one term in a step with a correction."""
        x = np.max(self.roles.roundings[:, t], axis=-1, initial=0.0)
        more = 0 if self.roles.b_roundings is None else self.roles.b_roundings[:, t]
        return np.asarray((self.roles.keys + 10 + x + more)[..., None, None])

    def _delta(self, t: int, before: Wide) -> tuple[Wide, Wide]:
        """Return k and w of the update S += k w^T of the delta rule."""
        roles = self.roles
        assert roles.beta is not None
        k, v = roles.key[:, t][..., None], roles.value[:, t][..., None, :]
        read = before if roles.reads_before else self.state
        return k, roles.beta[:, t][..., None, None] * (v - roles.erase[:, t][..., None, :] @ read)

    def _low_rank(self, t: int, before: Wide) -> tuple[Wide, Wide]:
        """Return b and c of the update S += b c^T of RWKV-7, where c = S_-^T a."""
        a, b = self.roles.a[:, t][..., None], self.roles.b[:, t][..., None]
        return b, np.swapaxes(a, -1, -2) @ before

    def _of_correction(self, t: int, x: Bounds, held: Bounds, decayed: Bounds) -> tuple[Bounds, Bounds]:
        """Return the rounding error and the size of the term that a correction adds, from absolute values."""
        roles = self.roles
        if roles.beta is None:
            size = np.swapaxes(_size(roles.a[:, t][..., None]), -1, -2) @ held
            return (roles.keys + 5) * size, size
        k, v = _size(roles.erase[:, t][..., None, :]), _size(roles.value[:, t][..., None, :])
        beta = np.abs(roles.beta[:, t])[..., None, None]
        decayed, x = (held, 0 * x) if roles.reads_before else (decayed, x)
        return beta * (k @ ((roles.keys + 5 + x) * decayed) + 3 * v), beta * (k @ decayed + v)

    def _reads(self, t: int) -> Bounds:
        """Return the error of a correction, as far as it is caused by the error of the state that is read."""
        roles = self.roles
        if roles.beta is not None:
            beta = np.abs(roles.beta[:, t])[..., None, None]
            length = beta * np.linalg.norm(roles.erase[:, t].astype(float), axis=-1)[..., None, None]
            if not roles.reads_before:
                length = length * np.max(_size(roles.decay[:, t]), axis=-1)[..., None, None]
        else:
            length = np.linalg.norm(roles.a[:, t].astype(float), axis=-1)[..., None, None]
        error = self.error if self.form.chunk is None else self._carried() + self._chunk_error()
        return np.asarray(length * error)

    def _chunk_roundings(self) -> Bounds:
        assert self.form.chunk is not None
        units = (
            self.form.chunk * (1 + self.roles.factor_roundings)
            + 8
            + self.roles.more_roundings
            + self._of_gates() * self.gates
        )
        return np.asarray(np.expm1(np.minimum(units * self.u, 700)))

    def _of_gates(self) -> float:
        """Return the roundings of a decay, relative to the sum of the absolute gates."""
        return self.form.roundings() + 2 + self.roles.more_roundings

    def _carried(self) -> Bounds:
        """Return the error from before the chunk, as the chunk's steps propagate and round it."""
        if self.roles.corrected:
            return np.asarray(self.error * (self.carried[0] + self._stretch()))
        rounded = np.max(self._chunk_roundings(), axis=-2, keepdims=True)
        return np.asarray(self.error * (1 + rounded))

    def _stretch(self) -> Bounds:
        """Return the rounding, within the chunk, of a propagated error that was 1 before the chunk."""
        _, unit_size, off = self.carried
        return np.asarray(np.max(self._chunk_roundings(), axis=-2, keepdims=True) * unit_size + off)

    def _chunk_error(self) -> Bounds:
        """Return the error of the state that is caused by roundings within the chunk."""
        assert self.form.chunk is not None
        errors = self._chunk_roundings() * self.since + 2 * self.form.chunk * self.smallest
        errors = errors + (1 + self._chunk_roundings()) * self.of_keys
        return np.asarray(self._norm(errors) + self.solved) if self.roles.corrected else np.asarray(errors)

    def _norm(self, errors: Bounds) -> Bounds:
        """Return the norms of the columns if errors are per column, otherwise the values themselves."""
        return np.asarray(np.linalg.norm(errors, axis=-2, keepdims=True) if self.roles.corrected else errors)


def _size(values: Wide) -> Bounds:
    return np.asarray(np.abs(values), np.float64)


def snapshots(
    roles: RecurrenceInputs, form: KernelForm, arithmetic: RoundingUnits
) -> tuple[list[RoundedArray], list[RoundedArray], RoundedArray]:
    """Return the states before and after each token, and the last state."""
    running = Running(roles, form, arithmetic)
    before, after = [], []
    for t in range(roles.time):
        if form.chunk is not None and t % form.chunk == 0:
            running.begin_chunk(t, min(t + form.chunk, roles.time))
        before.append(running.now())
        running.update(t)
        after.append(running.now())
    return before, after, running.now()


def adjoint_snapshots(
    roles: RecurrenceInputs, weights: Wide, final: Wide, form: KernelForm, arithmetic: RoundingUnits
) -> tuple[list[RoundedArray], list[Any], RoundedArray]:
    """Return the gradients with respect to each token's state, each correction, and the initial state."""
    time = roles.time
    backwards = reversed_inputs(roles, weights, final)
    running = Running(backwards, form, arithmetic, roles.bonus is None, for_gradients=True)
    flows, corrections = [], []
    for t in range(time - 1, -1, -1):
        step = time - 1 - t
        if form.chunk is not None and (t == time - 1 or (t + 1) % form.chunk == 0):
            running.begin_chunk(step, time - t // form.chunk * form.chunk)
        if roles.bonus is None:
            running.add(step)
            flows.append(running.now(held=True))
            running.decay(step)
        else:
            flows.append(running.now())
            running.update(step)
        corrections.append(running.correction)
    return flows[::-1], corrections[::-1], running.now()
