"""Tests of the state-regularized layers: all forms of calls against the equations of Wang & Niepert (2019).

Invalid arguments are refused.
"""

import math

import pytest
import torch
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

from automata.errors import InputError
from neural.state_regularized.layers import KINDS, LSTMP, SRGRU
from proofs_tests.automata.examples import some_cases
from proofs_tests.neural import sr_equations
from proofs_tests.neural.some_sr_networks import (
    LAYERS,
    D,
    both_dtypes,
    both_similarities,
    computes,
    every,
    networks,
    randomly,
    regularized,
    vectors,
)
from proofs_tests.neural.sr_equations import close, exactly


@some_cases(networks())
def test_a_network_computes_the_equations_in_every_form_of_call(drawn):
    """A batch with lengths, time or batch first, packed sequences, and a single sequence, including the empty
    one.
    """
    network, kind, options, strings = drawn
    lengths = [len(string) for string in strings]
    padded = torch.nn.utils.rnn.pad_sequence(strings, padding_value=torch.nan)
    output, state = network(padded, lengths=lengths)
    network.batch_first = True
    swapped, _ = network(padded.transpose(0, 1), lengths=torch.tensor(lengths))
    network.batch_first = False
    for b, string in enumerate(strings):
        computes(network, kind, options, string, output[: len(string), b], part_of(state, b))
        assert (output[len(string) :, b] == 0).all()
        computes(network, kind, options, string, swapped[b, : len(string)], part_of(state, b))
        computes(network, kind, options, string, *network(string))
    packed = [string for string in strings if len(string)]
    if packed:
        output, state = network(pack_sequence(packed, enforce_sorted=False))
        for b, string in enumerate(packed):
            computes(
                network,
                kind,
                options,
                string,
                pad_packed_sequence(output)[0][: len(string), b],
                part_of(state, b),
            )


def part_of(state, b):
    return state[:, b] if isinstance(state, torch.Tensor) else tuple(part[:, b] for part in state)


@some_cases(networks(), st.integers(0, 2**20))
def test_it_starts_in_the_given_state(drawn, seed):
    network, kind, options, strings = drawn
    d, dtype = network.hidden_size, next(network.parameters()).dtype
    h, c = vectors(seed, 2, len(network.cells), d, dtype=dtype)
    given_state = h if isinstance(network(strings[0])[1], torch.Tensor) else (h, c)
    name = sr_equations.dtype_of(network)
    states = [(exactly(one, name), exactly(other, name)) for one, other in zip(h, c, strict=True)]
    computes(network, kind, options, strings[0], *network(strings[0], given_state), states)


@some_cases(networks().filter(lambda drawn: drawn[1] in KINDS and len(drawn[0].cells) == 1))
def test_the_scores_are_alpha_of_every_step(drawn):
    network, kind, options, strings = drawn
    alpha = computes(network, kind, options, strings[0], *network(strings[0]))
    scores = network.scores(strings[0])
    assert scores.shape == (len(strings[0]), network.cell.component.k)
    for score, near in zip(scores, alpha, strict=True):
        close(score, near)


@regularized
@both_similarities
@pytest.mark.parametrize("transition", ["sampled", "limit"])
@both_dtypes
def test_hard_transitions_follow_the_equations_from_centroid_to_centroid(kind, similarity, transition, dtype):
    """Each step's alpha is that of the previous state, which is exactly the centroid that was chosen."""
    network = randomly(
        KINDS[kind](2, 3, k=4, similarity=similarity, transition=transition, temperature=0.5, dtype=dtype),
        seed=12,
    )
    torch.manual_seed(13)
    v, name = vectors(14, 6, 5, 2, dtype=dtype), sr_equations.dtype_of(network)
    first = network.cell.at_centroid(2, batch=5)
    ran = network.cell.run(v, first)
    assert torch.equal(ran.outputs, ran.states[0])
    p = sr_equations.numbers(network, "cells.0.")
    for t in range(6):
        for b in range(5):
            before = [
                exactly((s[t - 1, b] if t else f[b]).detach(), name)
                for s, f in zip(ran.states, first, strict=True)
            ]
            alpha, (_, c) = sr_equations.step(
                kind, p, exactly(v[t, b], name), (*before, None)[:2], similarity, 0.5
            )
            close(ran.scores[t, b], alpha)
            chosen = (ran.outputs[t, b].unsqueeze(-1) == network.cell.component.centroids).all(dim=0)
            assert int(chosen.sum()) == 1
            if transition == "limit":
                assert bool(chosen[ran.scores[t, b].argmax()])
            if c is not None:
                close(ran.states[1][t, b], c)


