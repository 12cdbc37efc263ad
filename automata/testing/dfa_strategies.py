"""Public Hypothesis strategies for deterministic and probabilistic automata.

Unreachable states, dead states, no accept state, equal states and ties are frequent; everything
shrinks to one state.


>>> from hypothesis import given
>>> @given(dfas(alphabet="01"))
... def test_the_least_dfa_is_no_larger(dfa): ...
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from automata.aliases import Symbols, Weight
from automata.dfa import DFA
from automata.probabilistic import PFA


@st.composite
def dfas(draw: st.DrawFn, *, alphabet: str | Symbols = "ab", most_states: int = 5) -> DFA:
    """Return complete DFAs with 1 to ``most_states`` states, any of them the start state."""
    n = draw(st.integers(1, most_states))
    state = st.integers(0, n - 1)
    row = st.tuples(*[state] * len(alphabet))
    table = draw(st.lists(row, min_size=n, max_size=n).map(tuple))
    return DFA(tuple(alphabet), draw(state), table, draw(st.frozensets(state)))


@st.composite
def pfas(draw: st.DrawFn, *, alphabet: str | Symbols = "ab", most_states: int = 3, exact: bool = True) -> PFA:
    """Return PFAs with 1 to ``most_states`` states; some rows have zeros, ones or ties.

    Args:
        draw: Hypothesis' draw function.
        alphabet: the symbols.
        most_states: the maximum number of states.
        exact: use fractions; otherwise float64, including tiny and subnormal numbers, with each row
            divided by its sum.
    """
    k = draw(st.integers(1, most_states))
    row = _rows(k, exact)
    tables = [[draw(row) for _ in range(k)] for _ in alphabet]
    return PFA(alphabet, draw(row), tables)


def _rows(k: int, exact: bool) -> st.SearchStrategy[list[Weight]]:
    """Return rows of k probabilities."""
    integers = st.integers(0, 4)
    sizes = (
        integers.map(float)
        | st.floats(0, 1, allow_subnormal=True)
        | st.sampled_from([2.0**-1074, 1e-300, 1e-17])
    )
    rows = st.lists(integers if exact else sizes, min_size=k, max_size=k)
    return rows.map(lambda row: row if any(row) else [1, *row[1:]]).map(lambda row: _shares(row, exact))


def _shares(row: list[Weight], exact: bool) -> list[Weight]:
    return [Fraction(w, sum(row)) if exact else float(w) / sum(row) for w in row]
