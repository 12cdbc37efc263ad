"""Proofs, by invariant boxes, that a network that mixes its centroids follows its DFA on all strings.

Each state of the DFA has a box. A step of the network maps each box into the box of the next state.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from automata.wfsa import WFSA
from ratproof.checkers import check_invariant
from ratproof.checkers.table import FORMAT
from ratproof.evidence.ledger import ledger
from ratproof.implementations.exact import ExactComparison
from theory.state_regularized.shared.limits import epsilon, reachable


def decide_by_boxes(comparison: ExactComparison) -> None:
    """Assert that, after every string, the most probable centroid of the mixture is the DFA's state.

    ``ratproof/checkers/check_invariant.py`` checks the certificate, which is added to the ledger.

    Raises:
        RuntimeError: If the boxes do not prove this. This does not refute the claim.
    """
    w, current_ledger = comparison.case, ledger()
    states = sorted({q for q, _, _ in reachable(w)})
    certificate = {
        "format": FORMAT,
        "about": check_invariant.ABOUT,
        "claims": "follows",
        "boxes": {
            name: value
            for name, value in w.to_json()["weights"].items()
            if name in ("eq", "m", "S", "U", "W")
        },
        "epsilon": str(epsilon(w)),
        "dfa": _transitions(comparison.automata()),
        "states": states,
    }
    try:
        check_invariant.verdict(certificate)
    except ValueError as error:
        raise RuntimeError(
            f"the boxes do not show that the network follows its DFA: {error}; {w.describe()}"
        ) from None
    current_ledger.add(len(states) * len(w.alphabet))
    current_ledger.certificate = certificate


def _transitions(automata: Sequence[WFSA]) -> dict[str, list[int]]:
    """Return, for each symbol, the list of all states' next states; states are numbered from 1.

    The automata must be the same DFA with initial state 1, and only state i is final in the i-th automaton.
    """
    first = automata[0]
    for index, automaton in enumerate(automata):
        same = all(np.array_equal(automaton.matrix(x), first.matrix(x)) for x in first.alphabet)
        if (
            not same
            or automaton.initial.tolist() != _one(0, first.states)
            or automaton.final.tolist() != _one(index, first.states)
        ):
            raise RuntimeError("the automata must be the same DFA, each with its own final state")
    tables = {str(x): first.matrix(x).tolist() for x in first.alphabet}
    if any(sorted(row) != _one(first.states - 1, first.states) for table in tables.values() for row in table):
        raise RuntimeError("the automata must be deterministic")
    return {x: [1 + row.index(1) for row in table] for x, table in tables.items()}


def _one(index: int, length: int) -> list[int]:
    return [int(i == index) for i in range(length)]
