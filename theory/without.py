"""Reasons why a variant has no evidence of some kind.

>>> from theory.registry import claims
>>> claim = claims()["proposition-7"]
>>> missing(claim.variant("corrected"))
{}
>>> missing(claim.variant("printed"))
{'proved': 'one counterexample refutes it: there is nothing to prove'}
"""

from __future__ import annotations

from theory.claim import KERNEL, PROVED, Variant

KINDS = (*PROVED, KERNEL)
NOT_A_STEP = (
    "the argument is not an identity of polynomials that each step preserves, which this check requires;"
    " the Coq theorem covers it, for all weights"
)
REFUTED = "one counterexample refutes it: there is nothing to prove"
NO_AUTOMATON = {
    "decided": (
        "the variant says that no automaton is equivalent; a Hankel block of full rank shows this, whereas"
        " this check is about one automaton"
    )
}
"""The reason for a variant about all automata."""
OWN_ALGORITHM = "the printed algorithm is compared, and OpenFst runs its own"


def missing(variant: Variant) -> dict[str, str]:
    """Return the reason for each kind of evidence that the variant does not have.

    A reason is specific to the variant or is a default. It is empty if there is neither.
    """
    reasons = {kind: variant.without.get(kind) or _usual(variant, kind) for kind in KINDS}
    return {kind: reason for kind, reason in reasons.items() if kind not in variant.kinds}


def _usual(variant: Variant, kind: str) -> str:
    if kind == "proved":
        return REFUTED if variant.expected == "refuted" else NOT_A_STEP if variant.theorem is not None else ""
    if kind == "cross-checked" and variant.reading.algorithm is not None:
        return OWN_ALGORITHM
    return ""
