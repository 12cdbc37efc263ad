"""The recurrence with factored matrices: against the products written out, its gradients of all kinds, and
FA-RNNs that read with it.
"""

from __future__ import annotations

import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from automata.semirings import COUNTING
from automata.wfsa import WFSA
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.network import FARNN
from neural.scan import factored, factored_scan, matrix_scan
from proofs_tests.automata.examples import few, some

D = torch.float64
SIZES = (4, 4, 2, 2, 0)


def arguments(rows=12, batch=5, states=3, rank=4, **options):
    shapes = (rows, rank), (batch, states), (states, rank), (states, rank)
    return [torch.randn(*shape, dtype=D).requires_grad_(**options) for shape in shapes]


def on_packed(*values):
    return factored_scan(*values, sizes=SIZES)


def written_out(read, start, before, after, sizes):
    h, states = start, [read.new_empty(0, len(before))]
    for z in read.split(list(sizes)):
        h = ((h[: len(z)] @ before) * z) @ after.T
        states.append(h)
    return torch.cat(states)


@some
@given(
    st.lists(st.integers(0, 4), max_size=5).map(lambda sizes: sorted(sizes, reverse=True)),
    *(st.integers(0, 4) for _ in range(2)),
    st.integers(0, 2**32),
)
def test_the_states_are_those_of_the_matrices_made(sizes, states, rank, seed):
    """On small whole numbers, bit for bit; and where no string has a step, or no state."""
    rng = torch.Generator().manual_seed(seed)
    whole = lambda *shape: torch.randint(-2, 3, shape, generator=rng).to(D)
    read, start = whole(sum(sizes), rank), whole(4, states)
    before, after = whole(states, rank), whole(states, rank)
    result = factored_scan(read, start, before, after, sizes)
    assert torch.equal(result, written_out(read, start, before, after, sizes))
    if states and len(set(sizes)) == 1 and sizes[0] == 4:
        matrices = torch.einsum("ir,xr,jr->xij", before, read, after)
        symbols = torch.arange(len(read)).reshape(len(sizes), 4)
        assert torch.equal(result, matrix_scan(matrices, symbols, start).flatten(0, 1))
        whole_batch = factored_scan(read.reshape(-1, 4, rank), start, before, after)
        assert torch.equal(result, whole_batch.flatten(0, 1))


