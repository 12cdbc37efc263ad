"""Tests of the acceptor against section 3.3 of Wang & Niepert (2019): start token, end token, and classifier.

The strings of a batch are independent.
"""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError, UnknownSymbol
from neural.state_regularized.acceptor import OF_CENTROIDS, Acceptor
from neural.state_regularized.layers import ALONE, KINDS
from proofs_tests.neural import sr_equations
from proofs_tests.neural.some_sr_networks import randomly, temperatures
from proofs_tests.neural.sr_equations import close, exactly

D = torch.float64
every = pytest.mark.parametrize("kind", KINDS)
alone = pytest.mark.parametrize("kind", ALONE)


@st.composite
def acceptors(draw):
    """Draw an acceptor of any kind and shape with random weights, strings for it, and the reference's
    arguments.
    """
    alphabet = "abc"[: draw(st.integers(1, 3))]
    kind, known = draw(st.sampled_from([*KINDS, *ALONE])), {"start_token": draw(st.booleans())}
    if kind in KINDS:
        known |= {
            "k": draw(st.integers(2, 4)),
            "similarity": draw(st.sampled_from(["dot", "euclidean"])),
            "temperature": draw(temperatures),
        }
    network = Acceptor(
        alphabet,
        kind,
        draw(st.integers(1, 4)),
        embedding_size=draw(st.none() | st.integers(1, 3)),
        num_layers=draw(st.integers(1, 2)),
        dtype=draw(st.sampled_from([torch.float32, D])),
        **known,
    )
    known.pop("k", None)
    strings = draw(st.lists(st.text(alphabet, max_size=5), min_size=1, max_size=4))
    return randomly(network, draw(st.integers(0, 2**20))), strings, known


def acceptor(**options):
    centroids = {} if options.get("kind") in ALONE else {"k": 4}
    return randomly(
        Acceptor(**{"alphabet": "ab", "hidden_size": 3, **centroids, "dtype": D, **options}), seed=1
    )


@given(acceptors())
def test_logits_and_probabilities_are_those_of_section_3_3(drawn):
    """The equations hold for batches, for single strings and for tokens, regardless of the padding."""
    network, strings, known = drawn
    tokens, lengths = network.tokens(strings)
    other = tokens + (torch.arange(len(tokens))[:, None] >= lengths) * (len(network.alphabet) - 1)
    batches = [network(strings), network(tokens, lengths), network(other, lengths)]
    alpha = network.probabilities(strings) if network.has_centroids else None
    assert alpha is None or alpha.shape == (
        1 + max(map(len, strings)),
        len(strings),
        network.cells[-1].component.k,
    )
    for b, string in enumerate(strings):
        logit, read = sr_equations.logit(network, network.kind, string, **known)
        for logits in batches:
            assert logits.shape == (len(strings),) and logits.dtype == network.embedding.weight.dtype
            close(logits[b : b + 1], logit)
        close(network([string]), logit)
        if alpha is None:
            continue
        assert len(read) == len(string) + 1
        for row, near in zip(alpha[:, b], read, strict=False):
            close(row, near)
        assert bool(alpha[len(string) + 1 :, b].isnan().all())
        assert torch.equal(network.probabilities([string])[:, 0].isnan().any(), torch.tensor(False))


@given(acceptors())
def test_it_accepts_if_the_logit_is_positive(drawn):
    network, strings, _ = drawn
    assert network.accepts(strings) == [value > 0 for value in network(strings).tolist()]


@pytest.mark.parametrize("kind", [*KINDS, *ALONE])
def test_the_start_token_matters_only_if_it_is_read(kind):
    for start_token in (True, False):
        network = acceptor(kind=kind, start_token=start_token)
        before = network(["ab", ""])
        with torch.no_grad():
            network.embedding.weight[2] += 1.0
        assert torch.equal(before, network(["ab", ""])) is not start_token


@every
def test_without_a_start_token_it_starts_at_centroid_0(kind):
    network = acceptor(kind=kind, start_token=False, num_layers=2)
    for cell, (h, *c) in zip(network.cells, network.first_states(3), strict=True):
        assert torch.equal(h, cell.component.centroids[:, 0].expand(3, 3))
        assert all(torch.equal(part, torch.zeros(3, 3, dtype=D)) for part in c)
    assert network.probabilities(["", "ab"])[0].tolist() == [[1.0, 0.0, 0.0, 0.0]] * 2


