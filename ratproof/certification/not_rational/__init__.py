"""Proofs that a cell is no automaton.

A Hankel determinant excludes automata of fewer than n states, and the hypotheses of a theorem exclude those
of any size.
"""
