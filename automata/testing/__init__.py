"""Hypothesis strategies for automata, and edge cases."""
