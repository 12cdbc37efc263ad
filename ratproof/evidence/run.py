"""The one runner of evidence: `verify`, `check`, `hunt` and the tests all end here."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from ratproof.evidence.judge import judge
from ratproof.evidence.kinds import EXACT, RUN_ON_STRINGS, TORCH
from ratproof.evidence.ledger import recording
from ratproof.evidence.not_run import NotRun
from ratproof.evidence.random_cases import with_seed
from ratproof.evidence.results import Observation


class NamedSubject(Protocol):
    """What evidence is about: a claim, or what a user brings."""

    @property
    def name(self) -> str:
        """As the command line knows it."""


class NamedVariant(Protocol):
    """A way to read it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def expected(self) -> str:
        """The verdict that is expected: ``holds`` or ``refuted``."""

    @property
    def constant(self) -> str:
        """Why its automata give all strings the same score; empty if they do not."""


Observe = Callable[[Any, Any], None]
"""Called with each comparison and its strings."""


def run(
    show: Callable[[], None],
    claim: NamedSubject,
    variant: NamedVariant,
    device: str | None,
    *,
    kind: str,
    test: str = "",
    seed: int | None = None,
    observe: Observe | None = None,
) -> Observation:
    """Run an assertion, time it, keep what was compared, and turn what it raised into a verdict.

    Args:
        show: the assertion.
        claim: the claim.
        variant: of the claim.
        device: where torch runs in it; ``None`` if it does not.
        kind: the kind of evidence.
        test: the name of what runs.
        seed: of fresh random cases; ``None`` for what Hypothesis's profile says.
        observe: called with each comparison and its strings.

    Raises :class:`~ratproof.evidence.not_run.NotRun` if this machine cannot run it.
    """
    raised: BaseException | None = None
    started = time.perf_counter()
    with recording() as book, with_seed(seed):
        book.observe = observe
        try:
            show()
        except (KeyboardInterrupt, NotRun):
            raise
        except BaseException as error:  # SystemExit among them: whatever it raises has a verdict
            raised = error
    informative = book.informative if kind in RUN_ON_STRINGS else None
    if informative == 0 and variant.constant:
        book.facts["constant"] = variant.constant
    verdict, why = judge(raised, book, None if variant.constant else informative)
    return Observation(
        claim=claim.name,
        variant=variant.name,
        kind=kind,
        expected=variant.expected,
        verdict=verdict,
        test=test,
        cases=book.cases,
        seconds=time.perf_counter() - started,
        ran=(EXACT if device is None else TORCH) if kind in RUN_ON_STRINGS else None,
        device=device,
        share=book.share,
        informative=informative,
        facts=dict(book.facts),
        counterexample=getattr(raised, "counterexample", None),
        certificate=book.certificate,
        why=why,
        raised=raised,
    )
