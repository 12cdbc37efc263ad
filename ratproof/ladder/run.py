"""The one runner of evidence: `verify`, `check`, `hunt` and the pytest plugin all end here."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ratproof.evidence.judge import judge
from ratproof.evidence.kinds import RUN_ON_STRINGS
from ratproof.evidence.ledger import recording
from ratproof.evidence.random_cases import with_seed
from ratproof.evidence.results import Observation
from ratproof.implementations.implementation import Implementation
from ratproof.ladder.rungs.table import Rung
from theory.claim import EXACT, TORCH, Claim, Effort, Variant


def run(
    rung: Rung,
    claim: Claim,
    variant: Variant,
    side: Implementation,
    effort: Effort,
    *,
    kind: str,
    test: str = "",
    seed: int | None = None,
    passed_on: tuple[type[BaseException], ...] = (),
    observe: Callable[[Any, Any], None] | None = None,
) -> Observation:
    """Run a rung, time it, keep what was compared, and turn what it raised into a verdict.

    Args:
        rung: an assertion.
        claim: the claim.
        variant: of the claim.
        side: the way in which its network is run.
        effort: how much is tried.
        kind: the kind of evidence.
        test: the name of what runs.
        seed: of fresh random cases; without, Hypothesis's profile says.
        passed_on: exceptions that are no verdict, besides ``KeyboardInterrupt``: they are raised.
        observe: is told of each comparison and its strings.
    """
    raised: BaseException | None = None
    started = time.perf_counter()
    with recording() as book, with_seed(seed):
        book.observe = observe
        try:
            rung(claim, variant, side, effort)
        except BaseException as error:  # whatever a rung raises, its verdict has to be told
            if isinstance(error, (KeyboardInterrupt, *passed_on)):
                raise
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
        ran=(EXACT if side.device is None else TORCH) if kind in RUN_ON_STRINGS else None,
        device=side.device,
        share=book.share,
        informative=informative,
        facts=dict(book.facts),
        counterexample=getattr(raised, "counterexample", None),
        certificate=book.certificate,
        why=why,
        raised=raised,
    )
