"""A program of a user's, which gives every string the score that its automata give it, within rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count, islice, product
from random import Random
from typing import Protocol

from hypothesis import strategies as st

from automata.aliases import Symbols
from automata.errors import InputError
from automata.strings import String
from automata.testing.distinguishing_strings import TestStrings
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import ledger, recording
from ratproof.evidence.random_cases import for_random_cases
from ratproof.evidence.shrinking import shrink
from ratproof.evidence.subjects import BELIEVED, Subject
from ratproof.implementations.comparison import Comparison, StringResult, counterexample
from ratproof.implementations.implementation import LONGEST, string_of_length, strings_over
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.exhausted import length_within
from theory.claim import USUAL

EACH_LENGTH = 2
"""Cases of each length that every run has, besides those that are drawn: a program may be right on short
strings alone, as one that works in chunks.
"""
_ONE_IN_FOUR = st.integers(0, 3)
FEW_STRINGS = 200
"""On which a module is run in the other layout."""


class ProgramComparison(Comparison, Protocol):
    """A user's program against its automata."""

    batch_first: bool

    def confirm(self, compared: StringResult) -> None:
        """Raise NotAFunction if the string, run again, shows something else."""

    def in_other_layout(self) -> ProgramComparison:
        """Return the same comparison with the program's first two axes exchanged."""

    def test_strings(self) -> TestStrings:
        """Return strings that distinguish the automata from others."""

    def constant(self) -> str:
        """Return in words why the automata give all strings the same score; nothing if they do not."""


@dataclass(frozen=True)
class ProgramUnderTest(Subject):
    """A program and its automata.

    Attributes:
        comparison: the comparison of the two sides.
    """

    comparison: ProgramComparison | None = None


def program_under_test(
    name: str,
    says: str,
    comparison: ProgramComparison,
    alphabet: Sequence[str],
    kinds: Sequence[str],
    device: str,
    lengths: Sequence[int],
) -> ProgramUnderTest:
    """Return the subject.

    Args:
        name: of the claim.
        says: the claim in a sentence.
        comparison: the comparison of the two sides.
        alphabet: the symbols.
        kinds: of evidence: ``sampled``, ``exhausted``.
        device: where the program runs.
        lengths: of strings that each run has, besides those that are drawn.
    """
    rungs: dict[str, Callable[[], None]] = {
        "sampled": lambda: sampled(name, comparison, alphabet, lengths),
        "exhausted": lambda: exhausted(comparison, alphabet),
    }
    chosen = {kind: rungs[kind] for kind in kinds}
    return ProgramUnderTest(name, says, chosen, device, comparison)


def sampled(
    name: str, comparison: ProgramComparison, alphabet: Sequence[str], lengths: Sequence[int]
) -> None:
    """Assert that both sides agree on random strings, on strings of these lengths, and on test strings.

    The test strings distinguish the automata from others.

    Raises:
        Disagreement: If the sides differ on a string.
    """
    symbols = tuple(alphabet)

    def one_case(data: st.DataObject) -> None:
        some = data.draw(strings_over(symbols, USUAL.strings, USUAL.longest, USUAL.run))
        if not data.draw(_ONE_IN_FOUR):
            some = [*some, data.draw(_long_string(symbols))]
        agree(comparison, some)

    cases = f"{name} {BELIEVED} sampled "  # the blank is a part of the seed
    with _explained(comparison, symbols):
        for_random_cases(cases, None, one_case, shrinks=False)
        for length in lengths:

            def one_length(data: st.DataObject, length: int = length) -> None:
                agree(comparison, [data.draw(string_of_length(symbols, length))])

            for_random_cases(f"{cases} {length}", EACH_LENGTH, one_length, shrinks=False)
        agree(comparison, _test_strings(comparison))


