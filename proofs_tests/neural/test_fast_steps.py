"""Tests of state-regularized cells with manual gradients.

Values and gradients equal those of autograd in float64, second-order gradients are correct, and unsupported
cells are refused.
"""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence

from automata.errors import InputError
from neural.state_regularized.fast_steps import can_run, steps
from neural.state_regularized.layers import LSTMP, SRGRU, SRLSTM, SRLSTMP, SRElman
from proofs_tests.neural.some_sr_networks import LAYERS, randomly

D = torch.float64
FAST = {"sr-gru": SRGRU, "sr-lstm": SRLSTM, "sr-lstm-p": SRLSTMP, "lstm-p": LSTMP}
fast = pytest.mark.parametrize("kind", FAST)


def cell_of(kind, seed=0, size=2, d=3, k=4, **options):
    options = options if kind == "lstm-p" else {"k": k, "temperature": 0.7} | options
    return randomly(FAST[kind](size, d, dtype=D, **options), seed).cell


def written_out(cell, inputs, state, noise=None, gate_noise=None):
    """Run the cell token by token, with its recurrent part and its stochastic component."""
    component, us, hs, alphas, cells = getattr(cell, "component", None), [], [], [], []
    for t, x in enumerate(inputs):
        read = cell.part.read(x)
        u, *rest = cell.part.step(read if gate_noise is None else read + gate_noise[t], state)
        h, alpha = u, torch.zeros(())
        if component is not None:
            b = component.similarities(u) / component.temperature
            alpha = torch.softmax(b if noise is None else b + noise[t], dim=-1)
            h = alpha @ component.centroids.T
        state = (h, *rest)
        for kept, value in zip((us, hs, alphas, cells), (u, h, alpha, *rest), strict=False):
            kept.append(value)
    return [torch.stack(kept) for kept in (us, hs, alphas, cells) if kept and kept[0].dim()]


def weighed(values, seed):
    """Return a weighted sum of all results, in which every element has a different random weight."""
    draw = torch.Generator().manual_seed(seed)
    return sum((torch.randn(v.shape, generator=draw, dtype=v.dtype) * v).sum() for v in values)


@given(
    st.sampled_from(list(FAST)),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(0, 2**20),
    st.booleans(),
    st.booleans(),
    st.sets(st.integers(0, 3), min_size=1),
)
def test_values_and_gradients_are_those_of_the_cell_and_of_autograd(
    kind, time, batch, seed, bias, noisy, used
):
    """This holds if only some of the results are used, with noise, and from any state."""
    cell = cell_of(kind, seed, bias=bias)
    torch.manual_seed(seed)
    inputs = torch.randn(time, batch, 2, dtype=D, requires_grad=True)
    state = tuple(torch.randn(batch, 3, dtype=D, requires_grad=True) for _ in cell.sizes())
    noise = {}
    if noisy:
        noise["gate_noise"] = torch.randn(time, batch, 3 * cell.part.gates, dtype=D, requires_grad=True)
    if noisy and kind != "lstm-p":
        noise["noise"] = torch.randn(time, batch, 4, dtype=D, requires_grad=True)
    ours = [one for one in steps(cell, inputs, state, **noise) if one is not None]
    theirs = written_out(cell, inputs, state, **noise)
    leaves = [inputs, *state, *noise.values(), *cell.parameters()]
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)
    chosen = [n % len(ours) for n in used]
    gradients = [
        torch.autograd.grad(weighed([results[n] for n in chosen], seed), leaves, allow_unused=True)
        for results in (ours, theirs)
    ]
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(
            *(torch.zeros(()) if g is None or not g.any() else g for g in (one, other))
        )


@given(
    st.sampled_from(list(FAST)), st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 2**20)
)
def test_packed_sequences_equal_each_sequence_alone(kind, lengths, seed):
    lengths = sorted(lengths, reverse=True)
    cell = cell_of(kind, seed)
    torch.manual_seed(seed)
    padded = torch.randn(lengths[0], len(lengths), 2, dtype=D)
    state = tuple(torch.randn(len(lengths), 3, dtype=D, requires_grad=True) for _ in cell.sizes())
    packed = pack_padded_sequence(padded, lengths)
    together = [
        one for one in steps(cell, packed.data, state, sizes=packed.batch_sizes.tolist()) if one is not None
    ]
    alone = [
        [one for one in steps(cell, padded[:n, b : b + 1], [s[b : b + 1] for s in state]) if one is not None]
        for b, n in enumerate(lengths)
    ]
    rows = [(t, b) for t in range(lengths[0]) for b, n in enumerate(lengths) if t < n]
    one_by_one = [torch.stack([alone[b][i][t, 0] for t, b in rows]) for i in range(len(together))]
    for one, other in zip(together, one_by_one, strict=True):
        torch.testing.assert_close(one, other)
    leaves = [*state, *cell.parameters()]
    gradients = [torch.autograd.grad(weighed(results, seed), leaves) for results in (together, one_by_one)]
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)


