"""Results and verdicts of ratproof for a model, keyed by property."""

from ratproof import believe_stateful
from ratproof.evidence.subjects import registered
from ratproof.ladder.user_files import outcome_of

FEW = 17
"""Two cases of each length, for any number of lengths."""


def results(model, kind=None, examples=FEW, **more):
    """Return the results of a claim about the model, keyed by property."""
    claim = believe_stateful("mine", model=model, **more)
    with registered(claim):
        return {
            r.kind: r
            for r in outcome_of([claim], "test", kinds=[kind] if kind else [], examples=examples).results
        }


def laws_of(model):
    """Return the properties that are tested for a model."""
    return believe_stateful("mine", model=model).variants[0].kinds


def verdicts(model, kind=None, examples=FEW, **more):
    """Return the verdicts of a claim about the model, keyed by property."""
    return {kind: str(r.verdict) for kind, r in results(model, kind, examples, **more).items()}
