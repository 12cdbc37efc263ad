"""Methods for single papers beside the ladder of evidence.

They show that units are no automata, certify temperatures, extract automata, and decide rules.
"""