@fast
def test_many_steps_are_processed_in_groups(kind):
    """With 300 sequences and 60 units, a group contains a few steps, and the results of all groups are
    correct.
    """
    cell = cell_of(kind, 3, d=60)
    torch.manual_seed(5)
    inputs = torch.randn(11, 300, 2, dtype=D)
    state = cell.start(300)
    ours = [one for one in steps(cell, inputs, state) if one is not None]
    theirs = written_out(cell, inputs, state)
    gradients = [
        torch.autograd.grad(weighed(results, 1), list(cell.parameters())) for results in (ours, theirs)
    ]
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)


@fast
def test_first_and_second_gradients_match_finite_differences(kind):
    cell = cell_of(kind, 7)
    torch.manual_seed(8)
    inputs = torch.randn(3, 2, 2, dtype=D, requires_grad=True)
    state = [torch.randn(2, 3, dtype=D, requires_grad=True) for _ in cell.sizes()]

    class Run(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = cell

        def forward(self, inputs, *state):
            return tuple(one for one in steps(self.cell, inputs, state) if one is not None)

    module = Run()
    names = [name for name, _ in module.named_parameters()]

    def run(inputs, *rest):
        weights = dict(zip(names, rest[len(state) :], strict=True))
        return torch.func.functional_call(module, weights, (inputs, *rest[: len(state)]))

    arguments = (inputs, *state, *(p.detach().clone().requires_grad_() for p in cell.parameters()))
    assert torch.autograd.gradcheck(run, arguments, check_batched_grad=True)
    # Gradients that can be differentiated again are computed by a different path.
    first, again = (
        torch.autograd.grad(weighed(run(*arguments), 1), arguments, create_graph=graph)
        for graph in (False, True)
    )
    for one, other in zip(first, again, strict=True):
        torch.testing.assert_close(one, other)
    # Random directions are used, because every entry of every argument would take half a minute.
    assert torch.autograd.gradgradcheck(run, arguments, fast_mode=True)


@fast
def test_the_layer_uses_the_fast_steps_if_possible_with_equal_results(kind):
    layer = randomly(FAST[kind](2, 3, num_layers=2, bidirectional=True, dtype=D), 4)
    inputs, lengths = torch.randn(5, 3, 2, dtype=D), torch.tensor([5, 0, 2])
    cell = layer.cells[0]
    assert can_run(cell, inputs, cell.start(3))
    wanted, _ = layer(inputs, lengths=lengths)
    with torch.no_grad():
        assert not can_run(cell, inputs, cell.start(3))
        plain, _ = layer(inputs, lengths=lengths)
    assert wanted.requires_grad
    torch.testing.assert_close(wanted.detach(), plain)


@pytest.mark.parametrize("kind", ["sr-gru", "sr-lstm-p"])
def test_noise_in_training_equals_that_of_the_steps(kind):
    layer = randomly(FAST[kind](2, 3, k=4, noise=0.5, dtype=D), 4).train()
    inputs = torch.randn(5, 3, 2, dtype=D)
    torch.manual_seed(1)
    wanted, _ = layer(inputs)
    torch.manual_seed(1)
    with torch.no_grad():
        plain, _ = layer(inputs)
    torch.testing.assert_close(wanted.detach(), plain)


@pytest.mark.parametrize("kind", LAYERS)
def test_a_layer_runs_and_is_differentiable_under_autocast(kind):
    layer, inputs = randomly(LAYERS[kind](2, 3), 4), torch.randn(5, 3, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, _ = layer(inputs)
        with torch.no_grad():
            assert torch.equal(layer(inputs)[0], output)
    output.float().sum().backward()
    assert all(bool(p.grad.isfinite().all()) for p in layer.parameters())


def test_transforms_and_forward_derivatives_go_through_the_cell():
    layer = randomly(SRLSTMP(2, 3, k=4, dtype=D), 4)
    x, direction = torch.randn(5, 3, 2, dtype=D), torch.randn(5, 3, 2, dtype=D)
    reverse = torch.func.jacrev(lambda v: layer(v)[0].sum())(x)
    _, forward = torch.func.jvp(lambda v: layer(v)[0].sum(), (x,), (direction,))
    torch.testing.assert_close((reverse * direction).sum(), forward)


def test_unsupported_cells_are_refused():
    x = torch.zeros(1, 1, 2, dtype=D)
    for layer in (
        SRElman(2, 3, dtype=D),
        SRGRU(2, 3, similarity="euclidean", dtype=D),
        SRLSTM(2, 3, transition="limit", dtype=D),
        SRLSTM(2, 3, temperature=1e-12, dtype=D),
    ):
        with pytest.raises(InputError, match="mixture"):
            steps(layer.cell, x, layer.cell.start(1))
    cell = cell_of("sr-gru")
    for none in (x[:0], x[:, :0]):
        with pytest.raises(InputError, match="at least one step"):
            steps(cell, none, cell.start(none.shape[1]))
