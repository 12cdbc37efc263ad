"""Lengths of strings at which chunked programs often fail."""

CHUNKS = (16, 32, 64, 128, 256)
LONG = (1_025, 2_049)
LENGTHS = tuple(sorted({0, 1, *LONG, *(n for c in CHUNKS for n in (c - 1, c, c + 1, 2 * c + 1))}))
"""Lengths that every run covers: the edges of chunks of the usual sizes."""
