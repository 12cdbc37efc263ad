"""Tests of the construction that claims about linear recurrences share: its size, and its mutations."""

from dataclasses import replace
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.forward import prefix_scores
from automata.minimise import rank
from proofs_tests.breaks import BREAKS, assert_refuted
from ratproof.evidence.counterexample import Disagreement
from ratproof.ladder.rungs.exhausted import exhaust
from ratproof.ladder.rungs.proved import NotProved, prove
from theory import registry
from theory.linear_recurrences.shared.any_size import AnySize, same, write

FOLDER = "theory.linear_recurrences."
MODULES = {
    name.removeprefix(FOLDER): import_module(name) for name in registry.modules() if name.startswith(FOLDER)
}
LAYERS = {name: module.LAYER for name, module in MODULES.items() if hasattr(module, "LAYER")}
MEMORIES = [name for name, layer in LAYERS.items() if layer.reading and name not in ("mamba", "mamba_3")]
"""The layers with an output that reads their state; those of Mamba and Mamba-3 have separate tests."""
UNITS = [name for name, layer in LAYERS.items() if not layer.reading]
OF_RANK_ONE = [name for name in MEMORIES if LAYERS[name].terms]
IN_CHUNKS = [name for name in MODULES if name.endswith("_chunks")]


def weights_of(module):
    """Return the function that maps a size to the weights of a claim."""
    return MODULES["lru" if module == "s4d" else module].weights


def generic_weights(module, size, alphabet="abc"):
    """Return weights that are mostly distinct, and the corrected variant."""
    return weights_of(module)(size).generic(alphabet), MODULES[module].CLAIM.variant("corrected")


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("module", MEMORIES)
def test_the_automaton_has_a_state_per_component_and_two_and_is_minimal(module, size):
    """The automaton has K + 2 states, or 2 N + 2 for complex numbers, as many as the Hankel rank for generic
    weights.
    """
    weights, variant = generic_weights(module, size)
    (automaton,) = variant.reading.construction(weights)
    assert automaton.states == len(LAYERS[module].parts) * size + 2 == rank(automaton)


@pytest.mark.parametrize(("size", "alphabet"), [(1, "ab"), (2, "abcd")])
def test_the_automaton_of_mamba_3_is_minimal(size, alphabet):
    """The previous token's input has a value for each letter, so 2 N letters are needed."""
    weights, variant = generic_weights("mamba_3", size, alphabet)
    (automaton,) = variant.reading.construction(weights)
    assert automaton.states == 4 * size + 2 == rank(automaton)


@pytest.mark.parametrize(("module", "states"), [("min_gru", 2), ("min_lstm", 2), ("rg_lru", 2), ("hgrn", 3)])
def test_a_units_automaton_has_the_stated_number_of_states(module, states):
    for automaton in LAYERS[module].automata(MODULES[module].CASES.generic("abc")):
        assert automaton.states == states == rank(automaton)


def test_the_first_token_needs_a_third_state():
    """RG-LRU is tested as programmed, with generic weights."""
    rg_lru = MODULES["rg_lru"]
    (automaton,) = rg_lru.three_states(rg_lru.AT_ZERO.generic("abc"))
    assert automaton.states == 3 == rank(automaton)


