"""Extraction of automata from recurrences: affine, with modes, clamped, or linear in a vector."""
