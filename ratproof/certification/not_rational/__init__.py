"""Proofs that no automaton computes a cell.

A Hankel determinant excludes automata with fewer than n states. The hypotheses of a theorem exclude automata
of any size.
"""
