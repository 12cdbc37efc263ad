"""Hunts for counterexamples, which run numbered, reproducible rounds of random cases."""
