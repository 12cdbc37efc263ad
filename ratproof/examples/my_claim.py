"""A network that counts occurrences of "a b" with exponential decay, and two automata to compare it with."""

from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import step_claim


def step(state, symbol):
    """Halve c at each symbol, and add one if a b follows an a."""
    before, c = state
    return symbol, c / 2 + (1 if before + symbol == "ab" else 0)


# In state 0, any string was read. In state 1, the last symbol was an a. In state 2, an "ab" was read earlier.
remembers = WFSA.from_edges(
    REAL,
    3,
    "ab",
    initial=[(0, 1)],
    final=[(2, 1)],
    transitions=[
        (0, 0, "a", 1),
        (0, 0, "b", 1),
        (0, 1, "a", 1),
        (1, 2, "b", 1),
        (2, 2, "a", "1/2"),
        (2, 2, "b", "1/2"),
    ],
)

# This automaton is wrong by one symbol: it counts an "ab" only when the next symbol is read.
late = WFSA.from_edges(
    REAL,
    4,
    "ab",
    initial=[(0, 1)],
    final=[(2, 1)],
    transitions=[
        (0, 0, "a", 1),
        (0, 0, "b", 1),
        (0, 1, "a", 1),
        (1, 3, "b", 1),
        (3, 2, "a", 1),
        (3, 2, "b", 1),
        (2, 2, "a", "1/2"),
        (2, 2, "b", "1/2"),
    ],
)

right = step_claim(
    "bigrams",
    start=("", 0),
    step=step,
    automaton=remembers,
    modes=True,
    says="the automaton remembers one symbol",
)
wrong = step_claim(
    "bigrams-late",
    start=("", 0),
    step=step,
    automaton=late,
    modes=True,
    says="the automaton counts one symbol late",
)
