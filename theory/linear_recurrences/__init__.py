"""The claims about linear recurrences of 2020 and later: linear attention, delta rules, state-space models
and gated recurrences, whose output units are automata that read tokens.
"""
