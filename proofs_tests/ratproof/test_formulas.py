"""Tests of modules that are compared with a formula of their weights, in all dtypes.

The deviations of the gates are derived.
"""

import pytest
import torch
from torch import nn
from torch.nn import functional

from automata.errors import InputError
from ratproof import believe_module, drawn_vectors
from ratproof.api.formulas import automata_of
from ratproof.evidence.subjects import registered
from ratproof.ladder.user_files import outcome_of

pytestmark = pytest.mark.usefixtures("short_strings")
DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]


def verdict(claim):
    with registered(claim):
        (result,) = outcome_of([claim], "test", examples=5).results
    return result


class Mamba(nn.Module):
    """One channel of S6 without its convolution: h = exp(dt A) h + dt B x, y = C h, with two states."""

    def __init__(self, size, dtype, wrong=0.0):
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.weights = nn.Parameter(torch.randn(6, size, generator=generator).mul(0.3).to(dtype))
        self.rates = nn.Parameter(torch.tensor([-0.5, -2.0], dtype=dtype))
        self.wrong = wrong

    def gates(self, x):
        projected = functional.linear(x, self.weights)
        step = functional.softplus(projected[..., :1])
        return (
            torch.exp(step * self.rates),
            step * projected[..., 1:3] * projected[..., 3:4],
            torch.sqrt(1 - torch.sigmoid(projected[..., 4:5])),
        )

    def forward(self, inputs):
        state, outputs = torch.zeros(inputs.shape[1], 2, dtype=inputs.dtype), []
        decay, written, _ = self.gates(inputs)
        for t in range(len(inputs)):
            state = (1 + self.wrong) * decay[t] * state + written[t]
            outputs.append(state)
        return torch.stack(outputs)

    def formula(self, x):
        """Return one automaton per unit, with the states "one" and "unit"."""
        decay, written, _ = self.gates(x)
        symbols = decay.shape[0]
        one, none = torch.ones(symbols, dtype=x.dtype), torch.zeros(symbols, dtype=x.dtype)
        units = []
        for unit in range(2):
            rows = [torch.stack([one, written[:, unit]], -1), torch.stack([none, decay[:, unit]], -1)]
            units.append(torch.stack(rows, -2))
        return torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]), torch.stack(units)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_selective_state_space_layer_holds_and_a_wrong_one_is_refuted(dtype):
    embeddings, alphabet = drawn_vectors(3, symbols=12, dtype=dtype)
    verdicts = []
    wrong = {torch.float32: 1e-5, torch.float64: 1e-13}.get(dtype, 0.5)
    for off in (0.0, wrong):
        module = Mamba(3, dtype, off)
        claim = believe_module(
            "my-scan", module=module, embeddings=embeddings, alphabet=alphabet, formula=module.formula
        )
        verdicts.append(verdict(claim))
    assert [str(v.verdict) for v in verdicts] == ["holds", "refuted"]
    assert 0 < verdicts[0].share < 1


class Householder(nn.Module):
    """One column of the delta rule with keys of any length: S = (I - beta k k^T) S + beta k v; the output is
    S.
    """

    def __init__(self, dtype, order=0):
        super().__init__()
        self.keys = nn.Parameter(torch.tensor([[0.6, 0.1], [0.8, -0.7]], dtype=dtype))
        self.order = order

    def parts(self, x):
        key = functional.linear(x, self.keys)
        key = functional.silu(key)
        beta = torch.sigmoid(x[..., :1] + x[..., 1:2])
        return key, beta, x[..., 1:2]

    def forward(self, inputs):
        state, outputs = torch.zeros(2, 1, dtype=inputs.dtype), []
        for x in inputs[:, 0]:
            key, beta, value = self.parts(x)
            step = torch.eye(2, dtype=x.dtype) - beta * key[:, None] * key
            read = step @ state if not self.order else step @ (state + 1e-2 * key[:, None])
            state = read + (beta * key * value)[:, None]
            outputs.append(state[None, :, 0])
        return torch.stack(outputs)

    def formula(self, x):
        key, beta, value = self.parts(x)
        step = torch.eye(2, dtype=x.dtype) - (beta * key)[..., None] * key[..., None, :]
        written = beta * key * value
        symbols = x.shape[0]
        top = torch.cat([torch.ones(symbols, 1, 1, dtype=x.dtype), written[:, None]], -1)
        bottom = torch.cat([torch.zeros(symbols, 2, 1, dtype=x.dtype), step.mT], -1)
        return (
            torch.tensor([1.0, 0.0, 0.0]),
            torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            torch.cat([top, bottom], -2),
        )


