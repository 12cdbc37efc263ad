"""A program of a user's, which gives every string the score that its automata give it, within rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

from hypothesis import strategies as st

from automata.strings import String
from ratproof.evidence.ledger import ledger
from ratproof.evidence.random_cases import for_random_cases
from ratproof.evidence.subjects import BELIEVED, Subject
from ratproof.implementations.comparison import Comparison
from ratproof.implementations.implementation import LONGEST, string_of_length, strings_over
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.exhausted import length_within
from theory.claim import USUAL

EACH_LENGTH = 2
"""Cases of each length that every run has, besides those that are drawn: a program may be right on short
strings alone, as one that works in chunks.
"""
_ONE_IN_FOUR = st.integers(0, 3)


@dataclass(frozen=True)
class ProgramUnderTest(Subject):
    """A program and its automata.

    Attributes:
        comparison: the two sides held against each other.
    """

    comparison: Comparison | None = None


def program_under_test(
    name: str,
    says: str,
    comparison: Comparison,
    alphabet: Sequence[str],
    kinds: Sequence[str],
    device: str,
    lengths: Sequence[int],
) -> ProgramUnderTest:
    """Return the subject.

    Args:
        name: of the claim.
        says: the claim in a sentence.
        comparison: the two sides held against each other.
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


def sampled(name: str, comparison: Comparison, alphabet: Sequence[str], lengths: Sequence[int]) -> None:
    """Assert that both sides agree on random strings, and on strings of each of these lengths.

    Raises :class:`~ratproof.evidence.counterexample.Disagreement`.
    """
    symbols = tuple(alphabet)

    def one_case(data: st.DataObject) -> None:
        some = data.draw(strings_over(symbols, USUAL.strings, USUAL.longest, USUAL.run))
        if not data.draw(_ONE_IN_FOUR):
            some = [*some, data.draw(_long_string(symbols))]
        agree(comparison, some)

    cases = f"{name} {BELIEVED} sampled "  # the blank is a part of the seed
    for_random_cases(cases, None, one_case)
    for length in lengths:

        def one_length(data: st.DataObject, length: int = length) -> None:
            agree(comparison, [data.draw(string_of_length(symbols, length))])

        for_random_cases(f"{cases} {length}", EACH_LENGTH, one_length)


def exhausted(comparison: Comparison, alphabet: Sequence[str]) -> None:
    """Assert that both sides agree on every string up to a length, the shortest first.

    Raises :class:`~ratproof.evidence.counterexample.Disagreement`.
    """
    longest = length_within(len(alphabet))
    every = [string for length in range(longest + 1) for string in product(alphabet, repeat=length)]
    ledger().facts.update(longest=longest)
    agree(comparison, every)


@cache
def _long_string(alphabet: Sequence[str]) -> st.SearchStrategy[String]:
    """Draw a string of up to :data:`LONGEST` symbols from a seed: one choice, and not one a symbol."""

    def read(seed: int, length: int) -> String:
        return tuple(Random(seed).choices(list(alphabet), k=length))

    return st.builds(read, st.integers(0, 2**32), st.integers(0, LONGEST))
