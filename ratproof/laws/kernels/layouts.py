"""Memory layouts of the tensors of a call.

A counterexample's script contains the source of :func:`laid_out`, so the function must be self-contained.

>>> import torch
>>> q, k = torch.zeros(2, 3, 1, 4), torch.zeros(2, 3, 1, 4)
>>> laid_out({"q": q, "k": k}, "fused")["k"].stride()
(24, 8, 4, 1)
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # processes that only read verdicts must not import torch
    from torch import Tensor

CONTIGUOUS = "contiguous"
LAYOUTS = {
    CONTIGUOUS: "",
    "swapped": "tensors that are not contiguous (their last two axes are swapped in memory)",
    "time-first": "tensors that are not contiguous (time comes before the batch in memory)",
    "fused": "tensors that are slices of one tensor",
}
"""Each layout, with its description in the text of a call."""
FAR, FAR_ROWS = "far", 3
"""The layout with rows 2^30 + 2^16 elements apart, and the number of rows at which offsets exceed 32 bits."""
FAR_SAYS = "rows that are 2^30 + 2^16 elements apart in memory"


def may_be_far(device: str) -> bool:
    """Return whether tensors on this device can have the layout :data:`FAR`.

    The layout reserves address space for more than 5 * 2^30 elements of each dtype: 20 GiB for float32 and
    40 GiB for float64. Linux commits only the pages that are used.
    """
    if device != "cpu" or sys.platform != "linux":
        return False
    import torch

    try:
        laid_out({"x": torch.ones(FAR_ROWS, 1)}, FAR)
    except OSError:  # the address space of the process may be limited
        return False
    return True


def laid_out(tensors: dict[str, Tensor], layout: str) -> dict[str, Tensor]:
    """Return tensors with the same values in another layout."""
    if layout == "fused":  # slices of the result of one projection, as in models; the state remains separate
        wide = {n: x for n, x in tensors.items() if n != "initial_state" and x.dim() > 2}
        if not wide:
            return tensors
        rows_and_tokens = next(iter(wide.values())).shape[:2]
        fused = {n: x for n, x in wide.items() if x.shape[:2] == rows_and_tokens}
        flat = {name: x.flatten(2) for name, x in fused.items()}
        every = next(iter(flat.values()))
        joined = every.new_empty(*every.shape[:2], sum(x.shape[2] for x in flat.values()))
        slices, begin = {}, 0
        for name, x in flat.items():
            end = begin + x.shape[2]
            slices[name] = joined[:, :, begin:end].copy_(x).view(fused[name].shape)
            begin = end
        return tensors | slices
    if layout == "far":  # the stride of rows fits into 32 bits, but the offset of the third row does not
        import mmap

        import torch

        stride, begin, moved, storages = 2**30 + 2**16, 2**31, {}, {}
        elements = begin + 3 * stride + sum(x.numel() for x in tensors.values())
        for name, x in tensors.items():
            if x.dim() < 2 or x.shape[0] != 3:
                continue
            if x.dtype not in storages:  # 0x4000 is MAP_NORESERVE: only pages that are used are committed
                flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
                pages = mmap.mmap(-1, elements * x.element_size(), flags=flags)
                storages[x.dtype] = torch.frombuffer(pages, dtype=x.dtype)
            row = x[0].contiguous()
            # an offset that overflows is negative, and points into the first half of the storage
            moved[name] = storages[x.dtype].as_strided(x.shape, (stride, *row.stride()), begin).copy_(x)
            begin += row.numel()
        return tensors | moved
    if layout != "contiguous":
        axes, least = ((0, 1), 3) if layout == "time-first" else ((-1, -2), 2)
        swapped = {
            n: x.transpose(*axes).contiguous().transpose(*axes)
            for n, x in tensors.items()
            if x.dim() >= least
        }
        return tensors | swapped
    return tensors
