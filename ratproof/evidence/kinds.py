"""The kinds of evidence, from the weakest to the strongest, and the verdicts."""

from __future__ import annotations

from enum import StrEnum

KINDS = {
    "sampled": "random weights and strings",
    "gradient": "torch's gradients are the derivatives of the automata's scores, or of a kernel's"
    " recurrence; for a model with a state, gradients in several calls equal those in one",
    "cross-checked": "OpenFst gives the same scores",
    "exhausted": "every string up to some length, in exact fractions",
    "decided": "all strings, for these weights, with a certificate",
    "proved": "all weights, sizes and lengths, by induction over an invariant",
    "kernel-checked": "a theorem that states the same, accepted by Coq's kernel",
    "kernel-checked-reals": "such a theorem about the real numbers, accepted with Coq's axioms for them",
    "exact": "a kernel matches its recurrence bit for bit, on inputs for which all arithmetic is exact",
    "split": "two calls, with the state passed from the first to the second, give the results of one call",
    "independence": "no sequence or head of a kernel's batch depends on another",
    "pieces": "processing the inputs in several calls gives the same outputs as one call",
    "batch": "each row of a batch gives the same outputs as that row alone",
    "padding": "masked padding does not change a model's outputs",
    "reuse": "reusing the model, a cleared cache or a state gives the same outputs",
    "reorder": "after the rows of the cache are reordered (as in beam search), each row continues as before",
    "rewind": "a state whose last tokens are taken back continues as if they had not been read",
    "snapshot": "a state that is restored from a snapshot continues as before",
}
"""The kinds of evidence, with their descriptions. Each variant of a claim declares the kinds that it has."""
OF_PAPERS = tuple(KINDS)[: list(KINDS).index("kernel-checked-reals") + 1]
"""The kinds for the papers' claims; the other kinds are for users' kernels and models."""

RUN_ON_STRINGS = ("sampled", "exhausted")
"""The kinds that run a network on strings, in exact arithmetic or in torch."""


EXACT, TORCH = "exact", "torch"
"""The two ways to run a network on strings."""


class Verdict(StrEnum):
    """The verdict of a piece of evidence; ``UNKNOWN`` is never shown as ``HOLDS``."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
