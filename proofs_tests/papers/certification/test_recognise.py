"""Tests of the networks that are recognised in modules.

They compute the same outputs as the modules. Modules that compute something else are refused.
"""

import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from automata.errors import InputError
from proofs_tests.papers.certification.ordinary import CELLS, outputs_of, random_layers
from ratproof.api.classifiers import classifier
from ratproof.certification.ordinary_networks.recognise import network_of_module
from ratproof.certification.ordinary_networks.torch_weights import torch_modules

booleans = st.booleans()


class Wrapper(nn.Module):
    """A module like those of users, with a function between the layers and a function after them."""

    def __init__(self, encoder, head, between=lambda h: h, after=lambda y: y, first=None, embed=None):
        super().__init__()
        self.encoder, self.head, self.embed = encoder, head, embed
        self.between, self.after = between, after
        self.first = encoder.batch_first if first is None else first

    def forward(self, x):
        x = x if self.embed is None else self.embed(x)
        if self.first != self.encoder.batch_first:
            x = x.transpose(0, 1)
        outputs, _ = self.encoder(x)
        last = outputs[:, -1] if self.encoder.batch_first else outputs[-1]
        return self.after(self.head(self.between(last)))


def layers(seed=0, cell="gru", classes=1, scale=1.0, **options):
    return random_layers(cell, 2, 4, classes, seed, scale, **options)


def recognised(module, **options):
    options = {"embeddings": torch.eye(2), "alphabet": "ab"} | options
    return network_of_module(module, **options)


