"""Tests that adapters call third-party models as their documentation specifies."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from automata.errors import InputError
from proofs_tests.stateful.causal import Cache, CausalLM
from proofs_tests.stateful.verdicts import verdicts
from ratproof import Tokens, of_causal_model, of_torch_rnn


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_both_layouts_of_a_recurrent_module_are_supported(kind):
    torch.manual_seed(0)
    plain, first = kind(3, 4, 2), kind(3, 4, 2, batch_first=True)
    first.load_state_dict(plain.state_dict())
    inputs = torch.randn(2, 5, 3)
    one, two = of_torch_rnn(plain).run(inputs)[0], of_torch_rnn(first).run(inputs)[0]
    assert one.shape == (2, 5, 4) and torch.equal(one, two)


@pytest.mark.parametrize(
    ("kind", "cell"), [(nn.RNN, nn.RNNCell), (nn.LSTM, nn.LSTMCell), (nn.GRU, nn.GRUCell)]
)
def test_a_cell_is_called_for_each_token_like_its_module(kind, cell):
    torch.manual_seed(0)
    layer, one = kind(3, 4, batch_first=True), cell(3, 4)
    one.load_state_dict({name.removesuffix("_l0"): x for name, x in layer.state_dict().items()})
    model, inputs = of_torch_rnn(one), torch.randn(2, 5, 3)
    outputs, state = model.run(inputs)
    assert torch.allclose(outputs, layer(inputs)[0], atol=1e-6)
    turned = model.run(inputs[[1, 0], :1], model.reorder(state, torch.tensor([1, 0])))[0]
    assert torch.allclose(turned, model.run(inputs[:, :1], state)[0][[1, 0]])
    assert torch.equal(model.run(inputs, model.clear(state))[0], outputs)


def test_bidirectional_modules_do_not_support_pieces():
    model = of_torch_rnn(nn.LSTM(3, 5, bidirectional=True))
    assert verdicts(model, longest=17) == {"batch": "holds", "reuse": "holds"}


def test_another_module_is_refused():
    with pytest.raises(InputError, match=r"the module must be an .*, got a Linear"):
        of_torch_rnn(nn.Linear(2, 2))


class Notes(nn.Module):
    """A module that records its arguments."""

    config = SimpleNamespace(vocab_size=7, max_position_embeddings=9)

    def forward(self, attention_mask, past_key_values, use_cache, input_ids=None, **rest):
        self.arguments = {
            "mask": attention_mask.tolist(),
            "past": past_key_values,
            "use_cache": use_cache,
            **rest,
        }
        logits = torch.zeros(*input_ids.shape, 7)
        return SimpleNamespace(logits=logits, past_key_values="cache")


class Positions(Notes):
    """A module with an argument for positions."""

    def forward(self, position_ids=None, cache_position=None, return_dict=None, **rest):
        output = super().forward(**rest)
        positions = {
            "positions": position_ids.tolist(),
            "places": cache_position.tolist(),
            "dict": return_dict,
        }
        self.arguments |= positions
        return output


def test_a_causal_model_gets_the_mask_of_all_tokens_and_its_cache():
    module = Notes()
    model = of_causal_model(module)
    assert model.inputs == Tokens(7) and model.longest == 9
    ids, mask = torch.zeros(2, 3, dtype=torch.int64), torch.tensor([[False, True, True], [True, True, True]])
    _, state = model.run(ids, None, mask)
    assert module.arguments == {"mask": [[0, 1, 1], [1, 1, 1]], "past": None, "use_cache": True}
    model.run(ids[:, :1], state)
    assert module.arguments == {"mask": [[0, 1, 1, 1], [1, 1, 1, 1]], "past": "cache", "use_cache": True}


def test_positions_skip_padding_and_continue_after_the_cache():
    module = Positions()
    model = of_causal_model(module)
    ids, mask = torch.zeros(2, 3, dtype=torch.int64), torch.tensor([[False, False, True], [True, True, True]])
    _, state = model.run(ids, None, mask)
    assert module.arguments["positions"] == [[0, 0, 0], [0, 1, 2]] and module.arguments["dict"] is True
    model.run(ids[:, :2], state)
    assert module.arguments["positions"] == [[1, 2], [3, 4]] and module.arguments["places"] == [3, 4]


def test_an_initial_cache_may_be_given():
    rows = []

    def new_cache(batch):
        rows.append(batch)
        return Cache("")

    model = of_causal_model(CausalLM(), new_cache=new_cache)
    assert set(verdicts(model, "reuse").values()) == {"holds"} and {1, 3} <= set(rows)


def test_a_mask_may_cover_only_the_tokens_of_the_call():
    module = Notes()
    model = of_causal_model(module, masked="call")
    ids, mask = torch.zeros(1, 3, dtype=torch.int64), torch.tensor([[False, True, True]])
    _, state = model.run(ids, None, mask)
    assert module.arguments["mask"] == [[0, 1, 1]]
    model.run(ids[:, :2], state)
    assert module.arguments["mask"] == [[1, 1]] and model.run(ids[:, :1], state)[1][1].shape == (1, 4)


class Silent(CausalLM):
    """A model that returns no cache, and modifies the cache that it receives."""

    def forward(self, position_ids=None, past_key_values=None, **rest):
        output = super().forward(position_ids=position_ids, past_key_values=past_key_values, **rest)
        return SimpleNamespace(logits=output.logits)


@pytest.mark.usefixtures("unshrunk")
def test_a_cache_that_is_not_returned_is_the_argument():
    model = of_causal_model(Silent(longest=18), new_cache=lambda rows: Cache(""))
    assert set(verdicts(model).values()) == {"holds"}
    wrong = of_causal_model(Silent(longest=66), new_cache=lambda rows: Cache("values left where they were"))
    assert verdicts(wrong, "reorder") == {"reorder": "refuted"}


def test_a_cache_of_tuples_is_reordered_by_its_model():
    module = Notes()
    module._reorder_cache = lambda cache, rows: tuple(part[rows] for part in cache)
    model = of_causal_model(module)
    state = (torch.arange(2),), torch.eye(2, dtype=torch.bool)
    cache, seen = model.reorder(state, torch.tensor([1, 1]))
    assert cache[0].tolist() == [1, 1] and seen.tolist() == [[False, True], [False, True]]


@pytest.mark.parametrize(
    ("method", "says"), [("reorder", r"must have reorder_cache\(rows\)"), ("clear", r"must have reset\(\)")]
)
def test_a_cache_without_a_method_is_reported(method, says):
    model = of_causal_model(Notes())
    arguments = (torch.tensor([0]),) if method == "reorder" else ()
    with pytest.raises(InputError, match=f"a str, {says}; pass without=\\('{method}',\\)"):
        getattr(model, method)(("cache", torch.ones(1, 1)), *arguments)


@pytest.mark.parametrize(
    ("model", "more", "says"),
    [
        (nn.Linear(2, 2), {}, "Linear.forward must have the argument past_key_values"),
        (CausalLM(), {"cache": "cache_params"}, "CausalLM.forward must have the argument cache_params"),
        (CausalLM(), {"masked": "all"}, "masked must be 'seen' or 'call', got 'all'"),
        (3, {}, "the model must be a torch module, got a int"),
    ],
)
def test_a_model_that_is_not_causal_is_refused(model, more, says):
    with pytest.raises(InputError, match=says):
        of_causal_model(model, **more)


def test_a_model_without_a_vocabulary_gets_a_hint():
    class Nameless(Notes):
        config = SimpleNamespace()

    with pytest.raises(InputError, match=r"Nameless must have config.vocab_size; pass inputs=Tokens"):
        of_causal_model(Nameless())
    assert of_causal_model(Nameless(), inputs=Tokens(5)).inputs == Tokens(5)
