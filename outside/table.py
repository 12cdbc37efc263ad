"""All tested programs, keyed by name."""

from __future__ import annotations

from outside import fla_naive, fla_triton, transformers_kernels, transformers_models
from outside.entry import Entry

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for part in (
        transformers_models.ENTRIES,
        transformers_kernels.ENTRIES,
        fla_naive.ENTRIES,
        fla_triton.ENTRIES,
        fla_triton.ON_GPU,
    )
    for entry in part
}
"""The entries in the order in which they are run and shown."""
