"""The proof, in ball arithmetic, that the boxes of a soft network's nodes are closed."""

from __future__ import annotations

from collections.abc import Callable

import flint
import numpy as np

from ratproof.certification.soft_networks.ball_run import BallRun
from ratproof.certification.soft_networks.balls import BITS, BallArithmetic, BallBox, Balls, exact
from ratproof.certification.soft_networks.boxes import Nodes
from ratproof.certification.soft_networks.cells import RecurrentStep
from ratproof.certification.soft_networks.mixing import classifier_logit, next_mixture
from ratproof.certification.soft_networks.numbers import Numbers


def prove(
    numbers: Numbers, nodes: Nodes, progress: Callable[[int, int], None] = lambda done, of: None
) -> str | None:
    """Check the base of the induction, and its step and decision for all nodes.

    Return ``None`` if all hold, else the first gap, as a sentence.

    - base: alpha before the first symbol is in the box of node 0, and its label is the node's;
    - step: for each node and symbol, every alpha in the node's box leads into the next node's box, with that
      node's label;
    - decision: for each node, the classifier makes the decision of the node for every alpha in its box.

    By induction on the string, alpha is always in the box of the node that the transitions lead to.
    """
    with flint.ctx.workprec(BITS):
        return _first(numbers, nodes) or _steps(numbers, nodes, progress)


def _first(numbers: Numbers, nodes: Nodes) -> str | None:
    label = int(nodes.label[0])
    if numbers.start_token:
        run = BallRun(numbers)
        b = run.from_start()
        alpha, gaps = run.alpha(b), b - b[label]
    else:
        alpha, gaps = exact(np.eye(numbers.k)[0]), exact(np.where(np.arange(numbers.k) == 0, 0, -1))
        if label != 0:
            return "without a start token, the label of node 0 must be centroid 0"
    if not _labelled(gaps, label):
        return f"base: it is not certain that the first label is centroid {label}"
    outside = _outside(alpha, nodes, 0)
    return (
        None if outside is None else f"base: the first mixture leaves the box of node 0 at centroid {outside}"
    )


def _steps(numbers: Numbers, nodes: Nodes, progress: Callable[[int, int], None]) -> str | None:
    on = BallArithmetic(numbers)
    step = RecurrentStep(on)
    for node in range(len(nodes)):
        progress(node, len(nodes))
        box = BallBox(nodes.low[node], nodes.high[node])
        for symbol, name in enumerate(numbers.alphabet):
            target = int(nodes.after[node, symbol])
            label = int(nodes.label[target])
            image = next_mixture(on, step.u(box, symbol), label, box)
            where = f"step: from node {node} with symbol {name!r} to node {target}"
            if not _labelled(image.gaps, label):
                return f"{where}, it is not certain that the label is centroid {label}"
            outside = _outside(image.alpha, nodes, target)
            if outside is not None:
                return f"{where}, the mixtures leave the box at centroid {outside}"
        logit = classifier_logit(on, step.u(box, numbers.end), box)[0]
        if not (logit > 0 if nodes.accepts[node] else logit < 0):
            verb = "accepts" if nodes.accepts[node] else "rejects"
            return f"decision: it is not certain that the network {verb} at node {node}"
    return None


def _labelled(gaps: Balls, label: int) -> bool:
    """Return whether the label's logit is certainly the largest: all other gaps are negative."""
    return all(bool(gap < 0) for i, gap in enumerate(gaps) if i != label)


def _outside(alpha: Balls, nodes: Nodes, target: int) -> int | None:
    """Return the index of a centroid whose probability may be outside the target's box, or ``None``."""
    low, high = exact(nodes.low[target]), exact(nodes.high[target])
    for i, value in enumerate(alpha):
        if not (low[i] <= value and value <= high[i]):
            return i
    return None
