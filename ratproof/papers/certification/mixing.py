"""The stochastic component, enclosed: from u over a box to the next mixture alpha, and to the classifier's
decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ratproof.papers.certification.cells import Enclosed


@dataclass(frozen=True)
class NextMixture:
    """The next alpha over a box.

    Attributes:
        gaps: how far each centroid's logit is from that of the label, (b_i - b_label) / tau; the label is the
            argmax where all others are negative.
        alpha: its values over the box.
    """

    gaps: Any
    alpha: Any


def next_mixture(on: Any, u: Enclosed, label: Any, box: Any) -> NextMixture:
    """The component on u; ``label`` is the centroid that the logits are compared with."""
    gaps = _gaps(on, u, label, box)
    alpha = on.softmax(gaps.whole)
    # once more by the mean-value form: d alpha_i = alpha_i (d b_i - sum_j alpha_j d b_j) / tau
    slope = on.scaled(alpha, gaps.slope - on.average(alpha, gaps.slope))
    by_slope = on.reach(on.softmax(gaps.middle), slope, box)
    return NextMixture(gaps.whole, on.meet(alpha, by_slope))


def classifier_logit(on: Any, u: Enclosed, box: Any) -> Any:
    """W u + v over the box: the classifier's logit."""
    middle = on.classify(u.middle)
    return on.reach(middle, on.before(on.w, u.slope), box)


def _gaps(on: Any, u: Enclosed, label: Any, box: Any) -> Enclosed:
    if on.numbers.similarity == "dot":  # equation 2
        towards = on.towards(label)
        middle = on.apply(towards, u.middle)
        slope = on.before(towards, u.slope)
    else:  # equation 3: the gradient of -|u - s| is the unit vector from u to s
        distances = on.distances(u.middle)
        middle = on.pick(distances, label) - distances
        pull = on.unit_vectors(u.whole)
        slope = on.before(pull - on.pick_row(pull, label), u.slope)
    middle, slope = on.cooled(middle), on.cooled(slope)
    return Enclosed(middle, slope, on.reach(middle, slope, box))