@settings(max_examples=20)
@given(
    st.sampled_from(CELLS),
    st.integers(1, 2),
    booleans,
    booleans,
    booleans,
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_a_recognised_network_computes_the_module_s_outputs(
    cell, depth, bias, batch_first, turned, classes, seed
):
    rnn, head = random_layers(
        cell, 3, 5, classes, seed, 1.0, num_layers=depth, bias=bias, batch_first=batch_first, dropout=0.1
    )
    module = Wrapper(rnn, head, first=batch_first != turned)
    embeddings = torch.randn(4, 3, generator=torch.Generator().manual_seed(seed))
    result = recognised(module, embeddings=embeddings, alphabet="abcd")
    codes = np.random.default_rng(seed).integers(4, size=(12, 1))
    with torch.no_grad():
        expected = module.eval()(embeddings[codes].transpose(0, 1) if module.first else embeddings[codes])
    np.testing.assert_allclose(outputs_of(result.network, codes), expected.numpy(), rtol=0, atol=1e-5)
    assert result.rnn is rnn and result.linear is head
    rebuilt, linear = torch_modules(result.network)
    with torch.no_grad():
        again = linear(rebuilt(embeddings[codes])[0][-1])
    np.testing.assert_allclose(again.numpy(), expected.numpy(), rtol=0, atol=1e-6)
    assert rebuilt.num_layers == depth and rebuilt.mode == rnn.mode and not rebuilt.batch_first


@given(st.integers(0, 30), st.sampled_from([1.0, 5.0, 50.0]), booleans, booleans)
@settings(max_examples=12)
def test_functions_of_the_logits_are_recognised(seed, scale, several, every_step):
    """Also if the probabilities round to 0 and 1."""
    rnn, head = layers(seed, "lstm", 3 if several else 1, scale)
    functions = (
        {"softmax": lambda y: y.softmax(-1), "log-softmax": lambda y: y.log_softmax(-1)}
        if several
        else {"sigmoid": torch.sigmoid}
    )
    for name, function in functions.items():
        module = classifier(rnn, nn.Sequential(head), last=not every_step)
        text = recognised(Returning(module, function)).description
        assert f"the module returns the{'ir' if several else ''} {name}" in text
        assert ("at the last step" in text) == every_step
        assert several or "the threshold 0 corresponds to the probability 0.5" in text


class Returning(nn.Module):
    """A module that applies a function to its output."""

    def __init__(self, module, function):
        super().__init__()
        self.module, self.function = module, function

    def forward(self, x):
        return self.function(self.module(x))


OTHER_FUNCTIONS = {
    "doubled": lambda h: 2 * h,
    "relu": torch.relu,
    "tanh": torch.tanh,
    "slightly larger": lambda h: 1.1 * h,
    "noise": lambda h: h + 0.1 * torch.randn_like(h),
}


@pytest.mark.parametrize("scale", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("after", [lambda y: y, torch.sigmoid], ids=["logits", "sigmoid"])
@pytest.mark.parametrize("between", OTHER_FUNCTIONS.values(), ids=OTHER_FUNCTIONS)
def test_a_function_between_the_layers_is_refused(between, after, scale):
    """The module is refused even if its probabilities are closer to a network's than any useful tolerance."""
    rnn, head = layers()
    with torch.no_grad():
        head.weight.mul_(scale)
    recognised(Wrapper(rnn, head, after=after))
    with pytest.raises(InputError, match=r"^module: the output must be .* differs by .* at the string \['"):
        recognised(Wrapper(rnn, head, between, after))


@pytest.mark.parametrize(
    "after",
    [
        lambda y: -y,
        lambda y: y + 0.01,
        lambda y: y * torch.nan,
        lambda y: y.softmax(-1),
        lambda y: (y > 0).float(),
        lambda y: torch.sigmoid(2 * y),
        lambda y: 1 - torch.sigmoid(y),
        torch.tanh,
    ],
)
def test_another_function_of_the_logit_is_refused(after):
    """The softmax of one output is constant, so it decides nothing."""
    with pytest.raises(InputError, match=r"pass ratproof\.classifier"):
        recognised(Wrapper(*layers(), after=after))


@pytest.mark.parametrize("after", [torch.sigmoid, lambda y: y])
@pytest.mark.parametrize("added", [0.0, 1e-4])
def test_a_small_offset_that_changes_decisions_is_refused(after, added):
    """The logit is -5e-5 after every string, the sum of terms with absolute values of 8 in all."""
    rnn, head = nn.RNN(2, 4, nonlinearity="relu"), nn.Linear(4, 1)
    with torch.no_grad():
        for parameter in rnn.parameters():
            parameter.zero_()
        rnn.bias_ih_l0.fill_(1.0)
        head.weight.fill_(1.0)
        head.bias.fill_(-4 - 5e-5)
    module = Wrapper(rnn, head, after=lambda y: after(y + added))
    if not added:
        assert recognised(module).rnn is rnn
        return
    with pytest.raises(InputError, match="must be the linear layer's output"):
        recognised(module)


@pytest.mark.parametrize("after", [lambda y: y, lambda y: y.softmax(-1), lambda y: y.log_softmax(-1)])
def test_a_small_offset_that_changes_the_largest_output_is_refused(after):
    rnn, head = layers(0, classes=2)
    with torch.no_grad():
        head.weight[1] = head.weight[0]
        head.bias[:] = torch.tensor([1.0, 1.0 - 2e-5])
    assert recognised(Wrapper(rnn, head, after=after)).linear is head
    with pytest.raises(InputError, match="must be the linear layer's output"):
        recognised(Wrapper(rnn, head, after=lambda y: after(y + torch.tensor([0.0, 4e-5]))))


def test_the_logits_of_a_layer_with_several_outputs_may_not_be_permuted_nor_a_softmax_be_along_strings():
    for after in (lambda y: y.flip(1), lambda y: y.softmax(0)):
        with pytest.raises(InputError, match="must be the linear layer's output"):
            recognised(Wrapper(*layers(classes=3), after=after))


def test_the_first_output_of_the_strings_is_not_the_last():
    class First(Wrapper):
        def forward(self, x):
            return self.head(self.encoder(x)[0][0])

    with pytest.raises(InputError, match="differs by"):
        recognised(First(*layers()))


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"last": False}, {"packed": True}, {"padding": 2}, {"padding": 2, "packed": True}]
)
def test_ratproof_s_classifiers_are_recognised(batch_first, options):
    """Padding after the last step does not change a unidirectional layer's output."""
    rnn, head = layers(batch_first=batch_first)
    network = recognised(classifier(rnn, head, **options)).network
    assert network.cell == "gru" and network.alphabet == ("a", "b")


