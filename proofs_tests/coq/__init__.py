"""Coq: what it accepts, computes, and must not accept. Skipped where there is no Coq."""
