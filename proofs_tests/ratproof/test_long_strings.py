"""Tests that the evidence of the claims refutes layers and programs that lose their state late in long
strings.
"""

from dataclasses import replace

import pytest
import torch

from neural.fa_rnn.network import FARNN
from neural.layer_kind import layer_kinds
from neural.state_regularized.layers import SRCell, SRLayers
from neural.unrolled import CellOutput
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.implementation import Layer, SampledLayer, TorchProgram
from ratproof.ladder.rungs.gradient import gradient
from ratproof.ladder.rungs.sampled import sampled
from ratproof.ladder.steps import steps
from theory.claim import GRADIENT
from theory.registry import claims

LOST = 40
"""The number of steps after which a layer loses its state."""
STEPS = [step for step in steps(claims().values()) if getattr(step.side, "dtype", None) == "float64"]


def of(sides, kind, only=()):
    """Parametrise a test by the ladder's steps for this kind of evidence and these implementations.

    If ``only`` is not empty, it contains the names of the layers or programs to test.
    """
    some = [step for step in STEPS if isinstance(step.side, sides) and step.kind == kind]
    names = [getattr(step.side, "kind", getattr(step.side, "name", "")) for step in some]
    chosen = [step for step, name in zip(some, names, strict=True) if not only or name in only]
    return pytest.mark.parametrize("step", chosen, ids=[step.label for step in chosen])


def joined(one, other):
    """Concatenate the results of a cell on the two parts of a sequence."""
    states = tuple(torch.cat(pair) for pair in zip(one.states, other.states, strict=True))
    return CellOutput(torch.cat([one.scores, other.scores]), torch.cat([one.outputs, other.outputs]), states)


def put(monkeypatch, kind, change):
    """Change the state of a layer after :data:`LOST` steps of a longer sequence."""
    cell = layer_kinds()[kind].cls.cell_class
    run = cell.run

    def changed(self, inputs, state):
        if len(inputs) <= LOST:
            return run(self, inputs, state)
        first = run(self, inputs[:LOST], state)
        last = [part[-1] for part in first.states]
        some = self.c_states
        return joined(
            first, run(self, inputs[LOST:], [*(change(self, c) for c in last[:some]), *last[some:]])
        )

    monkeypatch.setattr(cell, "run", changed)


def assert_refuted(step, rung):
    """Assert that a sufficiently long string refutes the step in at least one dtype."""

    def both():
        for dtype in ("float64", "float32"):
            rung(step.claim, step.variant, replace(step.side, dtype=dtype), step.claim.effort)

    with pytest.raises(Disagreement) as error:
        both()
    assert len(error.value.counterexample.string) >= LOST  # FA-GRUs also count BOS


@pytest.fixture
def few(monkeypatch, unshrunk):
    """Draw only one case in addition to the long strings."""
    monkeypatch.setattr(Layer, "gradient_examples", 1)
    monkeypatch.setattr(TorchProgram, "examples", 1)


LAYERS = ("rrnn-b", "linear-elman", "rrnn-f", "sopa-max-plus", "hgrn", "delta-net")
"""Some layers; ``nox -s mutants -- claims`` plants this fault in each layer."""


@pytest.mark.usefixtures("few")
@of(Layer, "sampled", only=LAYERS)
def test_a_layer_that_loses_its_state_in_long_sequences_is_refuted(monkeypatch, step):
    put(monkeypatch, step.side.kind, lambda cell, c: torch.full_like(c, cell.semiring.zero))
    assert_refuted(replace(step, side=replace(step.side, examples=1)), sampled)


@pytest.mark.usefixtures("few")
@of(Layer, GRADIENT, only=("linear-elman", "rrnn-b", "rrnn-f"))
def test_a_layer_whose_gradient_ends_in_long_sequences_is_refuted(monkeypatch, step):
    put(monkeypatch, step.side.kind, lambda cell, c: c.detach())
    assert_refuted(step, gradient)


plain_states, plain_run, plain_layers = FARNN.states, SRCell.run, SRLayers.forward


def sentences_cut(self, sentences, lengths=None):
    if isinstance(sentences, torch.Tensor):
        return plain_states(self, sentences, lengths)
    return plain_states(self, [x if len(x) <= LOST else x[LOST:] for x in sentences])


def run_anew(self, inputs, state):
    if len(inputs) <= LOST:
        return plain_run(self, inputs, state)
    again = self.at_centroid(0, inputs.shape[1])
    return joined(plain_run(self, inputs[:LOST], state), plain_run(self, inputs[LOST:], again))


def layers_anew(self, inputs, state, lengths):
    time = len(inputs)
    if time <= LOST:
        return plain_layers(self, inputs, state, lengths)
    first, _ = plain_layers(self, inputs[:LOST], state)
    rest, last = plain_layers(self, inputs[LOST:], state)
    return torch.cat([first, rest]), last


SOME = ("sr-gru", "sr-limit", "fa-rnn-tensor", "fa-rnn-factors", "fa-rnn-viterbi-factors", "fa-gru")


@pytest.mark.usefixtures("few")
@of((SampledLayer, TorchProgram), "sampled", only=SOME)
def test_a_program_that_restarts_in_long_sequences_is_refuted(monkeypatch, step):
    monkeypatch.setattr(FARNN, "states", sentences_cut)
    monkeypatch.setattr(SRCell, "run", run_anew)
    monkeypatch.setattr(SRLayers, "forward", layers_anew)
    side = replace(step.side, examples=1) if isinstance(step.side, SampledLayer) else step.side
    assert_refuted(replace(step, side=side), sampled)
