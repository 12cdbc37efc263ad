"""The recurrent networks as torch layers, fast on any device, and their conversion to automata. Knows
automata; no claim.
"""
