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
from theory.registry import claims

MEMORIES = (
    "linear_attention",
    "retnet",
    "gla",
    "hgrn2",
    "rwkv_5",
    "rwkv_6",
    "longhorn",
    "delta_net",
    "gated_delta_net",
    "rwkv_7",
    "kda",
    "gated_delta_net_2",
    "comba",
    "gated_delta_product",
    "momentum_delta_net",
    "titans",
    "pd_ssm",
    "mlstm",
    "mamba_2",
    "lru",
    "s4d",
)
UNITS = ("min_gru", "min_lstm", "rg_lru", "hgrn")
IN_CHUNKS = ("gla_chunks", "delta_chunks", "mamba_2_chunks", "rwkv_6_chunks", "rwkv_7_chunks")
OF_RANK_ONE = (
    "gated_delta_net",
    "delta_net",
    "rwkv_7",
    "kda",
    "gated_delta_net_2",
    "comba",
    "gated_delta_product",
)


def claim_of(module):
    """Return the claim in a module, and its layer."""
    loaded = import_module(f"theory.linear_recurrences.{module}")
    return loaded.CLAIM, loaded.LAYER


def generic_weights(module, size, alphabet="abc"):
    """Return weights that are mostly distinct, and the corrected variant."""
    claim, _ = claim_of(module)
    loaded = import_module(f"theory.linear_recurrences.{'lru' if module == 's4d' else module}")
    return loaded.weights(size).generic(alphabet), claim.variant("corrected")


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("module", MEMORIES)
def test_the_automaton_has_a_state_per_component_and_two_and_is_minimal(module, size):
    """The automaton has K + 2 states, or 2 N + 2 for complex numbers, as many as the Hankel rank for generic
    weights.
    """
    weights, variant = generic_weights(module, size)
    _, layer = claim_of(module)
    (automaton,) = variant.reading.construction(weights)
    assert automaton.states == len(layer.parts) * size + 2 == rank(automaton)


@pytest.mark.parametrize(("size", "alphabet"), [(1, "ab"), (2, "abcd")])
def test_the_automaton_of_mamba_3_is_minimal(size, alphabet):
    """The previous token's input has a value for each letter, so 2 N letters are needed."""
    weights, variant = generic_weights("mamba_3", size, alphabet)
    (automaton,) = variant.reading.construction(weights)
    assert automaton.states == 4 * size + 2 == rank(automaton)


@pytest.mark.parametrize(("module", "states"), [("min_gru", 2), ("min_lstm", 2), ("rg_lru", 2), ("hgrn", 3)])
def test_a_units_automaton_has_the_stated_number_of_states(module, states):
    loaded = import_module(f"theory.linear_recurrences.{module}")
    for automaton in loaded.LAYER.automata(loaded.CASES.generic("abc")):
        assert automaton.states == states == rank(automaton)


def test_the_first_token_needs_a_third_state():
    """RG-LRU is tested as programmed, with generic weights."""
    rg_lru = import_module("theory.linear_recurrences.rg_lru")
    (automaton,) = rg_lru.three_states(rg_lru.AT_ZERO.generic("abc"))
    assert automaton.states == 3 == rank(automaton)


@pytest.mark.parametrize(("window", "n"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize("alphabet", ["a", "ab"])
def test_mambas_automaton_has_a_block_per_history(window, n, alphabet):
    mamba = import_module("theory.linear_recurrences.mamba")
    histories = sum(len(alphabet) ** i for i in range(window))
    (automaton,) = mamba.CONVOLVED.automata(mamba.convolved_weights((window, n)).generic(alphabet))
    assert automaton.states == histories * (n + 1) + 1


@pytest.mark.parametrize("what", BREAKS)
@pytest.mark.parametrize("module", [*MEMORIES, "mamba_3", *UNITS])
def test_a_mutation_is_refuted(monkeypatch, module, what):
    """A mutation transposes the automata, changes their initial or final weights, makes them read another
    letter, or makes them read each letter twice. The weights are generic.
    """
    claim, _ = claim_of(module)
    loaded = import_module(f"theory.linear_recurrences.{'lru' if module == 's4d' else module}")
    signature = loaded.CASES if module in UNITS else loaded.weights(2)
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
    loaded = import_module(f"theory.linear_recurrences.{module}")
    cases = [getattr(loaded, REMEMBERING[module])((2, 2)).generic("ab", first) for first in (0, 3)]
    told = loaded.CLAIM.variant("corrected").changed(small_cases=lambda letters: iter(cases))
    monkeypatch.setitem(registry._registered, loaded.CLAIM.name, replace(loaded.CLAIM, variants=(told,)))
    assert_refuted(monkeypatch, loaded.CLAIM.name, "corrected", what)


def test_the_state_of_mamba_moves_to_the_next_history():
    """The output of the convolved layer's automata is compared for each string, token by token, with generic
    weights.
    """
    mamba = import_module("theory.linear_recurrences.mamba")
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
    claim, right = claim_of(module)
    loaded = import_module(f"theory.linear_recurrences.{'lru' if module == 's4d' else module}")
    cases = [loaded.weights(2).generic("ab", first) for first in (0, 3)]
    variant = claim.variant("corrected").changed(
        construction=layer.automata,
        small_cases=lambda letters: iter(cases),
        proof=layer.proof(loaded.weights(2)),
    )
    monkeypatch.setitem(registry._registered, claim.name, replace(claim, variants=(variant,)))
    return claim.name, variant, replace(layer, step=right.step)


@pytest.mark.parametrize("module", [*MEMORIES, "mamba_3"])
@pytest.mark.parametrize("part", ["reads before", "no update", "no decay"])
def test_another_construction_is_refuted_and_not_proved_for_any_size(monkeypatch, module, part):
    _, layer = claim_of(module)
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
    _, layer = claim_of("rwkv_7")
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
    _, layer = claim_of(module)
    assert not all(identity.holds for identity in replace(layer, terms=()).identities())


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
    loaded = import_module(f"theory.linear_recurrences.{module}")
    w = data.draw(loaded.weights(2).random("ab"))
    w = replace(w, entries={**w.entries, "s_0": (Fraction(0),) * 2})
    string = data.draw(st.text("ab", max_size=5))
    v = [w.v, {"a": Fraction(3), "b": Fraction(-1, 2)}]
    for column, values in enumerate(v):
        one = replace(w, entries={**w.entries, "v": values})
        _, *shown = loaded.LAYER.recurrence.values(one, string)
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


def test_every_claim_of_the_folder_is_here():
    """Every claim in the folder is in one of the lists of this file, or has separate tests."""
    folder = {c.name for n, c in registry.modules().items() if n.startswith("theory.linear_recurrences.")}
    here = {module.replace("_", "-") for module in (*MEMORIES, *UNITS, *IN_CHUNKS)}
    assert folder - here == {"mamba", "mamba-3", "mamba-theorem-1"} and here <= folder <= set(claims())
