"""Cells that are not automata, and controls that are.

Peng et al. 2018, section 4.3, hypothesise that Elman networks, LSTMs and GRUs are not automata.
"""
