"""Proofs that a network with a cell state recognises balanced parentheses, and how its cell counts."""
