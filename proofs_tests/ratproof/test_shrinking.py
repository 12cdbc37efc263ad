"""Tests that failing strings are shrunk in a bounded number of steps."""

from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st

from automata.testing.dfa_strategies import dfas
from ratproof.evidence import shrinking
from ratproof.evidence.shrinking import shrink


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=60), st.integers(0))
def test_a_wrong_count_is_shrunk_to_that_symbol_alone(string, number):
    symbol = string[-1]
    most = number % string.count(symbol)
    shrunk = shrink(tuple(string), lambda x: x.count(symbol) > most, "abc")
    assert (shrunk.string, shrunk.stopped) == ((symbol,) * (most + 1), "")


@given(dfas(), st.lists(st.sampled_from("ab"), max_size=40))
def test_the_shrunk_string_fails_and_cannot_lose_a_symbol_or_block(dfa, string):
    assume(dfa.accepts(string))
    shrunk = shrink(tuple(string), dfa.accepts, "ab")
    best = shrunk.string
    assert dfa.accepts(best) and not shrunk.stopped and len(best) <= len(string)
    assert not any(dfa.accepts(best[:i] + best[i + 1 :]) for i in range(len(best)))
    assert not any(dfa.accepts((*best[:i], "a", *best[i + 1 :])) for i in range(len(best)) if best[i] != "a")


def test_a_length_is_found_by_bisection():
    asked = []
    shrunk = shrink(("b",) * 2_049, lambda x: bool(asked.append(x)) or len(x) >= 1_025, "ab")
    assert shrunk.string == ("a",) * 1_025
    assert len(asked) < 2_100  # each symbol is removed once


def test_each_kind_of_shrinking_is_tried():
    assert shrink(tuple("bcbb"), lambda x: len(x) >= 4 and "c" in x, "abc").string == tuple("acaa")
    balanced = shrink(tuple("abcab"), lambda x: x.count("a") == x.count("b") and x.count("c") == 1, "abc")
    assert balanced.string == ("c",)
    asked = []
    many = shrink(("a", "b", "c") * 700, lambda x: bool(asked.append(x)) or x.count("b") >= 20, "abc")
    assert many.string == ("b",) * 20 and len(asked) < 150


def test_it_reports_where_it_stopped(monkeypatch):
    string = tuple(map("".join, product("ab", repeat=8)))
    few = shrink(string, lambda x: len(set(x)) == 256, sorted(string), most_calls=10)
    assert few.string == string and few.stopped == "the search for a smaller string stopped after 10 strings"
    late = shrink(string, lambda x: True, sorted(string), seconds=-1)
    assert late.string == string and "stopped after -1 s" in late.stopped


def test_a_string_on_which_the_program_crashes_does_not_count_as_failing():
    assert shrink(("a", "b", "a"), lambda x: len(x) / (len(x) - 1) > 1, "ab").string == ("a", "a")
    assert shrinking.SECONDS <= 10
