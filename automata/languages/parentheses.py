"""Balanced parentheses up to a depth or of any depth, with other letters (Figure 1, Wang & Niepert)."""

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
    """The DFA of balanced parentheses that are nested at most ``depth`` deep; it is the least one, with depth
    + 2 states.

    State j is "j are open", and the last state is dead. Letters stand for the wildcard of Figure 1: they
    change nothing. The empty string is balanced.

    >>> balanced(2).accepts("a((a)())"), balanced(2).accepts("((()))"), balanced(2).states
    (True, False, 4)

    Args:
        depth: the most that are open at once; 0 for none.
        letters: the other symbols; the alphabet is ``("(", ")", *letters)``.

    Raises:
        InputError: the depth is negative or no integer, or a letter is a parenthesis or there twice.
    """
    _require_depth(depth)
    alphabet = (OPEN, CLOSE, *letters)
    dead = depth + 1
    rows = [
        (j + 1, j - 1 if j else dead, *[j] * (len(alphabet) - 2)) for j in range(depth + 1)
    ]  # depth + 1 open: dead
    return DFA(alphabet, 0, (*rows, (dead,) * len(alphabet)), frozenset({0}))


def balanced_to_all_depths(letters: Iterable[Hashable] = ascii_lowercase) -> Pushdown:
    """The deterministic pushdown automaton of balanced parentheses (Figure 1, right), over the alphabet of
    section 4.2: a to z, and the parentheses.

    State 0, "none is open", accepts; in state 1 the stack has what is open above its bottom ``"."``. The move
    back to state 0 reads nothing.

    >>> dpda = balanced_to_all_depths()
    >>> dpda.accepts("((x)y)"), dpda.accepts("(()"), dpda.run("((x")[-1]
    (True, False, Configuration(state=1, stack=('.', '(', '(')))

    Raises:
        InputError: a letter is a parenthesis or there twice.
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
    """Are the parentheses balanced, and at most ``depth`` deep? By counting; every other symbol counts as a
    letter.

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
        raise InputError(f"the depth is {shorten(depth)}, where 0 or more is right")
