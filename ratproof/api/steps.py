"""Claims that your own network, written as a step over exact numbers, computes the scores of an automaton.

A file for ``ratproof check`` assigns the result of :func:`step_claim` to a name:

>>> from automata.semirings import REAL
>>> from automata.wfsa import WFSA
>>> halves = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})
>>> claim = step_claim("fading", start=0, step=lambda c, x: c / 2 + (x == "a"), automaton=halves)
>>> claim.variants[0].kinds
('sampled', 'cross-checked', 'exhausted', 'decided')

A claim about *all* weights of some shape is a :class:`theory.claim.Claim`, as in the files in ``theory/``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from hypothesis import strategies as st

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.recurrences.affine import flat
from automata.recurrences.forms import Form, exact_number, numpy_integer_type
from automata.semirings import REAL
from automata.text.number_text import shorten
from automata.wfsa import WFSA
from ratproof.api.own_claim import Checkable
from ratproof.evidence.subjects import STATED
from theory.claim import LADDER, Claim, Source, Variant
from theory.reading import Equality, Recurrence


@dataclass(frozen=True)
class OnlyCase:
    """The only case of a network with fixed weights."""

    automata: tuple[WFSA, ...]

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols, in the automata's order."""
        return self.automata[0].alphabet

    def describe(self) -> str:
        """Return a description of the case."""
        return "the weights are those of the claim"

    def renamed(self, names: dict[str, str]) -> OnlyCase:
        """Return the case itself, because the network's step only knows the original symbols."""
        return self

    def to_json(self) -> JsonObject:
        """Return an empty object, because the weights are in the file that defines the claim."""
        return {}

    def from_json(self, data: JsonObject) -> OnlyCase:
        """Return the case itself, because there is only one."""
        return self


class StepClaim(Checkable, Claim):
    """A claim about a network that is defined by a step."""


def check_automata(name: str, automaton: WFSA | Sequence[WFSA]) -> tuple[WFSA, ...]:
    """Return the automata with exact weights.

    Raises:
        InputError: If there is no automaton, if one is not a WFSA, if their alphabets or semirings differ, or
            if the alphabet is empty or has a symbol that is not a string.
    """
    several: list[Any] = list(automaton) if isinstance(automaton, (list, tuple)) else [automaton]
    for a in several:
        if not isinstance(a, WFSA):
            hint = f"; pass ratproof.read({shorten(str(a))})" if isinstance(a, (str, PathLike)) else ""
            raise InputError(f"{name}: automaton must be a WFSA or a list of WFSAs, got {shorten(a)}{hint}")
    automata = tuple(a if a.exact else a.to_exact() for a in several)
    _check(name, automata)
    return automata


def step_claim(
    name: str,
    *,
    start: Any,
    step: Callable[[Any, Any], Any],
    automaton: WFSA | Sequence[WFSA],
    out: Callable[[Any], Any] | None = None,
    modes: bool = False,
    says: str = "the network computes the automaton's scores",
) -> StepClaim:
    """Return the claim that a network gives every string the score that an automaton gives it.

    Args:
        name: Name of the claim, in lowercase letters, digits and hyphens.
        start: State before the first symbol: a number, or nested tuples of numbers. Floats count as the
            fractions that they represent.
        step: A pure function from a state and a symbol to the next state. It is called with fractions and
            with affine forms (:mod:`automata.recurrences.forms`), so it must compute exactly with both: ``c /
            2``, not ``0.5 * c``.
        automaton: One automaton, or one for each component of the result of ``out``. They must have the same
            alphabet, and its symbols must be strings.
        out: A function from a state to the score or a tuple of scores. Defaults to the state itself, or to
            its numeric part if ``modes`` is true.
        modes: Whether a state is a pair of a mode, which has finitely many values, and numbers.
        says: The claim as a sentence, for the report.

    Raises:
        InputError: If alphabets differ, a symbol is not a string, an automaton has epsilon cycles whose sum
            does not exist, or the first step uses float arithmetic.
    """
    automata = check_automata(name, automaton)
    for what, function in (("step", step), ("out", out)):
        if not callable(function) and (what == "step" or function is not None):
            raise InputError(f"{name}: {what} must be a function, got {shorten(function)}")
    only_case = OnlyCase(automata)
    network = _recurrence(name, start, step, out, modes)
    shown = network.out(only_case, network.start(only_case))
    if len(shown) != len(automata):
        raise InputError(
            f"{name}: there must be one automaton for each of the network's {len(shown)} outputs, got"
            f" {len(automata)}"
        )
    _require_exact_first_steps(network, only_case)

    def cases(alphabet: str) -> st.SearchStrategy[OnlyCase]:
        return st.just(only_case)

    def small(letters: int) -> Iterator[OnlyCase]:
        return iter([only_case] if letters == 1 else [])

    variant = Variant(
        name=STATED,
        expected="holds",
        says=says,
        reading=Equality(network, lambda case: case.automata),
        cases=cases,
        small_cases=small,
        kinds=LADDER if automata[0].semiring is REAL else LADDER[:-1],
        alphabet=only_case.alphabet,
    )
    source = Source("your own", "your file", name)
    return StepClaim(name, says, f"{says}.", source, (), (variant,), example=only_case, case=only_case)


