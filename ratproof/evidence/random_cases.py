"""Hypothesis as the rungs use it: one assertion, held for random cases, as many as the run or the variant
says; and of what fails, the smallest case.
"""

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
    """What runs inside draws its cases from that seed; without one, as Hypothesis's profile says."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


def for_random_cases(
    name: str, examples: int | None, body: Callable[[st.DataObject], None], shrinks: bool = True
) -> None:
    """Assert the body for random cases.

    What fails is made small by Hypothesis. Where a smallest case is known that fails, too, that takes one
    case (:mod:`ratproof.evidence.smallest`); a run with a seed of its own finds its own.

    Args:
        name: of the rung: with the seed, what its cases are drawn from, so that each rung has its own.
        examples: how many cases; ``None`` for the profile's number.
        body: draws a case from its argument, and asserts something of it.
        shrinks: whether what fails is made small here, and not by the caller.
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
    search.all()  # the one that is known fails no more
    raise first


@dataclass(frozen=True)
class _Search:
    name: str
    examples: int | None
    body: Callable[[st.DataObject], None]

    def all(self, database: ExampleDatabase | None = None) -> None:
        """All phases of the profile; what fails is saved in the database."""
        self._test(settings().phases, database)

    def up_to_the_first(self) -> None:
        """The same cases, up to the first that fails."""
        self._test([phase for phase in settings().phases if phase is not Phase.shrink])

    def only(self, known: ExampleDatabase) -> None:
        """What a database has, and nothing else."""
        test = given(st.data())(self._every_case())
        settings(phases=[Phase.reuse], derandomize=False, database=known)(test)()

    def _test(self, phases: Collection[Phase], database: ExampleDatabase | None = None) -> None:
        test = given(st.data())(self._every_case())
        examples = settings().max_examples if self.examples is None else self.examples
        derandomize, seed = settings().derandomize, _seed.get()
        if seed is not None or derandomize:
            # the text of the body is the same for all rungs, and Hypothesis derives its own seed from that
            digest = blake2b(f"{self.name} {'' if seed is None else seed}".encode(), digest_size=6).digest()
            test = seeded(int.from_bytes(digest))(test)
        # Hypothesis takes no database beside derandomize, and a seed takes it away from settings made before
        derandomize = derandomize and database is None
        settings(max_examples=examples, phases=phases, derandomize=derandomize, database=database)(test)()

    def _every_case(self) -> Callable[[st.DataObject], None]:
        def every_case(data: st.DataObject) -> None:
            self.body(data)

        every_case.__name__ = every_case.__qualname__ = re.sub(r"\W+", "_", self.name)
        return every_case
