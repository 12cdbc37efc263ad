"""Comparison of FA-RNNs in torch with the automata of the claims about them."""
