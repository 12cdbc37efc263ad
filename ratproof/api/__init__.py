"""What ``import ratproof`` gives: automata and their decisions, checks, certificates and verdicts."""
