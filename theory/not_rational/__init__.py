"""Cells that are no automata, and controls that are.

Peng et al. 2018, section 4.3, hypothesise that Elman networks, LSTMs and GRUs are none.
"""
