"""Claims about linear recurrences of 2020 and later, whose output units are weighted automata.

The claims cover linear attention, delta rules, state-space models and gated recurrences.
"""
