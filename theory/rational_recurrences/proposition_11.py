"""The variants that the three parts of Proposition 11 share: appendix A as printed, with its padding, and with fewer states.

Peng et al. 2018, section 4.1 and appendix A.
"""

from __future__ import annotations

from typing import Any

from theory.claim import LADDER, PROVED, Variant
from theory.rational_recurrences.windows import ahead, corrected, looking_ahead, printed, remembering, windowed


def variants(anywhere: Any, from_zero: Any, instances: Any, update: str) -> tuple[Variant, ...]:
    """Three readings of appendix A.

    Args:
        anywhere: random and small weights, with any c_0.
        from_zero: those with c_0 = 0.
        instances: the signatures and alphabets that the proofs are checked for.
        update: what mu is, in words.
    """
    right = {"cases": anywhere.random, "small_cases": anywhere.small, "recurrence": windowed, "kinds": PROVED}
    return (
        Variant(
            name="corrected",
            expected="holds",
            says=f"appendix A with mu = {update} and tau(q_0, q_b, b) = mu_pad(b): the first mu may be taken before the history is full",
            construction=corrected,
            proof=remembering(instances),
            **right,
        ),
        Variant(
            name="corrected-with-fewer-states",
            expected="holds",
            says="an automaton with 2 + s + ... + s^(K-1) states: 1, c, and for each word w shorter than K what c is after reading w next",
            construction=ahead,
            proof=looking_ahead(instances),
            **right,
        ),
        Variant(
            name="printed",
            expected="refuted",
            says="appendix A as printed: tau(q_0, p_a, a) = 1 is the only way out of q_0",
            recurrence=windowed,
            construction=printed,
            cases=from_zero.random,
            small_cases=from_zero.small,
            kinds=LADDER,
        ),
    )
