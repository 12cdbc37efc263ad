"""The rungs of a user's model with a state, as the runner calls rungs."""

from __future__ import annotations

from collections.abc import Callable

import torch

from automata.errors import InputError
from ratproof.implementations.implementation import Implementation, UserModel
from ratproof.laws.models.laws import LAWS
from ratproof.laws.models.rungs import hold
from theory.claim import Claim, Effort, Variant


def stateful_rung(kind: str) -> Callable[[Claim, Variant, Implementation, Effort], None]:
    """The rung of that kind.

    Raises :class:`~automata.errors.InputError` where models with a state have none.
    """
    if kind not in LAWS:
        raise InputError(f"a model with a state has no evidence of the kind {kind}; it has {', '.join(LAWS)}")

    def run(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
        assert isinstance(side, UserModel)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # the calls are small, and many
        try:
            hold(kind, side.model, claim, variant, effort)
        finally:
            torch.set_num_threads(threads)

    return run
