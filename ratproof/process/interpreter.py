"""CPython, set for minutes of small calls and millions of small objects.

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
"""Half a megabyte: CPython rounds the piece of stack up to a power of two, and callees get the other half."""
COLLECTIONS = (100_000, 20, 50)


def on_one_stack(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The same function, whose callees' frames all lie in one piece of memory.

    CPython keeps frames in pieces of 16 KiB, and gives a piece back as soon as no frame is in it. A loop
    whose calls cross the end of a piece asks the system for memory in each round: a tenth of a run of
    ``verify``. A frame that is larger than a piece gets a piece of its own, with room for thousands of others
    behind it.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    call.__code__ = call.__code__.replace(co_stacksize=SLOTS)
    return call


def collect_rarely() -> None:
    """Look for cycles of garbage rarely from now on, and never among the objects that are there."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)


@contextmanager
def rare_collections() -> Iterator[None]:
    """What runs inside looks for cycles of garbage rarely, and never among the modules that are there.

    NumPy, SymPy and torch are a million objects that live for ever: to look at them again and again takes a
    fifteenth of a run.
    """
    before = gc.get_threshold()
    if before == COLLECTIONS:  # a run within a run: what is there is set aside already, and stays so
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
    """Keep processes that are spawned within the block from importing the main program.

    It may have no ``if __name__ == "__main__"``, and its imports take seconds, in which the processes would
    outlive this one.
    """
    main: dict[str, Any] = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main.pop(name) for name in ("__file__", "__spec__") if name in main}
    main["__spec__"] = None
    try:
        yield
    finally:
        del main["__spec__"]
        main.update(hidden)
