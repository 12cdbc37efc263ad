"""Every side by its name in files, its ``way``: what a kept counterexample is read back with."""

from __future__ import annotations

from typing import Any, Protocol

from ratproof.sides.comparison import Comparison
from ratproof.sides.decision import OfDecision
from ratproof.sides.exact import Exact
from ratproof.sides.fa_rnn.comparison import OfFARNN
from ratproof.sides.gradient import OfGradients
from ratproof.sides.layer import OfNetwork
from ratproof.sides.module import OfModule
from ratproof.sides.openfst import WithOpenFst
from ratproof.sides.sampled_runs import SampledRuns
from ratproof.sides.state_regularized.comparison import OfCells
from theory.claim import Claim, Variant


class Readable(Protocol):
    """A class of comparisons that are kept in files."""

    way: str

    def from_json(self, claim: Claim, variant: Variant, data: dict[str, Any]) -> Comparison:
        """The comparison that its ``to_json`` wrote; :class:`~automata.errors.InputError` for anything
        else.
        """


SIDES: dict[str, Readable] = {
    side.way: side
    for side in (
        Exact,
        WithOpenFst,
        OfNetwork,
        OfGradients,
        SampledRuns,
        OfCells,
        OfFARNN,
        OfModule,
        OfDecision,
    )
}
"""The sides, by their names."""
