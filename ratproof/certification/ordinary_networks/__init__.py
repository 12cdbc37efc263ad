"""Proofs for all strings about trained networks: nn.RNN, nn.GRU and nn.LSTM with a linear classifier.

The state of a network after every string lies in one of finitely many regions, which each symbol maps into
one another. Each region belongs to a state of the automaton, and the classifier's decision is constant on it.
"""
