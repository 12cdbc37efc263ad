"""The base classes of the cells of linear recurrences such as GLA.

A unit has a state of several components, to which each token applies an affine map. The unit's score is a
component, or an output that reads all components. The weights of a unit's automaton are polynomials in the
gates. A layer's file contains its step twice: ``run_steps`` is the paper's step in torch, and ``affine_step``
returns the step as an affine map, for numbers of any type. The columns of a matrix memory do not interact, so
each unit here is a head with one column.

>>> from neural.linear_recurrences.gla import GLACell
>>> cell = GLACell(3, 2, keys=1)
>>> sorted(cell.gates(torch.zeros(4, 3)))
['alpha[1]', 'k[1]', 'q[1]', 'v']
>>> cell.pattern.states  # 1, the component of the state, and the output
3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import add
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from automata.checks import checked_integer
from neural.any_order import ReorderingBound
from neural.cell import AutomatonCell
from neural.pattern import ONE, START, ZERO, Pattern
from neural.rounding import format_of
from neural.scan import elementwise
from neural.tracked import RunningErrorTensor

Functions = Mapping[str, Callable[[Any], Any]]
"""The functions, by name of the gate, that compute a gate from a linear map or a parameter."""
CONSTANT, OUTPUT = "one", "out"


@dataclass(frozen=True)
class AffineStep:
    """The affine map of one step of a unit: s_j <- sum over i of moves[i, j] s_i + update_j.

    The entries may be numbers of any type, arrays or tensors.

    Attributes:
        update: update_j for each component j, which does not depend on the state.
        moves: the factor of s_i in the new s_j, keyed by ``(i, j)``; missing pairs are zero.
        read: the factors of the components in the output; if there are fewer factors than components, the
            output does not read the last components. ``None`` if the cell has no output, because its units
            are the components.
        skip: the term of the output that does not depend on the state.
        first: whether the output reads the state before the step.
    """

    update: Sequence[Any]
    moves: Mapping[tuple[int, int], Any]
    read: Sequence[Any] | None = None
    skip: Any = None
    first: bool = False

    def weights(self) -> dict[str, Any]:
        """Return the weights of the automaton's transitions, keyed by ``"source>target"``.

        For example, ``"one>0"`` leads from the constant 1 to component 0 of the state, and ``"0>out"`` leads
        from component 0 to the output.
        """
        result = {f"{CONSTANT}>{j}": update for j, update in enumerate(self.update)}
        result |= {f"{i}>{j}": move for (i, j), move in self.moves.items()}
        if self.read is None:
            return result
        skip = [] if self.skip is None else [self.skip]
        if self.first:
            result |= {f"{i}>{OUTPUT}": weight for i, weight in enumerate(self.read)}
            return result | ({f"{CONSTANT}>{OUTPUT}": self.skip} if skip else {})
        for i in sorted({i for i, j in self.moves if j < len(self.read)}):
            targets = [j for source, j in self.moves if source == i and j < len(self.read)]
            result[f"{i}>{OUTPUT}"] = total(self.read[j] * self.moves[i, j] for j in targets)
        written = [weight * update for weight, update in zip(self.read, self.update, strict=False)]
        return result | {f"{CONSTANT}>{OUTPUT}": total([*written, *skip])}


def total(numbers: Iterable[Any]) -> Any:
    """Return the sum of a nonempty iterable of numbers."""
    return reduce(add, numbers)


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Return the inner product of two sequences of numbers."""
    return total(x * y for x, y in zip(a, b, strict=True))


def diagonal(decays: Sequence[Any]) -> dict[tuple[int, int], Any]:
    """Return the entries on the diagonal of the matrix Diag(decays), keyed by ``(j, j)``."""
    return {(j, j): decay for j, decay in enumerate(decays)}


def erasing(decays: Sequence[Any], erase: Sequence[Any], read: Sequence[Any]) -> dict[tuple[int, int], Any]:
    """Return the entries of the matrix Diag(decays) - erase read^T, keyed by ``(column, row)``."""
    return {
        (i, j): (decays[j] if i == j else 0) - left * right
        for j, left in enumerate(erase)
        for i, right in enumerate(read)
    }


def grouped(gates: Mapping[str, Any]) -> SimpleNamespace:
    """Return the gates as attributes of a namespace.

    Gates named ``k[1]``, ``k[2]``, ... become one list ``k``.
    """
    result: dict[str, Any] = {}
    for name, value in gates.items():
        base, bracket, _ = name.partition("[")
        if bracket:
            result.setdefault(base, []).append(value)
        else:
            result[name] = value
    return SimpleNamespace(**result)


def scanned(decays: Sequence[Tensor], updates: Sequence[Tensor], first: Sequence[Tensor]) -> list[Tensor]:
    """Compute s_j <- decay_j s_j + update_j at all steps, for each component j.

    Returns:
        For each j, the values of s_j after each step, shape ``(T, B, units)``.
    """
    return [elementwise(d.expand_as(u), u, s) for d, u, s in zip(decays, updates, first, strict=True)]


