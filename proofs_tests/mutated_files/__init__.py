"""Mutants of every file format: refused in one sentence with exit status 2, or read right."""
