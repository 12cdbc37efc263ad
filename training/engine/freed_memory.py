"""Retention of the memory of freed arrays in the process during training.

glibc returns the memory of large arrays to the system when they are freed, and the next step faults the pages
in again. Page faults take a quarter of the time if arrays are large (FA-RNN's Viterbi scores on ATIS).
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt (malloc.h).

They set the amount of free memory at the heap's end that is returned, and the minimum size of an array with
separate pages.
"""
KEPT, USUAL = 2**30, 2**25
"""Bytes: the value while training, and the largest that glibc's own rule sets.

Before version 2.35, glibc refuses KEPT.
"""


@contextmanager
def freed_memory_kept() -> Iterator[None]:
    """Retain up to a gigabyte of freed memory at the end of the heap.

    With a C library other than glibc, do nothing.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if platform.system() == "Linux" else None
    if mallopt is None:
        yield
        return
    mallopt(TRIM_THRESHOLD, KEPT)
    if not mallopt(MMAP_THRESHOLD, KEPT):
        mallopt(MMAP_THRESHOLD, USUAL)
    try:
        yield
    finally:
        mallopt(TRIM_THRESHOLD, 2 * USUAL)
        mallopt(MMAP_THRESHOLD, USUAL)