def naively(
    step: Callable[[SimpleNamespace, list[Tensor]], list[Tensor]], g: SimpleNamespace, first: Sequence[Tensor]
) -> list[Tensor]:
    """Run a recurrence token by token.

    Args:
        step: a function of a token's gates and the components of the state. It returns the next components
            and then the output.
        g: the gates of all tokens; a gate of shape ``(units,)`` is the same for all tokens.
        first: the components of the first state.

    Returns:
        Each component, and then the output, after each token, shape ``(T, B, units)``.
    """
    time = next(len(x) for x in flat(g) if x.dim() > 1)
    state, rows = list(first), []
    for t in range(time):
        rows.append(step(at(g, t), state))
        state = rows[-1][: len(first)]
    return stacked(rows, first)


def stacked(rows: Sequence[Sequence[Tensor]], first: Sequence[Tensor]) -> list[Tensor]:
    """Stack the components of the state and the output after each token; there may be no tokens."""
    if rows:
        return [torch.stack(column) for column in zip(*rows, strict=True)]
    return [first[0].unsqueeze(0)[:0]] * (len(first) + 1)


def flat(g: SimpleNamespace) -> list[Tensor]:
    """Return the tensors of all gates in one list, including those of gates that are lists."""
    return [x for value in vars(g).values() for x in (value if isinstance(value, list) else [value])]


def at(g: SimpleNamespace, t: int) -> SimpleNamespace:
    """Return the gates of the token with index t, from the gates of all tokens."""

    def row(value: Any) -> Any:
        if isinstance(value, list):
            return [row(x) for x in value]
        return value[t] if value.dim() > 1 else value

    return SimpleNamespace(**{name: row(value) for name, value in vars(g).items()})


