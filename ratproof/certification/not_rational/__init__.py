"""Proofs that a cell is no automaton: of fewer than n states, by a Hankel determinant; of any size, by the
hypotheses of a theorem.
"""
