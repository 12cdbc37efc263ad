"""Tests that compare the layers of soft patterns and of max-pooled convolutions with their claims.

The evidence also detects mutations.
"""

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automata.forward import prefix_scores
from automata.testing.strategies import readings
from neural import cnn_max_pooled, sopa, sopa_one_epsilon
from neural.cnn_max_pooled import CNNMaxPooledCell
from neural.layer_kind import layer_kinds
from neural.sopa import SopaCell
from neural.sopa_max_plus import SopaMaxPlusCell
from neural.sopa_one_epsilon import SopaOneEpsilonCell
from proofs_tests.breaks import FIRST_CASES
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import recording
from ratproof.implementations.layer_strategies import networks
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.decision import decide_units, read
from theory.registry import claim_named

STANDS_FOR = {
    "sopa": ("sopa", "corrected"),
    "sopa-max-plus": ("sopa", "corrected-max-plus"),
    "sopa-one-epsilon": ("sopa", "corrected-one-epsilon"),
    "cnn-max-pooled": ("cnn-max-pooled", "corrected"),
    "cnn-max-pooled-padded": ("cnn-max-pooled", "corrected-padding"),
}
each = pytest.mark.parametrize("kind", STANDS_FOR)


def evidence(kind, dtype="float64"):
    """Return the sampled evidence that the layer's scores are those of its automata."""

    @settings(FIRST_CASES, max_examples=60)
    @given(st.data())
    def run(data):
        names, strings = data.draw(readings(most=6))
        drawn = data.draw(networks("abc", kind, *STANDS_FOR[kind], dtype, "cpu"))
        agree(drawn.renamed(names), strings)

    run()


def decided(kind):
    """Assert that the claim's recurrence with the layer's gates is decided to equal the layer's automata."""
    name, variant = STANDS_FOR[kind]
    recurrence = claim_named(name).variant(variant).reading.recurrence

    @settings(FIRST_CASES, max_examples=20)
    @given(networks("ab", kind, name, variant, "float32", "cpu"))
    def run(drawn):
        units = [read(recurrence, drawn.claim_weights(i))[0] for i in range(drawn.network.hidden_size)]
        decide_units(drawn, units, drawn.automata())

    run()


@each
def test_a_variant_refers_to_its_layer(kind):
    name, variant = STANDS_FOR[kind]
    claim = claim_named(name)
    assert claim.layers_of(claim.variant(variant)) == (kind,) and kind in layer_kinds()


@each
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_claims_recurrence_has_the_scores_of_the_layer(kind, data):
    """With the layer's gates as the claim's weights, the exact recurrence equals the layer's automata on
    short strings.
    """
    name, variant = STANDS_FOR[kind]
    recurrence = claim_named(name).variant(variant).reading.recurrence
    drawn = data.draw(networks("ab", kind, name, variant, "float64", "cpu"))
    for unit, automaton in enumerate(drawn.automata()):
        for string in ("", "a", "ba", "abb", "bbab"):
            *_, (value,) = recurrence.values(drawn.claim_weights(unit), string)
            assert list(prefix_scores(automaton, string))[-1] == value


# Mutations.


def transposed(right):
    return lambda self, *a, **o: [
        unit.replace(matrices=unit.matrices.swapaxes(1, 2).copy()) for unit in right(self, *a, **o)
    ]


def shifted_start(right):
    return lambda self, *a, **o: [
        unit.replace(initial=unit.initial[[*range(1, unit.states), 0]]) for unit in right(self, *a, **o)
    ]


CLASSES = {kind: layer_kinds()[kind].cls for kind in STANDS_FOR}


@each
@pytest.mark.parametrize("change", [transposed, shifted_start])
def test_wrongly_extracted_automata_are_refuted(kind, change, monkeypatch):
    monkeypatch.setattr(CLASSES[kind], "to_automata", change(CLASSES[kind].to_automata))
    with pytest.raises(Disagreement):
        evidence(kind)


