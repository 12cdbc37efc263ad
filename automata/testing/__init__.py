"""Hypothesis strategies for automata, and cases that break programs."""