@alone
def test_without_a_start_token_and_centroids_it_starts_at_zero(kind):
    network = acceptor(kind=kind, start_token=False, num_layers=2)
    parts = [part for state in network.first_states(3) for part in state]
    assert len(parts) == (2 if kind == "gru" else 4)
    assert all(torch.equal(part, torch.zeros(3, 3, dtype=D)) for part in parts)


@alone
def test_without_centroids_it_has_neither_alpha_nor_temperature(kind):
    network = acceptor(kind=kind, num_layers=2)
    assert not any("component" in name for name, _ in network.named_parameters())
    assert set(acceptor().options) - set(network.options) == set(OF_CENTROIDS)
    assert Acceptor(**network.options, dtype=D).options == network.options
    for asked in (
        lambda: network.cells,
        lambda: network.probabilities(["ab"]),
        lambda: network.set_temperature(1.0),
    ):
        with pytest.raises(InputError, match=f"of a kind with centroids .sr-elman, .*, got {kind}"):
            asked()


@alone
@pytest.mark.parametrize(
    "option",
    [{"k": 3}, {"noise": 0.5}, {"temperature": 2.0}, {"similarity": "euclidean"}, {"transition": "limit"}],
    ids=lambda option: next(iter(option)),
)
def test_options_of_centroids_are_refused_without_them(kind, option):
    with pytest.raises(
        InputError, match=f"{next(iter(option))} must be .* of kind {kind}, which has no centroids"
    ):
        acceptor(kind=kind, **option)


def test_the_end_token_is_a_step_without_the_stochastic_component():
    """With these weights u = tanh(0 h + 2) = tanh(2), which is not a mixture of the centroids 0 and 0.5."""
    network = Acceptor("a", "sr-elman", 1, 2, 1, dtype=D)
    with torch.no_grad():
        for p in network.parameters():
            p.zero_()
        network.embedding.weight[2] = 2.0
        network.cells[0].part.input.weight.fill_(1.0)
        network.cells[0].component.centroids[0, 1] = 0.5
        network.classifier.weight.fill_(1.0)
    assert network(["", "aa"]).tolist() == pytest.approx([math.tanh(2)] * 2)


@every
@pytest.mark.parametrize("transition", ["sampled", "limit"])
def test_with_hard_transitions_the_end_token_is_read_at_a_centroid(kind, transition):
    """The logit of a string of a memoryless network has one of k values, by equation 4 and also
    in the limit.
    """
    network = acceptor(kind=kind, transition=transition, temperature=2.0, start_token=False)
    torch.manual_seed(2)
    logits = network(["a" if network.cells[0].memoryless else ""] * 30)
    p, classifier = (
        sr_equations.numbers(network, "layers.cells.0."),
        sr_equations.numbers(network, "classifier."),
    )
    end, zero = (
        exactly(sr_equations.numbers(network)["embedding.weight"][3], "float64"),
        exactly([0.0] * 3, "float64"),
    )
    possible = []
    for s in p["component.centroids"].T:
        u, _ = sr_equations.PARTS[kind](p, end, exactly(s, "float64"), zero)
        possible.append(sr_equations.of(classifier["weight"], classifier["bias"], u))
    reached = {
        index
        for logit in logits
        for index, near in enumerate(possible)
        if abs(float(logit.detach()) - near.value[0]) <= 2 * near.error[0]
    }
    assert all(
        any(abs(float(x.detach()) - near.value[0]) <= 2 * near.error[0] for near in possible) for x in logits
    )
    assert len(reached) == 1 or (transition == "sampled" and network.cells[0].memoryless)


def test_probabilities_come_from_one_run():
    """Both layers are sampled: each centroid of the first layer determines the alpha of the second."""
    network = acceptor(num_layers=2, transition="sampled", temperature=5.0)
    torch.manual_seed(3)
    second = network.cells[1]
    (h,), (before,) = network.first_states(50)
    assert len(h.unique(dim=0)) > 1 and len(before.unique(dim=0)) > 1

    def alpha_of(below, state):
        """Return the second layer's probabilities for the first layer's h."""
        u, *_ = second.part.step(second.part.read(below), state)
        return second.component(u)[1]

    torch.manual_seed(3)
    alpha = network.probabilities(["a"] * 50)
    torch.testing.assert_close(alpha[0], alpha_of(h, second.start(50)))
    ways = [alpha_of(s.expand(50, -1), (before,)) for s in network.cells[0].component.centroids.T]
    assert bool(torch.stack([torch.isclose(alpha[1], way).all(dim=-1) for way in ways]).any(dim=0).all())


