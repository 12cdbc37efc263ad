"""Models that take inputs and a state and give outputs and a state, each held against itself: how they are
called, what is drawn for them, the laws, and the rounding, which is measured.
"""
