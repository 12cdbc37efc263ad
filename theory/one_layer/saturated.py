"""Elman networks, GRUs and LSTMs with integer or interval states, on which programs can decide languages.

Gates are 0 or 1, and a tanh of a pre-activation is -1 or 1. Elman networks may also have the Heaviside
function, ReLU, or a tanh that is not saturated. The outputs of this tanh are in intervals next to -1 and 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray

from automata.dfa import DFA
from automata.errors import InputError

Integers: TypeAlias = NDArray[np.int64]
State: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], bytes]
"""A state of a saturated network, from which the next state is computed.

It contains lower bounds and upper bounds on the scaled sum of the outputs in each pool of units. If a gate
can keep the cells, it also contains the cells as bytes.
"""


@dataclass(frozen=True, eq=False)
class SaturatedGate:
    """An affine map of the letter and of the sums of the outputs in each pool of units.

    Only the sign of the map's value is used, and the value must not be 0.
    """

    offset: Mapping[Hashable, Integers]
    left: Integers | None = None


ALWAYS, NEVER = 1, -1
"""Constant gates: one is always open, and the other is never open."""


@dataclass(frozen=True, eq=False)
class Saturated:
    """A network with integer weights.

    The recurrent matrices have the column ``left[:, pool[u]]`` for unit u, so they read the sums of the
    outputs of the units in each pool. Outputs and pre-activations are multiplied by ``scale``. The read-out
    is the sign of ``weights · sums + constant``.

    Outputs are -1 or 1 in a saturated Elman network and a GRU, 0 or 1 with the Heaviside function, and
    integers with ReLU. With tanh, they differ from -1 or 1 by at most 1/scale. The cells of an LSTM are
    integers c. Its output is 0 if c is 0; otherwise it has the sign of c and an absolute value between 3/4
    and 1, because 3/4 < tanh 1.

    Attributes:
        kind: ``elman``, ``heaviside``, ``relu`` or ``tanh`` (gate n), ``gru`` (gates z, r, n) or ``lstm``
            (gates i, f, g; the output gate is 1).
        gain: the factor of all weights before a tanh.
    """

    kind: str
    pool: Integers
    gates: Mapping[str, SaturatedGate | int]
    cells: Integers
    weights: Integers
    constant: int
    scale: int = 4
    gain: int = 1
    _sums: dict[Any, tuple[Integers, Integers]] = field(default_factory=dict)

    @property
    def start(self) -> State:
        """The state before the first letter."""
        return self._state(self.cells)

    @cached_property
    def _keeps(self) -> bool:
        return {"gru": self.gates.get("z"), "lstm": self.gates.get("f")}.get(self.kind, NEVER) != NEVER

    @cached_property
    def _outputs(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The bounds on the scaled outputs of units: the lower bounds, and the upper bounds.

        Each is a pair: the bound for a unit that is off, and the bound for a unit that is on.
        """
        d = self.scale
        return {"heaviside": ((0, d), (0, d)), "tanh": ((-d, d - 1), (1 - d, d))}.get(
            self.kind, ((-d, d), (-d, d))
        )

    @cached_property
    def _least(self) -> int:
        """The minimum absolute value that pre-activations must have."""
        if self.kind != "tanh":
            return 1
        if not (flint.arb(self.gain) / 2).tanh() > 1 - flint.arb(1) / self.scale:
            raise InputError(f"the gain must be larger for outputs within 1/{self.scale}, got {self.gain}")
        return -(-self.scale // 2)

    @cached_property
    def _sizes(self) -> Integers:
        return np.bincount(self.pool, minlength=len(self.weights))

    def _state(self, cells: Integers) -> State:
        on = np.flatnonzero(cells > 0 if self.kind != "lstm" else cells != 0)
        if self.kind == "lstm":
            signs = np.sign(cells[on])
            low, high = (self._summed(on, np.where(signs > 0, *values)) for values in ((3, -4), (4, -3)))
        elif self.kind == "relu":
            low = high = self._summed(on, self.scale * cells[on])
        else:
            number = self._summed(on, np.ones(len(on), np.int64))
            low, high = (off * self._sizes + (up - off) * number for off, up in self._outputs)
        return tuple(low.tolist()), tuple(high.tolist()), cells.tobytes() if self._keeps else b""

    def _summed(self, units: Integers, values: Integers) -> Integers:
        return np.bincount(self.pool[units], values, len(self.weights)).astype(np.int64)

    def _products(self, name: str, left: Integers, state: State) -> tuple[Integers, Integers]:
        """Return bounds on the product of the gate's matrix and the sums of the outputs in each pool."""
        if (name, state) not in self._sums:
            self._sums[name, state] = _bounds(left, state)
        return self._sums[name, state]

    def _positive(self, name: str, state: State, letter: Hashable, reset: Any = True) -> Any:
        """Return for each unit, or for all, whether the pre-activation of a gate is positive."""
        gate = self.gates[name]
        if isinstance(gate, int):
            return gate > 0
        low = high = gate.offset[letter]
        if gate.left is not None:
            below, above = self._products(name, gate.left, state)
            low = low + (below if reset is True else reset * below)
            high = low if above is below else high + (above if reset is True else reset * above)
        positive = low >= self._least
        if not (positive | (high <= -self._least)).all():
            raise InputError(f"the pre-activations of gate {name} must not be near 0 on letter {letter}")
        return positive

    def step(self, state: State, letter: Hashable) -> State:
        """Return the state after a letter; raise InputError if a pre-activation may be too near to 0."""
        cells: Any = np.frombuffer(state[2], np.int64) if state[2] else 0
        if self.kind == "lstm":
            i, f, g = (self._positive(gate, state, letter) for gate in "ifg")
            return self._state(f * cells + i * (2 * g - 1))
        if self.kind == "relu":
            gate = self.gates["n"]
            assert isinstance(gate, SaturatedGate) and gate.left is not None
            values = gate.offset[letter] + self._products("n", gate.left, state)[0]
            cells = np.zeros_like(values)
            return self._state(np.floor_divide(values, self.scale, out=cells, where=values > 0))
        if self.kind != "gru":
            return self._state(self._positive("n", state, letter))
        z, r = self._positive("z", state, letter), self._positive("r", state, letter)
        n = self._positive("n", state, letter, r)
        return self._state(n if z is False else np.where(z, cells, 2 * n - 1))

    def accepts(self, state: State) -> bool:
        """Return whether the read-out of the state is positive; raise InputError if this is undecided."""
        low, high = (int(x[0]) + self.constant for x in _bounds(self.weights[None], state))
        if low <= 0 < high:
            raise InputError("the read-out must be certainly positive or certainly not positive")
        return low > 0


def _bounds(matrix: Integers, state: State) -> tuple[Integers, Integers]:
    low, high = np.array(state[0]), np.array(state[1])
    on = np.flatnonzero(low | high)
    if len(on) < len(low):
        matrix, low, high = matrix[:, on], low[on], high[on]
    if state[0] == state[1]:
        return (product := matrix @ low), product
    if (matrix >= 0).all():
        return matrix @ low, matrix @ high
    plus, minus = np.maximum(matrix, 0), np.minimum(matrix, 0)
    return plus @ low + minus @ high, plus @ high + minus @ low


def threshold(dfa: DFA, kind: str) -> Saturated:
    """Return the network of a DFA with a unit for each pair (q, s): q is the state and s the last letter.

    :func:`theory.one_layer.constructions.saturated` explains it. Exactly one unit is on, by induction.
    """
    states, alphabet = range(dfa.states), dfa.alphabet
    units = [(q, a) for q in states for a in range(len(alphabet))]
    after = np.array(list(zip(*dfa.table, strict=True)))  # the next states, with a row for each letter
    left = np.concatenate([after == q for q in states]).astype(np.int64)
    letters = np.array([a for _, a in units])
    reads = {s: (letters == a).astype(np.int64) for a, s in enumerate(alphabet)}
    final = np.array([int(q in dfa.final) for q in states])
    start, pool = np.array([int(unit == (dfa.start, 0)) for unit in units]), np.array([q for q, _ in units])
    if kind == "lstm":
        i = SaturatedGate({s: 8 * read - 11 for s, read in reads.items()}, 2 * left)
        return Saturated(kind, pool, {"i": i, "f": NEVER, "g": ALWAYS}, start, final, -2)
    if kind in ("heaviside", "relu"):
        offset = 3 if kind == "heaviside" else 2  # ReLU also keeps the size of a positive pre-activation
        n = SaturatedGate({s: 2 * (2 * read - offset) for s, read in reads.items()}, left)
        return Saturated(kind, pool, {"n": n}, start, final, -2)
    scale = 2 * len(units) if kind == "tanh" else 4
    predecessors = len(alphabet) * left.sum(1)
    n = SaturatedGate({s: scale * (predecessors + 2 * read - 3) for s, read in reads.items()}, left)
    gates: dict[str, SaturatedGate | int] = {"n": n, "z": NEVER, "r": ALWAYS} if kind == "gru" else {"n": n}
    constant = scale * (len(alphabet) * int(final.sum()) - 1)
    return Saturated(kind, pool, gates, 2 * start - 1, final, constant, scale, (2 * scale).bit_length())


def counter() -> Saturated:
    """Return the LSTM of a^n b^n, with four cells.

    :func:`theory.one_layer.constructions.counting` explains the cells 0 to 3.
    """
    a, b = np.array([1, 0]), np.array([0, 1])

    def offsets(*rows: Any) -> dict[Hashable, Integers]:
        return dict(zip("ab", np.array(rows).T, strict=True))

    none = [0, 0, 0, 0]
    left = np.array([[2, 0, 0, 0], [-2, 0, 0, 0], none, [0, 0, 1, 0]])
    i = SaturatedGate(offsets(8 * a - 4, 4 * b - 2, 2 * b - 1, 4 * a - 5), left)
    f = SaturatedGate(offsets([1, 1], [1, 1], [-1, -1], [1, 1]))
    g = SaturatedGate(offsets(a - b, [1, 1], [1, 1], [1, 1]))
    zeros = np.zeros(4, np.int64)
    return Saturated("lstm", np.arange(4), {"i": i, "f": f, "g": g}, zeros, np.array([-1, -1, 0, -1]), 2)


def relu_counter() -> Saturated:
    """Return the ReLU network of a^n b^n, with seven units.

    :func:`theory.one_layer.constructions.counting` explains the units, in their order from 0 to 6.
    """
    left = np.zeros((7, 7), np.int64)
    for to, source, weight in (
        *((0, 0, 1), (1, 1, 1), (2, 0, 1), (2, 1, -1), (3, 0, -1), (3, 1, 1)),
        *((5, 4, 1), (6, 5, 1), (6, 6, 1)),
    ):
        left[to, source] = weight
    offsets: dict[Hashable, Integers] = {
        "a": np.array([4, 0, 4, -4, 0, 0, 0]),
        "b": np.array([0, 4, -4, 4, 4, -4, 0]),
    }
    weights = np.array([0, 0, -1, -1, 0, -1, -1])
    return Saturated(
        "relu", np.arange(7), {"n": SaturatedGate(offsets, left)}, np.zeros(7, np.int64), weights, 2
    )