@regularized
def test_at_centroid_h_is_that_centroid_and_c_is_zero(kind):
    network = randomly(KINDS[kind](2, 3, k=4), seed=15)
    for index in range(4):
        h, *c = network.cell.at_centroid(index, batch=2)
        assert torch.equal(h, network.cell.component.centroids[:, index].expand(2, 3))
        assert len(c) == (0 if network.cell.memoryless else 1)
        assert not c or torch.equal(c[0], torch.zeros(2, 3))


def test_memoryless_means_without_a_cell_state():
    expected = {"sr-elman": True, "sr-gru": True, "sr-lstm": False, "sr-lstm-p": False}
    assert {kind: KINDS[kind](2, 3).cell.memoryless for kind in KINDS} == expected


@every
@pytest.mark.parametrize("bidirectional", [False, True])
def test_an_empty_sequence_and_an_empty_batch_are_accepted(kind, bidirectional):
    network = randomly(LAYERS[kind](2, 3, num_layers=2, bidirectional=bidirectional), seed=16)
    d = 3 * network.directions
    for time, batch in ((0, 2), (4, 0), (0, 0)):
        output, state = network(torch.zeros(time, batch, 2))
        assert output.shape == (time, batch, d)
        for part in (state,) if isinstance(state, torch.Tensor) else state:
            assert torch.equal(part, torch.zeros(2 * network.directions, batch, 3))


@every
@both_similarities
def test_gradients_reach_every_parameter_of_every_layer(kind, similarity):
    """With equation 5, they match finite differences."""
    options = {"k": 3, "similarity": similarity, "temperature": 0.5} if kind in KINDS else {}
    network = randomly(LAYERS[kind](2, 2, num_layers=2, dtype=D, **options), seed=17).train()
    v = vectors(18, 3, 1, 2)
    network(v)[0].square().sum().backward()
    assert all(bool((p.grad != 0).any()) for p in network.parameters())
    names = [name for name, _ in network.named_parameters()]

    def run(v, *weights):
        return torch.func.functional_call(network, dict(zip(names, weights, strict=True)), (v,))[0]

    assert torch.autograd.gradcheck(
        run, (v.requires_grad_(), *(p.detach().clone().requires_grad_() for p in network.parameters()))
    )


@regularized
@pytest.mark.parametrize("transition", ["sampled", "limit"])
def test_no_gradient_flows_through_a_choice(kind, transition):
    """dh/dS is one for the chosen column and zero for the others; earlier parameters receive no gradient."""
    network = randomly(KINDS[kind](2, 3, k=4, transition=transition, dtype=D), seed=19).train()
    torch.manual_seed(20)
    h, _ = network(vectors(21, 3, 1, 2))
    h[-1].sum().backward()
    component = network.cell.component
    chosen = (h[-1, 0].unsqueeze(-1) == component.centroids).all(dim=0)
    assert torch.equal(component.centroids.grad, chosen.expand(3, 4).to(D))
    assert all(p.grad is None or not bool(p.grad.any()) for p in network.cell.part.parameters())


@pytest.mark.parametrize("kind", ["sr-lstm", "sr-lstm-p"])
def test_the_cell_state_bypasses_the_stochastic_component(kind):
    """Different cell states stay different, although both runs start in the same centroid."""
    network = randomly(KINDS[kind](2, 3, k=4, transition="limit", dtype=D), seed=22)
    h = network.cell.component.centroids[:, :1].T
    ends = [
        network.cell.run(torch.zeros(1, 1, 2, dtype=D), (h, torch.full((1, 3), c, dtype=D))).states[1]
        for c in (0.0, 1.0)
    ]
    assert not torch.equal(*ends)


def test_layers_have_separate_components():
    network = SRGRU(2, 3, k=4, num_layers=3)
    assert len(network.components) == len({id(c.centroids) for c in network.components}) == 3


# Invalid arguments.


