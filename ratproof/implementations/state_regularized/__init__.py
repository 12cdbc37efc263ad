"""State-regularized layers in torch against the automata of the claims about them."""