@pytest.mark.parametrize(
    "after",
    [lambda y: y[:, 0], lambda y: (y, None), lambda y: [y], lambda y: y.double()],
    ids=["squeezed", "tuple", "list", "float64"],
)
def test_shapes_of_outputs(after):
    recognised(Wrapper(*layers(), after=after))


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("squeezed", [False, True])
def test_outputs_of_all_steps(batch_first, squeezed):
    class EveryStep(Wrapper):
        def forward(self, x):
            outputs = self.head(self.encoder(x)[0])
            return outputs.squeeze(2) if squeezed else outputs

    text = recognised(EveryStep(*layers(batch_first=batch_first))).description
    assert text.endswith("which accepts a string if its output at the last step exceeds 0")


def test_embeddings_are_rows_of_the_module_s_table():
    rnn, head = layers()
    table = nn.Embedding(3, 2, padding_idx=0)
    module = Wrapper(rnn, head, embed=table)
    weight = table.weight.detach().double().numpy()
    result = recognised(module, embeddings=None, alphabet="abc")
    np.testing.assert_array_equal(result.network.embeddings, weight)
    assert result.description.startswith("nn.Embedding(3, 2) in 'embed', nn.GRU(2, 4) in 'encoder', and nn.L")
    result = recognised(module, embeddings=torch.tensor([2, 1]))
    np.testing.assert_array_equal(result.network.embeddings, weight[[2, 1]])
    assert recognised(classifier(rnn, head, embedding=table), embeddings=torch.tensor([2, 1]))


def test_one_hot_vectors_are_described():
    text = recognised(Wrapper(*layers()), embeddings=None).description
    assert text == (
        "nn.GRU(2, 4) in 'encoder' on one-hot vectors, and nn.Linear(4, 1) in 'head', which accepts a string"
        " if its output exceeds 0"
    )
    assert recognised(Wrapper(*layers()), embeddings="one-hot").description == text


def test_descriptions_name_the_options_and_the_threshold():
    rnn, head = layers(cell="rnn_relu", num_layers=2)
    text = recognised(Wrapper(rnn, head, after=torch.sigmoid), threshold=1.5).description
    assert text == (
        "nn.RNN(2, 4, num_layers=2, nonlinearity='relu') in 'encoder', and nn.Linear(4, 1) in 'head', which"
        " accepts a string if its output exceeds 1.5; the module returns the sigmoid of this output, so that"
        " the threshold 1.5 corresponds to the probability 0.817574"
    )
    text = recognised(Wrapper(*layers(classes=3))).description
    assert text.endswith("nn.Linear(4, 3) in 'head', whose largest output is the decision")


def test_modes_and_random_states_are_restored():
    module = Wrapper(*layers(num_layers=2, dropout=0.5)).train()
    module.head.eval()
    torch.manual_seed(1)
    state = torch.get_rng_state()
    recognised(module)
    assert module.training and module.encoder.training and not module.head.training
    assert torch.equal(torch.get_rng_state(), state)
    with pytest.raises(InputError, match="differs"):
        recognised(Wrapper(module.encoder, module.head, between=torch.relu).train())
    assert module.encoder.training


def test_compiled_and_parallel_names_are_found():
    inner = Wrapper(*layers())
    assert "'module.encoder'" in recognised(nn.DataParallel(inner)).description


def with_parts(**parts):
    module = Wrapper(*layers())
    for name, part in parts.items():
        setattr(module, name, part)
    return module


def with_weight(value):
    module = Wrapper(*layers())
    with torch.no_grad():
        module.encoder.weight_hh_l0[1, 1] = value
    return module


def plain():
    return Wrapper(*layers())


class Overridden(nn.GRU):
    def forward(self, x, h=None):
        return super().forward(2 * x, h)


