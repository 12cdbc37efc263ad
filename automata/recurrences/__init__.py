"""Extraction of automata from recurrences: affine, with modes, clamped, or linear over a semiring."""
