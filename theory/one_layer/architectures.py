"""The architectures of the table: which layers they contain, and which laws their layers obey."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.one_layer import laws
from theory.one_layer.layers import (
    Columns,
    Complex,
    Diagonal,
    Factor,
    Householder,
    Layer,
    Matrix,
    Number,
    Rwkv,
)
from theory.one_layer.saturated import Saturated

LEAST_DECAY = Fraction(5453, 10000)
"""A number just above exp(-exp(-1/2)), which is the lower bound on the decays of RWKV-7."""


@dataclass(frozen=True)
class Architecture:
    """A class of one-layer networks.

    Attributes:
        name: the title of its row in the tables.
        hypotheses: the definition of the class, in words.
        contains: a function that returns whether a network is in the class, in exact arithmetic.
        finite_laws: the laws of its networks with finitely many reachable states.
        exact_laws: the laws of its networks whose read-out is the sign of an affine function.
        scalar: a function from a gate and an offset to the map x -> gate x + offset of one coordinate, as a
            :class:`~theory.one_layer.layers.Factor`; ``None`` if the class has no such maps.
    """

    name: str
    hypotheses: str
    contains: Callable[[Any], bool]
    finite_laws: tuple[laws.LayerLaw, ...]
    exact_laws: tuple[laws.LayerLaw, ...]
    scalar: Callable[[Number, Number], Factor] | None = None


def _factors(test: Callable[[Any], bool], most: int = 1) -> Callable[[Any], bool]:
    def contains(network: Any) -> bool:
        return isinstance(network, Layer) and all(
            len(factors) <= most and all(map(test, factors)) for factors in network.factors
        )

    return contains


def _gates(low: int) -> Callable[[Any], bool]:
    return lambda factor: isinstance(factor, Diagonal) and all(low <= gate <= 1 for gate in factor.gates)


def _complex(factor: Any) -> bool:
    if isinstance(factor, Complex):
        return all(p * p - p * q + q * q <= 1 for p, q in factor.gates)
    return _gates(-1)(factor)


def _householder(most: int) -> Callable[[Any], bool]:
    return lambda factor: isinstance(factor, Householder) and any(factor.key) and 0 <= factor.beta <= most


def _rwkv(is_open: bool) -> Callable[[Any], bool]:
    def inside(low: Number, number: Number) -> bool:
        return low < number < 1 if is_open else low <= number <= 1

    return lambda factor: (
        isinstance(factor, Rwkv)
        and sum(k * k for k in factor.key) == 1
        and all(inside(LEAST_DECAY, w) for w in factor.decay)
        and all(inside(0, a) for a in factor.rate)
    )


def _columns(is_open: bool) -> Callable[[Any], bool]:
    return lambda factor: (
        isinstance(factor, Columns) and all(d * d < 1 or (d * d == 1 and not is_open) for d in factor.scales)
    )


def _saturated(kind: str) -> Callable[[Any], bool]:
    return lambda network: isinstance(network, Saturated) and network.kind == kind


def _one_householder(gate: Number, offset: Number) -> Factor:
    return Householder((1,), 1 - gate, Fraction(offset) / (1 - gate) if offset else 0)


def _one_rwkv(gate: Number, offset: Number) -> Factor:
    decay = max((1 + Fraction(gate)) / 2, Fraction(3, 5))
    return Rwkv((decay,), (decay - gate,), (1,), (offset,))


def _delta_product(n: int, *exact: laws.LayerLaw) -> Architecture:
    name, steps = (
        (f"DeltaProduct n_h = {n}", f"at most {n} steps") if n > 1 else ("DeltaNet β ≤ 2", "one step")
    )
    own = (laws.CUBE,) if n == 1 else (laws.power(n),)
    return Architecture(
        name,
        f"{steps} x → x - β k (k·x - v) per letter in each head, |k| = 1, β in [0, 2]",
        _factors(_householder(2), n),
        (laws.FINITE, *own, laws.IDEMPOTENTS, laws.TRANSLATION, *((laws.REFLECTIONS,) if n < 4 else ())),
        exact,
        _one_householder,
    )


_FINITE = (laws.FINITE,)
ARCHITECTURES = {
    architecture.name: architecture
    for architecture in (
        Architecture(
            "diagonal [0,1]",
            "x → g ∘ x + b, gates g in [0, 1]",
            _factors(_gates(0)),
            (laws.FINITE, laws.LAST),
            (laws.CROSSING, laws.CHANGES),
            lambda gate, offset: Diagonal((gate,), (offset,)),
        ),
        Architecture(
            "diagonal [-1,1]",
            "x → g ∘ x + b, gates g in [-1, 1]",
            _factors(_gates(-1)),
            (laws.FINITE, laws.CUBE, laws.ABELIAN, laws.IDEMPOTENTS, laws.TRANSLATION),
            (laws.CROSSING, laws.PERIOD_TWO),
            lambda gate, offset: Diagonal((gate,), (offset,)),
        ),
        Architecture(
            "complex diagonal",
            "x → g ∘ x + b, complex gates with |g| ≤ 1; the read-out sees real and imaginary parts",
            _factors(_complex),
            (laws.FINITE, laws.power(1), laws.ABELIAN, laws.IDEMPOTENTS, laws.TRANSLATION),
            (laws.CROSSING,),
            lambda gate, offset: Diagonal((gate,), (offset,)),
        ),
        Architecture(
            "DeltaNet β ≤ 1",
            "x → x - β k (k·x - v), |k| = 1, β in [0, 1]",
            _factors(_householder(1)),
            (laws.FINITE, laws.LAST),
            (laws.CHANGES,),
            _one_householder,
        ),
        _delta_product(1, laws.PERIOD_TWO),
        _delta_product(2),
        _delta_product(3),
        _delta_product(4),
        Architecture(
            "RWKV-7, open",
            "x → w ∘ x - κ ((a ∘ κ)·x) + b, |κ| = 1, w in (exp(-exp(-1/2)), 1), a in (0, 1)",
            _factors(_rwkv(True)),
            (laws.FINITE, laws.CONSTANT),
            (laws.PERIOD_TWO,),
            _one_rwkv,
        ),
        Architecture(
            "RWKV-7, closed",
            "the same with w in [exp(-exp(-1/2)), 1] and a in [0, 1]",
            _factors(_rwkv(False)),
            (laws.FINITE, laws.IDEMPOTENT, laws.ALTERNATING),
            (laws.PERIOD_TWO,),
            _one_rwkv,
        ),
        Architecture(
            "PD-SSM, open",
            "x → P D x + b, each column of P has one 1, D is diagonal with |d| < 1",
            _factors(_columns(True)),
            _FINITE,
            (),
            lambda gate, offset: Columns((0,), (gate,), (offset,)),
        ),
        Architecture("PD-SSM, closed", "the same with |d| ≤ 1", _factors(_columns(False)), _FINITE, ()),
        Architecture(
            "saturated Elman",
            "h → sign(U h + V x + b), no pre-activation is 0",
            _saturated("elman"),
            _FINITE,
            _FINITE,
        ),
        Architecture(
            "Heaviside Elman",
            "h → H(U h + V x + b), where H(z) is 1 if z is positive, and otherwise 0",
            _saturated("heaviside"),
            _FINITE,
            _FINITE,
        ),
        Architecture("tanh Elman", "h → tanh(U h + V x + b), real numbers", _saturated("tanh"), _FINITE, ()),
        Architecture("ReLU Elman", "h → max(0, U h + V x + b)", _saturated("relu"), _FINITE, ()),
        Architecture(
            "saturated GRU",
            "gates are 0 or 1, the candidate is -1 or 1, no pre-activation is 0",
            _saturated("gru"),
            _FINITE,
            _FINITE,
        ),
        Architecture(
            "saturated LSTM",
            "gates are 0 or 1, the candidate is -1 or 1, no pre-activation is 0; h = tanh c is exact",
            _saturated("lstm"),
            _FINITE,
            (),
        ),
        Architecture(
            "linear second-order RNN",
            "x → A x, any matrix for each letter: a weighted automaton",
            _factors(lambda factor: isinstance(factor, Columns | Matrix)),
            _FINITE,
            (),
        ),
    )
}
"""The architectures by name, in the order of the rows."""


def steps(
    architecture: Architecture, gates: Mapping[Any, Number], offsets: Mapping[Any, Number]
) -> dict[Hashable, tuple[Factor, ...]]:
    """Return the map of each letter for a head with one coordinate, in the architecture's form.

    The map is x -> gate x + offset. Letters without an offset have the offset 0.
    """
    assert architecture.scalar is not None
    return {letter: (architecture.scalar(gate, offsets.get(letter, 0)),) for letter, gate in gates.items()}
