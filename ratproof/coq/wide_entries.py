"""The entries of a box for which Coq's checker of soft networks computes slopes.

By slopes, effects of an entry that cancel each other do not widen an enclosure. But the checker's time is
proportional to their number, and most entries of a box are so narrow that they need none. The choice cannot
make the checker (``theory/coq_reals/boxes.v``) accept a wrong box.
"""

from __future__ import annotations

import numpy as np

from automata.aliases import Floats
from ratproof.certification.soft_networks.boxes import WIDER, Nodes
from ratproof.certification.soft_networks.cells import RecurrentStep
from ratproof.certification.soft_networks.floats import FloatArithmetic, FloatBoxes, Points
from ratproof.certification.soft_networks.numbers import Numbers

SHARE = 0.25
"""The share of the room around an image by which the entries without slopes may widen it."""
DECISION_SHARE = 0.1
"""The share of the classifier's logit by which the entries without slopes may widen it."""


def wide_entries(numbers: Numbers, nodes: Nodes, margin: float) -> list[list[bool]]:
    """Return, for each node, which entries of its box need slopes.

    Args:
        numbers: The network.
        nodes: The nodes with their boxes.
        margin: The least distance between a box and the images in it.
    """
    widths = nodes.high - nodes.low
    room = SHARE * 2 * (WIDER * widths + margin)
    on = FloatArithmetic(numbers)
    return [_wide(widths[node], _used(on, nodes, node, room)) for node in range(len(nodes))]


def _wide(widths: Floats, used: Floats) -> list[bool]:
    """Return the entries of a box that need slopes, from its widths and the shares of the room that they use.

    The checker adds what the other entries lack to the first entry with a slope, so they use its share, too.
    """
    first = 0.0
    for _ in range(2):
        share = widths * (used + first)
        order = np.argsort(share)
        wide = np.empty(len(share), dtype=bool)
        wide[order] = share[order].cumsum() > 1
        if wide.any():
            first = float(used[wide.argmax()])
    return [bool(x) for x in wide]


def _used(on: FloatArithmetic, nodes: Nodes, node: int, room: Floats) -> Floats:
    """Return the share of the room that each entry would use without slopes, divided by its width.

    The result, of shape ``(k,)``, is the maximum over all symbols and the decision. ``room`` has shape
    ``(nodes, k)``.
    """
    numbers, S = on.numbers, on.numbers.S
    box = FloatBoxes(nodes.low[[node]], nodes.high[[node]])
    shares = []
    for token, target in [*enumerate(nodes.after[node]), (numbers.end, None)]:
        u = RecurrentStep(on).u(box, np.array([token]))
        effects = np.maximum(np.abs(u.slope.lo), np.abs(u.slope.hi))[0]  # of the entries on the units
        if target is None:
            logit = abs(u.middle.lo[0] @ numbers.w + numbers.v)
            shares.append(np.abs(numbers.w) @ effects / (DECISION_SHARE * logit))
        else:
            gaps = np.abs(S - S[:, [nodes.label[target]]]).T @ effects / numbers.tau
            alpha = Points(numbers).mix(u.middle.lo)[0]
            shares.append((alpha[:, None] * (gaps + alpha @ gaps) / room[target][:, None]).max(axis=0))
    return np.asarray(np.max(shares, axis=0))
