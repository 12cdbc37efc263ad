"""What an automaton is and what it computes. Knows numbers and strings; no paper, no torch."""
