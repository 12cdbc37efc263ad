"""Methods for single papers' claims, beyond the kinds of evidence that all claims share.

They prove that units are not rational, certify networks, extract automata, and decide rules.
"""
