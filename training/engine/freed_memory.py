"""A setting of glibc that keeps freed memory in the process during training.

By default, glibc returns the memory of large arrays to the system when they are freed, and the next step
causes page faults again. These take a quarter of the time if arrays are large (FA-RNN's Viterbi scores on
ATIS).
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt (malloc.h).

They set the amount of free memory at the end of the heap that is not returned, and the minimum size of an
array with separate pages.
"""
KEPT, USUAL = 2**30, 2**25
"""The values in bytes: one for training, and the largest value that glibc sets by itself.

Before version 2.35, glibc refuses KEPT.
"""


@contextmanager
def freed_memory_kept() -> Iterator[None]:
    """Make glibc keep up to a gigabyte of freed memory at the end of the heap.

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
