"""Methods for the claims of single papers, in addition to the ladder of evidence.

They prove that no automaton computes a unit, certify temperatures, extract automata, and decide rules.
"""
