"""What the papers claim: one file a claim, in one folder a paper. Knows automata; no torch."""
