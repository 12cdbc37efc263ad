"""Automata read off a recurrence: affine, with modes, clamped, linear in a vector."""
