"""Test strings that distinguish an automaton from other automata of bounded size.

For a DFA, the W-method is used (Chow 1978; Vasilevskii 1973): each test concatenates an access string of a
state, up to k arbitrary symbols, and a distinguishing suffix. For a weighted automaton over a field, the
prefixes and suffixes belong to a basis of its Hankel matrix, which determines it among all automata of its
rank.

>>> even = DFA(("a", "b"), start=0, table=((1, 0), (0, 1)), final=frozenset({0}))
>>> ["".join(x) for x in w_method(even)]
['', 'a', 'b', 'aa', 'ab']
>>> print(dfa_strings(even).refutes)
every other DFA with at most 9 states
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, product
from math import prod
from random import Random

import numpy as np

from automata.aliases import Symbol, Symbols
from automata.dfa import DFA
from automata.equivalence.explore import explore
from automata.equivalence.integers import cleared, primes
from automata.hankel import shortlex
from automata.operations import remove_epsilon, reverse
from automata.semirings import BOOLEAN
from automata.wfsa import WFSA

MOST_STRINGS = 2_000
MOST_SYMBOLS = 100_000
"""Maximum total number of symbols in all strings."""
MOST_EXTRA = 8
"""Maximum number of extra states; each multiplies the number of strings by the alphabet's size."""
MOST_STATES, MOST_STATES_OF_SUPPORT = 100, 10
"""Maximum number of states of an automaton over a field, and of an automaton over another semiring."""


@dataclass(frozen=True)
class TestStrings:
    """Strings to test a program on.

    Attributes:
        strings: in shortlex order.
        refutes: a description of automata; empty if unknown. If one of them differs from this automaton on
            any nonempty string, it differs on one of the nonempty ``strings``.
    """

    __test__ = False  # not a test class for pytest

    strings: tuple[Symbols, ...]
    refutes: str = ""


def w_method(dfa: DFA, extra: int = 0) -> list[Symbols]:
    """Return strings that distinguish the language from the language of every other DFA of bounded size.

    The other DFA may have at most ``extra`` states more than the minimal DFA.
    """
    minimal = dfa.minimal()
    middles = shortlex(dfa.alphabet, extra + 1)
    return _shortlex(
        dfa.alphabet, map(_joined, product(access_strings(minimal), middles, _suffixes(minimal)))
    )


def hankel_strings(automaton: WFSA) -> list[Symbols]:
    """Return strings that distinguish the automaton from every other one of at most the same rank.

    The other automaton must be over the same field.
    """
    parts = product(*_bases(automaton, 1))
    return _shortlex(automaton.alphabet, map(_joined, parts))


def dfa_strings(dfa: DFA, most: int = MOST_STRINGS, most_symbols: int = MOST_SYMBOLS) -> TestStrings:
    """Return the strings of the W-method, for as many extra states as the limits permit.

    If the limits do not even permit all strings for no extra state, return a random choice of these strings,
    together with an accepted and a rejected string.
    """
    minimal = dfa.minimal()
    prefixes, suffixes = access_strings(minimal), _suffixes(minimal)
    largest: list[Symbols] | None = None
    for extra in count():
        words = sum(len(dfa.alphabet) ** i for i in range(extra + 2))
        if extra > MOST_EXTRA or len(prefixes) * words * len(suffixes) > 4 * most:
            break
        strings = w_method(minimal, extra)
        if len(strings) > most or sum(map(len, strings)) > most_symbols:
            break
        largest = strings
    if largest is None:
        some = _some([prefixes, shortlex(dfa.alphabet, 1), suffixes], most, most_symbols)
        return TestStrings(tuple(_shortlex(dfa.alphabet, [*_one_of_each_kind(minimal), *some])))
    # Another start state can correct the empty string, which programs do not read. So one state is lost.
    states = minimal.states + extra - 2
    if not states:
        return TestStrings(tuple(largest))
    return TestStrings(tuple(largest), f"every other DFA with at most {states} state{'s' * (states != 1)}")


def weighted_strings(
    automata: Sequence[WFSA], most: int = MOST_STRINGS, most_symbols: int = MOST_SYMBOLS
) -> TestStrings:
    """Return test strings for several automata over the same alphabet.

    An automaton over a field contributes concatenations p x s, where x is at most one symbol, and the
    prefixes p and the suffixes s span its Hankel matrix. Any other automaton contributes the test strings of
    its support, the language of the strings that have a path. Automata that are too large contribute no
    strings.
    """
    strings: set[Symbols] = set()
    complete = True
    for automaton in automata:
        if len(strings) > 4 * most:
            complete = False
            break
        if not automaton.semiring.is_field:
            complete = False
            if automaton.states <= MOST_STATES_OF_SUPPORT:
                strings.update(dfa_strings(DFA.from_wfsa(_support(automaton)), most, most_symbols).strings)
        elif automaton.states > MOST_STATES:
            complete = False
        else:
            bases = _bases(automaton, 1)
            complete = complete and _number(bases) <= most
            strings.update(_some(bases, most, most_symbols))
    ordered = _shortlex(automata[0].alphabet, strings)
    chosen = _some([ordered], most, most_symbols)
    refutes = "every other automaton of a smaller rank"  # as in dfa_strings, the empty string costs one
    exhaustive = complete and len(chosen) == len(ordered)
    return TestStrings(tuple(_shortlex(automata[0].alphabet, chosen)), refutes if exhaustive else "")


