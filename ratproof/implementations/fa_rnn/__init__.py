"""FA-RNNs in torch against the automata of the claims about them."""
