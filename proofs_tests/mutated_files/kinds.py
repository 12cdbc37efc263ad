"""The kinds of files that ratproof reads."""

from proofs_tests.mutated_files import (
    specimen_automata,
    specimen_certificates,
    specimen_counterexamples,
    specimen_experiments,
    specimen_networks,
    specimen_rules,
    specimen_vectors,
)

SPECIMENS = (
    specimen_automata,
    specimen_certificates,
    specimen_counterexamples,
    specimen_experiments,
    specimen_networks,
    specimen_rules,
    specimen_vectors,
)
KINDS = tuple(kind for module in SPECIMENS for kind in module.KINDS)
