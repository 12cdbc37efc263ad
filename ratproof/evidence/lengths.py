"""Lengths of the strings on which networks are compared."""

CHUNKS = (16, 32, 64, 128, 256)
LONG = (1_025, 2_049)
LENGTHS = tuple(sorted({0, 1, *LONG, *(n for c in CHUNKS for n in (c - 1, c, c + 1, 2 * c + 1))}))
"""Lengths near multiples of the usual chunk lengths, at which chunked programs often fail; always covered."""
LONGEST = 200
"""Maximum length of random strings for a user's torch program, which may only be correct on short strings."""
LONG_LENGTHS = (LONGEST, *(length for length in LENGTHS if length > LONGEST))
"""Lengths of the long strings for a claim's torch layer: ``LONGEST``, and lengths near edges of chunks."""
LAYER_LONGEST, LAYER_RUN = 12, 40
"""Maximum length of the short strings for a claim's torch layer, and of runs of a symbol added to them."""
EXACT_LENGTHS = (33, 65)
"""Lengths of the long strings in exact arithmetic, in which numbers get more digits with every symbol."""
GRADIENT_LONGEST = 8
"""Maximum length of the short strings for gradients."""
GRADIENT_LENGTHS = (48, 65)
"""Lengths of the long strings for gradients: with runs of a symbol, and with single symbols.

These strings are shorter than others because bounds on gradients take longer to compute.
"""
SAMPLED_LAYERS = ("sr-elman", "sr-gru")
"""The layers that sample, which read shorter strings than other layers."""
SAMPLED_LONGEST, SAMPLED_RUN = 6, 8
"""Maximum length of the short strings for layers that sample, and of runs of a symbol added to them."""
PROGRAM_LENGTHS = (48, LONGEST)
"""Lengths of the long strings for FA-RNN programs, in which products of weights underflow on long strings.

Layers that sample use the first length, because their probabilities are fractions.
"""
OPENFST_LONGEST, OPENFST_RUN = 4, 10
"""Maximum length of strings for OpenFst, and of runs of a symbol added to them."""
