"""The table of all tested programs, keyed by device and name."""

from __future__ import annotations

from outside import (
    fla_naive,
    fla_triton,
    mamba_triton,
    packages,
    torch_modules,
    transformers_kernels,
    transformers_models,
)
from outside.entry import Entry

PARTS = (
    packages.ENTRIES,
    torch_modules.ENTRIES,
    transformers_models.ENTRIES,
    transformers_kernels.ENTRIES,
    fla_naive.ENTRIES,
    fla_triton.ENTRIES,
    fla_triton.ON_GPU,
    mamba_triton.ON_GPU,
)
ENTRIES: dict[str, dict[str, Entry]] = {
    device: {entry.name: entry for part in PARTS for entry in part if entry.device == device}
    for device in ("cpu", "cuda")
}
"""The entry of each program, keyed by device and then by name."""
