"""Compilation of rules to automata, over a vocabulary or with wildcards as letters."""

from __future__ import annotations

from collections.abc import Sequence

from automata import determinisation
from automata.operations import sum_of
from automata.rules.syntax import Rule
from automata.rules.thompson import thompson
from automata.rules.words import Letters, letters, pseudo_letters
from automata.wfsa import WFSA


def compiled(rule: Rule, vocabulary: Sequence[str] | None) -> WFSA:
    """Return the minimal deterministic automaton of a rule, without a dead state.

    Args:
        rule: see :func:`automata.rules.parser.parse`.
        vocabulary: the words of the sentences; ``None`` selects the pseudo automaton of section
            3.1, in which ``$``, ``%`` and ``&`` are letters like words.
    """
    return least(rule, pseudo_letters([rule]) if vocabulary is None else letters([rule], vocabulary))


def least(rule: Rule, known: Letters) -> WFSA:
    """Return the minimal deterministic automaton of a rule over letters shared with other rules."""
    return determinisation.minimal(thompson(rule, known))


def together(parts: Sequence[WFSA]) -> list[tuple[WFSA, tuple[int, ...]]]:
    """Merge the automata of rules into deterministic automata, each with the indices of its rules.

    Together they have at most as many states as the inputs. The minimal automaton of a union can be
    exponentially larger than its parts: one for m rules ``$ * a $ * b $ *`` must track which of m
    words it has read. Automata are therefore merged only if the result has at most as many states
    as the two parts.
    """
    done: list[tuple[WFSA, tuple[int, ...]]] = []
    for index, part in enumerate(parts):
        one, separate = part, []
        own: tuple[int, ...] = (index,)
        for other, indices in done:
            both = _joined(one, other)
            if both is None:
                separate.append((other, indices))
            else:
                one, own = both, (*indices, *own)
        done = [*separate, (one, own)]
    return done


def _joined(left: WFSA, right: WFSA) -> WFSA | None:
    """Return the minimal automaton of the union of two languages.

    Return ``None`` if it has more states than the two automata together.
    """
    most = left.states + right.states
    try:
        joined = determinisation.minimal(sum_of(left, right), 2 * most + 2)
    except determinisation.TooManyStates:
        return None
    return joined if joined.states <= most else None
