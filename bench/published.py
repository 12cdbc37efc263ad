"""Adapters for kernels and layers of other libraries, with which ``bench/scan.py`` compares ours on a GPU.

Install the libraries with ``pip install accelerated-scan flash-linear-attention sru``. Each kernel gets
arrays in the layout that it requires. The conversion to this layout is not measured.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn

Kernel = Callable[..., Tensor]
Values = list[Tensor]


def _accelerated_scan(f: Tensor, u: Tensor) -> tuple[Kernel, Values]:
    """Return the scan of accelerated-scan, and its arguments, which have the time axis last.

    The library's Triton kernel accepts any number of steps.
    """
    scan = import_module("accelerated_scan.scalar").scan
    return scan, [x.permute(1, 2, 0).contiguous() for x in (f, u)]


def _hgrn(f: Tensor, u: Tensor) -> tuple[Kernel, Values]:
    """Return the HGRN kernel of flash-linear-attention, and its arguments.

    They have the batch axis first, and the gates are logarithms.
    """
    scan = import_module("fla.ops.hgrn").chunk_hgrn
    return lambda g, x: scan(x, g)[0], [x.transpose(0, 1).contiguous() for x in (f.log(), u)]


PUBLISHED = {"accelerated-scan": _accelerated_scan, "HGRN of flash-linear-attention": _hgrn}
BACK = {"accelerated-scan": (2, 0, 1), "HGRN of flash-linear-attention": (1, 0, 2)}
"""The permutation of axes that converts the results of each kernel to shape ``(T, B, D)``."""


def kernels(f: Tensor, u: Tensor) -> dict[str, tuple[Kernel, Values]]:
    """Return the installed kernels with their arguments, and print which kernels cannot be measured, and why.

    The kernels compute c_t = f_t c_{t-1} + u_t from c_0 = 0. Each kernel is first compared with this
    recurrence on a few steps, and is not measured if it differs.
    """
    there: dict[str, tuple[Kernel, Values]] = {}
    for name, make in PUBLISHED.items():
        try:
            run, values = make(f[:64], u[:64])
            states = run(*values).permute(BACK[name])
        except Exception as error:  # another library may raise anything; measure the others
            print(f"  {name} is not measured: {type(error).__name__}: {error}")
            continue
        if not torch.allclose(states, _right(f[:64], u[:64]), rtol=1e-2, atol=1e-2):
            print(f"  {name} is not measured: it computes something else")
            continue
        there[name] = make(f, u)
    return there


def layers(size: int, device: str) -> dict[str, nn.Module]:
    """Return the installed layers with as many units as inputs, and print which layers cannot be measured.

    The SRU package implements version 2, which also multiplies a gate by the cell. It has the same number of
    linear maps as our SRU.
    """
    there: dict[str, nn.Module] = {}
    try:
        layer = import_module("sru").SRU(size, size, num_layers=1).to(device)
        layer(torch.zeros(4, 2, size, device=device))[0].sum().backward()
        there["sru.SRU"] = layer
    except Exception as error:  # another library may raise anything; measure the others
        print(f"  sru is not measured: {type(error).__name__}: {error}")
    return there


def _right(f: Tensor, u: Tensor) -> Tensor:
    states: list[Any] = [torch.zeros_like(u[0])]
    for gate, update in zip(f, u, strict=True):
        states.append(gate * states[-1] + update)
    return torch.stack(states[1:])
