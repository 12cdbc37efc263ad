"""Tests of the properties that servers require: shared prefixes, rewinding, snapshots, and unequal rows.

Gradients are also tested.
"""

import pytest
import torch
from torch import nn

from automata.errors import InputError
from proofs_tests.stateful.serving import (
    SIZE,
    Drafting,
    PrefixServer,
    last_length_for_all,
    offsets_ignored,
    one_position,
    sum_with_lengths,
    sum_with_mask,
    sum_with_offsets,
)
from proofs_tests.stateful.verdicts import results, verdicts
from ratproof import Vectors, model_claim, of_torch_rnn


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(
    ("vocabulary", "mistake"),
    [(2, "one token more"), (20, "one token more"), (1000, "one token more"), (1000, "blocks")],
)
def test_a_state_kept_for_the_wrong_prefix_is_refuted_for_any_vocabulary(vocabulary, mistake):
    assert verdicts(PrefixServer(vocabulary, mistake), "reuse", 100) == {"reuse": "refuted"}


@pytest.mark.parametrize("kind", ["reuse", "batch"])
def test_a_server_that_keeps_the_right_states_holds(kind):
    assert verdicts(PrefixServer(1000), kind) == {kind: "holds"}


def test_the_counterexample_names_the_shared_prefix():
    (result,) = results(PrefixServer(1000, "one token more"), "reuse", 100).values()
    assert "in a second use, after 3 tokens, the first 2 of them the same, and" in (
        result.counterexample.sentence()
    )


MISTAKES = {
    "one token too few is rewound": "rewind",
    "only the last token is rewound": "rewind",
    "a snapshot is not a copy": "snapshot",
    "a snapshot is restored once": "snapshot",
    "the gradient of the state is lost": "gradient",
}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_a_state_is_refuted_by_its_own_property(mistake):
    kinds = ("rewind", "snapshot", "gradient")
    by_kind = {kind: verdicts(Drafting(mistake), kind, 50)[kind] for kind in kinds}
    assert by_kind == {kind: "refuted" if kind == MISTAKES[mistake] else "holds" for kind in kinds}


def test_a_model_that_rewinds_and_restores_correctly_holds():
    assert set(verdicts(Drafting(), longest=66).values()) == {"holds"}


def test_methods_that_are_not_defined_are_not_tested():
    kinds = model_claim("mine", model=of_torch_rnn(nn.GRU(3, 5))).variants[0].kinds
    assert not {"rewind", "snapshot"} & set(kinds)
    assert "gradient" in kinds


def test_a_model_that_detaches_all_states_has_no_property_of_gradients():
    def truncated(inputs, state):
        outputs, state = sum_with_mask(inputs, state)
        return outputs, state.detach()

    claim = model_claim(
        "mine", model=truncated, inputs=Vectors(SIZE), without=["reorder", "clear", "padding"]
    )
    assert claim.variants[0].kinds == ("pieces", "batch", "reuse")


class SmallGradient(Drafting):
    """A model whose gradient of a small term is wrong by 10 % in one call of several tokens."""

    def __init__(self):
        super().__init__()
        self.module.register_parameter("small", nn.Parameter(torch.tensor(1.0)))

    def run(self, inputs, state=None, mask=None):
        outputs, states = super().run(inputs, state)
        small = self.module.small
        more = 0.1 if inputs.shape[1] > 1 else 0.0
        return outputs + 1e-2 * (small + more * (small - small.detach())), states


class Closure(SmallGradient):
    """A model like :class:`SmallGradient` whose function holds a reference to its module."""

    def __init__(self):
        super().__init__()
        run = SmallGradient.run.__get__(self)
        self.function = lambda inputs, state: run(inputs, state)

    def run(self, inputs, state=None, mask=None):
        return self.function(inputs, state)


def test_a_function_may_hold_a_reference_to_the_module():
    """A copy of such a model does not use the copied parameters, which then have no gradients."""
    assert verdicts(Closure(), "gradient", 50) == {"gradient": "refuted"}


def test_a_gradient_is_compared_relative_to_its_own_size():
    """The error is less than 1e-3 of the largest gradient."""
    assert verdicts(SmallGradient(), "gradient", 50) == {"gradient": "refuted"}


FUNCTION = {"inputs": Vectors(SIZE), "without": ["reorder", "clear"]}
FUNCTIONS = {
    "mask": (sum_with_mask, {}),
    "lengths": (sum_with_lengths, {"ragged": "lengths"}),
    "cu_seqlens": (sum_with_offsets, {"ragged": "cu_seqlens"}),
}
WRONG = {
    "lengths": (last_length_for_all, {"ragged": "lengths"}),
    "cu_seqlens": (offsets_ignored, {"ragged": "cu_seqlens"}),
    "positions": (one_position, {"padding": "right"}),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_holds_for_each_way_to_pass_lengths(name):
    function, more = FUNCTIONS[name]
    assert verdicts(function, "padding", **more, **FUNCTION) == {"padding": "holds"}


@pytest.mark.parametrize("name", WRONG)
def test_lengths_positions_or_offsets_of_another_row_are_refuted(name):
    function, more = WRONG[name]
    assert verdicts(function, "padding", 50, **more, **FUNCTION) == {"padding": "refuted"}


@pytest.mark.parametrize(("padding", "side"), [("left", "right"), ("right", "left")])
def test_only_one_side_is_padded_if_declared(padding, side):
    claim = model_claim("mine", model=sum_with_mask, padding=padding, **FUNCTION)
    assert f"{side}-padding" in claim.declared.without


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"padding": "middle"}, "padding must be left, right or both, got 'middle'"),
        ({"padding": "both", "without": ["padding"]}, "padding='both' must not be excluded by 'padding'"),
        ({"padding": "both", "ragged": "lengths"}, "must not be excluded by 'left-padding' in without"),
        ({"ragged": "rows"}, "ragged must be one of mask, lengths, cu_seqlens, got 'rows'"),
        ({"ragged": "cu_seqlens"}, "the model has no argument cu_seqlens"),
    ],
)
def test_a_wrong_declaration_of_padding_is_an_error(more, says):
    with pytest.raises(InputError, match=says):
        model_claim("mine", model=sum_with_lengths, **{**FUNCTION, **more})
