"""Searches for counterexamples (hunts) in numbered, reproducible rounds of random cases."""
