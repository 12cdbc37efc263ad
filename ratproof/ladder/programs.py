"""Evidence that a user's program gives every string the score of its automata, within rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count, islice, product
from random import Random

from hypothesis import strategies as st

from automata.aliases import Symbols
from automata.errors import InputError
from automata.strings import String
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import ledger, recording
from ratproof.evidence.lengths import LONGEST
from ratproof.evidence.random_cases import for_random_cases
from ratproof.evidence.shrinking import shrink
from ratproof.evidence.subjects import STATED, Subject
from ratproof.implementations.comparison import StringResult, counterexample
from ratproof.implementations.decision import DecisionComparison
from ratproof.implementations.implementation import string_of_length, strings_over
from ratproof.implementations.module import ModuleComparison
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.exhausted import length_within
from theory.claim import USUAL

EACH_LENGTH = 2
"""Number of random strings of each length in the argument ``lengths``.

These strings are needed because a chunked program may only be correct on strings shorter than a chunk.
"""
_ONE_IN_FOUR = st.integers(0, 3)
FEW_STRINGS = 200
"""Number of strings on which a module is run with the axes time and batch exchanged."""


ProgramComparison = ModuleComparison | DecisionComparison
"""A comparison of a user's program with its automata."""


@dataclass(frozen=True)
class ProgramUnderTest(Subject):
    """A user's program, with the automata whose scores it is claimed to compute.

    Attributes:
        comparison: The comparison of the program with its automata.
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
    """Return the claim that a user's program agrees with automata, as a subject of evidence.

    Args:
        name: Name of the claim.
        says: The claim as a sentence.
        comparison: The comparison of the program with its automata.
        alphabet: The symbols.
        kinds: Kinds of evidence: ``sampled``, ``exhausted``.
        device: Device on which the program runs.
        lengths: Lengths of strings that each run covers, in addition to random lengths.
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
    """Assert that the program agrees with its automata on random strings and on test strings.

    Some random strings have the given lengths. The test strings distinguish the automata from other automata.
    For decisions, there are also long strings with repeated words.

    Raises:
        Disagreement: If the program differs from its automata on a string.
    """
    symbols = tuple(alphabet)

    def one_case(data: st.DataObject) -> None:
        some = data.draw(strings_over(symbols, USUAL.strings, USUAL.longest, USUAL.run))
        if not data.draw(_ONE_IN_FOUR):
            some = [*some, data.draw(_long_string(symbols))]
        agree(comparison, some)

    cases = f"{name} {STATED} sampled "  # the space is part of the seed
    with _explained(comparison, symbols):
        for_random_cases(cases, None, one_case, shrinks=False)
        for length in lengths:

            def one_length(data: st.DataObject, length: int = length) -> None:
                agree(comparison, [data.draw(string_of_length(symbols, length))])

            for_random_cases(f"{cases} {length}", EACH_LENGTH, one_length, shrinks=False)
        agree(comparison, _test_strings(comparison))
        agree(comparison, comparison.pumped_strings())


def exhausted(comparison: ProgramComparison, alphabet: Sequence[str]) -> None:
    """Assert that the program agrees with its automata on all strings up to a length and on test strings.

    The test strings distinguish the automata from other automata.

    Raises:
        Disagreement: If the program differs from its automata on a string.
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
    """Return the strings that distinguish the automata, and record their description in the ledger."""
    chosen = comparison.test_strings()
    if chosen.strings:
        which = f"all that refute {chosen.refutes}" if chosen.refutes else "some of them"
        ledger().facts["test_strings"] = [len(chosen.strings), which]
    return chosen.strings


@contextmanager
def _explained(comparison: ProgramComparison, alphabet: Sequence[str]) -> Iterator[None]:
    """Raise any error of the block again, with a smaller counterexample and a hint at a likely mistake.

    One likely mistake is that the axes time and batch are exchanged in the program. Another is that the
    automata give all strings the same score.
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
    """Convert a counterexample's string, which is text, to the symbols of the alphabet."""
    symbols = {str(symbol): symbol for symbol in alphabet}
    return tuple(symbols[symbol] for symbol in string)


def _smaller(
    comparison: ProgramComparison, string: Symbols, alphabet: Sequence[str]
) -> tuple[StringResult | None, str]:
    """Return the result for the smallest string that fails, and the reason if the search was stopped.

    The result is None if the string does not fail when it runs alone.
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
    """Return a hint if the program agrees with its automata after the axes time and batch are exchanged.

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
        f"with inputs of shape {layout} the module agrees with its automaton on {cases:,} strings; pass"
        f" batch_first={other.batch_first}"
    )


@cache
def _long_string(alphabet: Sequence[str]) -> st.SearchStrategy[String]:
    """Return a strategy for strings of at most :data:`LONGEST` symbols, each drawn from a single seed."""

    def read(seed: int, length: int) -> String:
        return tuple(Random(seed).choices(list(alphabet), k=length))

    return st.builds(read, st.integers(0, 2**32), st.integers(0, LONGEST))
