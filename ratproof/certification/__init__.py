"""Questions of single papers beside the ladder: units that are no automata, certified temperatures,
extraction, rules.
"""
