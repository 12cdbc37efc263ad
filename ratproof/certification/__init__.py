"""Methods that go beyond the kinds of evidence that all claims share.

They prove that no automaton computes a unit, certify networks for all strings, extract automata from
networks, and decide whether networks implement rules.
"""
