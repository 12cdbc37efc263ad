"""Tests that a claim's recurrence, the family of its kernels and published references are one function.

Each family's reference runs on random tensors. The claim's recurrence runs in fractions on the same tensors,
once for each column; the symbols of its string are the tokens. The two agree within the bound for a kernel in
float64. The naive functions of flash-linear-attention, if it is installed, agree within the bound for
float32.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import torch

from automata.semirings import REAL
from ratproof.laws.kernels.bounds.forward import run as bounded_outputs
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.naive import RecurrenceInputs, groups, inputs_of
from ratproof.laws.kernels.problem import Problem
from theory.linear_recurrences import (
    comba,
    delta_net,
    gated_delta_net,
    gated_delta_product,
    gla,
    hgrn,
    kda,
    linear_attention,
    retnet,
    rwkv_6,
    rwkv_7,
)
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.weights import Weights

TOKENS = "abcdefg"
SEEDS = range(4)


@dataclass(frozen=True)
class SameRecurrence:
    """A kernel family and the layer of the corresponding claim.

    Attributes:
        layer: The layer of the claim.
        weights: A function from the inputs of one head to the weights by name. Weights that depend on the
            token have a time axis.
        query: The name of the query.
        steps: The number of steps per token. If there are several, their values are v1, v2, ...
    """

    layer: AffineLayer
    weights: Callable[[RecurrenceInputs], dict[str, Any]]
    query: str = "q"
    steps: int = 1


def low_rank(inputs: RecurrenceInputs) -> dict[str, Any]:
    """Return the claim's weights of RWKV-7 from a kernel's inputs.

    The inputs' a is the weight kappa, and their b is -(a o kappa) for the weights a and kappa.
    """
    kappa, b = exact(head(inputs.a)), exact(head(inputs.b))
    a = np.vectorize(lambda y, x: -y / x if x else Fraction(0), otypes=[object])(b, kappa)
    return {"w": head(inputs.decay), "kappa": kappa, "a": a, "k": head(inputs.key)}


ERASE = 0.5
"""Comba's p is this number times the key."""


def corrected_by_key(inputs: RecurrenceInputs) -> dict[str, Any]:
    """Return the weights of Comba, with d = 0, so that the query is not corrected."""
    beta = head(inputs.beta)
    weights = {"k": head(inputs.key), "alpha": head(inputs.decay)[:, 0], "beta": beta}
    return {**weights, "erase": ERASE * beta, "d": 0.0}


def both_steps(inputs: RecurrenceInputs) -> dict[str, Any]:
    """Return the weights of Gated DeltaProduct; the first of a token's two steps has the token's decay."""
    decay, key, beta = (head(x) for x in (inputs.decay, inputs.key, inputs.beta))
    weights = {"g": decay[::2, 0], "k1": key[::2], "beta1": beta[::2]}
    return {**weights, "k2": key[1::2], "beta2": beta[1::2]}


RECURRENCES = {
    "linear-attention": SameRecurrence(linear_attention.LAYER, lambda i: {"k": head(i.key)}),
    "retention": SameRecurrence(retnet.LAYER, lambda i: {"k": head(i.key), "gamma": head(i.decay)[0, 0]}),
    "gla": SameRecurrence(gla.LAYER, lambda i: {"k": head(i.key), "alpha": head(i.decay)}),
    "delta-rule": SameRecurrence(delta_net.LAYER, lambda i: {"k": head(i.key), "beta": head(i.beta)}),
    "gated-delta-rule": SameRecurrence(
        gated_delta_net.LAYER,
        lambda i: {"k": head(i.key), "beta": head(i.beta), "alpha": head(i.decay)[:, 0]},
    ),
    "kda": SameRecurrence(
        kda.LAYER, lambda i: {"k": head(i.key), "beta": head(i.beta), "alpha": head(i.decay)}
    ),
    "comba": SameRecurrence(comba.LAYER, corrected_by_key),
    "gated-delta-product": SameRecurrence(gated_delta_product.LAYER, both_steps, steps=2),
    "rwkv-6": SameRecurrence(
        rwkv_6.LAYER, lambda i: {"k": head(i.key), "w": head(i.decay), "u": np.asarray(i.bonus)[0]}, query="r"
    ),
    "rwkv-7": SameRecurrence(rwkv_7.LAYER, low_rank),
}
CONSTANTS = {"gamma", "u", "d"}
"""Weights that do not depend on the token."""


