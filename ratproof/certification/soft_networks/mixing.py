"""Enclosures of the next mixture alpha and of the decision, from an enclosure of the component's output u."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from ratproof.certification.soft_networks.arithmetic import BoxT, EnclosureArithmetic, PlaceT, V
from ratproof.certification.soft_networks.cells import Enclosed


@dataclass(frozen=True)
class NextMixture(Generic[V]):
    """An enclosure of the next mixture alpha over a box.

    Attributes:
        gaps: The logits minus the label's logit, (b_i - b_label) / tau. The label is the argmax if all gaps
            of other centroids are negative.
        alpha: The values of alpha over the box.
    """

    gaps: V
    alpha: V


def next_mixture(
    on: EnclosureArithmetic[V, BoxT, PlaceT], u: Enclosed[V], label: PlaceT, box: BoxT
) -> NextMixture[V]:
    """Return an enclosure of the next mixture, from an enclosure of the component's output u over the box.

    The logits are compared with the logit of the centroid ``label``.
    """
    gaps = _gaps(on, u, label, box)
    alpha = on.softmax(gaps.over_box)
    # again by the mean-value form: d alpha_i = alpha_i (d b_i - sum_j alpha_j d b_j) / tau
    slope = on.scale_rows(alpha, gaps.slope - on.average(alpha, gaps.slope))
    by_slope = on.reach(on.softmax(gaps.middle), slope, box)
    return NextMixture(gaps.over_box, on.meet(alpha, by_slope))


def classifier_logit(on: EnclosureArithmetic[V, BoxT, PlaceT], u: Enclosed[V], box: BoxT) -> V:
    """Return an enclosure of the classifier's logit w u + v over the box."""
    middle = on.classify(u.middle)
    return on.reach(middle, on.times_slope(on.w, u.slope), box)


def _gaps(on: EnclosureArithmetic[V, BoxT, PlaceT], u: Enclosed[V], label: PlaceT, box: BoxT) -> Enclosed[V]:
    if on.numbers.similarity == "dot":  # equation 2
        differences = on.centroid_differences(label)
        middle = on.apply(differences, u.middle)
        slope = on.times_slope(differences, u.slope)
    else:  # equation 3: the gradient of -|u - s| is the unit vector from u to s
        distances = on.distances(u.middle)
        middle = on.pick(distances, label) - distances
        pull = on.unit_vectors(u.over_box)
        slope = on.times_slope(pull - on.pick(pull, label), u.slope)
    middle, slope = on.divide_by_temperature(middle), on.divide_by_temperature(slope)
    return Enclosed(middle, slope, on.reach(middle, slope, box))
