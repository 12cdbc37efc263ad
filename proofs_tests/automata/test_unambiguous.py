"""Tests whether an automaton has at most one accepting path per string, against counts of the paths."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from automata.determinisation import Sets, SparseSets
from automata.equivalence import unambiguous
from automata.equivalence.pairs import Congruence
from automata.semirings import BOOLEAN, MAX_PLUS
from automata.testing import strategies
from automata.wfsa import WFSA


def counted(automaton) -> bool:
    """Return whether no string has two paths, by exploring all vectors of path counts; counts stop at 2."""
    there = [(m != automaton.semiring.zero).astype(int) for m in automaton.matrices]
    initial, final = (
        (v != automaton.semiring.zero).astype(int) for v in (automaton.initial, automaton.final)
    )
    waiting, reached = [tuple(initial)], {tuple(initial)}
    while waiting:
        paths = np.array(waiting.pop(), dtype=int)
        if paths @ final > 1:
            return False
        after = {tuple(np.minimum(paths @ m, 2)) for m in there} - reached
        reached |= after
        waiting += after
    return True


@pytest.mark.parametrize("few_arrows", [-1, 100], ids=["pairs as matrices", "pairs as a set"])
@given(a=strategies.automata(MAX_PLUS, most_states=3))
def test_an_automaton_is_unambiguous_if_no_string_has_two_paths(few_arrows, a):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unambiguous, "_FEW_ARROWS", few_arrows)
        assert unambiguous.is_unambiguous(a) == counted(a)


@pytest.mark.parametrize("few_arrows", [-1, 100], ids=["pairs as matrices", "pairs as a set"])
def test_every_automaton_of_two_states_and_one_symbol_is_classified(few_arrows, monkeypatch):
    monkeypatch.setattr(unambiguous, "_FEW_ARROWS", few_arrows)
    for bits in product([False, True], repeat=8):
        parts = np.array(bits)
        a = WFSA(BOOLEAN, parts[:2], parts[2:4], {"a": parts[4:].reshape(2, 2)})
        assert unambiguous.is_unambiguous(a) == counted(a)


@pytest.mark.parametrize("few_arrows", [-1, 100], ids=["pairs as matrices", "pairs as a set"])
def test_one_string_with_two_paths_is_enough(few_arrows, monkeypatch):
    monkeypatch.setattr(unambiguous, "_FEW_ARROWS", few_arrows)
    forks = WFSA(
        MAX_PLUS, [0, "-inf", "-inf"], ["-inf", 0, 0], {"a": [["-inf", 1, 2], ["-inf"] * 3, ["-inf"] * 3]}
    )
    assert not unambiguous.is_unambiguous(forks)


@pytest.mark.parametrize("kind", [Sets, SparseSets])
def test_a_congruence_holds_for_unions_and_through_other_sets(kind):
    congruence = Congruence(3, unions=True, kind=kind)
    congruence.add(kind.of([0]), kind.of([1]))
    congruence.add(kind.of([1]), kind.of([2]))
    assert congruence.holds(kind.of([0, 1]), kind.of([1, 2]))
    assert not congruence.holds(kind.of([0, 1]), kind.of([1]))
