"""From a state-regularized network to its automata: the hard one, that of counted transitions (Algorithm 1),
and the probabilistic one.
"""
