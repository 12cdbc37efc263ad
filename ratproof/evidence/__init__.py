"""Kinds of evidence, and their results: verdicts, ledgers of comparisons, and counterexamples."""
