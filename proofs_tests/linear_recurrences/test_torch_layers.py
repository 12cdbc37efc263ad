"""Tests that the automata of torch layers are those of the claims, and that wrong steps are refuted."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.equivalence import equivalent
from neural.layer_kind import layer_kinds
from neural.linear_recurrence_cell import LinearRecurrenceCell, dot, grouped, naively, scanned
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.implementation import Layer
from ratproof.implementations.layer_strategies import networks
from ratproof.ladder.rungs.gradient import gradient
from ratproof.ladder.rungs.sampled import sampled
from theory.claim import GRADIENT
from theory.registry import claims

LAYERS = [
    (claim, variant, layer)
    for claim in claims().values()
    for variant in claim.variants
    for layer in claim.layers_of(variant)
    if layer in layer_kinds() and issubclass(layer_kinds()[layer].cls.cell_class, LinearRecurrenceCell)
]
CELLS = {name: kind.cls.cell_class for name, kind in layer_kinds().items()}


def test_every_corrected_variant_has_a_layer():
    linear = {claim.name for claim, _, _ in LAYERS}
    holding = {(c.name, v.name) for c in claims().values() for v in c.variants if v.expected == "holds"}
    holding -= {("gla-chunks", "corrected-quotients")}  # the layer multiplies gates, and does not divide
    assert {(c.name, v.name) for c, v, _ in LAYERS} == {(c, v) for c, v in holding if c in linear}
    assert (len(LAYERS), len(linear)) == (38, 32)


OWN = [case for case in LAYERS if case[2] not in ("mamba-scalar", "longhorn")]
"""The layers whose gates are the weights of the construction.

