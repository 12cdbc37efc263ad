"""The proof, in ball arithmetic, that boxes contain all states of a counter and its decisions are right.

Base: the state before the first symbol is in node 0's box.

Step for h: from any state in a node's box, each symbol leads to an h in the box of the transition's target
node. The class of the target node is the class of the string.

Step for c: c' = f c + m, where f and m are enclosed over the whole box. Bounds on c after n symbols therefore
give bounds after n + 1 symbols. The bounds are iterated for as many symbols as the theorem covers, or until
they no longer change. They must stay in the boxes.

Decision: the classifier's logit has the correct sign over each box.
"""

from __future__ import annotations

from collections.abc import Callable

import flint
import numpy as np
from flint import arb

from automata.aliases import Floats
from ratproof.certification.counters.ball_run import first
from ratproof.certification.counters.balls import BallStep, Ends, between, carried, ends
from ratproof.certification.counters.boxes import BoxArrows, Boxes, only_first
from ratproof.certification.counters.heights import balanced
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.soft_networks.balls import Balls, each, exact
from ratproof.checkers.check_counter import STEPS

BITS = 64
MOST_ROUNDS = 20_000
"""Maximum number of iterations. If the bounds still change after them, the proof fails."""


def prove(
    numbers: CounterNumbers,
    boxes: Boxes,
    length: int | None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> str | None:
    """Check that the boxes prove the theorem about strings of at most ``length`` symbols.

    If ``length`` is ``None``, the gates are saturated and strings have any length. Return ``None`` if the
    proof holds, else the first gap, as a sentence.
    """
    with flint.ctx.workprec(BITS):
        step = BallStep(numbers, saturated=length is None)
        start = first(step)
        if not _holds(start[0], boxes.h[:, 0]):
            return "base: the first h leaves the box of node 0"
        factors = _factors(numbers, step, boxes, progress)
        if isinstance(factors, str):
            return factors
        low, high = start[1]
        corners = np.array([[below(v) for v in low], [above(v) for v in high]])
    return _bounded(boxes, *factors, corners, length)


def _factors(
    numbers: CounterNumbers, step: BallStep, boxes: Boxes, progress: Callable[[int, int], None]
) -> tuple[Floats, Floats] | str:
    """Check the step and the decision at every node.

    Return the intervals of f and m in c' = f c + m for each of A transitions, each of shape ``(2, A, d)``, or
    the first gap.
    """
    explored = boxes.explored
    reads, arrows = [step.read(group) for group in explored.groups], BoxArrows.of(explored)
    cells = [ends(boxes.c[:, node]) for node in range(len(explored.classes))]
    kept: dict[tuple[int, int], tuple[Ends, Ends]] = {}
    for node, one in enumerate(explored.classes):
        progress(node, len(explored.classes))
        h, c = between(boxes.h[:, node]), cells[node]
        inside = step.inside(h)
        for group, to in enumerate(explored.after[node].tolist()):
            if to < 0:
                continue
            f, m, o = step.gates(inside + reads[group], c)
            kept[node, group] = f, m
            if not _holds(
                step.mix(step.output(o, _intersection(carried(f, m, c), cells[to]))), boxes.h[:, to]
            ):
                symbol = str(numbers.alphabet[explored.groups[group][0]])
                return f"step: from node {node} with symbol {symbol!r}, h leaves node {to}'s box"
        logit = step.logit(h, c)
        if not (logit > 0 if balanced(one) else logit < 0):
            return f"decision: the decision at node {node} is not certain"
    pairs = [kept[key] for key in zip(arrows.source.tolist(), arrows.group.tolist(), strict=True)]
    f_ends, m_ends = (
        np.array(
            [
                [list(map(below, pair[part][0])) for pair in pairs],
                [list(map(above, pair[part][1])) for pair in pairs],
            ]
        )
        for part in (0, 1)
    )
    return f_ends, m_ends


def _intersection(one: Ends, other: Ends) -> Ends:
    """Return the intersection of two intervals, elementwise."""
    return each(arb.max, one[0], other[0]), each(arb.min, one[1], other[1])


def _holds(values: Balls, corners: Floats) -> bool:
    """Return whether all values are certainly between the lower and the upper corner of a box."""
    low, high = exact(corners[0]), exact(corners[1])
    return all(bool(low[i] <= v and v <= high[i]) for i, v in enumerate(values))


def _bounded(boxes: Boxes, f: Floats, m: Floats, start: Floats, length: int | None) -> str | None:
    """Check that the bounds on c, rounded outwards, stay in the boxes for up to ``length`` symbols."""
    arrows = BoxArrows.of(boxes.explored)
    bounds = only_first(start[:, None], len(boxes.explored.classes))
    endless = np.isinf(boxes.c)  # these ends of the box are unbounded
    bounds = np.where(endless, boxes.c, bounds)
    rounds, most = MOST_ROUNDS if length is None else length, STEPS // max(f.size // 2, 1)
    for _ in range(min(rounds, most)):
        following = _after(arrows, f, m, bounds)
        following = np.where(endless, boxes.c, following)
        if (following[0] < boxes.c[0]).any() or (following[1] > boxes.c[1]).any():
            node = int(np.argwhere((following[0] < boxes.c[0]) | (following[1] > boxes.c[1]))[0, 0])
            return f"step: the cell leaves the box of node {node}"
        if (following == bounds).all():
            return None
        bounds = following
    if rounds > most:
        return f"step: the cell's bounds take more than {STEPS} steps, the limit of the checker"
    return None if length is not None else "step: the cell's bounds do not converge"


def _after(arrows: BoxArrows, f: Floats, m: Floats, bounds: Floats) -> Floats:
    """Return bounds on c that still hold after one more symbol: they contain the earlier bounds."""
    low, high = bounds[0][arrows.source], bounds[1][arrows.source]
    # a node that no string has reached has the bounds (inf, -inf), which contribute nothing
    least = _end(np.where(low >= 0, f[0], f[1]), low, m[0], -np.inf)
    most = _end(np.where(high >= 0, f[1], f[0]), high, m[1], np.inf)
    nobody = (low == np.inf) & (high == -np.inf)
    least, most = np.where(nobody, np.inf, least), np.where(nobody, -np.inf, most)
    return arrows.widened(bounds, least, most)


def _end(f: Floats, c: Floats, m: Floats, towards: float) -> Floats:
    """Return one end of f c + m, rounded outwards unless it is exact; zero times infinity is zero."""
    with np.errstate(invalid="ignore"):
        product = f * c
        product = np.where(f == 0, 0.0, np.where(f == 1, c, np.nextafter(product, towards)))
        total = product + m
        other = total - product  # the exact rounding error of the sum (Knuth's two-sum)
        lost = (product - (total - other)) + (m - other)
    return np.where((lost == 0) | np.isinf(total), total, np.nextafter(total, towards))


def below(value: arb) -> float:
    """Return a float that is at most the value."""
    near = float(value.lower())
    return near if value.is_exact() and arb(near) == value else float(np.nextafter(near, -np.inf))


def above(value: arb) -> float:
    """Return a float that is at least the value."""
    return -below(-value)