believe = step_claim
"""An older name of :func:`step_claim`."""


def _check(name: str, automata: Sequence[WFSA]) -> None:
    if not automata:
        raise InputError(f"{name}: automaton must not be an empty sequence")
    first = automata[0]
    for a in automata:
        if a.alphabet != first.alphabet or a.semiring is not first.semiring:
            raise InputError(f"{name}: the automata must have the same alphabet and semiring")
    if not first.alphabet:
        raise InputError(f"{name}: the automaton must have at least one symbol, got an empty alphabet")
    strange = [s for s in first.alphabet if not isinstance(s, str)]
    if strange:
        raise InputError(f"{name}: all symbols must be strings, got {strange[0]!r}")


def _recurrence(name: str, start: Any, step: Any, out: Any, modes: bool) -> Recurrence:
    """Return the network as a recurrence over exact numbers, which raises InputError if a step rounds."""

    def begin(case: OnlyCase) -> Any:
        return (start[0], _exact(start[1])) if modes else _exact(start)

    def go_on(case: OnlyCase, state: Any, symbol: Any) -> Any:
        after = step(state, symbol)
        return (after[0], _unrounded(name, after[1])) if modes else _unrounded(name, after)

    def show(case: OnlyCase, state: Any) -> tuple[Any, ...]:
        shown = out(state) if out is not None else state[1] if modes else state
        return tuple(_unrounded(name, tuple(flat(shown))))

    return Recurrence(begin, go_on, show, modes)


def _require_exact_first_steps(network: Recurrence, case: OnlyCase) -> None:
    """Raise InputError if a step from the start state rounds.

    Other exceptions are ignored here, because the evidence reports them.
    """
    for symbol in case.alphabet:
        try:
            network.out(case, network.step(case, network.start(case), symbol))
        except InputError:
            raise
        except (Exception, SystemExit):
            return


def _exact(state: Any) -> Any:
    if isinstance(state, np.ndarray):  # the step may use array arithmetic
        numbers = np.empty(state.size, dtype=object)
        numbers[:] = [_exact(number) for number in state.ravel().tolist()]
        return numbers.reshape(state.shape)
    if isinstance(state, (tuple, list)):
        parts = tuple(map(_exact, state))
        return type(state)(*parts) if hasattr(state, "_fields") else parts  # a named tuple keeps its names
    return (
        state
        if isinstance(state, Form) or (isinstance(state, float) and np.isinf(state))
        else exact_number(state)
    )


def _unrounded(name: str, state: Any) -> Any:
    """Return a state with exact numbers; raise InputError for floats and for integers that wrap around."""
    for number in flat(state):
        if isinstance(number, (float, np.floating)) and np.isfinite(number):
            raise InputError(
                f"{name}: the step must not use float arithmetic, which rounds; pass its weights as"
                " fractions: Fraction(w) is exact"
            )
        wrapping = numpy_integer_type(number)
        if wrapping is not None:
            raise InputError(
                f"{name}: the step computes in NumPy's {wrapping}, which wraps around; convert its weights to"
                " Python integers with int()"
            )
    return _exact(state)
