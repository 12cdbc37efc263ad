"""Construction of the table entries of kernels, which are imported by their dotted paths."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from outside.entry import Entry
from ratproof import believe_kernel
from ratproof.evidence.subjects import Subject
from ratproof.laws.kernels.family import LinearRecurrence


def function(path: str) -> Callable[..., Any]:
    """Import a function by its dotted path."""
    module, _, name = path.rpartition(".")
    result: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return result


def kernel_entry(
    name: str,
    library: str,
    path: str,
    family: str | LinearRecurrence,
    load: Callable[[str], Callable[..., Any]],
    chunk: int | None = None,
    about: dict[str, Any] | None = None,
    **declared: Any,
) -> Entry:
    """Return the table entry of a kernel.

    Args:
        name: the name of the entry.
        library: the distribution that contains the kernel.
        path: the dotted path of the kernel.
        family: the recurrence that the kernel computes.
        load: a function that imports the kernel by its path, and adapts it to the family.
        chunk: the length of the chunks; ``None`` for a recurrent kernel.
        about: further fields of the entry.
        declared: further arguments of ``believe_kernel``; by default, the kernel is tested in float32.
    """
    declared = {"dtypes": ("float32",), **declared}
    if chunk is not None:
        declared |= {"form": "chunked", "chunk": chunk}

    def claim(seconds: float) -> Subject:
        return believe_kernel(name, seconds=seconds, family=family, kernel=load(path), **declared)

    return Entry(name, library, path, claim, **(about or {}))