@pytest.mark.parametrize(
    ("module", "options", "says"),
    [
        (lambda: 3, {}, "the module must be an nn.Module, got int"),
        (lambda: nn.Linear(2, 1), {}, "exactly one nn.RNN, nn.GRU or nn.LSTM, got none"),
        (lambda: with_parts(other=nn.GRU(2, 4)), {}, "nn.LSTM, got ['encoder', 'other']; pass ratproof"),
        (lambda: nn.GRU(2, 4), {}, "exactly one nn.Linear, got none"),
        (lambda: with_parts(other=nn.Linear(4, 4)), {}, "exactly one nn.Linear, got ['head', 'other']; pass"),
        (lambda: with_parts(x=nn.Embedding(2, 2), y=nn.Embedding(2, 2)), {}, "nn.Embedding, got ['x', 'y']"),
        (lambda: with_parts(norm=nn.LayerNorm(4)), {}, "got a LayerNorm in 'norm'; pass ratproof.classifier"),
        (lambda: with_parts(initial=nn.Parameter(torch.ones(4))), {}, "got a Wrapper in ''"),
        (lambda: Wrapper(nn.GRU(2, 2, bidirectional=True), nn.Linear(4, 1)), {}, "must not be bidirectional"),
        (lambda: Wrapper(nn.LSTM(2, 4, proj_size=2), nn.Linear(2, 1)), {}, "must have proj_size=0, got 2"),
        (
            lambda: Wrapper(nn.GRU(2, 4), nn.Linear(5, 1)),
            {},
            "recurrent layer's 4 units to one or more outputs",
        ),
        (lambda: Wrapper(Overridden(2, 4), nn.Linear(4, 1)), {}, "'encoder' must not override the forward"),
        (lambda: Wrapper(*layers()).double(), {}, "must be float32, got float64"),
        (lambda: Wrapper(*layers()).half(), {}, "must be float32, got float16"),
        (lambda: Wrapper(*layers()).to("meta"), {}, "must be dense and have values"),
        (lambda: with_weight(torch.nan), {}, "encoder.weight_hh_l0: all elements must be finite, got nan"),
        (lambda: with_weight(-torch.inf), {}, "all elements must be finite, got -inf"),
        (plain, {"alphabet": "aa"}, "symbols of the alphabet must be distinct, got 'a'"),
        (plain, {"alphabet": ["a", ""]}, 'the alphabet must not contain ""'),
        (plain, {"alphabet": ["a", 1]}, "symbols of the alphabet must be strings, got 1"),
        (plain, {"alphabet": []}, "must have at least one symbol"),
        (plain, {"alphabet": "abc"}, "embeddings: the shape must be (3, 2), got (2, 2)"),
        (plain, {"embeddings": torch.eye(2).double()}, "embeddings: the tensor must be f"),
        (plain, {"embeddings": np.eye(2)}, "embeddings must be a tensor, got ndarray"),
        (plain, {"embeddings": "onehot"}, "must be a tensor or 'one-hot', got 'onehot'"),
        (
            plain,
            {"embeddings": None, "alphabet": "abc"},
            "as many entries as the network has inputs, which is 2, got 3; pass embeddings",
        ),
        (plain, {"embeddings": torch.tensor([0, 1])}, "has no embedding table, got indices"),
        (plain, {"threshold": torch.inf}, "threshold must be a finite number, got inf"),
        (
            lambda: Wrapper(*layers(classes=2)),
            {"threshold": 1},
            "threshold must be 0 for a classifier with 2",
        ),
        (lambda: with_parts(embed=nn.Embedding(3, 2)), {}, "the symbols' rows in the nn.Embedding 'embed'"),
        (
            lambda: with_parts(embed=nn.Embedding(3, 2)),
            {"embeddings": None},
            "one row for each of 2 symbols, got 3 rows; pass the index of each symbol's row",
        ),
        (
            lambda: with_parts(embed=nn.Embedding(3, 2)),
            {"embeddings": torch.tensor([0, 3])},
            "indices from 0 to 2, got 3",
        ),
        (
            lambda: with_parts(embed=nn.Embedding(3, 2, max_norm=1.0)),
            {"embeddings": None},
            "max_norm=None, got 1",
        ),
        (
            lambda: nn.Sequential(*layers()),
            {},
            "must run on inputs of shape (T, B, 2) or (B, T, 2), got TypeE",
        ),
        (lambda: nn.ModuleList(layers()), {}, "got NotImplementedError"),
        (
            lambda: Wrapper(*layers(), after=lambda y: y.sum()),
            {},
            "got an output of shape () for T = 1, B = 16",
        ),
        (lambda: Wrapper(*layers(), after=lambda y: {"y": y}), {}, "got an output of type dict"),
    ],
)
def test_other_modules_are_refused_in_one_sentence(module, options, says):
    with pytest.raises(InputError, match=re.escape(says)) as error:
        recognised(module(), **options)
    assert str(error.value).startswith("module: ") and "\n" not in str(error.value)