@pytest.mark.parametrize("value", [0, 0.0, -1.0, math.nan, math.inf, "1", None, True, 10**400, [1.0]])
def test_an_invalid_temperature_is_reported(value):
    with pytest.raises(
        InputError, match=r'temperature must be a positive number, got .*; transition="limit"'
    ) as error:
        SRGRU(2, 3, k=4, temperature=value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300
    network = SRGRU(2, 3, k=4)
    with pytest.raises(InputError, match="temperature must be"):
        network.cell.component.temperature = value
    assert network.cell.component.temperature == 1.0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"k": 1}, "k must be an integer of at least 2, got 1"),
        ({"k": 2.0}, "k must .*got 2.0"),
        ({"k": True}, "k must .*got True"),
        ({"similarity": "cosine"}, 'similarity must be "dot" or "euclidean", got'),
        ({"similarity": None}, "similarity must .*got None"),
        ({"transition": "soft"}, 'transition must be "mixture" or "sampled" or "limit", got'),
        ({"noise": -0.1}, "noise must .*got -0.1"),
        ({"noise": math.nan}, "noise must .*got nan"),
        ({"noise": math.inf}, "noise must .*got inf"),
        ({"noise": "0.1"}, "noise must .*got '0.1'"),
        ({"noise": None}, "noise must .*got None"),
        ({"noise": True}, "noise must .*got True"),
        ({"noise": 10**400}, "noise must .*got"),
        ({"centroids": 3}, r"among .k, noise, similarity, temperature, transition., got 'centroids'"),
        ({"bias": 1}, "bias must .*got 1"),
        ({"num_layers": 0}, "num_layers must .*got 0"),
        ({"hidden_size": 0}, "hidden_size must .*got 0"),
    ],
)
def test_wrong_options_are_reported(options, says):
    with pytest.raises(InputError, match=says) as error:
        SRGRU(**{"input_size": 2, "hidden_size": 3, **options})
    assert "\n" not in str(error.value)


def test_lstm_p_alone_has_no_centroids():
    with pytest.raises(InputError, match=r"LSTMP: options must be among .none., got 'k'"):
        LSTMP(2, 3, k=4)
    assert not any("centroids" in name for name, _ in LSTMP(2, 3).named_parameters())


@pytest.mark.parametrize("index", [-1, 4, 1.5, "0", None])
def test_an_out_of_range_centroid_is_reported(index):
    with pytest.raises(InputError, match=r"the centroid index must be between 0 and 3, got"):
        SRGRU(2, 3, k=4).cell.at_centroid(index)


@pytest.mark.parametrize(
    ("kind", "call", "says"),
    [
        (
            "sr-gru",
            lambda m: m(torch.zeros(2, 2, 4)),
            r"inputs must have shape \(time, batch, input\) with input = 2, got shape \(2, 2, 4\)",
        ),
        ("sr-gru", lambda m: m(torch.zeros(2)), r"inputs must have shape .*got shape \(2,\)"),
        ("sr-gru", lambda m: m([[1.0, 2.0]]), "input must .*got list"),
        (
            "sr-gru",
            lambda m: m(torch.zeros(2, 2, 2), torch.zeros(2, 3)),
            r"state must have shape \(1, 2, 3\), got \(2, 3\)",
        ),
        ("sr-gru", lambda m: m(torch.zeros(2, 2, 2), lengths=[3, 0]), "lengths must be"),
        (
            "sr-lstm",
            lambda m: m(torch.zeros(2, 2, 2), torch.zeros(1, 2, 3)),
            r"state must have 2 part\(s\), got 1",
        ),
        (
            "lstm-p",
            lambda m: m(torch.zeros(2, 2, 2), (torch.zeros(1, 2, 3), torch.zeros(1, 2, 4))),
            "state must have shape",
        ),
    ],
)
def test_wrong_shapes_are_reported(kind, call, says):
    with pytest.raises(InputError, match=says) as error:
        call(LAYERS[kind](2, 3))
    assert "\n" not in str(error.value)


def test_several_layers_have_no_one_cell():
    with pytest.raises(
        InputError, match=r"must have one layer and one direction, got 2 layer\(s\) and 1 direction\(s\)"
    ):
        SRGRU(2, 3, num_layers=2).scores(torch.zeros(1, 1, 2))