@pytest.mark.parametrize("kind", [*KINDS, *ALONE])
def test_gradients_reach_every_parameter(kind):
    network = acceptor(kind=kind, num_layers=2).train()
    network(["ab", "b", ""]).square().sum().backward()
    assert all(bool((p.grad != 0).any()) and bool(p.grad.isfinite().all()) for p in network.parameters())
    assert bool((network.embedding.weight.grad != 0).any(dim=1).all())


def test_set_temperature_reaches_every_layer():
    network, strings = acceptor(num_layers=3), ["ab", "b"]
    network.set_temperature(0.25)
    assert [c.temperature for c in network.layers.components] == [0.25] * 3
    assert network.options["temperature"] == 0.25
    assert torch.equal(network(strings), acceptor(num_layers=3, temperature=0.25)(strings))
    for value in (0, -1.0, math.nan, math.inf, "cold"):
        with pytest.raises(InputError, match=r'temperature must be .*transition="limit"'):
            network.set_temperature(value)
    assert [c.temperature for c in network.layers.components] == [0.25] * 3


def test_its_options_reproduce_its_shape():
    network = acceptor(
        kind="sr-lstm-p",
        embedding_size=2,
        num_layers=2,
        start_token=False,
        similarity="euclidean",
        transition="limit",
        temperature=0.5,
        noise=0.25,
    )
    same = Acceptor(**network.options, dtype=D)
    assert same.options == network.options
    assert network.options == {
        "alphabet": ["a", "b"],
        "kind": "sr-lstm-p",
        "hidden_size": 3,
        "k": 4,
        "embedding_size": 2,
        "num_layers": 2,
        "start_token": False,
        "similarity": "euclidean",
        "transition": "limit",
        "temperature": 0.5,
        "noise": 0.25,
    }
    same.load_state_dict(network.state_dict())
    assert torch.equal(same.eval()(["ab", ""]), network(["ab", ""]))


def test_tokens_are_the_indices_of_symbols():
    network = acceptor(alphabet=("x", 7, ("a", "b")))
    tokens, lengths = network.tokens([(7, "x"), (), (("a", "b"),)])
    assert tokens.tolist() == [[1, 0, 2], [0, 0, 0]] and lengths.tolist() == [2, 0, 1]
    assert network.embedding.weight.shape == (5, 5)


def test_no_strings_have_no_logits():
    network = acceptor()
    assert network.accepts([]) == []
    assert network([]).shape == (0,)
    assert network.probabilities([]).shape == (1, 0, 4)


@pytest.mark.parametrize("string", ["abc", ("a", None), (0,)])
def test_an_unknown_symbol_is_reported(string):
    with pytest.raises(
        UnknownSymbol, match=r"symbol ('c'|None|0) is not in the network's alphabet: 'a', 'b'$"
    ) as error:
        acceptor().accepts(["ab", string])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda m: m(torch.tensor([[0, 2]])),
            "inputs must be between 0 and 1, got 0 to 2",
        ),  # 2 is the start token
        (lambda m: m(torch.tensor([[-1]])), "inputs must be .*got -1"),
        (lambda m: m(torch.zeros(2, 2)), "inputs must be integers .*got torch.float32"),
        (lambda m: m(torch.tensor([0, 1])), r"tokens must have shape \(time, batch\), got \(2,\)"),
        (lambda m: m(torch.tensor([[0], [1]]), torch.tensor([3])), "lengths must be"),
        (lambda m: m(torch.tensor([[0], [1]]), torch.tensor([-1])), "lengths must be"),
        (lambda m: m(torch.tensor([[0], [1]]), torch.tensor([1, 1])), "lengths must be"),
        (lambda m: m.probabilities(torch.tensor([[0], [1]]), torch.tensor([-1])), "lengths must be"),
        (lambda m: m(["a"], torch.tensor([1])), "lengths must be None for strings"),
    ],
)
def test_wrong_tokens_are_reported(call, says):
    with pytest.raises(InputError, match=says) as error:
        call(acceptor())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"alphabet": ""}, r"alphabet must have at least one symbol .*got \(\)"),
        ({"alphabet": "aba"}, "at least one symbol and no duplicates"),
        ({"kind": "elman"}, 'kind must be "sr-elman" or .* or "sr-lstm-p" or "gru" or .*got'),
        ({"start_token": 1}, "start_token must .*got 1"),
        ({"embedding_size": 0}, "embedding_size must .*got 0"),
        ({"transition": "hard"}, "transition must .*got 'hard'"),
    ],
)
def test_wrong_options_are_reported(options, says):
    with pytest.raises(InputError, match=says):
        acceptor(**options)