@pytest.mark.parametrize("kind", ["sopa", "sopa-one-epsilon"])
def test_epsilon_left_out_of_the_automata_is_refuted(kind, monkeypatch):
    right = CLASSES[kind].to_automata
    silent = lambda self, *a, **o: [  # the deviations require epsilon transitions
        unit.replace(epsilon=unit.epsilon / 2) for unit in right(self, *a, **o)
    ]
    monkeypatch.setattr(CLASSES[kind], "to_automata", silent)
    with pytest.raises(Disagreement):
        evidence(kind)


def epsilon_before_the_symbol(self, gates, state):
    """Compute the steps with epsilon transitions before the symbol, from the previous step's result."""
    h = []
    for j in range(1, self.words + 1):
        came, e = gates[f"m{j}"], gates[f"e{j}"]
        if h:
            before = sopa.shifted(state[j - 2], h[-1])
            came, e = self.times(before, came), self.times(before, e)
        h.append(self.recurrence(gates[f"s{j}"], self.plus(came, e), state[j - 1]))
    return (*h, self.recurrence(torch.full_like(h[-1], self.semiring.one), h[-1], state[-1]))


def chains_of_epsilon(read, skips):
    """Apply chains of epsilon transitions of any length, although a pattern permits only one."""
    after = []
    for j, own in enumerate(read.unbind(-1)):
        after.append(own + (after[-1] if after else 1) * skips[..., j])
    return torch.stack(after, -1)


def pool_of_the_step_before(self, gates, state):
    """Compute the steps with each window added to the pool one symbol too late."""
    c, *rest = RIGHT_STEPS(self, gates, state)
    return (torch.cat([state[0].unsqueeze(0), c])[:-1], *rest)


def window_reversed(self, view):
    """Return the gates of a window whose symbols are read in reverse order."""
    right = RIGHT_GATES(self, view)
    return {
        name: gate if view.dim() == 2 else right[last]
        for (name, gate), last in zip(right.items(), reversed(right), strict=True)
    }


RIGHT_STEPS, RIGHT_GATES = CNNMaxPooledCell.steps, CNNMaxPooledCell.gates
BREAKS = {
    "epsilon before the symbol": ("sopa", SopaCell, "steps", epsilon_before_the_symbol),
    "epsilon before the symbol, max-plus": (
        "sopa-max-plus",
        SopaMaxPlusCell,
        "steps",
        epsilon_before_the_symbol,
    ),
    "chains where one is right": ("sopa-one-epsilon", sopa_one_epsilon, "_left_out", chains_of_epsilon),
    "one row where two are right": ("sopa-one-epsilon", SopaOneEpsilonCell, "pattern", None),
    "no weight of epsilon in the start": ("sopa", SopaCell, "start", sopa.AutomatonCell.start),
    "the pool of the step before": ("cnn-max-pooled", CNNMaxPooledCell, "steps", pool_of_the_step_before),
    "the window from its end": ("cnn-max-pooled", CNNMaxPooledCell, "gates", window_reversed),
    "padding where there is none": (
        "cnn-max-pooled",
        CNNMaxPooledCell,
        "start",
        cnn_max_pooled.AutomatonCell.start,
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_mutated_layer_is_refuted(name, monkeypatch):
    kind, where, part, wrong = BREAKS[name]
    if part == "pattern":
        monkeypatch.setattr(sopa_one_epsilon, "two_rows", sopa.one_row)
    else:
        monkeypatch.setattr(where, part, wrong)
    with pytest.raises(Disagreement):
        evidence(kind)


@pytest.mark.parametrize("kind", ["sopa", "sopa-one-epsilon"])
def test_exchanged_gates_are_decided_to_be_another_claim(kind, monkeypatch):
    """The layer and its automata do not depend on the names of the gates, but the claim's recurrence refers
    to the gates by name.
    """
    with recording():
        decided(kind)
    tables = CLASSES[kind].tables

    def renamed(self, *arguments, **options):
        names = tables(self, *arguments, **options)
        return {("s" if n[0] == "m" else "m" if n[0] == "s" else "e") + n[1:]: t for n, t in names.items()}

    monkeypatch.setattr(CLASSES[kind], "tables", renamed)
    with recording(), pytest.raises(Disagreement):
        decided(kind)
