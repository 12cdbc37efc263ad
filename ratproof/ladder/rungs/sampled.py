"""``sampled`` evidence, which compares each implementation on all prefixes of random strings."""

from __future__ import annotations

from hypothesis import strategies as st

from automata.testing.distinguishing_strings import weighted_strings
from ratproof.evidence.random_cases import for_random_cases
from ratproof.implementations.implementation import Implementation, ReadsLongStrings
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.certified import requiring_certificate
from theory.claim import Claim, Effort, Variant


def sampled(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert that random cases agree with their automata, exactly or within the rounding bound of floats.

    Raises:
        Disagreement: If a score differs.
    """

    def one_case(data: st.DataObject) -> None:
        agree(*side.sample(claim, variant, effort, data))

    name = f"{claim.name} {variant.name} sampled {side.label}"
    with requiring_certificate(claim, variant):
        for_random_cases(name, side.examples or effort.examples_of("sampled"), one_case)
    if isinstance(side, ReadsLongStrings) and side.long_examples:

        def one_long_case(data: st.DataObject) -> None:
            comparison, strings = side.long_sample(claim, variant, data)
            agree(comparison, strings)
            if side.most_test_strings:
                agree(comparison, weighted_strings(comparison.automata(), side.most_test_strings).strings)

        with requiring_certificate(claim, variant):
            for_random_cases(f"{name} long", side.long_examples, one_long_case)
