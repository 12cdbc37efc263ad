"""A check for a single claim."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from hypothesis import strategies as st

from ratproof.evidence.counterexample import FalseStatement, Refutation
from ratproof.evidence.random_cases import for_random_cases
from ratproof.evidence.results import Observation
from ratproof.evidence.run import Observe, run
from theory.claim import Claim, Variant
from theory.registry import claim_named

if TYPE_CHECKING:
    from ratproof.implementations.corpus import Corpus  # deferred, because it imports torch


@dataclass(frozen=True)
class Inputs:
    """The user's inputs to ``ratproof verify``.

    Attributes:
        device: Device of the networks, ``cpu`` or ``cuda``.
        corpus: The corpus of ``--text``, a :class:`~ratproof.implementations.corpus.Corpus`; or ``None``.
        rules: The folder of ``--rules``, or ``None``.
    """

    device: str = "cpu"
    corpus: Corpus | None = None
    rules: Path | None = None


@dataclass(frozen=True)
class WrittenCheck:
    """A check that is written for one claim: a function that asserts a statement about some variants.

    A failed assertion in the function itself refutes variants that are expected to hold. A variant that is
    expected to be refuted can only be refuted by a counterexample.

    Attributes:
        name: Name of the claim.
        kind: The kind of evidence.
        names: The variants.
        test: The pytest id of the test that runs the check.
        body: The function that asserts the statement.
        needs: The field of :class:`Inputs` that the check requires; empty if it always runs.
        draws: Whether the check draws random cases, so that ``hunt`` can run it with other seeds.
        runs_torch: Whether the check runs a torch network.
    """

    name: str
    kind: str
    names: tuple[str, ...]
    test: str
    body: Callable[[Inputs], None]
    needs: str = ""
    draws: bool = False
    runs_torch: bool = True

    examples: ClassVar[int | None] = None
    label: ClassVar[str] = ""

    @property
    def claim(self) -> Claim:
        """The claim."""
        return claim_named(self.name)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Return the variants that the check is about."""
        return tuple(map(self.claim.variant, self.names))

    def can_run(self, inputs: Inputs) -> bool:
        """Return whether the user passed the input that the check requires."""
        return not self.needs or getattr(inputs, self.needs) is not None

    def run(
        self, inputs: Inputs, seed: int | None = None, observe: Observe | None = None
    ) -> list[Observation]:
        """Run the check, and return one observation per variant.

        Raises:
            NotRun: If this machine cannot run it.
        """

        def rung() -> None:
            try:
                self.body(inputs)
            except AssertionError as error:
                line = traceback.extract_tb(error.__traceback__)[-1]
                own = inspect.getsourcefile(inspect.unwrap(self.body)) == line.filename
                if isinstance(error, Refutation) or self.variants[0].expected != "holds" or not own:
                    raise
                where = f"{Path(line.filename).name}, line {line.lineno}"
                raise FalseStatement(f"{where}: {line.line}") from error

        device = inputs.device if self.runs_torch else None
        start = partial(run, rung, self.claim, self.variants[0], device)
        seen = start(kind=self.kind, test=self.test, seed=seed, observe=observe)
        return [replace(seen, variant=v.name, expected=v.expected) for v in self.variants]


def drawn(
    name: str, body: Callable[[Inputs, st.DataObject], None], examples: int | None = None
) -> Callable[[Inputs], None]:
    """Return a function that runs ``body`` on random cases.

    Args:
        name: A name that determines the random cases, together with the seed.
        body: A function ``body(inputs, data)``, which draws a case from Hypothesis's ``data`` and makes an
            assertion about the case.
        examples: Number of cases; ``None`` for the number that the run specifies.
    """

    def check(inputs: Inputs) -> None:
        for_random_cases(name, examples, lambda data: body(inputs, data))

    statement = getattr(body, "func", body)  # unwrap a partial function
    check.__wrapped__ = statement  # type: ignore[attr-defined]  # for the file and the docstring
    check.__doc__ = statement.__doc__
    return check
