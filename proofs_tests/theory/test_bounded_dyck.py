"""Tests of the numbers of units and states for brackets of bounded depth, and of the language itself."""

from fractions import Fraction
from itertools import product

import pytest

from automata.dfa import DFA
from automata.forward import score
from theory.expressivity.bounded_dyck import (
    Code,
    automaton,
    brackets,
    following,
    printed_code,
    short_code,
    stack_network,
    stacks,
    units,
)
from theory.weights import Weights

SIZES = [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 2), (5, 2)]
LETTERS = "([{<|)]}>/"


def dyck(k: int, m: int) -> Weights:
    """Return Dyck-(k, m), with a symbol for each bracket."""
    opening, closing = LETTERS[:k], LETTERS[5 : 5 + k]
    kinds = {x: Fraction(i) for i, x in enumerate(opening, 1)} | {
        x: Fraction(-i) for i, x in enumerate(closing, 1)
    }
    ones = dict.fromkeys(kinds, Fraction(1))
    return brackets(m, k, (1,), (0,)).example("".join(kinds)).changed(bracket=kinds, p=ones)


def balanced(word: str, k: int, m: int) -> bool:
    """Return whether pairs of brackets can be removed until nothing is left, and the depth is at most m."""
    depths = [sum(1 if x in LETTERS[:5] else -1 for x in word[:i]) for i in range(len(word) + 1)]
    while word != (word := next((word.replace(a + b, "", 1) for a, b in _pairs(k) if a + b in word), word)):
        pass
    return not word and max(depths) <= m


def _pairs(k: int) -> list[tuple[str, str]]:
    return list(zip(LETTERS[:k], LETTERS[5 : 5 + k], strict=True))


@pytest.mark.parametrize("code", [short_code, printed_code], ids=lambda code: code.__name__)
def test_network_and_automaton_generate_the_balanced_strings_of_bounded_depth(code):
    case = dyck(2, 2)
    network, (wfsa,) = stack_network(code), automaton(case)
    for length in range(7):
        # the shortest balanced string that is too deep has length 6; it needs one kind of brackets
        for letters in product(case.alphabet if length < 6 else "()", repeat=length):
            *_, (value,) = network.values(case, letters)
            assert value == balanced("".join(letters), 2, 2) == score(wfsa, letters), letters


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_the_numbers_of_units_are_those_of_the_statement(k, m):
    def count(code: Code) -> int:
        return len(units(m, len(code[0])))

    case = dyck(k, m)
    assert len(short_code(case)) == k == len(set(short_code(case))) and (0,) not in short_code(case)
    assert count(short_code(case)) == 2 * m * k.bit_length()  # ⌈log(k + 1)⌉ binary digits
    if k > 1:
        assert count(printed_code(case)) == 6 * m * (k - 1).bit_length() - 2 * m
        assert len(set(printed_code(case))) == k and all(map(sum, printed_code(case)))


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_the_minimal_dfa_has_the_stacks_as_states_and_one_that_rejects(k, m):
    case = dyck(k, m)
    every = stacks(case, m)
    assert len(every) == (k ** (m + 1) - 1) // (k - 1) if k > 1 else len(every) == m + 1
    index = {stack: i for i, stack in enumerate(every)}
    dead = len(every)
    rows = [
        tuple(index.get(following(stack, int(case.bracket[x])), dead) for x in case.alphabet)
        for stack in every
    ]
    dfa = DFA(tuple(case.alphabet), 0, (*rows, (dead,) * len(case.alphabet)), frozenset({0}))
    assert dfa.minimal().states == dead + 1
    assert dead + 1 <= 2 ** len(units(m, len(short_code(case)[0])))
