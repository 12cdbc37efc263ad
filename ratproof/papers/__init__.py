"""What single papers ask for beside the ladder: units that are no automata, certified temperatures,
extraction, rules.
"""
