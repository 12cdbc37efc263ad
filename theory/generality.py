"""That a proof by induction speaks of all weights and states: a variable for each number, in every mode that
is reached.

An induction whose step is proved for some states only proves nothing of the others. A state is general when
its numbers are variables of their own, which are none of the weights'. The first state need not be, where it
is listed itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from automata.recurrences.polynomials import POLYNOMIALS, Polynomial
from theory.induction import Induction, write_state
from theory.reading import Recurrence
from theory.signature import Signature
from theory.weights import Weights


def what_is_left_out(
    recurrence: Recurrence, induction: Induction, instance: tuple[Signature, str]
) -> str | None:
    """Which states the induction does not speak of, in words; ``None`` where there are none.

    Args:
        recurrence: the network.
        induction: with its states.
        instance: a signature and an alphabet.
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
        return f"leaves out the first state, {write_state(first)}"
    for state in states:
        for symbol in alphabet:
            after = _mode(recurrence, recurrence.step(weights, state, symbol))
            if after not in general:
                where = "" if after is None else f" with {after!r}"
                return f"has no general state{where} to go on from, after {write_state(state)} and {symbol}"
    return None


def _mode(recurrence: Recurrence, state: Any) -> Any:
    return state[0] if recurrence.modes else None


def _is_general(recurrence: Recurrence, state: Any, named: set[str]) -> bool:
    """Are its numbers variables, each another one, and none a weight?"""
    numbers = list(_numbers(state[1] if recurrence.modes else state))
    variables = [
        next(iter(p.terms)) for p in numbers if isinstance(p, Polynomial) and list(p.terms.values()) == [1]
    ]
    single = [word[0] for word in variables if len(word) == 1]
    return len(single) == len(numbers) == len(set(single)) and not named & set(single)


def _numbers(state: Any) -> Iterator[Any]:
    if isinstance(state, (tuple, list)):
        for part in state:
            yield from _numbers(part)
    else:
        yield state


def _variables(weights: Weights) -> Iterator[str]:
    for value in weights.entries.values():
        for entry in value.values() if isinstance(value, dict) else [value]:
            for number in _numbers(entry):
                if isinstance(number, Polynomial):
                    yield from (name for word in number.terms for name in word)
