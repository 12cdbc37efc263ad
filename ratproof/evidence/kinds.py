"""The ladder of evidence, lowest rung first, and the verdicts."""

from __future__ import annotations

from enum import StrEnum

KINDS = {
    "sampled": "random weights and strings",
    "gradient": "torch's gradients are the derivatives of the automata's scores, or of a kernel's recurrence",
    "cross-checked": "OpenFst gives the same scores",
    "exhausted": "every string up to some length, in exact fractions",
    "decided": "all strings, for these weights, with a certificate",
    "proved": "all weights, sizes and lengths, by induction over an invariant",
    "kernel-checked": "the same, accepted by a proof assistant's kernel",
    "exact": "a kernel's results on inputs that do not round, bit for bit",
    "split": "a kernel's two calls, with the state handed over, are one",
    "independence": "no string or head of a kernel's batch depends on another",
    "pieces": "a model that reads its inputs in several calls gives what it gives in one",
    "batch": "a row in a model's batch gives what it gives alone",
    "padding": "a model's outputs are the same with masked padding on the left",
    "reuse": "a model, a cleared cache and a state give the same when they are used again",
    "reorder": "rows of a model's cache that are reordered go on as if they had always been so",
}
"""Each kind and what it shows; the variants of a claim declare the kinds that they promise."""
OF_PAPERS = tuple(KINDS)[: list(KINDS).index("kernel-checked") + 1]
"""Kinds of the papers' claims; the others are for users' kernels and models."""

RUN_ON_STRINGS = ("sampled", "exhausted")
"""Kinds that run a network on strings, in exact arithmetic or in torch."""


EXACT, TORCH = "exact", "torch"
"""The two ways to run a network on strings."""


class Verdict(StrEnum):
    """The verdict of a piece of evidence; ``UNKNOWN`` is never shown as ``HOLDS``."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
