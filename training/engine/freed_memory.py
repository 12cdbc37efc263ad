"""A setting of glibc that keeps freed memory in the process during training.

By default, glibc returns the memory of large arrays to the system when they are freed, which causes page
faults in the next step. With large arrays (the Viterbi scores of FA-RNNs on ATIS), page faults take a quarter
of the time.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt (malloc.h).

The first is the amount of free memory at the end of the heap that is not returned. The second is the minimum
size of an array that has its own pages.
"""
KEPT, USUAL = 2**30, 2**25
"""The values in bytes for training, and the largest value that glibc sets by itself.

Before version 2.35, glibc refuses ``KEPT`` as MMAP_THRESHOLD.
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
