"""Saturated Elman networks, GRUs and LSTMs: gates are 0 or 1, and a tanh of a pre-activation is -1 or 1."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from automata.dfa import DFA
from automata.errors import InputError

Integers: TypeAlias = NDArray[np.int64]
State: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], bytes]
"""Data for later steps: bounds on the sums of pools in quarters, and the cells if a gate can keep them."""


@dataclass(frozen=True, eq=False)
class Gate:
    """An affine map of the letter and the pool sums; a gate only uses its sign, which must not be 0."""

    offset: Mapping[Hashable, Integers]
    left: Integers | None = None


ALWAYS, NEVER = 1, -1
"""Gates that are constant, for any letter and state."""


@dataclass(frozen=True, eq=False)
class Saturated:
    """A saturated network with integer weights.

    The recurrent matrices have the column ``left[:, pool[u]]`` for unit u, so they read the sums of the
    outputs of the units in each pool. An output is a bound in quarters: -4 or 4 in an Elman network and a
    GRU, and in an LSTM, whose cells are integers c, 0 if c is 0, and otherwise between 3 and 4 with the sign
    of c, because 3/4 < tanh 1. The read-out is the sign of ``weights · sums + constant``.

    Attributes:
        kind: ``elman`` (gate n), ``gru`` (gates z, r, n) or ``lstm`` (gates i, f, g; the output gate is 1).
    """

    kind: str
    pool: Integers
    gates: Mapping[str, Gate | int]
    cells: Integers
    weights: Integers
    constant: int
    _sums: dict[Any, tuple[Integers, Integers]] = field(default_factory=dict)

    @property
    def start(self) -> State:
        """The state before the first letter."""
        return self._state(self.cells)

    @cached_property
    def _keeps(self) -> bool:
        return {"elman": NEVER, "gru": self.gates.get("z"), "lstm": self.gates.get("f")}[self.kind] != NEVER

    @cached_property
    def _sizes(self) -> Integers:
        return np.bincount(self.pool, minlength=len(self.weights))

    def _state(self, cells: Integers) -> State:
        if self.kind == "lstm":
            (on,) = np.nonzero(cells)
            signs = np.sign(cells[on])
            low, high = (self._summed(on, np.where(signs > 0, *values)) for values in ((3, -4), (4, -3)))
        else:
            (on,) = np.nonzero(cells > 0)
            low = high = self._summed(on, np.full(len(on), 8)) - 4 * self._sizes
        return tuple(low.tolist()), tuple(high.tolist()), cells.tobytes() if self._keeps else b""

    def _summed(self, units: Integers, values: Integers) -> Integers:
        return np.bincount(self.pool[units], values, len(self.weights)).astype(np.int64)

    def _sign(self, name: str, state: State, letter: Hashable, reset: Any = 1) -> Any:
        gate = self.gates[name]
        if isinstance(gate, int):
            return gate
        low = high = gate.offset[letter]
        if gate.left is not None:
            if (name, state) not in self._sums:
                self._sums[name, state] = _bounds(gate.left, state)
            sums = self._sums[name, state]
            low, high = low + reset * sums[0], high + reset * sums[1]
        if ((low <= 0) & (high >= 0)).any():
            raise InputError(f"the pre-activations of gate {name} must not be 0 on letter {letter}")
        return np.where(low > 0, 1, -1)

    def step(self, state: State, letter: Hashable) -> State:
        """Return the state after a letter; raise InputError if a pre-activation can be 0."""
        cells = np.frombuffer(state[2], np.int64) if state[2] else np.zeros_like(self.pool)
        if self.kind == "lstm":
            i, f, g = (self._sign(gate, state, letter) for gate in "ifg")
            return self._state((f > 0) * cells + (i > 0) * g)
        if self.kind == "elman":
            return self._state(self._sign("n", state, letter))
        z, r = self._sign("z", state, letter), self._sign("r", state, letter)
        return self._state(np.where(z > 0, cells, self._sign("n", state, letter, r > 0)))

    def accepts(self, state: State) -> bool:
        """Return whether the read-out is positive."""
        low, high = (int(x[0]) + self.constant for x in _bounds(self.weights[None], state))
        if low <= 0 < high:
            raise InputError("the read-out must be certainly positive or certainly not positive")
        return low > 0


def _bounds(matrix: Integers, state: State) -> tuple[Integers, Integers]:
    low, high = np.array(state[0]), np.array(state[1])
    plus, minus = np.maximum(matrix, 0), np.minimum(matrix, 0)
    return plus @ low + minus @ high, plus @ high + minus @ low


def threshold(dfa: DFA, kind: str) -> Saturated:
    """Return the network of a DFA with a unit for each pair (q, s): q is the state and s the last letter.

    Unit (q, s) is on if the letter is s and a unit (p, ·) with delta(p, s) = q was on: the conjunction of two
    conditions is one threshold. Exactly one unit is on, by induction. In the Elman network, and in the GRU
    with z = 0 and r = 1, "on" is 1 and "off" is -1. In the LSTM with f = 0 and g = 1, the input gate is the
    threshold, so "on" is tanh 1 and "off" is 0.
    """
    states, alphabet = range(dfa.states), dfa.alphabet
    units = [(q, a) for q in states for a in range(len(alphabet))]
    left = np.array([[int(dfa.table[p][a] == q) for p in states] for q, a in units])
    reads = {s: np.array([int(b == a) for _, b in units]) for a, s in enumerate(alphabet)}
    final = np.array([int(q in dfa.final) for q in states])
    start, pool = np.array([int(unit == (dfa.start, 0)) for unit in units]), np.array([q for q, _ in units])
    if kind == "lstm":
        i = Gate({s: 8 * read - 11 for s, read in reads.items()}, 2 * left)
        return Saturated(kind, pool, {"i": i, "f": NEVER, "g": ALWAYS}, start, final, -2)
    predecessors = len(alphabet) * left.sum(1)
    n = Gate({s: 4 * (predecessors + 2 * read - 3) for s, read in reads.items()}, left)
    gates: dict[str, Gate | int] = {"n": n} if kind == "elman" else {"n": n, "z": NEVER, "r": ALWAYS}
    return Saturated(kind, pool, gates, 2 * start - 1, final, 4 * len(alphabet) * int(final.sum()) - 4)


def counter() -> Saturated:
    """Return the LSTM of a^n b^n, with four cells.

    Cell 0 counts a, and b down to 0. Cell 1 counts each b that is read while cell 0 is 0. Cell 2 is 1 if the
    last letter was b, and cell 3 counts each a after a b. The word is accepted if cells 0, 1 and 3 are 0. The
    word has the form a* b* if and only if cell 3 is 0. Then cell 0 is max(0, #a - #b) and cell 1 is
    max(0, #b - #a).
    """
    a, b = np.array([1, 0]), np.array([0, 1])

    def offsets(*rows: Any) -> dict[Hashable, Integers]:
        return dict(zip("ab", np.array(rows).T, strict=True))

    none = [0, 0, 0, 0]
    left = np.array([[2, 0, 0, 0], [-2, 0, 0, 0], none, [0, 0, 1, 0]])
    i = Gate(offsets(8 * a - 4, 4 * b - 2, 2 * b - 1, 4 * a - 5), left)
    f = Gate(offsets([1, 1], [1, 1], [-1, -1], [1, 1]))
    g = Gate(offsets(a - b, [1, 1], [1, 1], [1, 1]))
    zeros = np.zeros(4, np.int64)
    return Saturated("lstm", np.arange(4), {"i": i, "f": f, "g": g}, zeros, np.array([-1, -1, 0, -1]), 2)
