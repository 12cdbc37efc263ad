"""State-regularized layers in torch against the automata of the claims about them."""

from ratproof.sides.state_regularized.comparison import OfCells

__all__ = ["OfCells"]