def test_gradients_are_those_of_differences_in_both_modes_and_so_are_theirs():
    torch.manual_seed(0)
    values = arguments()
    assert torch.autograd.gradcheck(on_packed, values, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(on_packed, values)
    total = lambda before: on_packed(values[0], values[1], before, values[3]).sin().sum()
    before = values[2].detach()
    back, forth = torch.func.jacrev, torch.func.jacfwd
    for one, other in ((forth, back), (back, forth), (forth, forth)):
        torch.testing.assert_close(one(other(total))(before), back(back(total))(before))


@few
@given(st.integers(0, 2**32), st.sets(st.integers(0, 3), min_size=1))
def test_gradients_of_some_arguments_are_those_of_the_products_written_out(seed, needed):
    torch.manual_seed(seed)
    inputs, weights, results = arguments(), torch.randn(12, 3, dtype=D), []
    for run in (factored_scan, written_out):
        values = [x.detach().requires_grad_(i in needed) for i, x in enumerate(inputs)]
        states = run(*values, sizes=SIZES)
        results.append([states, *torch.autograd.grad(states, [values[i] for i in needed], weights)])
    torch.testing.assert_close(*results, rtol=1e-12, atol=1e-12)


def test_torch_knows_the_operators_and_transforms_them():
    torch.manual_seed(1)
    values = arguments()
    plain = [x.detach() for x in values]
    states, products = factored.scan(*plain, SIZES)
    for operator, inputs in (
        (factored.scan, (*values, SIZES)),
        (factored.scan, (torch.randn(3, 5, 4, dtype=D, requires_grad=True), *values[1:], None)),
        (factored.scan_backward, (torch.randn_like(states), *plain, states, products, SIZES)),
    ):
        assert set(torch.library.opcheck(operator, inputs).values()) == {"SUCCESS"}

    class Network(torch.nn.Module):
        def forward(self, *values):
            return on_packed(*(2 * x for x in values)).tanh()

    network = Network()
    expected = network(*plain)
    assert torch.equal(torch.compile(network, fullgraph=True, backend="aot_eager")(*plain), expected)
    assert torch.equal(torch.export.export(network, tuple(plain)).module()(*plain), expected)
    gradient = torch.func.grad(lambda *values: network(*values).sum(), argnums=(0, 1, 2, 3))
    each = torch.func.vmap(gradient, in_dims=(None, 0, None, 0))(
        plain[0], torch.stack([plain[1], 2 * plain[1]]), plain[2], torch.stack([plain[3], plain[3] - 1])
    )
    second = gradient(plain[0], 2 * plain[1], plain[2], plain[3] - 1)
    torch.testing.assert_close([x[1] for x in each], list(second))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_in_narrow_types_a_float32_is_carried_and_results_are_rounded(dtype):
    torch.manual_seed(2)
    values = [x.detach().to(dtype).requires_grad_() for x in arguments()]
    wide = [x.detach().float().requires_grad_() for x in values]
    states, right = on_packed(*values), on_packed(*wide)
    assert torch.equal(states, right.to(dtype))
    states.sum().backward(), right.sum().backward()
    assert all(torch.equal(x.grad, y.grad.to(dtype)) for x, y in zip(values, wide, strict=True))


@pytest.mark.parametrize("run", [on_packed, None], ids=["factored", "matrices in torch"])
def test_autocast_does_not_change_what_is_carried(run):
    """Whose errors would add up, on the backends alone that multiply by torch."""
    from neural.scan import use

    torch.manual_seed(3)
    values = [x.detach().float().requires_grad_() for x in arguments()]
    if run is None:
        values = [torch.randn(2, 3, 3, requires_grad=True), torch.randn(4, 3, requires_grad=True)]
        run = lambda matrices, start: matrix_scan(matrices, torch.tensor([[0, 1, 1, 0]] * 5), start)
    results = []
    for enabled in (False, True):
        with use("torch"), torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            states = run(*values)
            results.append([states, *torch.autograd.grad(states.square().sum(), values)])
            twice = torch.autograd.grad(run(*values).sum(), values, create_graph=True)
            results[-1] += twice
    assert all(map(torch.equal, *results))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda v: (v[0][:11], *v[1:], SIZES),
            "(11, 4), (5, 3), (3, 4), (3, 4), and sizes are [4, 4, 2, 2, 0]",
        ),
        (lambda v: (*v, (2, 4, 6)), "sizes are [2, 4, 6], where (T, B, r), or (N, r) with falling sizes"),
        (lambda v: (*v, (6, 6)), "sizes are [6, 6]"),
        (lambda v: (*v, None), "(12, 4), (5, 3), (3, 4), (3, 4), where (T, B, r)"),
        (lambda v: (*v[:3], v[3][:2], SIZES), "(2, 4), and sizes"),
        (lambda v: (*v[:3], v[3].to("meta"), SIZES), "recurrence are on cpu and meta, where one device"),
        (lambda v: (*(x.detach().long() for x in v), SIZES), "recurrence are torch.int64, where floats"),
    ],
)
def test_what_does_not_fit_is_named(change, says):
    with pytest.raises(InputError, match=re.escape(says)):
        factored_scan(*change(arguments()))


WORDS = ("a", "b", "c")


def network(scoring="forward", dropout=0.0):
    """With vectors, the wildcard apart, and states that training may connect."""
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
@few
@given(sentences=st.lists(st.lists(st.sampled_from((*WORDS, "$")), max_size=6), min_size=1, max_size=6))
def test_a_network_of_factors_is_its_steps_one_after_another_and_so_are_its_gradients(
    scoring, dropout, sentences
):
    """Whether words with one vector share what is read, or each is read for itself."""
    made = network(scoring, dropout)
    cell, parameters, results = made.cell, [p for p in made.parameters() if p.requires_grad], []

    def step_by_step(sentences):
        ends = []
        for sentence in sentences:
            h = made.initial.unsqueeze(0)
            for word in sentence:
                h = cell.step(cell.read(torch.tensor([made.index[word]])), h)
            ends.append(h)
        return torch.cat(ends)

    for run in (made.states, step_by_step):
        states = run(sentences)
        weights = torch.arange(1, states.numel() + 1, dtype=D).reshape(states.shape).cos()
        total = (states * weights).sum() + sum(0 * p.sum() for p in parameters)
        results.append([states.detach(), *torch.autograd.grad(total, parameters)])
    torch.testing.assert_close(*results, rtol=1e-11, atol=1e-11)
