"""Lengths of strings on which a program that works in chunks may be wrong."""

CHUNKS = (16, 32, 64, 128, 256)
LONG = (1_025, 2_049)
LENGTHS = tuple(sorted({0, 1, *LONG, *(n for c in CHUNKS for n in (c - 1, c, c + 1, 2 * c + 1))}))
"""Every run has all of them: the edges of chunks of the usual sizes."""
