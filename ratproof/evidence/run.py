"""The runner of evidence for ``verify``, ``check``, ``hunt`` and the tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ratproof.evidence.judge import judge
from ratproof.evidence.kinds import EXACT, RUN_ON_STRINGS, TORCH
from ratproof.evidence.ledger import recording
from ratproof.evidence.not_run import NotRun
from ratproof.evidence.random_cases import with_seed
from ratproof.evidence.results import Observation

if TYPE_CHECKING:  # the registration of a kernel must not import the theory
    from ratproof.evidence.subjects import OnlyVariant, Subject
    from theory.claim import Claim, Variant


Observe = Callable[..., None]
"""A function that is called with each comparison and its strings."""


def run(
    show: Callable[[], None],
    claim: Claim | Subject,
    variant: Variant | OnlyVariant,
    device: str | None,
    *,
    kind: str,
    test: str = "",
    seed: int | None = None,
    observe: Observe | None = None,
) -> Observation:
    """Run and time an assertion, record its comparisons, and convert its exception to a verdict.

    Args:
        show: The assertion.
        claim: The claim, or a user's program.
        variant: Its variant.
        device: The device of torch; ``None`` if torch does not run.
        kind: The kind of evidence.
        test: The name of the test.
        seed: Seed of the random cases; ``None`` for the cases of Hypothesis's profile.
        observe: A function that is called with each comparison and its strings.

    Raises:
        NotRun: If this machine cannot run the assertion.
    """
    raised: BaseException | None = None
    start_time = time.perf_counter()
    with recording() as current, with_seed(seed):
        current.observe = observe
        try:
            show()
        except (KeyboardInterrupt, NotRun):
            raise
        except BaseException as error:  # also SystemExit, because every exception is converted to a verdict
            raised = error
    informative = current.informative if kind in RUN_ON_STRINGS else None
    if informative == 0 and variant.constant:
        current.facts["constant"] = variant.constant
    verdict, why = judge(raised, current, None if variant.constant else informative)
    return Observation(
        claim=claim.name,
        variant=variant.name,
        kind=kind,
        expected=variant.expected,
        verdict=verdict,
        test=test,
        cases=current.cases,
        seconds=time.perf_counter() - start_time,
        ran=(EXACT if device is None else TORCH) if kind in RUN_ON_STRINGS else None,
        device=device,
        share=current.share,
        informative=informative,
        facts=dict(current.facts),
        counterexample=getattr(raised, "counterexample", None),
        certificate=current.certificate,
        why=why,
        raised=raised,
    )
