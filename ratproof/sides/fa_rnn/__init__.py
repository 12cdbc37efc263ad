"""FA-RNNs in torch against the automata of the claims about them."""

from ratproof.sides.fa_rnn.comparison import OfFARNN

__all__ = ["OfFARNN"]
