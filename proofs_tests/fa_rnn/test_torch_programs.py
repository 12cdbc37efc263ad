"""Tests that the evidence detects mutations of the torch programs of FA-RNNs."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.testing.strategies import readings
from neural.fa_rnn import bidirectional, cells, editing, factors
from neural.fa_rnn.aggregation import SoftLogic
from neural.fa_rnn.cells import FactoredCell, FAGRUCell, TensorCell
from neural.fa_rnn.network import FARNN
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.fa_rnn.table import PROGRAMS
from ratproof.implementations.implementation import TorchProgram
from ratproof.ladder.steps import Step, steps
from theory.registry import claims

STEPS = {
    step.side.name: step
    for step in steps(claims().values())
    if isinstance(step.side, TorchProgram) and step.side.dtype == "float32"
}


def test_every_program_implements_a_variant():
    assert set(PROGRAMS) <= set(STEPS)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
@settings(max_examples=10)
@given(st.data())
def test_weights_drawn_for_a_program_are_accepted_after_saving(name, data):
    """This holds even after letters were dropped, and the factors are not those of the construction."""
    names, _ = data.draw(readings(most=3, longest=3, run=0))
    case = data.draw(PROGRAMS[name].cases.random("abc")).renamed(names)
    assert PROGRAMS[name].misfit(case) is None


def transposed(self, words, h):
    semiring = "real" if self.scoring == "forward" else "max_times"
    return cells.matrix_scan(self.matrices.transpose(1, 2), self.letters[words], h, semiring=semiring)


def read_by(step):
    def forward(self, words, there, h):
        done = []
        for word, size in zip(words, there.sum(1).tolist(), strict=True):
            done.append(h[size:])
            h = step(self, word[:size], h[:size])
        return torch.cat([h, *done[::-1]])

    return forward


@read_by
def factors_swapped(self, word, h):
    return ((h @ self.after) * self.read(word)[0]) @ self.before.T


@read_by
def without_the_wildcard(self, word, h):
    return ((h @ self.before) * self.read(word)[0]) @ self.after.T


@read_by
def sums_for_maxima_of_factors(self, word, h):
    return cells.advance(h, self.tensor()[word], "forward")


def gates_swapped(self, read, h, first):
    features = torch.cat([read[0], h], dim=1)
    f, r = torch.sigmoid(self.update(features)), torch.sigmoid(self.reset(features))
    return f * h + (1 - f) * self.inner.step(read, (1 - r) * first + r * h)


def without_reset(self, read, h, first):
    f = torch.sigmoid(self.update(torch.cat([read[0], h], dim=1)))
    return (1 - f) * h + f * self.inner.step(read, 2 * h)


def unfolded_the_other_way(self):
    return torch.einsum("xr,ir,jr->xji", self.table(), self.before, self.after)


def one_row_further(one, other):
    both = factors.side_by_side(one, other)
    both.after[:, -1] = 1.0
    return both


def padding_read_as_words(self, sentences, lengths=None):
    tokens, _ = self.tokens(sentences)  # padding is read as the first word
    h = self.initial.expand(len(sentences), -1)
    if not len(tokens):
        return h
    if isinstance(self.cell, TensorCell):
        return self.cell(tokens, h)[-1]
    return self.cell(tokens, torch.ones_like(tokens, dtype=torch.bool), h)


def counts_unclamped(self, scores):
    clauses = (scores @ self.literals.T + self.negations).clamp(max=1)
    return (clauses @ self.members.T - self.spare).clamp(min=0)


def without_negations(self, scores):
    clauses = (scores.clamp(0, 1) @ self.literals.T).clamp(max=1)
    return (clauses @ self.members.T - self.spare).clamp(min=0)


def sums_for_maxima_of_words(self, words, h):
    return cells.matrix_scan(self.matrices, self.letters[words], h)


def shares_exchanged(self, rules, vectors, turn):
    return (1 - self.beta) * rules + self.beta * vectors @ turn


def shares_exchanged_in_equation_9(self):
    return (
        self._mixed(self.rules, self.pretrained, self.turn)
        if self.beta in (0, 1)
        else shares_exchanged(self, self.rules, self.pretrained, self.turn)
    )


BREAKS = [
    (FactoredCell, "_mixed", shares_exchanged, "fa-rnn-mixed"),
    (FactoredCell, "table", shares_exchanged_in_equation_9, "fa-rnn-mixed-tensor"),
    (TensorCell, "forward", transposed, "fa-rnn-tensor"),
    (FARNN, "states", padding_read_as_words, "fa-rnn-tensor"),
    (FactoredCell, "forward", factors_swapped, "fa-rnn-factors"),
    (FactoredCell, "forward", without_the_wildcard, "fa-rnn-rules-apart"),
    (FactoredCell, "tensor", unfolded_the_other_way, "fa-rnn-rebuilt-tensor"),
    (FAGRUCell, "forward", gates_swapped, "fa-gru"),
    (FAGRUCell, "forward", without_reset, "fa-gru"),
    (SoftLogic, "forward", counts_unclamped, "fa-rnn-soft-logic"),
    (SoftLogic, "forward", without_negations, "fa-rnn-soft-logic"),
    (TensorCell, "forward", sums_for_maxima_of_words, "fa-rnn-viterbi-tensor"),
    (FactoredCell, "forward", sums_for_maxima_of_factors, "fa-rnn-viterbi-factors"),
    (bidirectional, "mirror", lambda sentence: sentence, "fa-rnn-bidirectional"),
    (editing, "_leading_to", lambda cell, ends: ends, "fa-rnn-without-a-rule"),
    ("ratproof.implementations.fa_rnn.by_factors", "side_by_side", one_row_further, "fa-rnn-blocks"),
    (torch.linalg, "pinv", lambda m: m.T, "fa-rnn-vectors"),
]


@pytest.mark.parametrize(
    ("owner", "name", "wrong", "program"), BREAKS, ids=[f"{b[3]}-{b[1]}-{i}" for i, b in enumerate(BREAKS)]
)
def test_a_mutated_program_is_refuted(unshrunk, monkeypatch, owner, name, wrong, program):
    if isinstance(owner, str):
        monkeypatch.setattr(f"{owner}.{name}", wrong)
    else:
        monkeypatch.setattr(owner, name, wrong)
    step: Step = STEPS[program]
    with pytest.raises(Disagreement):
        step.show()


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_that_skips_the_first_word_is_refuted(unshrunk, monkeypatch, name):
    program = PROGRAMS[name]

    def build(case, factory):
        network = program.build(case, factory)
        return lambda sentences: network([words[1:] for words in sentences])

    monkeypatch.setitem(PROGRAMS, name, replace(program, build=build))
    with pytest.raises(Disagreement):
        STEPS[name].show()
