"""N-gram models as automata: large, sparse, exact, and with epsilon.

>>> model = n_gram_model([["a", "b"], ["a"]], order=2, trust=Fraction(1, 2))
>>> model
<WFSA: 4 states, 2 symbols, real semiring, exact, with epsilon>
>>> from automata.forward import score
>>> score(model, ["a"])  # (1/2 * 1 + 1/2 * 2/5) * (1/2 * 1/2 + 1/2 * 2/5)
Fraction(63, 200)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from automata.aliases import Weight
from automata.errors import InputError
from automata.semirings import REAL
from automata.wfsa import WFSA

History = tuple[str, ...]
BEGIN, END = "<s>", "</s>"


def n_gram_model(
    sentences: Iterable[Sequence[str]], order: int = 3, trust: Fraction = Fraction(3, 4)
) -> WFSA:
    """Return the automaton of sentence probabilities by interpolated counts (Jelinek and Mercer 1980).

    Let c count the occurrences of a sequence of words. After a history h of ``order - 1`` words, a word w or
    the end of the sentence has the probability trust c(h w) / c(h) + (1 - trust) P(w | h without its first
    word). After the empty history, it is c(w) divided by the number of all words and ends. A state is a
    history; an epsilon transition forgets its first word.

    Args:
        sentences: sequences of words, without begin and end markers.
        order: n, at least 1.
        trust: the interpolation weight, between 0 and 1.

    Raises:
        InputError: If the order or trust is out of range, or there is no sentence.
    """
    if order < 1 or not 0 < trust < 1:
        raise InputError(f"order must be positive and trust between 0 and 1, got {order} and {trust}")
    counts: Counter[tuple[History, str]] = Counter()
    words: dict[str, None] = {}
    for sentence in sentences:
        words.update(dict.fromkeys(sentence))
        read = (BEGIN, *sentence, END)
        for position in range(1, len(read)):
            for length in range(min(order, position + 1)):
                counts[read[position - length : position], read[position]] += 1
    if not counts:
        raise InputError("the number of sentences must be positive, got 0")
    totals: Counter[History] = Counter()
    for (history, _), count in counts.items():
        totals[history] += count
    state = {history: q for q, history in enumerate(totals)}

    def target(history: History, word: str) -> int:
        """Return the state of the longest suffix of the history that has a state."""
        after = (*history, word)[-(order - 1) :] if order > 1 else ()
        while after not in state:
            after = after[1:]
        return state[after]

    transitions: list[tuple[int, int, str, Weight]] = []
    final: list[tuple[int, Weight]] = []
    for (history, word), count in counts.items():
        weight = Fraction(count, totals[history]) * (trust if history else 1)
        if word == END:
            final.append((state[history], weight))
        else:
            transitions.append((state[history], target(history, word), word, weight))
    transitions += [(q, state[history[1:]], "", 1 - trust) for history, q in state.items() if history]
    first = state[(BEGIN,) if order > 1 else ()]
    return WFSA.from_edges(REAL, len(state), words, [(first, 1)], final, transitions)
