"""Claims that your own model gives the same results however its inputs are divided into calls and batches.

>>> import torch
>>> from ratproof.laws.models.torch_rnn import of_torch_rnn
>>> claim = model_claim("mine", model=of_torch_rnn(torch.nn.GRU(3, 5)))
>>> claim.variants[0].kinds
('pieces', 'batch', 'reuse', 'reorder', 'gradient')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from torch import nn

from automata.errors import InputError
from ratproof.api.own_claim import Checkable
from ratproof.evidence.subjects import Subject
from ratproof.laws.models.called import RAGGED, Called, Raggedness
from ratproof.laws.models.declared import Declared
from ratproof.laws.models.inputs import Inputs, Tokens, Vectors
from ratproof.laws.models.model import CAPABILITIES, LAWS, StatefulModel
from ratproof.laws.models.precision import FORMATS
from ratproof.laws.models.torch_rnn import of_torch_rnn
from ratproof.laws.runner import model_rungs, require_device
from ratproof.project_settings import default_device

Function = Callable[..., tuple[object, object]]


@dataclass(frozen=True)
class ModelUnderTest(Checkable, Subject):
    """A claim about a model with a state; ``declared`` is the model with its declared properties."""

    declared: Declared | None = None


def model_claim(
    name: str,
    *,
    model: StatefulModel | nn.Module | Function,
    inputs: Inputs | None = None,
    without: Iterable[str] = (),
    padding: Literal["left", "right", "both"] | None = None,
    ragged: Raggedness = "mask",
    precision: str | None = None,
    longest: int | None = None,
    device: str | None = None,
    says: str = "",
) -> ModelUnderTest:
    """Return the claim that a model with a state satisfies laws within measured rounding.

    Each law compares two ways to run the model that must give the same results. Examples are a sequence in
    one call and in several, a row alone and in a batch, and a batch with and without padding. Other laws use
    a model twice, reorder the rows of a state, rewind a state, or restore it from a snapshot. ``gradient``
    compares the gradients of a sequence in one call and in several.

    Args:
        name: Name of the claim, in lowercase letters, digits and hyphens.
        model: The result of :func:`~ratproof.laws.models.torch_rnn.of_torch_rnn` or
            :func:`~ratproof.laws.models.causal_model.of_causal_model`, or a
            :class:`~ratproof.laws.models.model.StatefulModel`. Alternatively, a function or module that is
            called with inputs and state (None in the first call), and with ``mask=`` if rows are padded. It
            returns outputs of shape ``(B, T, ...)`` and the next state. A function with an argument
            ``position_ids`` receives the positions of the tokens, which do not count padding.
        inputs: :class:`~ratproof.laws.models.inputs.Tokens` or :class:`~ratproof.laws.models.inputs.Vectors`.
            Defaults to the inputs that the model declares.
        without: Capabilities that the model does not support, from
            :data:`ratproof.laws.models.model.CAPABILITIES`, in addition to those that the model declares.
            They are not tested, and the report lists them.
        padding: The sides on which rows may be padded. By default, both sides except the sides in
            ``without``.
        ragged: The argument by which a function receives the lengths of rows: ``mask``, ``lengths`` or
            ``cu_seqlens``. ``lengths`` is int64 of shape ``(B,)``, for padding on the right. ``cu_seqlens``
            is int64 of shape ``(B + 1,)``, and the rows are packed into inputs of shape ``(1, total, ...)``.
        precision: The lowest precision inside the model: ``float64``, ``float32``, ``float16`` or
            ``bfloat16``. It replaces the precision that is measured from torch's operators. Pass it if a
            kernel computes in a lower precision than its results have, or to allow more or less rounding.
        longest: Maximum number of tokens that the model can read. Defaults to the model's own limit.
        device: Device of the inputs. Defaults to ``[tool.ratproof] device`` or the environment variable
            ``RATPROOF_DEVICE``, and otherwise to ``cpu``.
        says: The claim as a sentence, for the report.

    Raises:
        InputError: If a name is unknown, or the model lacks a method for a capability that is not in
            ``without``.
    """
    device = device or default_device()
    require_device(name, device)
    if isinstance(model, nn.RNNBase | nn.RNNCellBase):
        model = of_torch_rnn(model)
    if ragged not in RAGGED:
        raise InputError(f"{name}: ragged must be one of {', '.join(RAGGED)}, got {ragged!r:.60}")
    if ragged != "mask" and isinstance(model, StatefulModel):
        raise InputError(f"{name}: ragged is for a function or module; a StatefulModel receives a mask")
    own = model if isinstance(model, StatefulModel) else Called(model, ragged)
    if not callable(model) and own is not model:
        raise InputError(f"{name}: the model must be a StatefulModel, got a {type(model).__name__}")
    unsupported = own.without | _names(name, without) | own.optional()
    unsupported |= _other_side(name, padding, unsupported)
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
    if "gradient" in kinds and not brought.differentiable():
        kinds = tuple(kind for kind in kinds if kind != "gradient")
        brought = replace(brought, without=unsupported | {"gradient"})
    says = (
        says or f"{own.name()} gives the same results however its inputs are divided into calls and batches"
    )
    return ModelUnderTest(name, says, model_rungs(brought, kinds), device, brought)


believe_stateful = model_claim
"""An older name of :func:`model_claim`."""


def _names(name: str, without: Iterable[str]) -> frozenset[str]:
    if isinstance(without, str) or not isinstance(without, Iterable):
        raise InputError(f"{name}: without must be a tuple of names, got {without!r:.60}")
    names = frozenset(without)
    wrong = sorted(names - set(CAPABILITIES), key=str)
    if wrong:
        raise InputError(
            f"{name}: each entry of without must be one of {', '.join(CAPABILITIES)}, got {wrong[0]!r}"
        )
    return names


def _other_side(name: str, padding: str | None, unsupported: frozenset[str]) -> set[str]:
    """Return the capabilities to exclude because ``padding`` names only the other side.

    The result is empty if ``padding`` is ``None`` or ``both``.
    """
    if padding is None:
        return set()
    if padding not in ("left", "right", "both"):
        raise InputError(f"{name}: padding must be left, right or both, got {padding!r:.60}")
    sides = {f"{side}-padding" for side in ("left", "right") if padding in (side, "both")}
    if excluded := sorted(({"padding"} | sides) & unsupported):
        raise InputError(f"{name}: padding={padding!r} must not be excluded by {excluded[0]!r} in without")
    return {"left-padding", "right-padding"} - sides


def _kinds(unsupported: frozenset[str]) -> tuple[str, ...]:
    """Return the laws that apply to the model.

    ``reorder`` needs pieces and batches, because rows are reordered between two calls of a batch. ``padding``
    needs a model that takes padding on at least one side.
    """
    unpadded = {"left-padding", "right-padding"} <= unsupported
    also = {"reorder": bool({"pieces", "batch"} & unsupported), "padding": unpadded}
    also |= dict.fromkeys(("rewind", "snapshot", "gradient"), "pieces" in unsupported)
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
            "padding": f"argument {getattr(model, 'ragged', 'mask')}",
        }
        listed = " and no ".join(parts[method] for method in missing)
        raise InputError(
            f"{name}: the model has no {listed}; add without={missing} to skip the checks that need it"
        )
