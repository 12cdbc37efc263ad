"""Extraction of automata from a state-regularized network.

The automata are the hard one, the one of counted transitions (Algorithm 1), and the probabilistic one.
"""
