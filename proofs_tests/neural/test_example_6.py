"""Example 6 as a torch layer: it computes its equations, in every shape in which layers are called, and its gradients."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

from automata.errors import InputError
from automata.forward import prefix_scores
from automata.rounding import FLOAT64, prefix_bounds, share
from neural.example_6 import Example6
from neural.recurrence import elementwise

D = torch.float64


def layer(**options):
    torch.manual_seed(0)
    return Example6(3, 2, dtype=D, **options)


def by_the_equations(made, v, c):
    """Equations 5a to 5c, one step at a time."""
    states = []
    for x in v:
        f = torch.sigmoid(made.forget.weight @ x + made.forget.bias)
        g = made.update.weight @ x + made.update.bias
        u = (1 - f) * (torch.tanh(g) if made.nonlinearity == "tanh" else g)
        c = f * c + u
        states.append(c)
    return torch.stack(states) if states else torch.zeros(0, 2, dtype=D)


@pytest.mark.parametrize("nonlinearity", ["tanh", "identity"])
@given(st.integers(0, 6), st.integers(0, 4))
def test_it_computes_its_equations_for_a_whole_batch(nonlinearity, time, batch):
    made = layer(nonlinearity=nonlinearity)
    v, c_0 = torch.randn(time, batch, 3, dtype=D), torch.randn(batch, 2, dtype=D)
    c, c_n = made(v, c_0)
    assert c.shape == (time, batch, 2) and c_n.shape == (batch, 2)
    for b in range(batch):
        torch.testing.assert_close(c[:, b], by_the_equations(made, v[:, b], c_0[b]))
        torch.testing.assert_close(c_n[b], c[-1, b] if time else c_0[b])


def test_batch_first_only_swaps_the_axes():
    time_first, batch_first = layer(), layer(batch_first=True)
    v = torch.randn(5, 4, 3, dtype=D)
    c, c_n = time_first(v)
    swapped, same = batch_first(v.transpose(0, 1))
    torch.testing.assert_close(swapped.transpose(0, 1), c)
    torch.testing.assert_close(same, c_n)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5))
def test_strings_of_unequal_length_run_as_they_do_alone(lengths):
    made = layer()
    v = torch.randn(max(lengths), len(lengths), 3, dtype=D)
    c, c_n = made(v, lengths=lengths)
    for b, n in enumerate(lengths):
        alone, last = made(v[:n, b])
        torch.testing.assert_close(c[:n, b], alone)
        torch.testing.assert_close(c_n[b], last)
        assert (c[n:, b] == 0).all()


def test_a_packed_sequence_comes_back_packed():
    made = layer()
    strings = [torch.randn(n, 3, dtype=D) for n in (4, 2, 1)]
    packed, c_n = made(pack_sequence(strings))
    c, lengths = pad_packed_sequence(packed)
    assert lengths.tolist() == [4, 2, 1]
    for b, x in enumerate(strings):
        alone, last = made(x)
        torch.testing.assert_close(c[: len(x), b], alone)
        torch.testing.assert_close(c_n[b], last)


def test_a_string_can_be_read_in_two_halves():
    made = layer()
    v = torch.randn(6, 2, 3, dtype=D)
    whole, _ = made(v)
    first, c = made(v[:4])
    second, _ = made(v[4:], c)
    torch.testing.assert_close(torch.cat([first, second]), whole)


def test_gradients_are_those_of_finite_differences():
    f, u, c = (torch.randn(*s, dtype=D, requires_grad=True) for s in ((4, 3), (4, 3), (3,)))
    assert torch.autograd.gradcheck(elementwise, (f, u, c))
    made = layer()
    v = torch.randn(4, 2, 3, dtype=D, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: made(x, lengths=[4, 2])[0], (v,))


def test_gradients_reach_every_parameter():
    made = layer()
    made(torch.randn(4, 2, 3, dtype=D))[1].sum().backward()
    assert all(p.grad is not None and bool((p.grad != 0).any()) for p in made.parameters())


@pytest.mark.parametrize("exact", [True, False])
def test_its_automata_score_its_states_whatever_c_0_is(exact):
    made, v, c_0 = layer(), torch.randn(4, 3, dtype=D), torch.tensor([0.5, -2.0], dtype=D)
    string = [3, 0, 0, 2, 1]
    states, _ = made(v[string], c_0)
    slack = made.deviations(v)
    for i, automaton in enumerate(made.to_automata(v, range(4), c_0, exact=exact)):
        assert automaton.exact == exact
        computed = [float(c_0[i]), *states[:, i].tolist()]
        assert share(computed, *prefix_bounds(automaton, string, FLOAT64, slack[i])) <= 1
        assert prefix_scores(automaton, string)[0] == float(c_0[i])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m: m(torch.zeros(2, 2, 4, dtype=D)), r"inputs have shape \(2, 2, 4\)"),
        (lambda m: m(torch.zeros(2, 2, 3, dtype=D), torch.zeros(2, dtype=D)), r"c_0 has shape \(2,\)"),
        (lambda m: m(torch.zeros(2, 2, 3, dtype=D), lengths=[3, 1]), "lengths are"),
        (lambda m: m(torch.zeros(2, 2, 3, dtype=D), lengths=[1]), "lengths are"),
        (lambda m: m.to_automata(torch.zeros(2, 3, dtype=D), "abc"), r"embeddings have shape \(2, 3\)"),
        (lambda m: Example6(1, 1, nonlinearity="relu"), "nonlinearity is 'relu'"),
    ],
)
def test_wrong_shapes_are_named(call, says):
    with pytest.raises(InputError, match=says):
        call(layer())