class LinearRecurrenceCell(AutomatonCell):
    """A cell whose units have a state of several components.

    The weights of a unit's automaton are polynomials in the gates.

    Attributes:
        token: the names of the gates that depend on the input, separated by blanks. Each is a linear map of
            the input, or a function of it. A gate with a suffix such as ``[K]`` is a vector.
        layer: the names of the gates that are parameters, or functions of parameters.
        functions: the functions that compute gates from linear maps or parameters, by name of the gate.
        names: the names of the gates, if :meth:`derived` changes them.
        reads: whether the cell has an output that reads the state.
        per_key: the number of components of a unit's state for each key.
        in_order: whether each state is computed from the previous state. If not, it may be computed from an
            earlier state, such as the state at the start of a chunk.
    """

    token: ClassVar[str]
    layer: ClassVar[str] = ""
    functions: ClassVar[Functions] = {}
    names: ClassVar[str] = ""
    reads: ClassVar[bool] = True
    per_key: ClassVar[int] = 1
    in_order: ClassVar[bool] = True

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        keys: int = 2,
        device: Any = None,
        dtype: Any = None,
        window: int = 1,
    ) -> None:
        super().__init__(input_size, hidden_size, device, dtype, window)
        self.keys = checked_integer("keys", keys)
        self.maps = nn.ModuleDict(
            {_base(word): self.linear(True, self._length(word) * hidden_size) for word in self.token.split()}
        )
        self.own = nn.ParameterDict(
            {
                _base(word): nn.Parameter(
                    torch.zeros(self._length(word) * hidden_size, **self.factory_kwargs)
                )
                for word in self.layer.split()
            }
        )

    def _length(self, word: str) -> int:
        return self.keys if "[" in word else 1

    # The step, which subclasses define.

    def affine_step(self, g: SimpleNamespace) -> AffineStep:
        """Return one step as an affine map of the state.

        The gates are numbers of any type. Gates that are vectors are lists.
        """
        raise NotImplementedError

    def run_steps(self, g: SimpleNamespace, first: list[Tensor]) -> list[Tensor]:
        """Compute the components of the state after each step, and the output if the cell has one.

        Args:
            g: the gates, shape ``(T, B, hidden_size)``, or ``(hidden_size,)`` for parameters.
            first: the components of the first state, each ``(B, hidden_size)``.

        Returns:
            Tensors of shape ``(T, B, hidden_size)``: the components, and then the output.
        """
        raise NotImplementedError

    def derived(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Compute the gates of :meth:`affine_step` from the gates named in ``token`` and ``layer``.

        By default, the gates are returned unchanged.
        """
        return raw

    # The cell.

    def gates(self, view: Tensor) -> dict[str, Any]:
        """Compute the gates by name; the components of a vector k are ``k[1]``, ``k[2]``, ..."""
        raw: dict[str, Any] = {}
        for name, value in [*((n, m(view)) for n, m in self.maps.items()), *self.own.items()]:
            # value[...] is the result of an operation even for a parameter, so that bounds can track it
            raw[name] = self.functions[name](value) if name in self.functions else value[...]
        d, words = self.hidden_size, f"{self.layer} {self.token}".split()
        parts: dict[str, Any] = {}
        for word in words:
            name = _base(word)
            if "[" in word:
                parts |= {f"{name}[{j + 1}]": raw[name][..., j * d : (j + 1) * d] for j in range(self.keys)}
            else:
                parts[name] = raw[name]
        return self.derived(parts)

    def steps(self, gates: dict[str, Tensor], state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Compute the components of the state, and the output if there is one, after each step."""
        return tuple(self.run_steps(grouped(gates), list(state[: self.components])))

    @property
    def components(self) -> int:
        """Return the number of components of a unit's state."""
        return self.per_key * self.keys

    @property
    def c_states(self) -> int:
        """Return the number of components of the state, plus 1 if the cell has an output."""
        return self.components + self.reads

    def start(self, batch: int, value: float | Tensor | None = None) -> tuple[Tensor, ...]:
        """Return the first state: the components are ``value``, and the output is zero."""
        state = list(super().start(batch, value))
        if self.reads:
            state[self.components] = torch.zeros_like(state[self.components])
        return tuple(state)

    # The automaton.

    def weights(self, gates: Mapping[str, Any]) -> dict[str, Any]:
        """Compute the weights of the automaton's transitions by name, from gates of any number type."""
        return self.affine_step(grouped(gates)).weights()

    @property
    def pattern(self) -> Pattern:  # type: ignore[override]
        """Return the pattern of the automaton.

        Its states are the constant 1, the components of the state, and the output if there is one.
        """
        names = [*map(str, range(self.components)), *([OUTPUT] if self.reads else [])]
        number = {CONSTANT: 0} | {name: i for i, name in enumerate(names, 1)}
        arrows = [(number[i], number[j], f"{i}>{j}") for i, j in map(_ends, self._weight_names())]
        starts = [START] * self.components + [ZERO] * self.reads
        return Pattern((ONE, *starts), (*[ZERO] * len(names), ONE), ((0, 0, ONE), *arrows))

    def shown_state(self, unit: int) -> int:
        """Return the index of the automaton's state whose weight is the unit's score."""
        return self.pattern.states - 1

    def _weight_names(self) -> list[str]:
        names = (self.names or f"{self.layer} {self.token}").split()
        return list(self.weights({name: 1 for word in names for name in self._components_of(word)}))

    def _components_of(self, word: str) -> list[str]:
        return [f"{_base(word)}[{j + 1}]" for j in range(self.keys)] if "[" in word else [word]

    def exact_weights(self, gates: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[Any]]:
        """Compute the weights of the automaton's transitions as arrays of fractions, without rounding."""
        exact = {name: np.vectorize(Fraction, otypes=[object])(values) for name, values in gates.items()}
        units = np.full(self.hidden_size, Fraction(0), dtype=object)
        return {name: weight + units for name, weight in self.weights(exact).items()}

    # The rounding bounds.

    @property
    def roundings(self) -> int:
        """Return the maximum number of roundings of a monomial in one step of the network."""
        return self.c_states + 8

    def bounded_weights(self, gates: Mapping[str, ReorderingBound]) -> dict[str, ReorderingBound]:
        """Compute the weights of the automaton with bounds that also cover the roundings of the network.

        The network does not compute these weights: it multiplies gates and components in any order. The
        roundings of a monomial in the network exceed those in this computation by at most :attr:`roundings`.
        """
        like = next(iter(gates.values()))
        result = {}
        for name, weight in self.weights(gates).items():
            if not isinstance(weight, ReorderingBound):  # a constant of the step
                ones = torch.ones(self.hidden_size, device=like.value.device)
                weight = ReorderingBound.leaf(weight * ones, like.kind)
            result[name] = replace(weight, roundings=weight.roundings + self.roundings)
        return result

    def tracked_weights(self, gates: Mapping[str, RunningErrorTensor]) -> dict[str, ReorderingBound]:
        """Compute :meth:`bounded_weights` for gates that another evaluation may round differently."""
        return self.bounded_weights(
            {
                name: ReorderingBound.leaf(gate.value, format_of(gate.dtype), 2 * gate.error)
                for name, gate in gates.items()
            }
        )

    def slack(self, gates: dict[str, RunningErrorTensor]) -> dict[str, Tensor]:
        """Bound the difference between two evaluations of each of the automaton's weights.

        The bounds include the roundings of the network's step. A product with a component of the state may
        underflow. The error is at most the smallest normal number times the later factors. It is added to the
        bound on the weight from the constant 1.
        """
        weights = self.tracked_weights(gates)
        bounds = {name: weight.bound() for name, weight in weights.items()}
        for name, weight in weights.items():
            source, target = _ends(name)
            constant = f"{CONSTANT}>{target}"
            if source != CONSTANT and constant in bounds:
                bounds[constant] = bounds[constant] + self.roundings * weight.kind.tiny * weight.reach
        return bounds


def _base(word: str) -> str:
    return word.partition("[")[0]


def _ends(name: str) -> tuple[str, str]:
    source, _, target = name.partition(">")
    return source, target


class UnitCell(LinearRecurrenceCell):
    """A cell without keys, in which the score of a unit is a component of its state."""

    reads = False

    def __init__(self, input_size: int, hidden_size: int, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, 1, device, dtype)