def _joined(parts: Iterable[Symbols]) -> Symbols:
    return tuple(chain.from_iterable(parts))


def _shortlex(alphabet: Sequence[Symbol], strings: Iterable[Symbols]) -> list[Symbols]:
    index = {symbol: i for i, symbol in enumerate(alphabet)}
    return sorted(set(strings), key=lambda x: (len(x), [index[symbol] for symbol in x]))


def _some(parts: Sequence[Sequence[Symbols]], most: int, most_symbols: int) -> list[Symbols]:
    """Return all concatenations of one string per part, or a fixed random choice if there are too many."""
    random = Random(0)
    if _number(parts) <= most:
        strings = list(map(_joined, product(*parts)))
    else:
        strings = [_joined(map(random.choice, parts)) for _ in range(most)]
    if sum(map(len, strings)) <= most_symbols:
        return strings
    random.shuffle(strings)
    lengths = np.cumsum(list(map(len, strings)))
    return strings[: int(np.searchsorted(lengths, most_symbols, side="right"))]


def _number(parts: Sequence[Sequence[Symbols]]) -> int:
    return prod(map(len, parts))


def access_strings(dfa: DFA) -> list[Symbols]:
    """Return the shortlex-least string to each state of a DFA whose states are all reachable."""
    strings: dict[int, Symbols] = {dfa.start: ()}
    for state in (queue := [dfa.start]):
        for symbol, target in zip(dfa.alphabet, dfa.table[state], strict=True):
            if target not in strings:
                strings[target] = (*strings[state], symbol)
                queue.append(target)
    return list(strings.values())


def _suffixes(minimal: DFA) -> list[Symbols]:
    """Return suffixes, beginning with the empty one, that distinguish every two states."""
    table = np.array(minimal.table, dtype=np.intp).reshape(minimal.states, -1)
    accepts = np.isin(np.arange(minimal.states), sorted(minimal.final))
    suffixes: list[Symbols] = [()]
    columns = [accepts]
    block = np.unique(accepts, return_inverse=True)[1]
    for suffix, column in zip(suffixes, columns, strict=True):  # both lists grow
        for index, symbol in enumerate(minimal.alphabet):
            if block.max() + 1 == minimal.states:
                return suffixes
            before = column[table[:, index]]
            finer = np.unique(2 * block + before, return_inverse=True)[1]
            if finer.max() > block.max():
                block = finer
                suffixes.append((symbol, *suffix))
                columns.append(before)
    return suffixes


def _one_of_each_kind(dfa: DFA) -> Iterator[Symbols]:
    """Yield the shortest nonempty accepted and the shortest nonempty rejected string."""
    string_to: dict[int, Symbols] = {}
    queue: list[int] = []
    kinds: set[bool] = set()
    for source, string in chain([(dfa.start, ())], ((q, string_to[q]) for q in queue)):
        for symbol, target in zip(dfa.alphabet, dfa.table[source], strict=True):
            if target not in string_to:
                string_to[target] = (*string, symbol)
                queue.append(target)
                if (target in dfa.final) not in kinds:
                    kinds.add(target in dfa.final)
                    yield string_to[target]


def _bases(automaton: WFSA, longest: int) -> list[list[Symbols]]:
    """Return three lists: prefixes, all words of at most ``longest`` symbols, and suffixes.

    The prefixes and suffixes span the Hankel matrix.
    """
    plain = remove_epsilon(automaton.to_exact())
    prefixes, mirrored = (_spanning(side) for side in (plain, reverse(plain)))
    words = shortlex(automaton.alphabet, longest)
    return [prefixes, words, [word[::-1] for word in mirrored]]


def _spanning(automaton: WFSA) -> list[Symbols]:
    """Return strings whose state vectors span those of all strings, the empty one first."""
    sides = cleared([automaton])
    words = explore(sides, next(primes())).words
    return list(dict.fromkeys([(), *(tuple(sides.symbols[a] for a in word) for word in words)]))


def _support(automaton: WFSA) -> WFSA:
    """Return the boolean automaton of the strings that have a path."""
    plain = remove_epsilon(automaton)
    zero = plain.semiring.zero
    ends = [[(q, True) for q, w in enumerate(v.tolist()) if w != zero] for v in (plain.initial, plain.final)]
    arrows = [(e.source, e.target, e.symbol, True) for e in plain.edges() if e.weight != zero]
    return WFSA.from_edges(BOOLEAN, plain.states, plain.alphabet, ends[0], ends[1], arrows)
