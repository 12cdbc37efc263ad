"""The classes of comparisons by their names in the files of counterexamples."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from automata.aliases import JsonObject
from ratproof.implementations.comparison import Comparison


class Readable(Protocol):
    """A class of comparisons that can be read from a file."""

    way: str

    def from_json(self, claim: object, variant: object, data: JsonObject) -> Comparison:
        """Return the comparison that its ``to_json`` wrote.

        Raises:
            InputError: If the data do not describe such a comparison.
        """


SIDES = {
    "exact": "exact.ExactComparison",
    "openfst": "openfst.OpenFstComparison",
    "network": "layer.LayerComparison",
    "gradient": "gradient.GradientComparison",
    "sampled-runs": "sampled_runs.SampledRuns",
    "sr-cells": "state_regularized.comparison.CellComparison",
    "fa-rnn": "fa_rnn.comparison.FARNNComparison",
    "module": "module.ModuleComparison",
    "decision": "decision.DecisionComparison",
}
"""The module and the class of each comparison, by the field ``way`` in the files of counterexamples."""


def side_named(way: str) -> Readable:
    """Return the class of comparisons with this name, a key of :data:`SIDES`.

    The module is imported on demand, because most of these modules need torch.
    """
    module, _, name = SIDES[way].rpartition(".")
    return cast(Readable, getattr(import_module(f"ratproof.implementations.{module}"), name))
