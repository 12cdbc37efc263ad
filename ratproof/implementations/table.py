"""Every side by its name in files, its ``way``: what a kept counterexample is read back with."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, cast

from ratproof.implementations.comparison import Comparison


class Readable(Protocol):
    """A class of comparisons that are kept in files."""

    way: str

    def from_json(self, claim: Any, variant: Any, data: dict[str, Any]) -> Comparison:
        """The comparison that its ``to_json`` wrote; :class:`~automata.errors.InputError` for anything
        else.
        """


SIDES = {
    "exact": "exact.ExactComparison",
    "openfst": "openfst.WithOpenFst",
    "network": "layer.LayerComparison",
    "gradient": "gradient.OfGradients",
    "sampled-runs": "sampled_runs.SampledRuns",
    "sr-cells": "state_regularized.comparison.CellComparison",
    "fa-rnn": "fa_rnn.comparison.FARNNComparison",
    "module": "module.OfModule",
    "decision": "decision.OfDecision",
}
"""The module and the class of each, by its name."""


def side_named(way: str) -> Readable:
    """The side of that name, one of :data:`SIDES`. Its module is imported now: most of them need torch, and
    what is in exact fractions does not.
    """
    module, _, name = SIDES[way].rpartition(".")
    return cast(Readable, getattr(import_module(f"ratproof.implementations.{module}"), name))
