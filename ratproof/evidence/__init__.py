"""What was seen: kinds of evidence and verdicts, the ledger of a run, results, and counterexamples."""
