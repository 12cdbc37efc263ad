"""A check that a proof by induction covers all weights and states.

An induction whose step is proved only for some states proves nothing about other states. A state is general
if its components are distinct variables that differ from the variables of the weights. The proof lists the
states of its step. They must include the network's first state, or a general state with the same mode
(:class:`~theory.reading.Recurrence`). They must also include a general state for every mode that the network
can reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from automata.recurrences.polynomials import POLYNOMIALS, Polynomial
from theory.induction import Induction, write_state
from theory.reading import Recurrence
from theory.signature import Signature, leaves
from theory.weights import Weights


def what_is_left_out(
    recurrence: Recurrence, induction: Induction, instance: tuple[Signature, str]
) -> str | None:
    """Return a description of the states that the induction does not cover; ``None`` if it covers all.

    Args:
        recurrence: the network.
        induction: the proof, which lists the states of its step.
        instance: the names and shapes of the weights, and the alphabet.
    """
    signature, alphabet = instance
    if not alphabet:
        return "has an instance without letters"
    weights = signature.variables(alphabet, POLYNOMIALS)
    every = list(_variables(weights))
    named = set(every)
    if len(every) != len(named):
        return f"has one variable, {next(name for name in every if every.count(name) > 1)}, for two weights"
    states = list(induction.states(weights, POLYNOMIALS.variable))
    general = {_mode(recurrence, state) for state in states if _is_general(recurrence, state, named)}
    first = recurrence.start(weights)
    if _mode(recurrence, first) not in general and first not in states:
        return f"omits the first state, {write_state(first)}"
    for state in states:
        for symbol in alphabet:
            after = _mode(recurrence, recurrence.step(weights, state, symbol))
            if after not in general:
                where = "" if after is None else f" with {after!r}"
                return f"has no general state{where} to continue from after {write_state(state)} and {symbol}"
    return None


def _mode(recurrence: Recurrence, state: Any) -> Any:
    return state[0] if recurrence.modes else None


def _is_general(recurrence: Recurrence, state: Any, named: set[str]) -> bool:
    """Return whether the components of a state are distinct variables that are not weights."""
    numbers = list(leaves(state[1] if recurrence.modes else state))
    variables = [
        next(iter(p.terms)) for p in numbers if isinstance(p, Polynomial) and list(p.terms.values()) == [1]
    ]
    single = [word[0] for word in variables if len(word) == 1]
    return len(single) == len(numbers) == len(set(single)) and not named & set(single)


def _variables(weights: Weights) -> Iterator[str]:
    for value in weights.entries.values():
        for number in leaves(list(value.values()) if isinstance(value, dict) else value):
            if isinstance(number, Polynomial):
                yield from (name for word in number.terms for name in word)
