"""Tests of deterministic pushdown automata: balanced parentheses, marked palindromes and rejected
automata.
"""

from itertools import product
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError, UnknownSymbol
from automata.languages.parentheses import balanced, balanced_to_all_depths
from automata.pushdown import Configuration, Pushdown

DPDA = balanced_to_all_depths()
MARKED = Pushdown(
    "abc",
    3,
    0,
    ".",
    {
        **{(0, x, top): (0, (top, x)) for x in "ab" for top in ".ab"},
        **{(0, "c", top): (1, (top,)) for top in ".ab"},
        **{(1, x, x): (1, ()) for x in "ab"},
        (1, "", "."): (2, ()),
    },
    frozenset({2}),
)
"""A pushdown automaton that accepts w, then c, then w reversed."""


def depths(string):
    """Return the number of open parentheses after each prefix, or ``None`` after too many are closed."""
    counts = [0]
    for symbol in string:
        count = None if counts[-1] is None else counts[-1] + {"(": 1, ")": -1}.get(symbol, 0)
        counts.append(None if count is None or count < 0 else count)
    return counts


def on_the_stack(string):
    return [None if now is None else len(now.stack) - 1 for now in DPDA.run(string)]


def test_it_has_the_papers_alphabet():
    assert set(DPDA.alphabet) == {*ascii_lowercase, "(", ")"}


def test_on_every_short_string_the_stack_holds_the_count():
    for length in range(9):
        for string in product("()x", repeat=length):
            counts = depths(string)
            assert on_the_stack(string) == counts
            assert DPDA.accepts(string) == (counts[-1] == 0)


@given(st.lists(st.sampled_from("((()))xyz"), max_size=60))
def test_on_random_strings_too(string):
    counts = depths(string)
    assert on_the_stack(string) == counts and DPDA.accepts(string) == (counts[-1] == 0)
    for now, count in zip(DPDA.run(string), counts, strict=True):
        if now is not None:
            assert now.stack == (".", *"(" * count) and now.state == (count > 0)


def test_the_stack_counts_to_all_depths_and_a_dfa_does_not():
    deep = "(" * 500 + "q" + ")" * 500
    assert DPDA.accepts(deep) and not balanced(499, letters="q").accepts(deep)
    assert not DPDA.accepts(deep + ")") and not DPDA.accepts("(" + deep)


def test_transitions_are_pairs_of_arguments_and_values():
    """Transitions are a subset of Q x (Sigma with epsilon) x Gamma x Q x Gamma*, with at most one value per
    argument.
    """
    states, stack = range(DPDA.states), {".", "("}
    arguments = set(product(states, {*DPDA.alphabet, ""}, stack))
    assert {*DPDA.moves} < arguments  # some arguments have no value: a partial function
    for state, pushed in DPDA.moves.values():
        assert state in states and {*pushed} <= stack
    assert not {*DPDA.moves.items()} & arguments


@given(st.integers(0, 4), st.lists(st.sampled_from("()a"), max_size=20))
def test_up_to_a_depth_it_is_the_dfa(depth, string):
    counts = depths(string)
    shallow = all(count is None or count <= depth for count in counts)
    assert balanced(depth).accepts(string) == (DPDA.accepts(string) and shallow)


@given(st.text("ab", max_size=8), st.text("abc", max_size=8))
def test_palindromes_with_a_mark_have_one(word, other):
    assert MARKED.accepts(word + "c" + word[::-1])
    assert MARKED.accepts(word + "c" + other) == (other == word[::-1])


def test_an_unknown_symbol_is_reported_with_its_index():
    with pytest.raises(UnknownSymbol, match="string index 1: symbol '!'"):
        DPDA.run("(!")


def test_after_a_missing_transition_there_is_none():
    assert DPDA.run("))(") == [Configuration(0, (".",)), None, None, None]


def test_an_empty_stack_has_no_transition():
    pops = Pushdown("a", 1, 0, ".", {(0, "a", "."): (0, ())}, frozenset({0}))
    assert pops.run("aa") == [Configuration(0, (".",)), Configuration(0, ()), None]
    assert pops.accepts("a") and not pops.accepts("aa")


WRONG = [
    ({(0, "a", "."): (2, ())}, "a state must be between 0 and 1, got 2"),
    ({(3, "a", "."): (0, ())}, "a state must be between 0 and 1, got 3"),
    ({(0, "b", "."): (0, ())}, "symbol 'b' is not in the alphabet"),
    ({(0, "a"): (0, ())}, "must map \\(state, symbol, top\\) to \\(state, pushed\\), got"),
    ({(0, "a", "."): 0}, "must map \\(state, symbol, top\\) to \\(state, pushed\\), got"),
    ({(0, "a", "."): (0, 1)}, "must be a sequence, got"),
    ({(0, "", "."): (0, (".", "."))}, "reads nothing and must push at most one symbol, got 2"),
    ({(0, "a", "."): (0, ()), (0, "", "."): (1, ())}, "must have one applicable move, got"),
    ({(0, "", "."): (1, ("x",)), (1, "", "x"): (0, (".",))}, "moves that read nothing must not form a cycle"),
    ({(0, "", "."): (0, (".",))}, "moves that read nothing must not form a cycle"),
]


@pytest.mark.parametrize(("moves", "says"), WRONG)
def test_a_nondeterministic_pushdown_automaton_is_refused(moves, says):
    with pytest.raises(InputError, match=says):
        Pushdown("a", 2, 0, ".", moves, frozenset())


@pytest.mark.parametrize(("start", "final"), [(2, ()), (0, (2,)), (-1, ())])
def test_start_and_final_are_states(start, final):
    with pytest.raises(InputError, match="a state must be between 0 and"):
        Pushdown("a", 2, start, ".", {}, frozenset(final))
    with pytest.raises(InputError, match="twice"):
        Pushdown("aa", 2, 0, ".", {}, frozenset())


@pytest.mark.parametrize("letters", ["(", "aa"])
def test_letters_are_not_parentheses_and_are_unique(letters):
    with pytest.raises(InputError, match="twice"):
        balanced_to_all_depths(letters)


def test_the_theorem_on_unmarked_palindromes_is_cited_and_not_verified():
    """No test can verify this theorem, because it is about every deterministic pushdown automaton."""
    text = " ".join((Pushdown.__doc__ or "").split())
    assert "have no DPDA. This is a known theorem, which is not verified here." in text