def exhausted(comparison: ProgramComparison, alphabet: Sequence[str]) -> None:
    """Assert that both sides agree on every string up to a length, shortest first, and on test strings.

    The test strings distinguish the automata from others.

    Raises:
        Disagreement: If the sides differ on a string.
    """
    longest = length_within(len(alphabet))
    every = [string for length in range(longest + 1) for string in product(alphabet, repeat=length)]
    with _explained(comparison, alphabet):
        longer = [string for string in _test_strings(comparison) if len(string) > longest]
        try:
            agree(comparison, [*every, *longer])
        finally:
            ledger().facts.update(longest=longest)


def _test_strings(comparison: ProgramComparison) -> Sequence[String]:
    """Return the strings that distinguish the automata, and note what they show."""
    chosen = comparison.test_strings()
    if chosen.strings:
        which = f"all that refute {chosen.refutes}" if chosen.refutes else "some of them"
        ledger().facts["test_strings"] = [len(chosen.strings), which]
    return chosen.strings


@contextmanager
def _explained(comparison: ProgramComparison, alphabet: Sequence[str]) -> Iterator[None]:
    """Replace the counterexample by a smaller one, and record likely mistakes.

    Mistakes are looked for in the call of the program and in the automata.
    """
    facts = ledger().facts
    try:
        yield
    except Disagreement as error:
        string = _original(error.counterexample.string, alphabet)
        smaller, facts["shrinking"] = _smaller(comparison, string, alphabet)
        facts["layout"] = _other_layout(comparison, alphabet, [string])
        if smaller is None:
            raise
        raise Disagreement(counterexample(comparison, smaller)) from None
    except Exception as error:
        hint = _other_layout(comparison, alphabet, [])
        if not hint:
            raise
        what = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise InputError(f"{what.splitlines()[0]}; {hint}") from error
    if ledger().informative == 0:
        facts["alike"] = comparison.constant()


def _original(string: Sequence[str], alphabet: Sequence[str]) -> Symbols:
    """Return the string in the symbols of the alphabet, which a counterexample has as text."""
    symbols = {str(symbol): symbol for symbol in alphabet}
    return tuple(symbols[symbol] for symbol in string)


def _smaller(
    comparison: ProgramComparison, string: Symbols, alphabet: Sequence[str]
) -> tuple[StringResult | None, str]:
    """Return the comparison of the smallest failing string found, and whether the search was stopped.

    The comparison is None if the string does not fail by itself.
    """
    failing: dict[Symbols, StringResult] = {}

    def fails(string: Symbols) -> bool:
        result = next(iter(comparison.compare([string])))
        if result.difference is not None:
            failing[string] = result
        return result.difference is not None

    with recording():
        if not fails(string):
            return None, ""
        shrunk = shrink(string, fails, alphabet)
        smallest = failing[shrunk.string]
        comparison.confirm(smallest)
    return smallest, shrunk.stopped


def _other_layout(comparison: ProgramComparison, alphabet: Sequence[str], also: Sequence[String]) -> str:
    """Return a hint if the program agrees with its automata once its first two axes are exchanged.

    The hint is empty if the program does not agree, or if too little could be compared.
    """
    other = comparison.in_other_layout()
    short = (string for length in count(1) for string in product(alphabet, repeat=length))
    longer = comparison.test_strings().strings[-FEW_STRINGS // 2 :]
    strings = sorted([*islice(short, FEW_STRINGS // 2), *longer, *also], key=len)
    try:
        with recording():
            results = list(other.compare(strings))
    except Exception:
        return ""
    cases = sum(result.cases for result in results)
    if not any(result.varies for result in results) or any(result.difference for result in results):
        return ""
    layout = "(B, T, ...)" if other.batch_first else "(T, B, ...)"
    return (
        f"with inputs of shape {layout} the module agrees with its automaton on {cases:,} strings: pass"
        f" batch_first={other.batch_first}"
    )


@cache
def _long_string(alphabet: Sequence[str]) -> st.SearchStrategy[String]:
    """Draw a string of up to :data:`LONGEST` symbols from a seed: one choice, and not one a symbol."""

    def read(seed: int, length: int) -> String:
        return tuple(Random(seed).choices(list(alphabet), k=length))

    return st.builds(read, st.integers(0, 2**32), st.integers(0, LONGEST))
