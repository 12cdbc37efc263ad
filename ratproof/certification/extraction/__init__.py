"""Extraction of automata from a state-regularized network.

The automata are the hard automaton, the automaton of counted transitions (Algorithm 1), and the probabilistic
automaton.
"""
