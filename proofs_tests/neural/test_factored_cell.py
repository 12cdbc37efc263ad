"""Tests that FA-RNNs of factors compute the same results for complete sentences as step by step."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.semirings import COUNTING
from automata.wfsa import WFSA
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.network import FARNN
from proofs_tests.automata.examples import some

D = torch.float64
WORDS = ("a", "b", "c")


def network(scoring="forward", dropout=0.0):
    """Return a network with vectors, a separate wildcard, and states that training may connect."""
    torch.manual_seed(4)
    tables = {word: torch.randint(0, 2, (4, 4)).tolist() for word in (*WORDS, "$")}
    automaton = WFSA(COUNTING, [1, 0, 1, 0], [0, 1, 1, 1], tables)
    result = FARNN.of(
        automaton, scoring=scoring, dtype=D, extra=1, noise=0.1, beta=0.7, embeddings=torch.randn(4, 3),
        dropout=dropout,
    )  # fmt: skip
    assert isinstance(result.cell, FactoredCell) and result.cell.has_apart
    return result


@pytest.mark.parametrize("scoring", ["forward", "viterbi"])
@pytest.mark.parametrize("dropout", [0.0, 1e-9])
@some
@given(sentences=st.lists(st.lists(st.sampled_from((*WORDS, "$")), max_size=6), min_size=1, max_size=6))
def test_a_network_of_factors_equals_its_steps_and_so_do_its_gradients(scoring, dropout, sentences):
    """This holds whether or not words with the same vector share their reading."""
    farnn = network(scoring, dropout)
    cell, parameters, results = farnn.cell, [p for p in farnn.parameters() if p.requires_grad], []

    def step_by_step(sentences):
        ends = []
        for sentence in sentences:
            h = farnn.initial.unsqueeze(0)
            for word in sentence:
                h = cell.step(cell.read(torch.tensor([farnn.index[word]])), h)
            ends.append(h)
        return torch.cat(ends)

    for run in (farnn.states, step_by_step):
        states = run(sentences)
        weights = torch.arange(1, states.numel() + 1, dtype=D).reshape(states.shape).cos()
        total = (states * weights).sum() + sum(0 * p.sum() for p in parameters)
        results.append([states.detach(), *torch.autograd.grad(total, parameters)])
    torch.testing.assert_close(*results, rtol=1e-11, atol=1e-11)
