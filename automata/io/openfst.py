"""Conversion of automata to and from OpenFst, by pynini.

OpenFst stores costs: its tropical weights are our min-plus weights, and its log and log64 weights are our log
weights, negated. A real weight becomes its negative logarithm. Negative weights have no logarithm, so an
automaton with negative weights is written as *two tracks*: each state occurs twice, once for positive and
once for negative products of the weights so far. A negative weight changes the track, and the score is the
difference of the two tracks' scores.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

import numpy as np
import pynini

from automata.aliases import Weight, Weights
from automata.errors import InputError
from automata.semirings import LOG, MIN_PLUS, Semiring
from automata.sparse_matrix import SparseMatrix
from automata.symbols import EPSILON
from automata.wfsa import WFSA

ARC_TYPES = ("standard", "log", "log64")
SINGLE_PRECISION = ("standard", "log")
"""Arc types whose weights are float32."""
_LARGEST_EXPONENT = 709.0  # e to a larger power overflows float64


def arc_type_for(semiring: Semiring) -> str:
    """Return OpenFst's arc type with this semiring's plus: ``standard`` (tropical) or ``log64``."""
    if semiring.openfst_arc is None:
        raise InputError(f"OpenFst has no arc type for the {semiring.name} semiring")
    return semiring.openfst_arc


def to_openfst(automaton: WFSA, arc_type: str | None = None) -> pynini.Fst:
    """Return the automaton as an OpenFst acceptor with an additional start state 0.

    Symbol i has label i + 1, epsilon has label 0, and state q becomes q + 1.

    Raises:
        InputError: If a real weight is negative (see :func:`two_tracks`), or the arc type
            does not add like the semiring.
    """
    k = automaton.semiring
    kind = arc_type or arc_type_for(k)
    if kind not in ARC_TYPES:
        raise InputError(f"the arc type must be one of {', '.join(ARC_TYPES)}, got {kind!r}")
    if (kind == "standard") != (arc_type_for(k) == "standard"):
        raise InputError(
            f"arc type {kind} does not match the addition of the {k.name} semiring; use {arc_type_for(k)}"
        )
    label = {EPSILON: 0, **{s: i + 1 for i, s in enumerate(automaton.index)}}
    fst = pynini.Fst(arc_type=kind)
    fst.add_states(automaton.states + 1)
    fst.set_start(0)

    def weight(value: Weight) -> pynini.Weight:
        return pynini.Weight(fst.weight_type(), cost(k, value))

    for q, value in enumerate(automaton.initial.tolist()):
        if value != k.zero:
            fst.add_arc(0, pynini.Arc(0, 0, weight(value), q + 1))
    for q, value in enumerate(automaton.final.tolist()):
        if value != k.zero:
            fst.set_final(q + 1, weight(value))
    for edge in automaton.edges():
        fst.add_arc(
            edge.source + 1,
            pynini.Arc(label[edge.symbol], label[edge.symbol], weight(edge.weight), edge.target + 1),
        )
    return fst


def from_openfst(
    fst: pynini.Fst,
    alphabet: Sequence[Hashable] | Mapping[int, Hashable],
    semiring: Semiring | None = None,
    *,
    exact: bool = False,
) -> WFSA:
    """Convert an OpenFst acceptor to an automaton with float64 weights.

    If ``exact`` is true, each weight is stored as the fraction that
    equals its float, unless the semiring is log.
    Label i is ``alphabet[i - 1]``, or the mapping's value for i if ``alphabet`` is a mapping. The alphabet
    may have symbols that no arc reads. The default semiring is min-plus for ``standard``, and log for ``log``
    and ``log64``.
    """
    names = alphabet if isinstance(alphabet, Mapping) else dict(enumerate(alphabet, 1))
    alphabet = list(names.values())
    k = semiring or (MIN_PLUS if fst.arc_type() == "standard" else LOG)
    if (fst.arc_type() == "standard") != (arc_type_for(k) == "standard"):
        raise InputError(f"arc type {fst.arc_type()} does not match the addition of the {k.name} semiring")
    states = list(fst.states())
    if fst.start() < 0:
        return WFSA.from_edges(k, 0, alphabet, [], [], [])
    arcs: list[tuple[int, int, Hashable, Weight]] = []
    for q in states:
        for arc in fst.arcs(q):
            if arc.ilabel != arc.olabel:
                raise InputError(
                    f"the FST must be an acceptor, but state {q} turns label {arc.ilabel} into {arc.olabel}"
                )
            symbol = names[arc.ilabel] if arc.ilabel else EPSILON
            arcs.append((q, arc.nextstate, symbol, _value(k, arc.weight, exact)))
    finals = [(q, _value(k, _final_weight(fst, q), exact)) for q in states]
    return WFSA.from_edges(k, len(states), alphabet, [(fst.start(), k.one)], finals, arcs)


def _final_weight(fst: pynini.Fst, state: int) -> pynini.Weight:
    try:
        return fst.final(state)
    except pynini.FstIndexError:  # pynini's error for weights that are not in OpenFst's semiring
        raise InputError(f"the final weight of state {state} must not be NaN or -infinity") from None


def two_tracks(automaton: WFSA) -> tuple[WFSA, WFSA]:
    """Return two automata without negative weights whose difference is ``automaton``.

    Both have the states (q, +) = q and (q, -) = n + q, and differ only in their final weights.
    """
    n = automaton.states

    def split(weights: Weights) -> tuple[Weights, Weights]:
        return np.where(weights > 0, weights, 0), np.where(weights < 0, -weights, 0)

    def doubled(table: SparseMatrix) -> SparseMatrix:
        """Return the matrix of both tracks. A negative weight leads to the other track."""
        other = np.where(table.weights > 0, 0, n)
        rows = np.concatenate([table.rows, table.rows + n])
        columns = np.concatenate([table.columns + other, table.columns + n - other])
        return SparseMatrix.of_entries(2 * n, rows, columns, np.tile(abs(table.weights), 2))

    plus, minus = split(automaton.final)
    first = automaton.with_tables(
        doubled, initial=np.concatenate(split(automaton.initial)), final=np.concatenate([plus, minus])
    )
    return first, first.replace(final=np.concatenate([minus, plus]))


def cost(k: Semiring, value: Weight) -> float:
    """Convert a weight to the cost that OpenFst stores."""
    if k.log_sign:
        return -k.log_sign * float(value)
    if value < 0:
        raise InputError(
            f"weight {k.format(value)} is negative and has no logarithm; two_tracks() splits the automaton"
        )
    return 0.0 - _log(bool(value) if k.is_boolean else value)


def weight_of_cost(k: Semiring, value: float) -> Weight:
    """Convert a cost back to a weight; return infinity if the weight is beyond float64."""
    if k.is_boolean:
        return value < math.inf
    if k.log_sign:
        return -k.log_sign * value
    return math.exp(-value) if value > -_LARGEST_EXPONENT else math.inf


def _log(value: Weight) -> float:
    if value == 0:
        return -math.inf
    if isinstance(value, float):
        return math.log(value)
    # log(numerator) - log(denominator) would cancel: both are large for long fractions, as are their errors
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if abs(exponent) < 1000:
        return math.log(value)
    return math.log(value / Fraction(2) ** exponent) + exponent * math.log(2)


def precisely(weight: pynini.Weight) -> float:
    """Return the exact value of a weight, which ``float(weight)`` rounds to nine digits."""
    kind = {"tropical": "standard", "log": "log", "log64": "log64"}[weight.type()]
    fst = pynini.Fst(arc_type=kind)
    fst.set_start(fst.add_state())
    fst.set_final(0, weight)
    # The file ends with the only state: its final weight, and its number of arcs (int64).
    layout = "<fq" if kind in SINGLE_PRECISION else "<dq"
    value, arcs = struct.unpack(layout, fst.write_to_string()[-struct.calcsize(layout) :])
    assert arcs == 0
    return float(value)


def _value(k: Semiring, weight: pynini.Weight, exact: bool) -> Weight:
    stored = precisely(weight)
    if math.isnan(stored):
        raise InputError("the weights must be numbers, got NaN")
    value = weight_of_cost(k, stored)
    if k.is_field and k.exact_only:
        return _integer(value, stored, 2.0**-24 if weight.type() != "log64" else 2.0**-53)
    return k.exact(value) if exact and not k.float_only else value


def _integer(value: float, stored: float, unit: float) -> int:
    """Return the integer whose negative logarithm, rounded with this unit roundoff, is ``stored``."""
    number = round(value) if value < math.inf else -1
    if number < 0 or abs(number - value) > 2 * value * (abs(stored) * unit + 2.0**-50):
        raise InputError(f"the weights must be negative logarithms of integers, got {stored!r}")
    return number
