"""The Python API of ``import ratproof``: automata and their decisions, checks, certificates and verdicts."""
