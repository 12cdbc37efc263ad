"""Hypothesis as the rungs use it: one assertion, held for random cases, as many as the run or the variant
says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b

from hypothesis import given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

_seed: ContextVar[int | None] = ContextVar("seed", default=None)


@contextmanager
def with_seed(seed: int | None) -> Iterator[None]:
    """What runs inside draws its cases from that seed; without one, as Hypothesis's profile says."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


def for_random_cases(name: str, examples: int | None, body: Callable[[st.DataObject], None]) -> None:
    """Assert the body for random cases.

    Args:
        name: of the rung: with the seed, what its cases are drawn from, so that each rung has its own.
        examples: how many cases; ``None`` for the profile's number.
        body: draws a case from its argument, and asserts something of it.
    """

    def every_case(data: st.DataObject) -> None:
        body(data)

    every_case.__name__ = every_case.__qualname__ = re.sub(r"\W+", "_", name)
    test = given(st.data())(every_case)
    if examples is not None:
        test = settings(max_examples=examples)(test)
    seed = _seed.get()
    if seed is not None or settings().derandomize:
        # the text of the body is the same for all rungs, and Hypothesis derives its own seed from that
        digest = blake2b(f"{name} {'' if seed is None else seed}".encode(), digest_size=6).digest()
        test = seeded(int.from_bytes(digest))(test)
    test()
