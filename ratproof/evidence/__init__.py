"""Results of evidence: kinds of evidence, verdicts, the ledger of a run, results and counterexamples."""