@pytest.mark.parametrize(("window", "n"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize("alphabet", ["a", "ab"])
def test_mambas_automaton_has_a_block_per_history(window, n, alphabet):
    mamba = MODULES["mamba"]
    histories = sum(len(alphabet) ** i for i in range(window))
    (automaton,) = mamba.CONVOLVED.automata(mamba.convolved_weights((window, n)).generic(alphabet))
    assert automaton.states == histories * (n + 1) + 1


@pytest.mark.parametrize("what", BREAKS)
@pytest.mark.parametrize("module", [*MEMORIES, "mamba_3", *UNITS])
def test_a_mutation_is_refuted(monkeypatch, module, what):
    """A mutation transposes the automata, changes their initial or final weights, makes them read another
    letter, or makes them read each letter twice. The weights are generic.
    """
    claim = MODULES[module].CLAIM
    signature = MODULES[module].CASES if module in UNITS else weights_of(module)(2)
    cases = [signature.generic("ab", first) for first in (0, 3, 5)]
    told = claim.variant("corrected").changed(small_cases=lambda letters: iter(cases))
    monkeypatch.setitem(registry._registered, claim.name, replace(claim, variants=(told,)))
    assert_refuted(monkeypatch, claim.name, "corrected", what)


REMEMBERING = {"mamba": "convolved_weights"} | dict.fromkeys(IN_CHUNKS, "weights")
"""Modules of layers that remember tokens in addition to their state, with functions that return their
weights.
"""


@pytest.mark.parametrize("what", BREAKS)
@pytest.mark.parametrize("module", REMEMBERING)
def test_a_mutation_is_refuted_if_tokens_are_remembered(monkeypatch, module, what):
    """The layers have windows and chunks of two tokens, and generic weights."""
    loaded = MODULES[module]
    cases = [getattr(loaded, REMEMBERING[module])((2, 2)).generic("ab", first) for first in (0, 3)]
    told = loaded.CLAIM.variant("corrected").changed(small_cases=lambda letters: iter(cases))
    monkeypatch.setitem(registry._registered, loaded.CLAIM.name, replace(loaded.CLAIM, variants=(told,)))
    assert_refuted(monkeypatch, loaded.CLAIM.name, "corrected", what)


def test_the_state_of_mamba_moves_to_the_next_history():
    """The output of the convolved layer's automata is compared for each string, token by token, with generic
    weights.
    """
    mamba = MODULES["mamba"]
    weights = mamba.convolved_weights((3, 2)).generic("ab")
    (automaton,) = mamba.CONVOLVED.automata(weights)
    for string in ("abba", "baab", "bbbaaa"):
        outputs = [o for (o,) in mamba.CONVOLVED.recurrence.values(weights, string)]
        assert outputs == list(prefix_scores(automaton, string))


def broken(monkeypatch, module, layer):
    """Register a corrected variant with the automata of a changed layer, and with only generic weights as
    cases.

    Return the claim's name, the variant, and the changed layer with the correct step.
    """
    claim, weights = MODULES[module].CLAIM, weights_of(module)(2)
    cases = [weights.generic("ab", first) for first in (0, 3)]
    variant = claim.variant("corrected").changed(
        construction=layer.automata, small_cases=lambda letters: iter(cases), proof=layer.proof(weights)
    )
    monkeypatch.setitem(registry._registered, claim.name, replace(claim, variants=(variant,)))
    return claim.name, variant, replace(layer, step=LAYERS[module].step)


@pytest.mark.parametrize("module", [*MEMORIES, "mamba_3"])
@pytest.mark.parametrize("part", ["reads before", "no update", "no decay"])
def test_another_construction_is_refuted_and_not_proved_for_any_size(monkeypatch, module, part):
    layer = LAYERS[module]
    other = {
        "reads before": lambda: layer.reading_first(not layer.reading.first),
        "no update": lambda: replace(layer, update=lambda t, j: t.zero),
        "no decay": lambda: replace(layer, decay=lambda t, j: t.zero, mixing={}),
    }[part]()
    name, variant, mixed = broken(monkeypatch, module, other)
    with pytest.raises(Disagreement):
        exhaust(name, variant, longest=2)
    with pytest.raises(NotProved):
        prove(replace(variant, proof=replace(variant.proof, sizes=None)))
    if part != "reads before":
        assert not all(identity.holds for identity in mixed.identities())


def test_a_transposed_term_of_rank_one_is_refuted_and_not_proved_for_any_size(monkeypatch):
    """RWKV-7 has two different factors; DeltaNet uses one key twice, so its matrix is symmetric."""
    layer = LAYERS["rwkv_7"]
    ((left, right),) = layer.terms
    other = replace(layer, terms=((right, left),))
    name, variant, mixed = broken(monkeypatch, "rwkv_7", other)
    with pytest.raises(Disagreement):
        exhaust(name, variant, longest=2)
    with pytest.raises(NotProved):
        prove(replace(variant, proof=replace(variant.proof, sizes=None)))
    assert not all(identity.holds for identity in mixed.identities())


@pytest.mark.parametrize("module", OF_RANK_ONE)
def test_a_missing_term_of_rank_one_is_not_proved_for_any_size(module):
    assert not all(identity.holds for identity in replace(LAYERS[module], terms=()).identities())


def of_matrix(module, weights, v, string):
    """Return the outputs of a layer whose state is a matrix, computed as in the paper's equation.

    The matrix has one column per component of v.
    """
    s = np.zeros((weights.n, len(v)), dtype=object) + Fraction(0)
    outputs = []
    for x in string:
        at = {
            name: np.array(value[x], dtype=object)
            for name, value in weights.entries.items()
            if isinstance(value, dict)
        }
        k, values = at["k"][:, None], np.array([column[x] for column in v], dtype=object)[None, :]
        if module == "gla":
            s = at["alpha"][:, None] * s + k @ values
        elif module == "rwkv_7":
            erase = (at["a"] * at["kappa"])[:, None] @ at["kappa"][None, :]
            s = at["w"][:, None] * s - erase @ s + k @ values
        else:
            alpha = at.get("alpha", Fraction(1))
            s = alpha * (s - at["beta"] * (k @ (k.T @ s))) + at["beta"] * (k @ values)
        outputs.append(at["q"] @ s)
    return outputs


@pytest.mark.parametrize("module", ["gla", "delta_net", "gated_delta_net", "rwkv_7"])
@settings(max_examples=10)
@given(data=st.data())
def test_columns_of_a_matrix_memory_are_independent(module, data):
    """The unit of a claim is a component of the output of the full matrix in the papers' form."""
    w = data.draw(weights_of(module)(2).random("ab"))
    w = replace(w, entries={**w.entries, "s_0": (Fraction(0),) * 2})
    string = data.draw(st.text("ab", max_size=5))
    v = [w.v, {"a": Fraction(3), "b": Fraction(-1, 2)}]
    for column, values in enumerate(v):
        one = replace(w, entries={**w.entries, "v": values})
        _, *shown = LAYERS[module].recurrence.values(one, string)
        assert [o for (o,) in shown] == [outputs[column] for outputs in of_matrix(module, w, v, string)]


def test_sums_over_indices_are_compared_up_to_order_and_names():
    t = AnySize()
    row = t.sum(lambda i: t.sum(lambda j: t.q[i] * (t.M[i, j] * t.s[j])))
    column = t.sum(lambda j: t.sum(lambda i: t.q[i] * t.M[i, j]) * t.s[j])
    turned = t.sum(lambda i: t.sum(lambda j: t.q[i] * (t.M[j, i] * t.s[j])))
    assert same(row, column) and not same(row, turned)
    square = t.sum(lambda i: t.where(i, t.j, t.q[i] * t.q[i]))
    assert same(square, t.q[t.j] * t.q[t.j])
    assert write(square + square) == "2*q[j]*q[j]"
    with pytest.raises(ValueError, match="multiplied by itself"):
        row * row
