"""Settings of CPython for long runs with many small calls and objects.

>>> on_one_stack(sum)([1, 2, 3])
6
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

SLOTS = 70_000
"""The number of slots in the wrapper's frame, which then takes half a megabyte.

CPython rounds the size of the frame's chunk up to a power of two, and callees use the rest of the chunk.
"""
COLLECTIONS = (100_000, 20, 50)


def on_one_stack(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return a function that runs with all frames of its callees in one chunk of memory.

    CPython stores frames in chunks of 16 KiB, and frees a chunk as soon as it is empty. If the calls of a
    loop cross the end of a chunk, each iteration allocates memory, which takes a tenth of the time of
    ``verify``. The wrapper has a frame that is larger than a chunk. CPython allocates a larger chunk for it,
    with space for thousands of frames.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    call.__code__ = call.__code__.replace(co_stacksize=SLOTS)
    return call


def collect_rarely() -> None:
    """Make the cyclic garbage collector run rarely from now on, and exclude the existing objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Run the body with rare garbage collections that never visit the existing objects.

    NumPy, SymPy and torch have a million permanent objects. To visit them repeatedly takes a fifteenth of the
    time of a run.
    """
    before = gc.get_threshold()
    if before == COLLECTIONS:  # in a nested block, the existing objects are already frozen
        yield
        return
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def without_main_program() -> Iterator[None]:
    """Prevent processes that are spawned within the block from importing the main program.

    The main program may lack ``if __name__ == "__main__"``. Its imports may take seconds, and a process that
    is still importing does not end when this process ends.
    """
    main: dict[str, object] = vars(sys.modules["__main__"])
    hidden: dict[str, object] = {name: main.pop(name) for name in ("__file__", "__spec__") if name in main}
    main["__spec__"] = None
    try:
        yield
    finally:
        del main["__spec__"]
        main.update(hidden)
