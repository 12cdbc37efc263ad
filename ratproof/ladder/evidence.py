"""The marker that makes a test evidence for a claim.

>>> @evidence("proposition-7", kind="sampled")
... def test_hidden_unit_equals_forward_score(cell, string): ...

The pytest plugin (``ratproof/ladder/plugin.py``) reads it. A test with an argument ``variant`` runs for every
variant of the claim that promises the kind, and gets the :class:`~theory.claim.Variant`; another names its
variants in the marker. The body is the statement, for all variants alike: where a variant is expected to be
refuted, the test passes when the statement fails with a counterexample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from automata.errors import InputError
from ratproof.evidence.kinds import KINDS
from theory.claim import Claim, Variant
from theory.registry import claim_named

MARKER = "ratproof_evidence"
"""The name of pytest's mark."""
Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True)
class Mark:
    """What a test is evidence for."""

    claim: str
    kind: str
    variants: tuple[str, ...] | None = None

    def resolve(self) -> tuple[Claim, list[Variant]]:
        """The claim and its variants; :class:`~automata.errors.InputError` where a name dangles."""
        claim = claim_named(self.claim)
        if self.kind not in KINDS:
            raise InputError(f"there is no kind of evidence {self.kind!r}; there are {', '.join(KINDS)}")
        names = {v.name: v for v in claim.variants}
        for name in self.variants or ():
            if name not in names:
                raise InputError(f"{self.claim} has no variant {name!r}; it has {', '.join(names)}")
        chosen = self.variants or tuple(v.name for v in claim.variants if self.kind in v.kinds)
        return claim, [names[name] for name in chosen]


def evidence(claim: str, *, kind: str, variants: tuple[str, ...] | None = None) -> Callable[[Test], Test]:
    """Mark a test as evidence of that kind for a claim; without ``variants``, for all that promise the
    kind.
    """
    mark: Callable[[Test], Test] = getattr(pytest.mark, MARKER)(Mark(claim, kind, variants))
    return mark
