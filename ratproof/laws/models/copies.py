"""Copies of a model: fresh, perturbed, or in float64."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from ratproof.laws.models.model import StatefulModel
from ratproof.laws.models.precision import moved, unit_of, widened


def fresh(model: StatefulModel) -> StatefulModel:
    """Return a copy that shares only the parameters with the model.

    Its attributes and buffers do not contain changes by earlier calls. If the model cannot be copied, return
    the model itself.
    """
    return _copied(model, {id(p): p for p in parameters(model)}) or model


@contextmanager
def perturbed(model: StatefulModel, unit: float, seed: int) -> Iterator[StatefulModel]:
    """Yield a fresh copy; within the context, its parameters are changed by one unit in the last place.

    The parameters are changed in place, because a function of the model may hold a reference to its module.

    Args:
        model: The model.
        unit: The unit in the last place of values from 1 to 2, if it is larger than that of the parameter's
            own dtype.
        seed: Seed of the signs.
    """
    generator = torch.Generator().manual_seed(seed)
    own = parameters(model)
    before = [parameter.data for parameter in own]
    try:
        for parameter in own:
            parameter.data = moved(parameter.detach(), max(unit, unit_of(parameter.dtype)), generator)
        yield fresh(model)
    finally:
        for parameter, data in zip(own, before, strict=True):
            parameter.data = data


def in_float64(model: StatefulModel) -> StatefulModel | None:
    """Return a copy of the model in float64 and complex128.

    The result is ``None`` if the model has no module or cannot be copied, or if its copy shares parameters
    with it, as a function that refers to a module does.
    """
    copied = None if model.module is None else _copied(model, {})
    if copied is None or copied.module is None or not {*parameters(copied)}.isdisjoint(parameters(model)):
        return None
    copied.module.double()
    for tensor in (*copied.module.parameters(), *copied.module.buffers()):
        if tensor.is_complex():  # Module.double does not convert complex numbers
            tensor.data = widened(tensor.data)
    return copied


def parameters(model: StatefulModel) -> list[nn.Parameter]:
    """Return the parameters of the model's module."""
    return [] if model.module is None else list(model.module.parameters())


def _copied(model: StatefulModel, memo: dict[int, object]) -> StatefulModel | None:
    for module in [] if model.module is None else model.module.modules():
        for value in vars(module).values():
            # every module has a dozen empty dicts of hooks, and deepcopy takes most of its time to copy them
            if type(value) in (OrderedDict, set) and not value:
                memo[id(value)] = type(value)()
    try:
        return copy.deepcopy(model, memo)
    except Exception:  # a module may contain objects that cannot be copied
        return None
