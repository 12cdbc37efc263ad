"""Tests that the evidence detects mutations of the torch programs of FA-RNNs."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from automata.testing.strategies import readings
from neural.affine_rnn import AffineRNN
from neural.fa_rnn import bidirectional, cells, editing, factors
from neural.fa_rnn.aggregation import SoftLogic
from neural.fa_rnn.cells import FactoredCell, FAGRUCell, TensorCell
from neural.fa_rnn.network import FARNN
from neural.heaviside_elman import HeavisideElmanRNN
from neural.heaviside_stack import HeavisideStackRNN
from neural.householder import HouseholderRNN
from neural.pd_ssm import PDSSM
from neural.relu_elman import ReLUElmanRNN
from neural.saturated_lstm import SaturatedLSTM
from neural.second_order import SecondOrderRNN
from neural.sigmoid_automaton import SigmoidAutomatonRNN
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


def tensor_transposed(self, vectors):
    """Return the outputs of a second-order network whose tensor has its state indices exchanged."""
    return SECOND_ORDER(SecondOrderRNN(self.tensor.transpose(0, 2), self.initial, self.final), vectors)


def without_the_last_symbol(self, symbols):
    """Return the outputs of a Heaviside network that ignores the last symbol of each prefix."""
    return HEAVISIDE(self, symbols)[:, [0, *range(symbols.shape[1])]]


def rows_read_as_columns(self, symbols):
    """Compute a PD-SSM with the permutation P transposed."""
    states = [self.initial.expand(len(symbols), -1)]
    for u in symbols.unbind(1):
        states.append((self.diagonal[u] * states[-1]).gather(1, self.rows[u]))
    return torch.stack(states, 1) @ self.output


def every_threshold_positive(self, h, threshold):
    """Compute a network whose thresholds are all positive, so that it allows every bracket."""
    return torch.ones_like(h[:, 0])


def without_biases(self, symbols):
    """Compute an affine network whose steps have no biases."""
    zeros = torch.zeros_like(self.biases)
    return AFFINE(AffineRNN(self.matrices, zeros, self.initial, self.final), symbols)


def without_gain(self, symbols):
    """Compute a sigmoid network with a sixteenth of its gain."""
    h = nn.functional.one_hot(torch.zeros(len(symbols), dtype=torch.long), self.weight.shape[1])
    states = [h.to(self.weight)]
    for x in symbols.unbind(1):
        inner = torch.einsum("bi,bij->bj", states[-1], self.weight[x]) + self.bias
        states.append(torch.sigmoid(inner / 16))
    return torch.stack(states, 1) > 0.5


def halved_betas(self):
    """Return the steps of a layer with half of each beta."""
    return PRODUCTS(HouseholderRNN(self.keys, self.betas / 2, self.initial, self.output, self.values))


def without_recurrent_weights(self, symbols):
    """Compute a saturated LSTM whose gates do not read the previous outputs."""
    with torch.no_grad():
        self.lstm.weight_hh_l0.zero_()
    return SATURATED(self, symbols)


def cells_of_the_last_symbol(self, symbols):
    """Compute a saturated LSTM that only remembers the last symbol of each prefix."""
    after_one = [SATURATED(self, x[:, None]) for x in symbols.unbind(1)]
    return torch.cat([SATURATED(self, symbols[:, :0]), *(cells[:, 1:] for cells in after_one)], 1)


def weights_transposed(self, symbols):
    """Compute a network with ReLU whose recurrent matrix is transposed."""
    with torch.no_grad():
        weight = self.rnn.get_parameter("weight_hh_l0")
        weight.copy_(weight.T.clone())
    return RELU(self, symbols)


PRODUCTS = HouseholderRNN.products
RELU = ReLUElmanRNN.forward
HEAVISIDE, SATURATED = HeavisideElmanRNN.forward, SaturatedLSTM.forward
AFFINE, SECOND_ORDER = AffineRNN.forward, SecondOrderRNN.forward
BREAKS = [
    (FactoredCell, "_mixed", shares_exchanged, "fa-rnn-mixed"),
    (FactoredCell, "table", shares_exchanged_in_equation_9, "fa-rnn-mixed-tensor"),
    (TensorCell, "forward", transposed, "fa-rnn-tensor"),
    (TensorCell, "forward", transposed, "fa-rnn-maxima"),
    (FARNN, "states", padding_read_as_words, "fa-rnn-tensor"),
    (FARNN, "states", padding_read_as_words, "fa-rnn-deterministic"),
    (FactoredCell, "forward", factors_swapped, "fa-rnn-factors"),
    (FactoredCell, "forward", factors_swapped, "fa-rnn-exact-factors"),
    (FactoredCell, "forward", factors_swapped, "fa-rnn-vectors"),
    (FactoredCell, "forward", factors_swapped, "fa-rnn-blocks"),
    (FactoredCell, "forward", factors_swapped, "fa-rnn-without-a-rule"),
    (FactoredCell, "forward", factors_swapped, "fa-rnn-untrained-without-a-rule"),
    (FactoredCell, "forward", without_the_wildcard, "fa-rnn-rules-apart"),
    (FactoredCell, "forward", factors_swapped, "fa-rnn-rules"),
    (FactoredCell, "tensor", unfolded_the_other_way, "fa-rnn-rebuilt-tensor"),
    (FactoredCell, "tensor", unfolded_the_other_way, "fa-rnn-threshold"),
    (FAGRUCell, "forward", gates_swapped, "fa-gru"),
    (FAGRUCell, "forward", without_reset, "fa-gru"),
    (SoftLogic, "forward", counts_unclamped, "fa-rnn-soft-logic"),
    (SoftLogic, "forward", without_negations, "fa-rnn-soft-logic"),
    (TensorCell, "forward", sums_for_maxima_of_words, "fa-rnn-viterbi-tensor"),
    (FactoredCell, "forward", sums_for_maxima_of_factors, "fa-rnn-viterbi-factors"),
    (FactoredCell, "forward", sums_for_maxima_of_factors, "fa-rnn-viterbi-vectors"),
    (TensorCell, "forward", sums_for_maxima_of_words, "fa-rnn-maxima"),
    (bidirectional, "mirror", lambda sentence: sentence, "fa-rnn-bidirectional"),
    (editing, "_leading_to", lambda cell, ends: ends, "fa-rnn-without-a-rule"),
    ("ratproof.implementations.fa_rnn.by_factors", "side_by_side", one_row_further, "fa-rnn-blocks"),
    (torch.linalg, "pinv", lambda m: m.T, "fa-rnn-vectors"),
    (SecondOrderRNN, "forward", tensor_transposed, "second-order-rnn"),
    (HeavisideElmanRNN, "forward", without_the_last_symbol, "heaviside-elman"),
    (PDSSM, "forward", rows_read_as_columns, "pd-ssm-emulation"),
    (HeavisideStackRNN, "_is_positive", every_threshold_positive, "bounded-dyck"),
    (AffineRNN, "forward", without_biases, "affine-errors"),
    (AffineRNN, "forward", without_biases, "nonnegative-gates"),
    *(
        (HouseholderRNN, "products", halved_betas, program)
        for program in ("negative-eigenvalues", "householder-products", "delta-product-permutations")
    ),
    (SigmoidAutomatonRNN, "forward", without_gain, "omlin-giles"),
    (ReLUElmanRNN, "forward", weights_transposed, "relu-elman"),
    (SaturatedLSTM, "forward", cells_of_the_last_symbol, "saturated-lstm"),
    (SaturatedLSTM, "forward", without_recurrent_weights, "counting-lstm"),
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


def test_every_program_has_a_mutation():
    assert {program for *_, program in BREAKS} == set(PROGRAMS)
