"""Models that map inputs and a state to outputs and a state, and the laws that they should satisfy.

The modules define the calling convention, the random cases, the laws, and the measurement of rounding.
"""
