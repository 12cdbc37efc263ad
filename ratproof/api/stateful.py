"""Claims that your own model gives the same results however its inputs are divided into calls and batches.

>>> import torch
>>> from ratproof.laws.models.torch_rnn import of_torch_rnn
>>> claim = model_claim("mine", model=of_torch_rnn(torch.nn.GRU(3, 5)))
>>> claim.variants[0].kinds
('pieces', 'batch', 'reuse', 'reorder')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from torch import nn

from automata.errors import InputError
from ratproof.api.own_claim import Checkable
from ratproof.evidence.subjects import Subject
from ratproof.laws.models.declared import Declared
from ratproof.laws.models.inputs import Inputs, Tokens, Vectors
from ratproof.laws.models.model import CAPABILITIES, LAWS, Called, StatefulModel
from ratproof.laws.models.precision import FORMATS
from ratproof.laws.models.torch_rnn import of_torch_rnn
from ratproof.laws.runner import model_rungs
from ratproof.project_settings import default_device

Function = Callable[..., tuple[Any, Any]]


@dataclass(frozen=True)
class ModelUnderTest(Checkable, Subject):
    """A claim about a model with a state; ``declared`` is the model, as its author declares it."""

    declared: Declared | None = None


def model_claim(
    name: str,
    *,
    model: StatefulModel | nn.Module | Function,
    inputs: Inputs | None = None,
    without: Iterable[str] = (),
    precision: str | None = None,
    longest: int | None = None,
    device: str | None = None,
    says: str = "",
) -> ModelUnderTest:
    """Return the claim that a model with a state satisfies five laws within measured rounding.

    Each law compares two ways to run the model that must give the same results: a sequence in one call and in
    several, a row alone and in a batch, with and without padding, a first and a second use, and a cache
    before and after its rows are reordered.

    Args:
        name: Name of the claim, in lowercase letters, digits and hyphens.
        model: The result of :func:`~ratproof.laws.models.torch_rnn.of_torch_rnn` or
            :func:`~ratproof.laws.models.causal_model.of_causal_model`, or a
            :class:`~ratproof.laws.models.model.StatefulModel`. Or a function or module that is called with
            inputs and state (None in the first call), and with ``mask=`` if there is a mask. It returns
            outputs of shape ``(B, T, ...)`` and the next state.
        inputs: :class:`~ratproof.laws.models.inputs.Tokens` or :class:`~ratproof.laws.models.inputs.Vectors`.
            Defaults to the inputs that the model declares.
        without: Capabilities that the model does not support, from
            :data:`ratproof.laws.models.model.CAPABILITIES`, in addition to those that the model declares.
            They are not tested, and the report lists them.
        precision: The lowest precision inside the model: ``float64``, ``float32``, ``float16`` or
            ``bfloat16``. It replaces the precision that is measured from torch's operators. Pass it if a
            kernel computes in a lower precision than its results have, or to allow more or less rounding.
        longest: Maximum number of tokens that the model can read. Defaults to the model's own limit.
        device: Device of the inputs. Defaults to ``[tool.ratproof] device`` or the environment variable
            ``RATPROOF_DEVICE``, and otherwise to ``cpu``.
        says: The claim as a sentence, for the report.

    Raises:
        InputError: If a name is unknown, or the model lacks a method that ``without`` does not exclude.
    """
    device = device or default_device()
    if isinstance(model, nn.RNNBase | nn.RNNCellBase):
        model = of_torch_rnn(model)
    own = model if isinstance(model, StatefulModel) else Called(model)
    if not callable(model) and own is not model:
        raise InputError(f"{name}: the model must be a StatefulModel, got a {type(model).__name__}")
    unsupported = own.without | _names(name, without)
    reads = inputs or own.inputs
    if not isinstance(reads, Tokens | Vectors):
        raise InputError(f"{name}: inputs must be Tokens(vocabulary) or Vectors(size), got {reads!r:.60}")
    if precision is not None and precision not in FORMATS:
        raise InputError(f"{name}: precision must be one of {', '.join(FORMATS)}, got {precision!r:.60}")
    if longest is not None and (type(longest) is not int or longest < 2):
        raise InputError(f"{name}: longest must be an integer of at least 2, got {longest!r:.60}")
    kinds = _kinds(unsupported)
    if not kinds:
        raise InputError(f"{name}: without must not exclude all laws ({', '.join(LAWS)})")
    _require_methods(name, own, unsupported)
    brought = Declared(name, own, reads, unsupported, precision, longest or own.longest, device)
    says = (
        says or f"{own.name()} gives the same results however its inputs are divided into calls and batches"
    )
    return ModelUnderTest(name, says, model_rungs(brought, kinds), device, brought)


believe_stateful = model_claim
"""An older name of :func:`model_claim`."""


def _names(name: str, without: Iterable[str]) -> frozenset[str]:
    if isinstance(without, str):
        raise InputError(f"{name}: without must be a tuple of names, got {without!r}")
    names = frozenset(without)
    wrong = sorted(names - set(CAPABILITIES), key=str)
    if wrong:
        raise InputError(f"{name}: without must be one of {', '.join(CAPABILITIES)}, got {wrong[0]!r}")
    return names


def _kinds(unsupported: frozenset[str]) -> tuple[str, ...]:
    """Return the laws that apply to the model.

    ``reorder`` needs pieces and batches, because rows are reordered between two calls of a batch. ``padding``
    needs a model that takes padding on at least one side.
    """
    unpadded = {"left-padding", "right-padding"} <= unsupported
    also = {"reorder": bool({"pieces", "batch"} & unsupported), "padding": unpadded}
    return tuple(law for law in LAWS if law not in unsupported and not also.get(law, False))


def _require_methods(name: str, model: StatefulModel, unsupported: frozenset[str]) -> None:
    unneeded = {
        "clear": {"clear", "reuse"},
        "reorder": {"reorder", "pieces", "batch"},
        "padding": {"padding"},
    }
    if {"left-padding", "right-padding"} <= unsupported:
        unsupported |= {"padding"}
    missing = [method for method in model.missing_methods() if not unneeded[method] & unsupported]
    if missing:
        parts = {
            "clear": "method clear(state)",
            "reorder": "method reorder(state, rows)",
            "padding": "argument mask",
        }
        listed = " and no ".join(parts[method] for method in missing)
        raise InputError(
            f"{name}: the model has no {listed}; add without={missing} to skip the checks that need it"
        )