def head(array: Any) -> Any:
    """Return the tensor's values for the first row and head, with the time axis first."""
    return np.asarray(array)[0, :, 0]


def exact(array: Any) -> Any:
    """Return the floats as fractions."""
    return np.vectorize(Fraction, otypes=[object])(np.asarray(array, dtype=np.float64))


def problem_of(name: str, seed: int, dtype: str, **options: Any) -> Problem:
    """Return a call of a kernel of the family, for one row and one head, with random values."""
    family = FAMILIES[name]
    sizes = {"keys": 1, "values": 1} if family.lanes else {"keys": 2, "values": 2}
    settings: dict[str, Any] = {
        "family": family,
        "dtype": dtype,
        "accumulation": dtype,
        "lengths": (len(TOKENS),),
        "batch": 1,
        "heads": 1,
        **sizes,
        "packed": False,
        "has_initial_state": True,
        "scale": 0.5 if family.scaled else None,
        "numbers": "real",
        "gates": "mild",
        "directions": "free",
        "seed": seed,
    }
    return Problem(**{**settings, **options})


def claimed(recurrence: SameRecurrence, inputs: RecurrenceInputs, column: int) -> list[Any]:
    """Return the outputs of the claim's recurrence for one column of the values, as fractions."""

    def table(name: str, array: Any) -> Any:
        values = exact(array) if np.asarray(array).dtype != object else array
        rows = [tuple(row) if isinstance(row, np.ndarray) else row for row in values]
        return dict(zip(TOKENS, rows, strict=True))

    scale, often = Fraction(float(inputs.scale)), recurrence.steps
    entries = {
        "s_0": tuple(exact(inputs.start[0, 0, :, column])),
        "minus": Fraction(-1),
        recurrence.query: table(recurrence.query, scale * exact(head(inputs.query))[often - 1 :: often]),
    }
    for step in range(often):
        name = f"v{step + 1}" if often > 1 else "v"
        entries[name] = table(name, head(inputs.value)[step::often, column])
    for name, array in recurrence.weights(inputs).items():
        if name not in CONSTANTS:
            entries[name] = table(name, array)
        else:
            entries[name] = tuple(exact(array)) if np.ndim(array) else Fraction(float(array))
    weights = Weights(REAL, TOKENS, entries, ("K", inputs.keys))
    return [o for (o,) in recurrence.layer.recurrence.values(weights, TOKENS)][1:]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", RECURRENCES)
def test_the_claim_and_the_family_are_one_recurrence(name, seed):
    problem = problem_of(name, seed, "float64", substeps=RECURRENCES[name].steps)
    arrays = problem.arrays()
    if name == "rwkv-7":  # b includes the factor a
        arrays["b"] = np.where(arrays["a"] == 0, 0, arrays["b"])
    if name == "comba":
        arrays["p"] = ERASE * arrays["k"]
    inputs = inputs_of(problem, arrays, next(groups(problem)))
    reference = bounded_outputs(problem, arrays, KernelForm())
    for column in range(problem.values):
        theirs = claimed(RECURRENCES[name], inputs, column)
        bounds, outputs = (x[0, :, 0, column] for x in (reference.output_bounds, reference.outputs))
        for one, other, bound in zip(theirs, outputs, bounds, strict=True):
            assert abs(one - Fraction(float(other))) <= Fraction(float(bound)) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_the_claim_and_the_lanes_of_hgrn_are_one_recurrence(seed):
    problem = problem_of("hgrn", seed, "float64")
    arrays = problem.arrays()
    inputs = inputs_of(problem, arrays, next(groups(problem)))
    reference = bounded_outputs(problem, arrays, KernelForm())
    f, x = (exact(head(array)[:, 0]) for array in (inputs.decay, inputs.value))
    tables = {"f": dict(zip(TOKENS, f, strict=True)), "c": dict(zip(TOKENS, x / (1 - f), strict=True))}
    entries = {"h_0": Fraction(float(inputs.start[0, 0, 0, 0])), "minus": Fraction(-1), **tables}
    weights = Weights(REAL, TOKENS, entries, None)
    theirs = [h for (h,) in hgrn.REAL_LAYER.recurrence.values(weights, TOKENS)][1:]
    outputs, bounds = (np.ravel(x) for x in (reference.outputs, reference.output_bounds))
    for one, other, bound in zip(theirs, outputs, bounds, strict=True):
        assert abs(one - Fraction(float(other))) <= Fraction(float(bound)) < 1e-9


