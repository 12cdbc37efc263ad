"""Tests that the modules that a function calls are found, so that its rounding can be measured."""

from functools import partial

import pytest
import torch
from torch import nn

from proofs_tests.stateful.verdicts import results
from ratproof import Tokens
from ratproof.laws.models.called import Called

TOKENS = {"inputs": Tokens(20), "without": ("padding", "reorder", "clear"), "longest": 17}


class Layers:
    """An embedding and a GRU with dropout, in an object that is not a module."""

    def __init__(self):
        self.embed, self.layers = nn.Embedding(20, 8), [nn.GRU(8, 8, 2, batch_first=True, dropout=0.5)]

    def __call__(self, ids, state=None):
        return self.layers[0](self.embed(ids), state)

    def run(self, ids, state=None):
        return self(ids, state)


def call(layers, ids, state=None):
    return layers(ids, state)


def closure():
    layers = Layers()
    return lambda ids, state=None: layers(ids, state)


GLOBAL = Layers()


def of_a_global_variable(ids, state=None):
    return GLOBAL(ids, state)


FUNCTIONS = {
    "an object": Layers,
    "a method": lambda: Layers().run,
    "a partial": lambda: partial(call, Layers()),
    "a closure": closure,
    "a function of a global variable": lambda: of_a_global_variable,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_correct_function_of_tokens_that_calls_modules_holds(name):
    torch.manual_seed(0)
    answers = results(FUNCTIONS[name](), **TOKENS)
    assert {kind: str(result.verdict) for kind, result in answers.items()} == dict.fromkeys(
        ("pieces", "batch", "reuse", "gradient"), "holds"
    )
    copied = name in ("an object", "a method", "a partial")  # a function runs in float64 only in these cases
    assert ("float64" in answers["reuse"].facts["module"]) == copied


def test_modules_in_default_arguments_are_found():
    layer = nn.GRU(8, 8)
    assert Called(lambda ids, state=None, layer=layer: layer(ids, state)).module is layer
    assert Called(lambda ids, state=None, *, layer=layer: layer(ids, state)).module is layer


def test_a_function_without_modules_has_none():
    assert Called(lambda ids, state=None: (torch.tanh(ids), state)).module is None
