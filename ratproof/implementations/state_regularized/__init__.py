"""Comparison of state-regularized layers in torch with the automata of the claims about them."""