# The naive functions of flash-linear-attention; their scale is K^(-1/2), or an argument.

BATCH_FIRST, HEADS_FIRST = "batch, time, head", "batch, head, time"


@dataclass(frozen=True)
class Naive:
    """A naive function of flash-linear-attention.

    Attributes:
        path: Its module and its name.
        tensors: Its names of the family's tensors, in the order of the family.
        order: The order of its axes.
        scaled: Whether it takes the scale as an argument.
        starts: Whether it takes an initial state.
    """

    path: str
    tensors: tuple[str, ...]
    order: str = BATCH_FIRST
    scaled: bool = False
    starts: bool = True


NAIVE = {
    "linear-attention": Naive("linear_attn.naive.naive_recurrent_linear_attn", ("q", "k", "v"), scaled=True),
    "retention": Naive("retention.naive.naive_retention", ("q", "k", "v"), HEADS_FIRST, starts=False),
    "gla": Naive("gla.naive.naive_recurrent_gla", ("q", "k", "v", "gk")),
    "delta-rule": Naive("delta_rule.naive.delta_rule_recurrence", ("q", "k", "v", "beta"), HEADS_FIRST),
    "gated-delta-rule": Naive(
        "gated_delta_rule.naive.naive_recurrent_gated_delta_rule", ("q", "k", "v", "beta", "g"), scaled=True
    ),
    "rwkv-6": Naive(
        "rwkv6.recurrent_naive.naive_recurrent_rwkv6", ("q", "k", "v", "w", "u"), HEADS_FIRST, scaled=True
    ),
    "hgrn": Naive("hgrn.naive.naive_recurrent_hgrn", ("x", "g")),
}
"""The naive functions, keyed by family; there is none for RWKV-7."""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAIVE)
def test_the_family_and_the_published_reference_are_one_recurrence(name, seed):
    naive = NAIVE[name]
    module, _, function = naive.path.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without a GPU, the package warns that its kernels do not run
        pytest.importorskip("fla")
        theirs = getattr(import_module(f"fla.ops.{module}"), function)
    scale = 0.5 if naive.scaled else None
    problem = problem_of(name, seed, "float32", scale=scale, has_initial_state=naive.starts)
    arrays = problem.arrays()
    reference = bounded_outputs(problem, arrays, KernelForm())
    turn = naive.order == HEADS_FIRST

    def tensor(array: Any) -> Any:
        values = torch.tensor(array, dtype=torch.float32)
        return values.transpose(1, 2) if turn and values.dim() > 2 else values

    arguments = {
        name: tensor(arrays[ours]) for name, ours in zip(naive.tensors, problem.family.tensors, strict=True)
    }
    options = {"scale": scale} if naive.scaled else {}
    if naive.starts:
        options |= {"initial_state": torch.tensor(arrays["initial_state"], dtype=torch.float32)}
    result = theirs(**arguments, **options)
    outputs = result[0] if isinstance(result, tuple) else result
    outputs = outputs.transpose(1, 2) if turn else outputs
    errors = np.abs(outputs.double().numpy() - reference.outputs.reshape(outputs.shape))
    assert (errors <= reference.output_bounds.reshape(outputs.shape)).all()
    assert (reference.output_bounds < 1e-3).all()
