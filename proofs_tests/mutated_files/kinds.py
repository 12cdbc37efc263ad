"""Every kind of file that is read."""

from __future__ import annotations

from proofs_tests.mutated_files import (
    made_automata,
    made_certificates,
    made_counterexamples,
    made_networks,
    made_rules,
    made_vectors,
)

MADE = (made_automata, made_certificates, made_counterexamples, made_networks, made_rules, made_vectors)
KINDS = tuple(kind for module in MADE for kind in module.KINDS)
