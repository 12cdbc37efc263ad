"""Hypothesis strategies for weights, strings and automata, which users can also use.

Edge cases are frequent:

- automata without a reachable or a final state, with cycles, and with epsilon (also in cycles, if the
  semiring sums them);
- weights that are zero, one, negative, huge, subnormal or -infinity;
- one-letter alphabets, the empty string, strings of length 1, and long runs of one symbol.

Everything shrinks to few states, few transitions, and the weights 0, 1, -1, 1/2.


>>> from hypothesis import given
>>> from automata.semirings import MAX_PLUS
>>> @given(automata(MAX_PLUS), strings("ab"))
... def test_scores_are_numbers_or_minus_infinity(automaton, string): ...
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Literal

from hypothesis import strategies as st

from automata.aliases import Symbol, Symbols, Weight
from automata.semirings import REAL, SEMIRINGS, Semiring
from automata.symbols import EPSILON
from automata.text.printable_text import has_half_a_character
from automata.wfsa import WFSA

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIMPLE_WEIGHTS = [Fraction(w) for w in ("0", "1", "-1", "1/2", "2", "-1/2", "3", "-2", "1/3", "3/4")]
HUGE = [Fraction(10) ** 30, -(Fraction(2) ** 100), Fraction(2) ** 127]
SUBNORMAL = [Fraction(1, 2**149), Fraction(-3, 2**140), Fraction(1, 2**1074)]

SCATTER = 383
"""A prime that does not divide the length of any list of weights, so its multiples reach all indices."""

Epsilon = Literal["none", "acyclic", "cyclic"]


def semirings() -> st.SearchStrategy[Semiring]:
    """Return a strategy for the seven semirings."""
    return st.sampled_from(list(SEMIRINGS.values()))


@cache
def weights(semiring: Semiring, *, extreme: bool = True) -> st.SearchStrategy[Weight]:
    """Return weights of the semiring, including zero.

    They are fractions, floats over log, integers over counting, and truth values over boolean. With
    ``extreme``, fractions include huge and subnormal numbers.
    """
    if semiring.is_boolean:
        return st.booleans()
    if semiring.exact_only:
        return st.integers(0, 5) | st.just(10**20)
    if semiring.float_only:
        return st.sampled_from([-math.inf, 0.0, -1.0, 1.0, -0.5]) | st.floats(-50, 50)
    return _fractions(semiring, extreme)


def _fractions(semiring: Semiring, extreme: bool) -> st.SearchStrategy[Weight]:
    allowed: list[Weight] = [w for w in SIMPLE_WEIGHTS if semiring.contains(w)]
    if semiring.zero not in allowed:
        allowed.insert(0, semiring.zero)
    any_fraction = sorted(
        filter(semiring.contains, {Fraction(p, q) for p in range(-60, 61) for q in range(1, 17)}),
        key=lambda w: (w.denominator, abs(w)),
    )
    edge_cases = [w for w in (*HUGE, *SUBNORMAL) if semiring.contains(w)] if extreme else []
    simplest = [*allowed, *any_fraction[:40]]
    kinds = (
        (allowed, edge_cases, any_fraction, allowed, edge_cases, allowed)
        if edge_cases
        else (allowed, any_fraction)
    )

    def pick(number: int) -> Weight:
        """Return the weight for an index; small indices give simple weights, to which examples shrink."""
        if number < len(simplest):
            return simplest[number]
        index, which = divmod(number - len(simplest), len(kinds))
        return kinds[which][index * SCATTER % len(kinds[which])]

    # draw one number for each weight, because each draw of Hypothesis takes time
    return st.integers(0, len(simplest) + len(kinds) * len(any_fraction) - 1).map(pick)


def alphabets(most: int = 3) -> st.SearchStrategy[str]:
    """Return ``"a"``, ``"ab"``, ...: between 1 and ``most`` letters."""
    return st.integers(1, most).map(lambda size: LETTERS[:size])


_AWKWARD_TEXTS = r"""0 1 2 00 -1 5 1e3 inf eps <eps> <epsilon> ε a b ab " ' \ \n \N # , / // | $ % & &amp;
* ( {1} [a] [ ] EOS BOS all true null <b>"""
AWKWARD = (
    *_AWKWARD_TEXTS.split(),
    *("\0", "\x1b[2J", "\ud800", "\udcff", "\U0001f600", "\u0430", "\u00e9", "e\u0301", "\u0301", "\u05d0"),
    *(
        "\u202eab",
        "\u200f",
        "\ufeff",
        "\x0b",
        "\x1c",
        "\u0085",
        "\u00a0",
        "a b",
        " ",
        "\t",
        "\n",
        "a\r",
        "\r\n",
    ),
    *("a\u2028b", "# a", ", ", " / ", "a / 2", "a, b", "a and 2 more", "x" * 3000),
)
"""Symbols that files, command lines or drawings treat specially."""


@cache
def symbols(encodable: bool = False) -> st.SearchStrategy[str]:
    """Return symbols of all kinds, most of them awkward: digits, names of epsilon, white space, quotes.

    Without ``encodable``, lone surrogates are included, which no file can contain.
    """
    awkward = [symbol for symbol in AWKWARD if not (encodable and has_half_a_character(symbol))]
    signs = st.text(st.sampled_from("01a \t\n\\\"',/$"), min_size=1, max_size=3)
    return st.sampled_from(awkward) | signs | st.text(min_size=1, max_size=4)


def awkward_alphabets(
    most: int = 3, encodable: bool = False, least: int = 0
) -> st.SearchStrategy[tuple[str, ...]]:
    """Return a strategy for alphabets of ``least`` to ``most`` symbols of all kinds; see :func:`symbols`."""
    return st.lists(symbols(encodable), min_size=least, max_size=most, unique=True).map(tuple)


@cache
def strings(alphabet: str | Symbols, longest: int = 12, run: int = 40) -> st.SearchStrategy[Any]:
    """Return a strategy for strings: mostly short ones, and some long runs of one symbol.

    They are Python strings if ``alphabet`` is one, otherwise tuples of symbols.

    Args:
        alphabet: the symbols.
        longest: the maximum length, except for runs.
        run: the maximum length of runs; 0 for none.
    """
    if not alphabet:
        return st.just("" if isinstance(alphabet, str) else ())

    def of_length(least: int) -> st.SearchStrategy[Any]:
        if isinstance(alphabet, str):
            return st.text(alphabet, min_size=least, max_size=longest)
        return st.lists(st.sampled_from(alphabet), min_size=least, max_size=longest).map(tuple)

    usual, longer = of_length(0), of_length(2 * longest // 3)
    if not run:
        return usual
    runs = st.builds(
        lambda x, n: x * n if isinstance(alphabet, str) else (x,) * n,
        st.sampled_from(alphabet),
        st.integers(1, run),
    )
    return st.one_of(*[usual] * 8, *[longer] * 3, runs)


@st.composite
def readings(
    draw: st.DrawFn, letters: int = 3, most: int = 30, longest: int = 12, run: int = 40
) -> tuple[dict[str, str], list[str]]:
    """Return a map from old to new letter names, and 1 to ``most`` strings over the new names.

    The new names are in the order in which the strings first read the letters. The map sometimes includes a
    letter that no string reads. Draw weights for the old names and rename them, so that the weights stay the
    same if the strings shrink.
    """
    one = strings(LETTERS[:letters], longest, run)
    drawn = [draw(one) for _ in range(draw(st.integers(1, most)))]
    named: dict[str, str] = {}
    for symbol in "".join(drawn):
        named.setdefault(symbol, LETTERS[len(named)])
    unread = [letter for letter in LETTERS[:letters] if letter not in named]
    for letter in unread[: max(draw(_UNREAD), not named)]:
        named[letter] = LETTERS[len(named)]
    table = str.maketrans(named)
    return named, [string.translate(table) for string in drawn]


_UNREAD = st.integers(0, 1)


@st.composite
def automata(
    draw: st.DrawFn,
    semiring: Semiring = REAL,
    *,
    alphabet: Sequence[Symbol] = "ab",
    most_states: int = 4,
    least_states: int = 0,
    epsilon: Epsilon = "none",
    extreme: bool = False,
    exact: bool = True,
) -> WFSA:
    """Return automata with ``least_states`` to ``most_states`` states, drawn transition by transition.

    Args:
        draw: Hypothesis' draw function.
        semiring: the semiring of the weights.
        alphabet: the symbols.
        most_states: the maximum number of states.
        least_states: the minimum number of states.
        epsilon: the kind of epsilon transitions. There are none (``none``), they lead from lower to higher
            states (``acyclic``), or they may form cycles with convergent sums (``cyclic``). The counting
            semiring has no such weights, so there ``cyclic`` means ``acyclic``.
        extreme: whether to include huge and subnormal weights.
        exact: whether weights are exact; otherwise they are rounded to float64.
    """
    n = draw(st.integers(least_states, most_states))
    states = st.integers(0, max(n - 1, 0))
    weight = weights(semiring, extreme=extreme)
    at = st.lists(st.tuples(states, weight), max_size=n, unique_by=lambda pair: pair[0])
    arrow = st.tuples(states, states, st.sampled_from(alphabet), weight)
    arrows = (
        draw(st.lists(arrow, max_size=2 * n * len(alphabet), unique_by=lambda a: a[:3]))
        if n and alphabet
        else []
    )
    if n and epsilon != "none":
        light = _light_weights(semiring, n) if epsilon == "cyclic" else None
        arrow = st.tuples(states, states, st.just(EPSILON), weight if light is None else light)
        epsilon_arrows = draw(st.lists(arrow, max_size=n, unique_by=lambda a: a[:2]))
        arrows = [*arrows, *(a for a in epsilon_arrows if light is not None or a[0] < a[1])]
    automaton = WFSA.from_edges(semiring, n, alphabet, draw(at), draw(at), arrows)
    return automaton if exact or semiring.exact_only else automaton.to_float()


def _light_weights(semiring: Semiring, n: int) -> st.SearchStrategy[Weight] | None:
    """Return weights with which all cycles among n states have a sum; ``None`` if zero is the only one."""
    if semiring.is_boolean:
        return st.booleans()
    if semiring.selective:  # weights that do not improve a path
        few = [semiring.one, *(Fraction(s, d) for d in (1, 2) for s in (1, -1))]
        light = [w for w in few if semiring.contains(w) and semiring.plus(semiring.one, w) == semiring.one]
        return st.sampled_from(list(dict.fromkeys(light)))
    if semiring.float_only:
        return st.sampled_from([-math.log(2 * n), -math.log(4 * n)])
    if semiring.exact_only:
        return None
    return st.sampled_from([Fraction(s, d) for d in (2 * n, 4 * n) for s in (1, -1)])
