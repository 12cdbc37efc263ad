"""Cells that are no automata: Peng et al. 2018, section 4.3, hypothesise it of Elman networks, LSTMs and
GRUs; and what is one.
"""
