"""Automata for balanced parentheses among other letters, with or without a limit on the nesting depth.

The references to figures and sections are to Wang & Niepert 2019.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from string import ascii_lowercase

from automata.aliases import String
from automata.dfa import DFA
from automata.errors import InputError
from automata.pushdown import Pushdown
from automata.symbols import EPSILON
from automata.text.number_text import shorten

OPEN, CLOSE = "(", ")"


def balanced(depth: int, letters: Iterable[Hashable] = ("a",)) -> DFA:
    """Return the minimal DFA of balanced parentheses nested at most ``depth`` deep, with depth + 2 states.

    State j means that j parentheses are open; the last state is dead. Letters represent the wildcard of
    Figure 1 (Wang & Niepert 2019) and do not change the state. The empty string is balanced.

    >>> balanced(2).accepts("a((a)())"), balanced(2).accepts("((()))"), balanced(2).states
    (True, False, 4)

    Args:
        depth: the maximum number of open parentheses.
        letters: the other symbols; the alphabet is ``("(", ")", *letters)``.

    Raises:
        InputError: If the depth is not a nonnegative integer, or a letter is a parenthesis or a duplicate.
    """
    _require_depth(depth)
    alphabet = (OPEN, CLOSE, *letters)
    dead = depth + 1
    rows = [(j + 1, j - 1 if j else dead, *[j] * (len(alphabet) - 2)) for j in range(depth + 1)]
    return DFA(alphabet, 0, (*rows, (dead,) * len(alphabet)), frozenset({0}))


def balanced_to_all_depths(letters: Iterable[Hashable] = ascii_lowercase) -> Pushdown:
    """Return the deterministic pushdown automaton of balanced parentheses of any depth.

    It is the automaton on the right of Figure 1 of Wang & Niepert 2019. The default alphabet is that of
    section 4.2: a to z, and the parentheses.

    State 0 accepts; no parenthesis is open. In state 1, the stack holds the open parentheses above its bottom
    ``"."``. The transition back to state 0 reads nothing.

    >>> dpda = balanced_to_all_depths()
    >>> dpda.accepts("((x)y)"), dpda.accepts("(()"), dpda.run("((x")[-1]
    (True, False, Configuration(state=1, stack=('.', '(', '(')))

    Raises:
        InputError: If a letter is a parenthesis or a duplicate.
    """
    others, bottom = tuple(letters), "."
    moves: dict[tuple[int, Hashable, Hashable], tuple[int, tuple[Hashable, ...]]] = {
        (0, OPEN, bottom): (1, (bottom, OPEN)),
        (1, OPEN, OPEN): (1, (OPEN, OPEN)),
        (1, CLOSE, OPEN): (1, ()),
        (1, EPSILON, bottom): (0, (bottom,)),
    }
    for x in others:
        moves |= {(0, x, bottom): (0, (bottom,)), (1, x, OPEN): (1, (OPEN,))}
    return Pushdown((OPEN, CLOSE, *others), 2, 0, bottom, moves, frozenset({0}))


def is_balanced(string: String, depth: int | None = None) -> bool:
    """Return whether the parentheses are balanced and at most ``depth`` deep, by counting.

    Every other symbol counts as a letter.

    >>> is_balanced("(()a)"), is_balanced("())("), is_balanced("(())", depth=1)
    (True, False, False)
    """
    if depth is not None:
        _require_depth(depth)
    count = 0
    for symbol in string:
        count += (symbol == OPEN) - (symbol == CLOSE)
        if count < 0 or (depth is not None and count > depth):
            return False
    return count == 0


def _require_depth(depth: int) -> None:
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise InputError(f"the depth must be a nonnegative integer, got {shorten(depth)}")
