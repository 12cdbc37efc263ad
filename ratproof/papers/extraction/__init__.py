"""From a state-regularized network to its automata: by asking it, by counting (Algorithm 1), and with
probabilities.
"""
