"""A soft state-regularized network at its own temperature, and the automaton that it follows on all strings:
certified.
"""
