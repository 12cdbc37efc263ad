"""Recurrent cells whose units are not weighted automata, and control cells whose units are.

Peng et al. 2018, section 4.3, hypothesise that Elman networks, LSTMs and GRUs are not automata.
"""
