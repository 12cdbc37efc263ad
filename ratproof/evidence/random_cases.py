"""Random cases from Hypothesis, which are drawn for an assertion and shrunk to the smallest failure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b

from hypothesis import Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.database import ExampleDatabase

from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.smallest import keeping, kept_smallest, smallest

_seed: ContextVar[int | None] = ContextVar("seed", default=None)


@contextmanager
def with_seed(seed: int | None) -> Iterator[None]:
    """Draw random cases from ``seed`` within the block.

    If ``seed`` is ``None``, the cases are those of Hypothesis's profile.
    """
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


def for_random_cases(
    name: str, examples: int | None, body: Callable[[st.DataObject], None], shrinks: bool = True
) -> None:
    """Run an assertion for random cases.

    Hypothesis shrinks a failure to the smallest failing case. If this case is known from an earlier run and
    still fails, it is used without shrinking (:mod:`ratproof.evidence.smallest`). A run with its own seed
    does not use known cases.

    Args:
        name: Name of the test, which determines its cases together with the seed.
        examples: Number of cases; ``None`` for the number of the profile.
        body: A function that draws a case from its argument and makes an assertion about it.
        shrinks: Whether to shrink a failing case; false if the caller shrinks it.
    """
    search = _Search(name, examples, body)
    if not shrinks:
        search.up_to_the_first()
        return
    if keeping():
        with kept_smallest(name) as database:
            search.all(database)
        return
    known = smallest(name) if _seed.get() is None and settings().derandomize else None
    if known is None:
        search.all()
        return
    try:
        search.up_to_the_first()
        return
    except Disagreement as error:
        first = error
    search.only(known)
    search.all()  # the known case no longer fails
    raise first


@dataclass(frozen=True)
class _Search:
    name: str
    examples: int | None
    body: Callable[[st.DataObject], None]

    def all(self, database: ExampleDatabase | None = None) -> None:
        """Run all phases of the profile, and save a failure in the database."""
        self._test(settings().phases, database)

    def up_to_the_first(self) -> None:
        """Run the cases until the first failure, without shrinking it."""
        self._test([phase for phase in settings().phases if phase is not Phase.shrink])

    def only(self, known: ExampleDatabase) -> None:
        """Run only the failure that is stored in the database ``known``."""
        test = given(st.data())(self._every_case())
        settings(phases=[Phase.reuse], derandomize=False, database=known)(test)()

    def _test(self, phases: Collection[Phase], database: ExampleDatabase | None = None) -> None:
        test = given(st.data())(self._every_case())
        examples = settings().max_examples if self.examples is None else self.examples
        derandomize, seed = settings().derandomize, _seed.get()
        if seed is not None or derandomize:
            # Hypothesis derives its default seed from the body's source, which is the same for all kinds of
            # evidence
            digest = blake2b(f"{self.name} {'' if seed is None else seed}".encode(), digest_size=6).digest()
            test = seeded(int.from_bytes(digest))(test)
        # Hypothesis does not accept a database with derandomize, and a seed resets derandomize
        derandomize = derandomize and database is None
        settings(max_examples=examples, phases=phases, derandomize=derandomize, database=database)(test)()

    def _every_case(self) -> Callable[[st.DataObject], None]:
        def every_case(data: st.DataObject) -> None:
            self.body(data)

        every_case.__name__ = every_case.__qualname__ = re.sub(r"\W+", "_", self.name)
        return every_case