The construction of Mamba's Theorem 1 has the weight sigmoid(z), and that of Longhorn 1 - delta k^2. The
layers compute these weights in another way.
"""


@pytest.mark.parametrize(("claim", "variant", "layer"), OWN, ids=[layer for _, _, layer in OWN])
@settings(max_examples=4)
@given(data=st.data())
def test_the_automata_of_a_layer_are_those_of_the_claim(claim, variant, layer, data):
    starts = layer_kinds()[layer].starts
    drawn = "ab", layer, claim.name, variant.name, "float64", "cpu"
    network = data.draw(networks(*drawn, start=starts, generic=True))
    for unit, own in enumerate(network.automata()):
        automata = variant.reading.construction(network.claim_weights(unit))
        assert equivalent(own, automata[unit % len(automata)]).verdict == "equivalent"


def test_the_decay_of_longhorn_is_1_minus_delta_k_squared():
    torch.manual_seed(0)
    cell = CELLS["longhorn"](3, 4, keys=3, dtype=torch.float64)
    g = grouped(cell.gates(torch.randn(20, 3, dtype=torch.float64)))
    for decay, k in zip(g.decay, g.k, strict=True):
        torch.testing.assert_close(decay, 1 - g.delta * k * k, rtol=0, atol=2.0**-50)


# Mistakes in steps, and the layers to which they apply.


def swapped_gates(self, g, first):
    s = scanned([k * g.v for k in g.k], g.alpha, first)
    return [*s, dot(g.q, s)]


def swapped_complement(self, g, first):
    return scanned([g.z], [(1 - g.z) * g.u], first)


def constant_decay(self, g, first):
    s = scanned([g.alpha[0]] * len(g.k), [k * g.v for k in g.k], first)
    return [*s, dot(g.q, s)]


def added_before_the_decay(self, g, first):
    s = scanned(g.alpha, [a * k * g.v for a, k in zip(g.alpha, g.k, strict=True)], first)
    return [*s, dot(g.q, s)]


def decayed_after_the_correction(self, g, first):
    def step(t, s):
        error = t.v - dot(t.k, s)
        new = [t.alpha * (x + t.beta * k * error) for x, k in zip(s, t.k, strict=True)]
        return [*new, dot(t.q, new)]

    return naively(step, g, first)


def erased_before_the_decay(self, g, first):
    def step(t, s):
        error = t.v - dot(t.k, s)
        new = [a * x + t.beta * k * error for a, x, k in zip(t.alpha, s, t.k, strict=True)]
        return [*new, dot(t.q, new)]

    return naively(step, g, first)


def transposed(self, g, first):
    def step(t, s):
        removed = dot([a * k for a, k in zip(t.a, t.kappa, strict=True)], s)
        new = [w * x - c * removed + k * t.v for w, x, c, k in zip(t.w, s, t.kappa, t.k, strict=True)]
        return [*new, dot(t.q, new)]

    return naively(step, g, first)


def read_after(self, g, first):
    s = scanned(g.w, [k * g.v for k in g.k], first)
    wkv = [x + u * (k * g.v) for x, u, k in zip(s, g.u, g.k, strict=True)]
    return [*s, dot(g.r, wkv)]


def without_skip(self, g, first):
    h = scanned([g.a for _ in g.B], [b * g.x for b in g.B], first)
    return [*h, dot(g.C, h)]


MISTAKES = [
    ("gla", "gla", swapped_gates),
    ("gla", "gla", constant_decay),
    ("gla", "gla", added_before_the_decay),
    ("min-gru", "min-gru", swapped_complement),
    ("gated-delta-net", "gated-delta-net", decayed_after_the_correction),
    ("kda", "kda", erased_before_the_decay),
    ("rwkv-7", "rwkv-7", transposed),
    ("rwkv-6", "rwkv-6", read_after),
    ("mamba-2", "mamba-2", without_skip),
]
RUNGS = {"sampled": sampled, GRADIENT: gradient}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("rung", RUNGS.values(), ids=RUNGS)
@pytest.mark.parametrize(
    ("claim", "kind", "wrong"), MISTAKES, ids=[wrong.__name__ for _, _, wrong in MISTAKES]
)
def test_a_mistake_in_a_step_is_refuted(monkeypatch, claim, kind, wrong, rung):
    monkeypatch.setattr(CELLS[kind], "run_steps", wrong)
    own = claims()[claim]
    with pytest.raises(Disagreement):
        rung(own, own.variant("corrected"), Layer(kind, "float64"), own.effort)


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("kind", ["hgrn", "lru", "s4d"])
def test_a_turn_by_minus_theta_is_refuted(monkeypatch, kind):
    cell, own = CELLS[kind], claims()[kind]
    right, name = cell.run_steps, "sin" if kind == "hgrn" else "b"

    def wrong(self, g, first):
        turn = getattr(g, name)
        setattr(g, name, [-x for x in turn] if isinstance(turn, list) else -turn)
        return right(self, g, first)

    monkeypatch.setattr(cell, "run_steps", wrong)
    with pytest.raises(Disagreement):
        sampled(own, own.variant("corrected"), Layer(kind, "float64"), own.effort)


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("kind", ["gla", "hgrn", "delta-net", "mamba"])
def test_shifted_initial_weights_are_refuted(monkeypatch, kind):
    cell, own = CELLS[kind], claims()[kind]
    right = cell.arrays
    monkeypatch.setattr(
        cell, "arrays", lambda *a: [(np.roll(initial, 1), *rest) for initial, *rest in right(*a)]
    )
    with pytest.raises(Disagreement):
        sampled(own, own.variant("corrected"), Layer(kind, "float64"), own.effort)


CHUNKED = {
    "gla-chunks": "gla",
    "mamba-2-chunks": "mamba-2",
    "delta-chunks": "gated-delta-net",
    "rwkv-6-chunks": "rwkv-6",
    "rwkv-7-chunks": "rwkv-7",
}


@pytest.mark.parametrize("length", [0, 1, 7])
@pytest.mark.parametrize("chunk", [1, 2, 3])
@pytest.mark.parametrize(("chunked", "plain"), CHUNKED.items(), ids=CHUNKED)
def test_a_layer_in_chunks_has_the_outputs_and_states_of_the_layer(chunked, plain, chunk, length):
    torch.manual_seed(length)
    one = layer_kinds()[chunked].cls(3, 2, chunk=chunk, dtype=torch.float64)
    other = layer_kinds()[plain].cls(3, 2, dtype=torch.float64)
    other.load_state_dict(one.state_dict())
    inputs = torch.randn(length, 4, 3, dtype=torch.float64)
    ours, theirs = (layer(inputs, lengths=[length, 0, length // 2, length]) for layer in (one, other))
    torch.testing.assert_close(ours[0], theirs[0])
    torch.testing.assert_close(ours[1], theirs[1])
