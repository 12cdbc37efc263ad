"""Certification of the automaton that a soft state-regularized network follows on all strings.

The network is evaluated at its own temperature.
"""
