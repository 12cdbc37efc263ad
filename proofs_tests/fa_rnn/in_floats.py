"""FA-RNNs in torch with weights that floats hold, which the tests of several claims compare with their
automata.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.strategies import readings
from ratproof.rungs.agreement import agree
from ratproof.sides.fa_rnn import Equation, OfFARNN
from theory.signature import Signature

DYADIC = tuple(Fraction(n, 8) for n in (0, 8, -8, 4, 1, 3, -5, 7, 12, -20))
"""Weights that every float format holds, some of which round when they are multiplied often."""


def agree_in_floats(
    claim: str,
    variant: str,
    signature: Signature,
    cell: Equation,
    dtype: str,
    device: str,
    data: Any,
    most: int = 8,
) -> None:
    """Random weights of that signature: the torch network against the variant's automaton, within the derived
    bound.
    """
    names, strings = data.draw(readings(most=most, longest=8, run=10))
    case = data.draw(signature.random("abc")).renamed(names)
    agree(OfFARNN(claim, variant, case, cell, dtype, device), strings)