@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_a_delta_rule_holds_and_another_order_is_refuted(dtype):
    embeddings, alphabet = drawn_vectors(2, symbols=10, dtype=dtype)
    embeddings = embeddings.clamp(-1, 1)
    for order, expected in ((0, "holds"), (1, "refuted")):
        module = Householder(dtype, order)
        claim = believe_module(
            "delta", module=module, embeddings=embeddings, alphabet=alphabet, formula=module.formula
        )
        assert str(verdict(claim).verdict) == expected


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        (
            lambda x: torch.erf(x),
            "the formula cannot be evaluated with rounding bounds: erf is not supported: no rule bounds its"
            " error",
        ),
        (lambda x: x, r"must return a tuple \(initial, final, matrices\)"),
        (
            lambda x: (torch.ones(1), torch.ones(1), x),
            r"matrices must have shape \(2, 1, 1\), .* got \(2, 2\)",
        ),
        (
            lambda x: (torch.ones(1), torch.ones(2), x[..., None]),
            r"final must have shape \(1,\), .* got \(2,\)",
        ),
        (
            lambda x: (torch.ones(1), torch.ones(1), torch.log(x[:, :1, None])),
            "all elements of the formula's matrices must be finite",
        ),
    ],
)
def test_a_formula_of_the_wrong_shape_is_reported(formula, says):
    with pytest.raises(InputError, match=f"mine: .*{says}"):
        believe_module("mine", module=nn.Identity(), embeddings=torch.eye(2), alphabet="ab", formula=formula)


def test_a_formula_and_slack_together_are_refused():
    with pytest.raises(InputError, match="mine: formula cannot be combined with automaton, slack or accepts"):
        believe_module(
            "mine", module=nn.Identity(), embeddings=torch.eye(2), alphabet="ab", formula=id, slack=1e-3
        )


def test_vectors_are_drawn_starting_with_the_special_ones():
    embeddings, alphabet = drawn_vectors(4, symbols=9)
    assert len(alphabet) == len(set(alphabet)) == len(embeddings) == 9
    assert not embeddings[0].any() and bool((embeddings[5] == -embeddings[4]).all())
    with pytest.raises(InputError, match="got 0 and 32"):
        drawn_vectors(0)
    with pytest.raises(InputError, match=r"seed must be an integer of at least 0, got 1\.5"):
        drawn_vectors(4, seed=1.5)
    with pytest.raises(InputError, match=r"dtype must be a floating-point dtype of torch, got torch\.int64"):
        drawn_vectors(4, dtype=torch.int64)


@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_another_evaluation_of_the_formula_is_within_the_derived_bound(dtype):
    """Check that the gates differ, within the bound, if their sums are computed in the reverse order."""
    embeddings, alphabet = drawn_vectors(40, symbols=12, dtype=dtype)
    module, other = Mamba(40, dtype), Mamba(40, dtype)
    other.weights = nn.Parameter(module.weights.flip(1))
    (one, two), deviations = automata_of("scan", module.formula, embeddings, alphabet)
    with torch.no_grad():
        matrices = other.formula(embeddings.flip(1))[2].double().numpy()
    gaps = [abs(matrices[unit] - unit_.matrices) for unit, unit_ in enumerate((one, two))]
    assert any(gap.any() for gap in gaps)
    for gap, deviation in zip(gaps, deviations, strict=True):
        assert (gap <= deviation.matrices).all()
