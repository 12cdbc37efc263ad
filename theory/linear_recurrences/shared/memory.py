"""One column of a matrix memory S: a token writes key times value, and a query reads."""

from __future__ import annotations

from typing import Any

from theory.linear_recurrences.shared.affine import AtPlace, Layer, Reading
from theory.theorem import Theorem

UPDATE_FIRST = "without-update-first"
READS_OLD = "an automaton whose output reads the state before the token, where the layer reads it after"


def query(of: Any) -> Any:
    """S^T q, for one column s: the sum over i of q_i s_i."""
    return of.sum(lambda i: of.times(of.at("q", i), of.at("s", i)))


READ = Reading(printed=query, weight=lambda of, p, i: of.at("q", i))
"""The query reads the state after its update."""


def write(of: Any, j: Any) -> Any:
    """k v^T, for one column: k_j v."""
    return of.times(of.at("k", j), of.at("v"))


def decayed(gate: AtPlace) -> Layer:
    """S <- diag(gate) S + k v^T, o = S^T q."""
    return Layer(
        step=lambda of, part, j: of.plus(of.times(gate(of, j), of.at("s", j)), write(of, j)),
        update=lambda of, part, j: write(of, j),
        decay=lambda of, p, q, j: gate(of, j),
        reading=READ,
    )


def theorem(claim: str, network: str, automaton: str, name: str = "", **options: Any) -> Theorem:
    """The theorem of a claim's corrected variant, in the Coq file of its name."""
    return Theorem(
        f"linear_recurrences.{claim}.{name or claim}", network=network, automaton=automaton, **options
    )
